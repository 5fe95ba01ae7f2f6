package training

import (
	"errors"
	"fmt"
	"slices"

	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/regression"
)

// ErrFew is wrapped where there are fewer observations than a model needs.
var ErrFew = errors.New("too few observations")

// Model is what training leaves: both models, and how call sites shared the
// volume.
type Model struct {
	Sites []recorded.Site `json:"sites"` // in order of their keys
	// Shares are, by site, the shares of the volume of a run.
	Shares   []Share              `json:"shares"`
	Controls []string             `json:"controls,omitempty"` // beside rank and ranks
	Ranges   []Range              `json:"ranges"`             // of ranks, then of Controls
	KCCA     *kcca.Model          `json:"kcca"`
	Features []regression.Feature `json:"features"` // in order of site
	Runs     int                  `json:"runs"`
	Rows     int                  `json:"rows"`
	Past     []PastRun            `json:"past"` // in order of run
}

// Share is a share of the volume, 0 to 1, over the training runs.
type Share struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Range is where a control feature was in training, and how far KCCA is trusted:
// one step of scale more.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Next float64 `json:"next"`
}

// Assemble makes the model of the merged parts of a fitting. The error wraps
// ErrFew if a part is missing, or is as for Fit.
func Assemble(t *recorded.Table, o kcca.Options, p *Part) (*Model, error) {
	if err := checkTrainable(t, o); err != nil {
		return nil, err
	}
	settings := o.Choices()
	if len(p.Features) != len(t.Sites) || len(p.Trials) != len(settings) {
		return nil, fmt.Errorf("scaling: %d of %d features and %d of %d trials: %w",
			len(p.Features), len(t.Sites), len(p.Trials), len(settings), ErrFew)
	}
	t = t.Canonical()
	x, y := t.Matrices()
	trial := kcca.Choose(p.Trials)
	whole, err := kcca.Fit(x, y, settings[trial.Settings], trial, o)
	if err != nil {
		return nil, err
	}
	m := &Model{Sites: t.Sites, Controls: t.ControlNames(), KCCA: whole, Features: p.Features, Rows: len(t.Rows)}
	for c := range m.Controls {
		m.Ranges = append(m.Ranges, newRange(x, c+2, whole.Trial))
	}
	m.Ranges = slices.Insert(m.Ranges, 0, newRange(x, 1, whole.Trial))
	m.measureShares(t)
	m.addPastRuns(t, x, y)
	return m, nil
}

// newRange takes a step of scale to be the factor between the two largest
// values. Where KCCA did not hold for the largest scale, trained without it, it
// is not trusted past training.
func newRange(x [][]float64, column int, trial kcca.Trial) Range {
	values := recorded.Distinct(x, column)
	top := values[len(values)-1]
	r := Range{Low: values[0], High: top, Next: top}
	if len(values) > 1 && values[len(values)-2] > 0 && trial.HoldsAhead() {
		r.Next = top * top / values[len(values)-2]
	}
	return r
}

// measureShares measures the shares of the volume, run by run.
func (m *Model) measureShares(t *recorded.Table) {
	runs := make(map[string][]float64)
	var names []string
	for _, row := range t.Rows {
		if runs[row.Run] == nil {
			runs[row.Run] = make([]float64, len(t.Sites))
			names = append(names, row.Run)
		}
		for site, bytes := range row.Volume {
			if t.Sites[site].Feature == "" {
				runs[row.Run][site] += bytes
			}
		}
	}
	m.Runs, m.Shares = len(names), make([]Share, len(t.Sites))
	for n, name := range names {
		total := sum(runs[name])
		for site, bytes := range runs[name] {
			m.Shares[site].add(bytes/max(total, 1), n)
		}
	}
}

func (s *Share) add(v float64, before int) {
	if before == 0 {
		s.Low, s.High = v, v
	}
	s.Mean += (v - s.Mean) / float64(before+1)
	s.Low, s.High = min(s.Low, v), max(s.High, v)
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}
