package scaling

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/reduce"
	"laggard/reduce/reducetest"
)

// pieces cuts a table into tables of one row each, with sites in any order.
func pieces(t *Table, rng *rand.Rand) []*Table {
	var out []*Table
	for _, row := range t.Rows {
		piece := &Table{}
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

func laws[T any](t *testing.T, m reduce.Monoid[T], build func() []T) {
	t.Helper()
	if err := reducetest.Laws(m, build, 20, rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Error(err)
	}
}

func TestTablesMerge(t *testing.T) {
	whole := chain(0.01).training([]int{4, 5}, []float64{2048}, rand.New(rand.NewPCG(1, 1)))
	laws(t, reduce.Monoid[*Table]{
		Codec: reduce.Codec[*Table]{Encode: EncodeTable, Decode: DecodeTable},
		Merge: func(a, b *Table) (*Table, error) { return Merge(a, b), nil },
	}, func() []*Table { return pieces(whole, rand.New(rand.NewPCG(3, 4))) })
	merged := &Table{}
	for _, piece := range pieces(whole, rand.New(rand.NewPCG(5, 6))) {
		merged = Merge(piece, merged)
	}
	same(t, merged, whole)
	same(t, Merge(merged, merged), whole)
}

func same(t *testing.T, got, want *Table) {
	t.Helper()
	a, err := EncodeTable(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := EncodeTable(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("tables differ:\n%s\n%s", a, b)
	}
}

// TestPartsMerge fits a model in parts and judges a run in parts: the outcome
// does not depend on how many there are.
func TestPartsMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	table := chain(0.01).training([]int{4, 6, 8, 10}, []float64{2048}, rng)
	var o Options
	alone, err := FitWhole(table, o)
	if err != nil {
		t.Fatal(err)
	}
	const parts = 5
	fit := func() []*Part {
		var out []*Part
		for part := range parts {
			p, err := Fit(table, o, part, parts)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, p)
		}
		return out
	}
	all := fit()
	laws(t, reduce.Monoid[*Part]{
		Codec: reduce.Codec[*Part]{Encode: EncodePart, Decode: DecodePart},
		Merge: func(a, b *Part) (*Part, error) { return MergeParts(a, b), nil },
	}, func() []*Part { return slices.Clone(all) })
	merged := &Part{}
	for _, p := range all {
		merged = MergeParts(p, merged)
	}
	together, err := Assemble(table, o, merged)
	if err != nil {
		t.Fatal(err)
	}
	sameModel(t, together, alone)
	judged(t, alone, chain(0.01).moved(ringSite, doubleSite).run(11, 2048, rng))
}

func sameModel(t *testing.T, got, want *Model) {
	t.Helper()
	a, err := EncodeModel(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := EncodeModel(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Error("models differ")
	}
}

func judged(t *testing.T, m *Model, run *Table) {
	t.Helper()
	judge := func() []*Judgement {
		var out []*Judgement
		for _, piece := range pieces(run, rand.New(rand.NewPCG(9, 1))) {
			j, err := m.Judge(piece)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, j)
		}
		return out
	}
	laws(t, reduce.Monoid[*Judgement]{
		Codec: reduce.Codec[*Judgement]{Encode: EncodeJudgement, Decode: DecodeJudgement},
		Merge: func(a, b *Judgement) (*Judgement, error) { return MergeJudgements(a, b), nil },
	}, judge)
	merged := &Judgement{}
	for _, j := range judge() {
		merged = MergeJudgements(j, merged)
	}
	got, err := m.Conclude(run, merged, Circumstances{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Test(run, Circumstances{})
	if err != nil {
		t.Fatal(err)
	}
	if want.Flagged.Len() == 0 || len(want.Localisation) == 0 {
		t.Errorf("nothing flagged: %+v", want)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
