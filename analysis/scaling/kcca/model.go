package kcca

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Model is the model of the behaviour as a whole: two projections, from control
// and from behaviour, that correlate in good runs (paper, §3.2).
type Model struct {
	Settings Settings `json:"settings"`
	// Rho are the canonical correlations, largest first.
	Rho []float64 `json:"rho"`
	// Threshold is the largest 1 − correlation of a row that is not flagged.
	Threshold float64 `json:"threshold"`
	// Trial is what cross validation found about these settings.
	Trial Trial `json:"trial"`
	// Exact: the whole kernel matrices were decomposed. Else Rest is the share
	// of the trace that the incomplete Cholesky decompositions of X and Y left.
	Exact   bool       `json:"exact"`
	Rest    [2]float64 `json:"rest"`
	ScaleX  scaler     `json:"scale_x"`
	ScaleY  scaler     `json:"scale_y"`
	Control projection `json:"control"`
	Behave  projection `json:"behaviour"`
}

// kernels are the spectra of both sides, by the factor of the width. Cross
// validation tries many settings over the same few of them.
type kernels struct {
	options        Options
	x, y           [][]float64 // as given
	scaleX, scaleY scaler
	cache          map[Settings]*spectrum
	widths         map[Settings]float64
	forTrial       bool
}

func newKernels(x, y [][]float64, s Settings, o Options) *kernels {
	k := &kernels{options: o, x: x, y: y, cache: make(map[Settings]*spectrum), widths: make(map[Settings]float64)}
	if s.StandardiseX {
		k.scaleX = newScaler(x)
		k.x = k.scaleX.scaleRows(x)
	}
	if s.StandardiseY {
		k.scaleY = newScaler(y)
		k.y = k.scaleY.scaleRows(y)
	}
	return k
}

// relativeRest is the share of the trace at which an incomplete Cholesky
// decomposition may stop. Regularisation by Nγ/2 hides eigenvalues far below γ/2.
const relativeRest = 1e-5

// trialPivots bounds the decompositions of cross validation, which compares
// settings and needs little precision.
const trialPivots = 64

func (k *kernels) spectrumFor(rows [][]float64, factor float64, s Settings) (*spectrum, error) {
	// The keys hold what width and spectrum depend on, and which side it is.
	key := Settings{Rule: s.Rule, StandardiseX: &rows[0] == &k.x[0]}
	if k.widths[key] == 0 {
		k.widths[key] = s.Rule.baseWidth(rows)
	}
	tau := factor * k.widths[key]
	key.Formulation, key.WidthX = s.Formulation, factor
	if known := k.cache[key]; known != nil {
		return known, nil
	}
	var sp *spectrum
	var err error
	switch n := float64(len(rows)); {
	case k.forTrial:
		sp, err = lowRankSpectrum(rows, tau, relativeRest*n, trialPivots, s)
	case len(rows) <= k.options.exactRows():
		sp, err = exactSpectrum(rows, tau, s)
	default:
		sp, err = lowRankSpectrum(rows, tau, min(relativeRest, s.Gamma/1000)*n, k.options.pivotLimit(), s)
	}
	k.cache[key] = sp
	return sp, err
}

// fitModel gives a model without threshold.
func (k *kernels) fitModel(s Settings) (*Model, error) {
	x, err := k.spectrumFor(k.x, s.WidthX, s)
	if err != nil {
		return nil, err
	}
	y, err := k.spectrumFor(k.y, s.WidthY, s)
	if err != nil {
		return nil, err
	}
	solution, err := solveKCCA(x, y, s)
	if err != nil {
		return nil, err
	}
	m := &Model{
		Settings: s, Rho: solution.rho, Exact: x.factor == nil && y.factor == nil,
		ScaleX: k.scaleX, ScaleY: k.scaleY, Control: solution.f, Behave: solution.g,
	}
	for i, sp := range []*spectrum{x, y} {
		if sp.factor != nil {
			m.Rest[i] = sp.factor.rest / float64(len(sp.rows))
		}
	}
	return m, nil
}

// Fit fits the chosen settings to all rows.
func Fit(x, y [][]float64, s Settings, trial Trial, o Options) (*Model, error) {
	m, err := newKernels(x, y, s, o).fitModel(s)
	if err != nil {
		return nil, err
	}
	m.Trial, m.Threshold = trial, trial.Threshold
	if s.Threshold == InSample {
		m.Threshold = threshold(m.deviations(x, y))
	}
	return m, nil
}

// threshold is mean + 3·sd (paper, §5.3).
func threshold(deviations []float64) float64 {
	if len(deviations) < 2 {
		return 2 // above any deviation
	}
	mean, sd := stat.MeanStdDev(deviations, nil)
	return mean + 3*sd
}

// Correlation is that of one row: x has rank, ranks and the named controls, y
// the sites. beyond is the sum of squares of the volumes at sites that training
// did not have, where they are columns of zeros.
func (m *Model) Correlation(x, y []float64, beyond float64) float64 {
	f := m.Control.apply(m.ScaleX.scaleRow(x), 0)
	return cosine(f, m.Behave.apply(m.ScaleY.scaleRow(y), beyond))
}

func (m *Model) deviations(x, y [][]float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = 1 - m.Correlation(x[i], y[i], 0)
	}
	return out
}

// rounding is how far a deviation may pass the threshold by rounding alone.
// With one component correlations are exactly ±1 and the threshold may be 0.
const rounding = 1e-9

// Flags reports whether a deviation, 1 − correlation, is past the threshold.
func (m *Model) Flags(deviation float64) bool {
	return deviation > m.Threshold+rounding || math.IsNaN(deviation)
}

// MinRows is the fewest rows that a model is trained on.
const MinRows = 4
