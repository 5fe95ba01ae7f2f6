package kcca

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"laggard/internal/musttest"
)

var oracleSets = []string{"train.tsv", "real_lib_train.tsv"}

// TestSensitivity varies the number of components and the regularisation over
// the paper's ranges (Table 1), one at a time, with widths chosen automatically.
func TestSensitivity(t *testing.T) {
	for _, name := range oracleSets {
		x, y := oracleRows(t, name)
		v := NewValidator(x, y)
		worst := 0.0
		try := func(components int, gamma float64) {
			var trials []Trial
			for _, width := range []float64{1, 0.1, 10} {
				s := DefaultSettings()
				s.Components, s.Gamma, s.WidthX = components, gamma, width
				trial := musttest.Get(v.Try(s))(t)
				trials = append(trials, trial)
			}
			rate := Choose(trials).FalseAlarms
			worst = max(worst, rate)
			t.Logf("%s: %d components, γ %.3g: %.1f %%", name, components, gamma, 100*rate)
		}
		for components := 1; components <= 10; components += 3 {
			try(components, 0.01)
		}
		for power := -20; power <= 0; power += 5 {
			try(2, math.Pow(2, float64(power)))
		}
		if worst > 0.08 {
			t.Errorf("%s: %.1f %% of good rows flagged", name, 100*worst)
		}
	}
}

// TestLowRank: the incomplete decomposition gives the correlations of the whole
// one, as closely as it is asked to.
func TestLowRank(t *testing.T) {
	x, y := oracleRows(t, "train.tsv")
	for _, s := range []Settings{
		DefaultSettings(),
		{Components: 3, Gamma: 0.1, WidthX: 10, WidthY: 10, StandardiseX: true, StandardiseY: true},
		{Components: 3, Gamma: 0.1, WidthX: 10, WidthY: 10, StandardiseX: true, StandardiseY: true,
			Formulation: Kernlab},
	} {
		exact := musttest.Get(Fit(x, y, s, Trial{}, Options{}))(t)
		low := musttest.Get(Fit(x, y, s, Trial{}, Options{ExactRows: 1, Pivots: len(x)}))(t)
		if !exact.Exact || low.Exact || len(low.Control.Landmarks) >= len(x) {
			t.Fatalf("exact: %v and %v, %d pivots", exact.Exact, low.Exact, len(low.Control.Landmarks))
		}
		if d := floats.Distance(exact.deviations(x, y), low.deviations(x, y), math.Inf(1)); d > 1e-3 {
			t.Errorf("%+v: correlations differ by %v", s, d)
		}
	}
}

// TestCholesky compares GGᵀ with the kernel matrix.
func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	rows := make([][]float64, 60)
	for i := range rows {
		rows[i] = []float64{rng.Float64(), rng.Float64()}
	}
	f := incompleteCholesky(rows, 0.5, 1e-9, len(rows))
	worst := 0.0
	for i := range rows {
		for j := range rows {
			approximate := floats.Dot(f.g.RawRowView(i), f.g.RawRowView(j))
			worst = max(worst, math.Abs(approximate-kernelValue(rows[i], rows[j], 0.5)))
		}
	}
	if worst > 1e-8 || len(f.pivots) == len(rows) {
		t.Errorf("off by %v with %d pivots", worst, len(f.pivots))
	}
}
