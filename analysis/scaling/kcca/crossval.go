package kcca

import (
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"laggard/analysis/scaling/recorded"
)

// Trial is what cross validation found about one choice of settings. Rates are
// shares of rows, 0 to 1.
type Trial struct {
	Settings int `json:"settings"` // index into the settings that were tried
	// Threshold is mean + 3·sd of 1 − correlation over held-out rows.
	Threshold float64 `json:"threshold"`
	// FalseAlarms is the share of held-out rows flagged in five-fold cross
	// validation, each fold by the threshold of the others.
	FalseAlarms float64 `json:"false_alarms"`
	// LargestScale is the share flagged of the rows of the largest scale by a
	// model that was trained without that scale; 0 if there are not three scales.
	LargestScale float64 `json:"largest_scale"`
	// Power is the share flagged of rows whose largest volume was moved to
	// another site.
	Power float64 `json:"power"`
}

const (
	folds       = 5
	trialRows   = 300  // cross validation draws a sample of more rows
	maxFalse    = 0.02 // of held-out rows
	halfPower   = 0.5
	trusted     = 0.1  // share of good rows one step ahead that KCCA may flag
	sameBenefit = 0.02 // trials that differ by less are equal
)

// isGood: the settings hold one step of scale past what they were trained on.
func (t Trial) isGood() bool { return t.FalseAlarms <= maxFalse && t.LargestScale <= maxFalse }

// HoldsAhead: KCCA with these settings held for the largest scale, trained without
// it.
func (t Trial) HoldsAhead() bool { return t.LargestScale <= trusted }

// Useful: KCCA with these settings tells good rows from bad ones.
func (t Trial) Useful() bool { return t.FalseAlarms <= trusted && t.Power >= halfPower }

// benefit orders trials: first that good rows pass, then that bad ones do not.
func (t Trial) benefit() float64 {
	return t.Power - 10*max(0, t.FalseAlarms-maxFalse) - 5*max(0, t.LargestScale-maxFalse)
}

// Choose takes the first of the trials unless a later one is better; earlier
// ones are nearer the defaults.
func Choose(trials []Trial) Trial {
	best := trials[0]
	for _, t := range trials[1:] {
		if t.benefit() > best.benefit()+sameBenefit || t.isGood() && !best.isGood() {
			best = t
		}
	}
	return best
}

// Validator holds the splits of the rows, so that all settings see the same.
type Validator struct {
	x, y   [][]float64
	split  []split
	decoys [][]float64 // by row: its behaviour with the largest volume moved
	beyond []float64   // by row: the square of what was moved
}

// split is one division into training and held-out rows, by index.
type split struct {
	train, held []int
	kernels     map[Settings]*kernels
	scale       bool // the held-out rows are those of the largest scale
}

// NewValidator makes five folds and one split by the largest scale. The order
// is drawn once, from a fixed seed: the same rows give the same folds.
func NewValidator(x, y [][]float64) *Validator {
	order := rand.New(rand.NewPCG(8, 11)).Perm(len(x))
	order = order[:min(len(order), trialRows)]
	slices.Sort(order)
	v := &Validator{}
	for _, i := range order {
		v.x, v.y = append(v.x, x[i]), append(v.y, y[i])
	}
	fold := rand.New(rand.NewPCG(3, 5)).Perm(len(v.x))
	for f := range folds {
		v.addSplit(func(i int) bool { return fold[i]%folds == f }, false)
	}
	scale := recorded.ScaleColumn(v.x)
	if values := recorded.Distinct(v.x, scale); len(values) > 2 {
		top := values[len(values)-1]
		v.addSplit(func(i int) bool { return v.x[i][scale] == top }, true)
	}
	for _, row := range v.y {
		decoy := slices.Clone(row)
		at := floats.MaxIdx(decoy)
		v.beyond = append(v.beyond, decoy[at]*decoy[at])
		decoy[at] = 0
		v.decoys = append(v.decoys, decoy)
	}
	return v
}

// addSplit adds a split, unless too few rows would be left to train on.
func (v *Validator) addSplit(held func(int) bool, scale bool) {
	s := split{kernels: make(map[Settings]*kernels), scale: scale}
	for i := range v.x {
		if held(i) {
			s.held = append(s.held, i)
		} else {
			s.train = append(s.train, i)
		}
	}
	if len(s.train) >= MinRows && len(s.held) > 0 {
		v.split = append(v.split, s)
	}
}

// splitResult is what one split shows of settings: the deviations of the rows that it
// holds out, as they are and with their largest volume moved.
type splitResult struct {
	asIs, moved []float64
	err         error
}

// trySplits is done on all cores: a split has kernels of its own.
func (v *Validator) trySplits(s Settings) []splitResult {
	out := make([]splitResult, len(v.split))
	var cores sync.WaitGroup
	for i := range v.split {
		cores.Go(func() {
			m, err := v.split[i].fit(v, s)
			if err != nil {
				out[i].err = err
				return
			}
			out[i].asIs, out[i].moved = v.deviations(m, v.split[i].held)
		})
	}
	cores.Wait()
	return out
}

// Try validates one choice of settings.
func (v *Validator) Try(s Settings) (Trial, error) {
	t := Trial{Power: 1} // believed where there are too few rows to try
	var held [][]float64 // deviations by fold
	var decoys, scale []float64
	for i, one := range v.trySplits(s) {
		switch {
		case one.err != nil:
			return t, one.err
		case v.split[i].scale:
			scale = one.asIs
		default:
			held, decoys = append(held, one.asIs), append(decoys, one.moved...)
		}
	}
	all := slices.Concat(held...)
	t.Threshold = threshold(all)
	for f := range held {
		others := threshold(slices.Concat(slices.Concat(held[:f]...), slices.Concat(held[f+1:]...)))
		t.FalseAlarms += countAbove(held[f], others) / float64(len(all))
	}
	if scale != nil {
		t.LargestScale = countAbove(scale, t.Threshold) / float64(len(scale))
	}
	if len(decoys) > 0 {
		t.Power = countAbove(decoys, t.Threshold) / float64(len(decoys))
	}
	return t, nil
}

func countAbove(deviations []float64, limit float64) float64 {
	n := 0
	for _, d := range deviations {
		if d > limit+rounding {
			n++
		}
	}
	return float64(n)
}

// fit trains on the rows of the split.
func (s *split) fit(v *Validator, settings Settings) (*Model, error) {
	key := Settings{StandardiseX: settings.StandardiseX, StandardiseY: settings.StandardiseY}
	k := s.kernels[key]
	if k == nil {
		k = newKernels(selectRows(v.x, s.train), selectRows(v.y, s.train), settings, Options{})
		k.forTrial = true
		s.kernels[key] = k
	}
	return k.fitModel(settings)
}

func selectRows(rows [][]float64, which []int) [][]float64 {
	out := make([][]float64, len(which))
	for i, at := range which {
		out[i] = rows[at]
	}
	return out
}

// deviations are those of the rows as they are, and with the largest volume
// moved to a site that training does not have.
func (v *Validator) deviations(m *Model, rows []int) (asIs, moved []float64) {
	for _, i := range rows {
		asIs = append(asIs, 1-m.Correlation(v.x[i], v.y[i], 0))
		moved = append(moved, 1-m.Correlation(v.x[i], v.decoys[i], v.beyond[i]))
	}
	return asIs, moved
}
