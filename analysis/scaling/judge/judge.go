package judge

import (
	"cmp"
	"fmt"
	"slices"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/regression"
	"laggard/analysis/scaling/training"
)

// Judgement is what the models say about rows of a run. The zero Judgement is
// empty and the neutral element of MergeJudgements.
type Judgement struct {
	Rows []RowJudgement `json:"rows,omitempty"` // in order of run and rank
}

// RowJudgement is what they say about one rank.
type RowJudgement struct {
	Run   string `json:"run"`
	Rank  int    `json:"rank"`
	Ranks int    `json:"ranks"`
	// Correlation of control and behaviour by KCCA, -1 to 1; InRange: the row is
	// where KCCA is trusted; Uncorrelated: 1 − Correlation is past the threshold.
	Correlation  float64 `json:"correlation"`
	InRange      bool    `json:"in_range"`
	Uncorrelated bool    `json:"uncorrelated"`
	// Near: no further from training than a step of scale, where a library takes
	// the paths that it took there.
	Near bool `json:"near"`
	// Covered is the share of the volume that the scaling models predict.
	Covered float64 `json:"covered"`
	// Deviations are the sites whose volume is outside its interval, the largest
	// difference first.
	Deviations []Deviation `json:"deviations,omitempty"`
	// Same are the training runs that were told the same, with which the row was
	// compared; Wanted is what could not be predicted, and why.
	Same   []string `json:"same,omitempty"`
	Wanted []Wanted `json:"wanted,omitempty"`
}

// Deviation is a volume that is not as predicted.
type Deviation struct {
	Site     string              `json:"site"` // Site.Key
	Observed float64             `json:"observed"`
	Interval regression.Interval `json:"interval"`
	// Inside: the site is inside the library, below an MPI call.
	Inside bool `json:"inside,omitempty"`
}

const (
	// minShare is the share of a rank's volume below which a difference is not
	// looked at; minNewShare that of a volume where none is predicted: libraries
	// choose other algorithms for small messages at any scale.
	minShare    = 0.001
	minNewShare = 0.005
	// minPathShare is minShare for sites inside a library: the library, not the
	// program, decides how the bytes of a call are sent, and small messages take other
	// paths at any scale.
	minPathShare = 0.02
	// nearby is the factor past training up to which a library is expected to take the
	// same paths, unless KCCA allows more.
	nearby = 1.5
	// farDistance is the share by which peers are further away, or nearer, than
	// predicted, for more than a step of scale past training.
	farDistance = 0.2
	// sharpWidth is the half width of an interval, as a share, up to which a single call
	// site is believed.
	sharpWidth = 0.1
	// wellCovered: the scaling models predict so much of the volume that a rank
	// without deviation is good, whatever KCCA says.
	wellCovered = 0.9
	// halfCovered: below this a run is outside the range of the scaling models.
	halfCovered = 0.5
)

// isFlagged: the row is not as the models predict.
func (r RowJudgement) isFlagged() bool {
	return slices.ContainsFunc(r.Deviations, func(d Deviation) bool { return !d.Inside || r.Near }) ||
		r.InRange && r.Uncorrelated && r.Covered < wellCovered
}

// usesOtherPaths: a library takes other paths than in training, at a scale so far from
// training that this is legitimate.
func (r RowJudgement) usesOtherPaths() bool { return len(r.Deviations) > 0 && !r.isFlagged() }

// Judge judges each row of a table by itself. Errors are those of Table.Validate,
// and ErrControls where the controls are not those of training.
func Judge(m *training.Model, t *recorded.Table) (*Judgement, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	t = t.Canonical()
	if names := t.ControlNames(); !slices.Equal(names, m.Controls) {
		return nil, fmt.Errorf("scaling: controls %q, the model has %q: %w", names, m.Controls, recorded.ErrControls)
	}
	b, err := newMatchedModel(m, t)
	if err != nil {
		return nil, err
	}
	j := &Judgement{}
	for _, row := range t.Rows {
		j.Rows = append(j.Rows, b.judgeRow(row))
	}
	return j, nil
}

// MergeJudgements unites judgements of rows of a run; a row that is in both is
// kept once.
func MergeJudgements(a, b *Judgement) *Judgement {
	j := &Judgement{Rows: slices.Concat(a.Rows, b.Rows)}
	slices.SortStableFunc(j.Rows, compareJudged)
	j.Rows = slices.CompactFunc(j.Rows, func(a, b RowJudgement) bool { return compareJudged(a, b) == 0 })
	return j
}

func compareJudged(a, b RowJudgement) int {
	return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Rank, b.Rank))
}

// matchedModel is a model made ready to judge a table: the sites of both are matched.
type matchedModel struct {
	m     *training.Model
	t     *recorded.Table
	roles []regression.Role // by feature
	at    map[int]int       // from site of the table to site of the model; absent: new
	// switching are the calls of switchingCalls.
	switching map[string]bool
	twins     *twins
}

func newMatchedModel(m *training.Model, t *recorded.Table) (*matchedModel, error) {
	b := &matchedModel{m: m, t: t, at: make(map[int]int, len(t.Sites)), switching: switchingCalls(m), twins: findTwins(m)}
	known := make(map[string]int, len(m.Sites))
	for i, site := range m.Sites {
		known[site.Key()] = i
	}
	for i, site := range t.Sites {
		if at, ok := known[site.Key()]; ok {
			b.at[i] = at
		}
	}
	for _, f := range m.Features {
		r, err := regression.RoleByName(f.Role)
		if err != nil {
			return nil, fmt.Errorf("scaling: model: site %d: %w", f.Site, err)
		}
		b.roles = append(b.roles, r)
	}
	return b, nil
}

// alignVolumes gives the volumes of a row by site of the model, and those at new
// sites by site of the table.
func (b *matchedModel) alignVolumes(row recorded.Observation) (y []float64, fresh map[int]float64) {
	y, fresh = make([]float64, len(b.m.Sites)), make(map[int]float64)
	for site, bytes := range row.Volume {
		if at, known := b.at[site]; known {
			y[at] = bytes
		} else {
			fresh[site] = bytes
		}
	}
	return y, fresh
}

func (b *matchedModel) judgeRow(row recorded.Observation) RowJudgement {
	y, fresh := b.alignVolumes(row)
	x := row.ControlRow(b.m.Controls)
	beyond := 0.0
	for site := range b.t.Sites { // in order: rounding must not depend on the map
		beyond += fresh[site] * fresh[site]
	}
	j := RowJudgement{Run: row.Run, Rank: row.Rank, Ranks: row.Ranks, InRange: b.inRange(x)}
	j.Correlation = b.m.KCCA.Correlation(x, y, beyond)
	j.Uncorrelated = b.m.KCCA.Flags(1 - j.Correlation)
	c := b.compareRow(row, x, y, fresh)
	j.Near, j.Covered, j.Deviations = !c.far, c.coveredShare(), c.deviations()
	j.Same, j.Wanted = b.twins.runNames(x), c.collectWanted(b.m.Controls)
	j.InRange = j.InRange && c.switched <= (1-wellCovered)*c.total
	return j
}

// isNear: no control is further from training than a step of scale.
func (b *matchedModel) isNear(x []float64) bool {
	for i, r := range b.m.Ranges {
		if v := x[i+1]; v < r.Low || v > max(r.Next, nearby*r.High) {
			return false
		}
	}
	return true
}

// inRange: every control is where KCCA is trusted, if it is at all.
func (b *matchedModel) inRange(x []float64) bool {
	if !b.m.KCCA.Trial.Useful() {
		return false
	}
	for i, r := range b.m.Ranges {
		if v := x[i+1]; v < r.Low || v > r.Next {
			return false
		}
	}
	return true
}
