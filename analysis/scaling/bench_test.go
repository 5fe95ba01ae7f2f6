package scaling

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/internal/musttest"
)

// benchTable makes a table of rows ranks with features sites each, in runs of 4 ranks
// and more. Half of the sites are predicted by scale, the others are noise.
func benchTable(rows, features int) *recorded.Table {
	rng := rand.New(rand.NewPCG(6, 6))
	t := &recorded.Table{}
	for ranks := 4; len(t.Rows) < rows; ranks = 4 + (ranks-3)%(rows/16+1) {
		run := fmt.Sprint("run", len(t.Rows))
		for rank := range min(ranks, rows-len(t.Rows)) {
			o := recorded.Observation{Run: run, Rank: rank, Ranks: ranks, Volume: map[int]float64{}}
			for f := range features {
				v := 1000 * float64(f+1) * float64(ranks-1) * (1 + 0.01*rng.NormFloat64())
				if f%2 == 1 {
					v = 1000 * float64(f+1) * rng.ExpFloat64()
				}
				o.Volume[t.Site(recorded.Site{Frames: []recorded.Frame{{Function: fmt.Sprint("f", f)}}})] = v
			}
			t.Rows = append(t.Rows, o)
		}
	}
	return t
}

// BenchmarkTrain is the whole of the training: cross validation, both models.
func BenchmarkTrain(b *testing.B) {
	for _, rows := range []int{1000, 20000} {
		table := benchTable(rows, 100)
		b.Run(fmt.Sprint("rows=", rows), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				musttest.Get(trainModel(table, kcca.Options{}))(b)
			}
		})
	}
}

// BenchmarkKCCA is one fit with given settings.
func BenchmarkKCCA(b *testing.B) {
	x, y := benchTable(1000, 100).Matrices()
	for b.Loop() {
		musttest.Get(kcca.Fit(x, y, kcca.DefaultSettings(), kcca.Trial{}, kcca.Options{}))(b)
	}
}

// BenchmarkTest judges a run of 32 ranks by a model of 1,000 rows.
func BenchmarkTest(b *testing.B) {
	table := benchTable(1000, 100)
	m := musttest.Get(trainModel(table, kcca.Options{}))(b)
	run := &recorded.Table{Sites: table.Sites}
	for _, row := range table.Rows {
		if row.Ranks == 32 && (len(run.Rows) == 0 || run.Rows[0].Run == row.Run) {
			run.Rows = append(run.Rows, row)
		}
	}
	if len(run.Rows) != 32 {
		b.Fatalf("%d rows", len(run.Rows))
	}
	for b.Loop() {
		musttest.Get(judgeRun(m, run, judge.Circumstances{}))(b)
	}
}
