package scaling

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"laggard/model"
)

var oracleSets = []string{"train.tsv", "real_lib_train.tsv"}

// TestFalseAlarms: with the settings that cross validation chooses, at most 2 %
// of held-out rows of good runs are flagged.
func TestFalseAlarms(t *testing.T) {
	for _, name := range oracleSets {
		m, err := FitWhole(oracleTable(t, name, nil), Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %+v: %+v", name, m.KCCA.Settings, m.KCCA.Trial)
		if m.KCCA.Trial.FalseAlarms > 0.02 || m.KCCA.Trial.LargestScale > 0.02 {
			t.Errorf("%s: %+v", name, m.KCCA.Trial)
		}
	}
}

// TestSensitivity varies the number of components and the regularisation over
// the paper's ranges (Table 1), one at a time, with widths chosen automatically.
func TestSensitivity(t *testing.T) {
	for _, name := range oracleSets {
		x, y := oracleRows(t, name)
		v := newValidator(x, y)
		worst := 0.0
		try := func(components int, gamma float64) {
			var trials []Trial
			for _, width := range []float64{1, 0.1, 10} {
				s := DefaultSettings()
				s.Components, s.Gamma, s.WidthX = components, gamma, width
				trial, err := v.try(s)
				if err != nil {
					t.Fatal(err)
				}
				trials = append(trials, trial)
			}
			rate := choose(trials).FalseAlarms
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

// TestRealLibrary judges the recorded runs of an Allgather program at 16 ranks:
// a good one, and one where the library took the wrong algorithm.
func TestRealLibrary(t *testing.T) {
	stacks := oracleStacks(t)
	m, err := FitWhole(oracleTable(t, "real_lib_train.tsv", stacks), Options{})
	if err != nil {
		t.Fatal(err)
	}
	library, err := InModules(LibraryModules...)
	if err != nil {
		t.Fatal(err)
	}
	good, err := m.Test(oracleTable(t, "real_lib_ok16.tsv", stacks), Circumstances{Library: library})
	if err != nil {
		t.Fatal(err)
	}
	if good.Flagged.Len() > 0 || good.Model != ByKCCA || !good.InRange {
		t.Errorf("good run: %s flagged by %s, in range %v", good.Flagged, good.Model, good.InRange)
	}
	bad, err := m.Test(oracleTable(t, "real_lib_bug16.tsv", stacks), Circumstances{Library: library})
	if err != nil {
		t.Fatal(err)
	}
	if !bad.Flagged.Equal(everyRank(16)) || bad.Model != ByKCCA || !bad.InRange {
		t.Errorf("faulty run: %s flagged by %s, in range %v", bad.Flagged, bad.Model, bad.InRange)
	}
	if first := firstFunction(bad); first != "ompi_coll_base_allgather_intra_recursivedoubling" {
		t.Errorf("localised in %q", first)
	}
}

// TestSynthetic does the same with the synthetic data set.
func TestSynthetic(t *testing.T) {
	m, err := FitWhole(oracleTable(t, "train.tsv", nil), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]model.RankSet{"test_ok16.tsv": {}, "test_bug16.tsv": everyRank(16)} {
		v, err := m.Test(oracleTable(t, name, nil), Circumstances{})
		if err != nil {
			t.Fatal(err)
		}
		if !v.Flagged.Equal(want) || !v.KCCAInRange {
			t.Errorf("%s: %s flagged, not %s", name, v.Flagged, want)
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
		{Components: 3, Gamma: 0.1, WidthX: 10, WidthY: 10, StandardiseX: true, StandardiseY: true, Formulation: Kernlab},
	} {
		exact, err := fitKCCA(x, y, s, Trial{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		low, err := fitKCCA(x, y, s, Trial{}, Options{ExactRows: 1, Pivots: len(x)})
		if err != nil {
			t.Fatal(err)
		}
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

// TestFewRows: tables that are too small or too uniform for cross validation
// still make a model.
func TestFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for name, table := range map[string]*Table{
		"one scale":    chain(0.01).training([]int{4}, []float64{2048}, rng),
		"two scales":   chain(0.01).training([]int{4, 8}, []float64{2048}, rng),
		"no volume":    silent(chain(0.01).training([]int{4, 8}, []float64{2048}, rng)),
		"equal volume": chain(0).training([]int{4, 4, 4}, []float64{2048}, rng),
	} {
		if name == "equal volume" {
			for i := range table.Rows {
				table.Rows[i].Run = string(rune('a' + i/4))
			}
		}
		m, err := FitWhole(table, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, err := EncodeModel(m)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := DecodeModel(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := m.Test(chain(0.01).run(16, 2048, rng), Circumstances{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func silent(t *Table) *Table {
	for i := range t.Rows {
		t.Rows[i].Volume = nil
	}
	return t
}
