package judge

import (
	"fmt"
	"slices"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/model"
)

// The models that a verdict may come from.
const (
	ByKCCA       = "kcca"
	ByRegression = "regression" // the scaling models of the features
	ByTwin       = "same_scale" // training runs of the same scale and arguments
)

// Verdict is what is said about one run.
type Verdict struct {
	// Flagged are the ranks that do not behave as predicted.
	Flagged model.RankSet `json:"flagged_ranks"`
	// Elsewhere are ranks in which a library takes other paths than in training, at a
	// scale so far from training that this is legitimate. They are not flagged, and
	// they are outside the range.
	Elsewhere model.RankSet `json:"elsewhere_ranks"`
	// Model says which model spoke, ByTwin where every rank has a training run of the
	// same scale and arguments, else ByKCCA or ByRegression: the one that found
	// something; if none did, KCCA where it is in its range.
	Model string `json:"verdict_model"`
	// InRange: the run is inside the range of a model. If it is false, an empty list
	// of flagged ranks proves nothing.
	InRange bool `json:"in_range"`
	// KCCAInRange: every rank is where KCCA is trusted.
	KCCAInRange bool `json:"kcca_in_range"`
	// Ranks are the recorded ranks, Correlation is by the same index.
	Ranks       []int     `json:"ranks"`
	Correlation []float64 `json:"correlation"`
	// Threshold is the largest 1 − correlation that is not flagged.
	Threshold float64 `json:"threshold"`
	// Covered is the share of the volume that the scaling models predict.
	Covered float64 `json:"covered"`
	// Same are the training runs of the same scale and arguments, with which the
	// ranks were compared directly.
	Same []string `json:"same_runs,omitempty"`
	// Wanted says, of a run outside the range, which bytes were not predicted and
	// why, the largest share first.
	Wanted []Wanted `json:"wanted,omitempty"`
	// Localisation is where to look, the most likely place first.
	Localisation []Place `json:"localisation"`
}

// Circumstances are what is known of the run beside its volumes.
type Circumstances struct {
	// Crash is the stack of the rank that crashed, innermost first; nil if none.
	Crash []recorded.Frame
	// Library tells frames of libraries from those of the application, so that a
	// difference in the application is named rather than what follows from it in the
	// library. nil: no frame is of a library.
	Library func(recorded.Frame) bool
}

// Conclude draws the verdict from the judgements of all rows of t, which are of
// one run. Errors are those of Table.Validate, ErrRow if t has several runs,
// and ErrFew if a row has not been judged.
func Conclude(m *training.Model, t *recorded.Table, j *Judgement, c Circumstances) (*Verdict, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	t = t.Canonical()
	if last := t.Rows[len(t.Rows)-1].Run; last != t.Rows[0].Run {
		return nil, fmt.Errorf("scaling: runs %q and %q in one test: %w", t.Rows[0].Run, last, recorded.ErrRow)
	}
	if len(j.Rows) != len(t.Rows) {
		return nil, fmt.Errorf("scaling: %d of %d rows judged: %w", len(j.Rows), len(t.Rows), training.ErrFew)
	}
	v := &Verdict{Threshold: m.KCCA.Threshold, KCCAInRange: true, Localisation: []Place{}}
	byKCCA, twins := v.count(j)
	v.decide(byKCCA, twins)
	if c.Crash != nil {
		v.Localisation = localiseCrash(m, c)
		return v, nil
	}
	if where := v.Flagged.Union(v.Elsewhere); where.Len() > 0 {
		if v.Flagged.Len() > 0 {
			where = v.Flagged
		}
		places, err := localise(m, t, where, c)
		if err != nil {
			return nil, err
		}
		v.Localisation = places
	}
	return v, nil
}

// count takes over the judgements, and says whether KCCA flagged a rank, and whether
// all have twins.
func (v *Verdict) count(j *Judgement) (byKCCA, twins bool) {
	twins = true
	for _, row := range j.Rows {
		v.Same, twins = append(v.Same, row.Same...), twins && len(row.Same) > 0
		for _, w := range row.Wanted {
			v.Wanted = addWanted(v.Wanted, w, 1/float64(len(j.Rows)))
		}
		v.Ranks = append(v.Ranks, row.Rank)
		v.Correlation = append(v.Correlation, row.Correlation)
		v.KCCAInRange = v.KCCAInRange && row.InRange
		v.Covered += row.Covered / float64(len(j.Rows))
		if row.flagged() {
			v.Flagged.Add(row.Rank)
			byKCCA = byKCCA || row.InRange && row.Uncorrelated
		} else if row.elsewhere() {
			v.Elsewhere.Add(row.Rank)
		}
	}
	slices.Sort(v.Same)
	v.Same = slices.Compact(v.Same)
	return byKCCA, twins
}

func (v *Verdict) decide(byKCCA, twins bool) {
	v.InRange = (v.KCCAInRange || v.Covered >= halfCovered) && (v.Elsewhere.Len() == 0 || v.Flagged.Len() > 0)
	v.Model = ByRegression
	switch {
	case twins:
		v.Model = ByTwin
	case byKCCA || v.Flagged.Len() == 0 && v.KCCAInRange:
		v.Model = ByKCCA
	}
	if v.InRange {
		v.Wanted = nil
	}
	sortWanted(v.Wanted)
}
