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
	Flagged model.RankSet `json:"flagged_ranks"` // ranks that do not behave as predicted
	// ranks in which a library takes other paths than in training, so far from training that this is
	// legitimate; not flagged, and outside the range
	Elsewhere model.RankSet `json:"elsewhere_ranks"`
	Model     string        `json:"verdict_model"` // the model that decided: same_scale, kcca or regression
	// the run is inside the range of a model; if false, an empty flagged_ranks proves nothing
	InRange     bool      `json:"in_range"`
	KCCAInRange bool      `json:"kcca_in_range"`       // every rank is where KCCA is trusted
	Ranks       []int     `json:"ranks"`               // the recorded ranks
	Correlation []float64 `json:"correlation"`         // correlation of each of them, -1 to 1
	Threshold   float64   `json:"threshold"`           // the largest 1 - correlation that is not flagged
	Covered     float64   `json:"covered"`             // share of the volume that the scaling models predict, 0 to 1
	Same        []string  `json:"same_runs,omitempty"` // training runs of the same scale and arguments
	// of a run outside the range: which volume was not predicted, and why; the largest share first
	Wanted       []Wanted `json:"wanted,omitempty"`
	Localisation []Place  `json:"localisation"` // where to look, most likely place first
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
	byKCCA, twins := v.addJudgements(j)
	v.decideModel(byKCCA, twins)
	if c.Crash != nil {
		v.Localisation = localiseCrash(m, c)
		return v, nil
	}
	if where := v.Flagged.Union(v.Elsewhere); where.Len() > 0 {
		if v.Flagged.Len() > 0 {
			where = v.Flagged
		}
		places, err := localiseVolumes(m, t, where, c)
		if err != nil {
			return nil, err
		}
		v.Localisation = places
	}
	return v, nil
}

// addJudgements takes over the judgements, and says whether KCCA flagged a rank, and whether
// all have twins.
func (v *Verdict) addJudgements(j *Judgement) (byKCCA, twins bool) {
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
		if row.isFlagged() {
			v.Flagged.Add(row.Rank)
			byKCCA = byKCCA || row.InRange && row.Uncorrelated
		} else if row.usesOtherPaths() {
			v.Elsewhere.Add(row.Rank)
		}
	}
	slices.Sort(v.Same)
	v.Same = slices.Compact(v.Same)
	return byKCCA, twins
}

func (v *Verdict) decideModel(byKCCA, twins bool) {
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
