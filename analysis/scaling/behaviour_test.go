package scaling

import (
	"math/rand/v2"
	"testing"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

var goodSets = []string{"train.tsv", "real_lib_train.tsv"}

// TestFalseAlarms: with the settings that cross validation chooses, at most 2 %
// of held-out rows of good runs are flagged.
func TestFalseAlarms(t *testing.T) {
	for _, name := range goodSets {
		m := musttest.Get(trainModel(oracleTable(t, name, nil), kcca.Options{}))(t)
		t.Logf("%s: %+v: %+v", name, m.KCCA.Settings, m.KCCA.Trial)
		if m.KCCA.Trial.FalseAlarms > 0.02 || m.KCCA.Trial.LargestScale > 0.02 {
			t.Errorf("%s: %+v", name, m.KCCA.Trial)
		}
	}
}

// TestRealLibrary judges the recorded runs of an Allgather program at 16 ranks:
// a good one, and one where the library took the wrong algorithm.
func TestRealLibrary(t *testing.T) {
	stacks := oracleStacks(t)
	m := musttest.Get(trainModel(oracleTable(t, "real_lib_train.tsv", stacks), kcca.Options{}))(t)
	library := musttest.Get(recorded.InModules(recorded.LibraryModules...))(t)
	good := musttest.Get(judgeRun(m, oracleTable(t, "real_lib_ok16.tsv", stacks), judge.Circumstances{Library: library}))(t)
	if good.Flagged.Len() > 0 || good.Model != judge.ByKCCA || !good.InRange {
		t.Errorf("good run: %s flagged by %s, in range %v", good.Flagged, good.Model, good.InRange)
	}
	bad := musttest.Get(judgeRun(m, oracleTable(t, "real_lib_bug16.tsv", stacks), judge.Circumstances{Library: library}))(t)
	if !bad.Flagged.Equal(everyRank(16)) || bad.Model != judge.ByKCCA || !bad.InRange {
		t.Errorf("faulty run: %s flagged by %s, in range %v", bad.Flagged, bad.Model, bad.InRange)
	}
	checktest.Equal(t, "ompi_coll_base_allgather_intra_recursivedoubling", firstFunction(bad), "localised in")
}

// TestSynthetic does the same with the synthetic data set.
func TestSynthetic(t *testing.T) {
	m := musttest.Get(trainModel(oracleTable(t, "train.tsv", nil), kcca.Options{}))(t)
	for name, want := range map[string]model.RankSet{"test_ok16.tsv": {}, "test_bug16.tsv": everyRank(16)} {
		v := musttest.Get(judgeRun(m, oracleTable(t, name, nil), judge.Circumstances{}))(t)
		if !v.Flagged.Equal(want) || !v.KCCAInRange {
			t.Errorf("%s: %s flagged, not %s", name, v.Flagged, want)
		}
	}
}

// TestFewRows: tables that are too small or too uniform for cross validation
// still make a model.
func TestFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for name, table := range map[string]*recorded.Table{
		"one scale":    chainProgram(0.01).trainingTable([]int{4}, []float64{2048}, rng),
		"two scales":   chainProgram(0.01).trainingTable([]int{4, 8}, []float64{2048}, rng),
		"no volume":    withoutVolume(chainProgram(0.01).trainingTable([]int{4, 8}, []float64{2048}, rng)),
		"equal volume": chainProgram(0).trainingTable([]int{4, 4, 4}, []float64{2048}, rng),
	} {
		if name == "equal volume" {
			for i := range table.Rows {
				table.Rows[i].Run = string(rune('a' + i/4))
			}
		}
		m, err := trainModel(table, kcca.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		musttest.Get(training.DecodeTrained(encodeModel(t, m)))(t, name)
		musttest.Get(judgeRun(m, chainProgram(0.01).runTable(16, 2048, rng), judge.Circumstances{}))(t, name)
	}
}

func withoutVolume(t *recorded.Table) *recorded.Table {
	for i := range t.Rows {
		t.Rows[i].Volume = nil
	}
	return t
}
