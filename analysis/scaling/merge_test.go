package scaling

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/reduce"
	"laggard/reduce/reducetest"
)

// splitRows cuts a table into tables of one row each, with sites in any order.
func splitRows(t *recorded.Table, rng *rand.Rand) []*recorded.Table {
	var out []*recorded.Table
	for _, row := range t.Rows {
		piece := &recorded.Table{}
		o := row
		o.Volume = map[int]float64{}
		for _, site := range rng.Perm(len(t.Sites)) {
			if v := row.Volume[site]; v != 0 {
				o.Volume[piece.Site(t.Sites[site])] = v
			}
		}
		piece.Rows = append(piece.Rows, o)
		out = append(out, piece)
	}
	return out
}

func checkLaws[T any](t *testing.T, m reduce.Monoid[T], build func() []T) {
	t.Helper()
	checktest.ErrorIs(t, nil, reducetest.Laws(m, build, 20, rand.New(rand.NewPCG(1, 2))))
}

func TestTablesMerge(t *testing.T) {
	whole := chainProgram(0.01).trainingTable([]int{4, 5}, []float64{2048}, rand.New(rand.NewPCG(1, 1)))
	checkLaws(t, reduce.JSONMonoid(recorded.Merge), func() []*recorded.Table { return splitRows(whole, rand.New(rand.NewPCG(3, 4))) })
	merged := &recorded.Table{}
	for _, piece := range splitRows(whole, rand.New(rand.NewPCG(5, 6))) {
		merged = recorded.Merge(piece, merged)
	}
	checkSameTable(t, merged, whole)
	checkSameTable(t, recorded.Merge(merged, merged), whole)
}

func checkSameTable(t *testing.T, got, want *recorded.Table) {
	t.Helper()
	a := musttest.Get(json.Marshal(got.Canonical()))(t)
	b := musttest.Get(json.Marshal(want.Canonical()))(t)
	if string(a) != string(b) {
		t.Errorf("tables differ:\n%s\n%s", a, b)
	}
}

// TestPartsMerge fits a model in parts and judges a run in parts: the outcome
// does not depend on how many there are.
func TestPartsMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	table := chainProgram(0.01).trainingTable([]int{4, 6, 8, 10}, []float64{2048}, rng)
	var o kcca.Options
	alone := musttest.Get(trainModel(table, o))(t)
	const parts = 5
	fit := func() []*training.Part {
		var out []*training.Part
		for part := range parts {
			p := musttest.Get(training.Fit(table, o, part, parts))(t)
			out = append(out, p)
		}
		return out
	}
	all := fit()
	checkLaws(t, reduce.Monoid[*training.Part]{
		Codec: reduce.Codec[*training.Part]{Encode: training.EncodePart, Decode: training.DecodePart},
		Merge: func(a, b *training.Part) (*training.Part, error) { return training.MergeParts(a, b), nil },
	}, func() []*training.Part { return slices.Clone(all) })
	merged := &training.Part{}
	for _, p := range all {
		merged = training.MergeParts(p, merged)
	}
	together := musttest.Get(training.Assemble(table, o, merged))(t)
	sameModel(t, together, alone)
	checkJudgedInParts(t, alone, chainProgram(0.01).moveBytes(ringSite, doubleSite).runTable(11, 2048, rng))
}

func sameModel(t *testing.T, got, want *training.Model) {
	t.Helper()
	if string(encodeModel(t, got)) != string(encodeModel(t, want)) {
		t.Error("models differ")
	}
}

func checkJudgedInParts(t *testing.T, m *training.Model, run *recorded.Table) {
	t.Helper()
	judgeEach := func() []*judge.Judgement {
		var out []*judge.Judgement
		for _, piece := range splitRows(run, rand.New(rand.NewPCG(9, 1))) {
			j := musttest.Get(judge.Judge(m, piece))(t)
			out = append(out, j)
		}
		return out
	}
	checkLaws(t, reduce.Monoid[*judge.Judgement]{
		Codec: reduce.Codec[*judge.Judgement]{Encode: judge.EncodeJudgement, Decode: judge.DecodeJudgement},
		Merge: func(a, b *judge.Judgement) (*judge.Judgement, error) { return judge.MergeJudgements(a, b), nil },
	}, judgeEach)
	merged := &judge.Judgement{}
	for _, j := range judgeEach() {
		merged = judge.MergeJudgements(j, merged)
	}
	got := musttest.Get(judge.Conclude(m, run, merged, judge.Circumstances{}))(t)
	want := musttest.Get(judgeRun(m, run, judge.Circumstances{}))(t)
	if want.Flagged.Len() == 0 || len(want.Localisation) == 0 {
		t.Errorf("nothing flagged: %+v", want)
	}
	checktest.Equal(t, want, got)
}
