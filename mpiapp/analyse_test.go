package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/model"
	"laggard/model/symbol"
	"laggard/reduce/reducetest"
	"laggard/report"
)

// diagnosed returns what a number of analysis ranks make of a run, in all forms.
func diagnosed(t *testing.T, dir string, analysts int) string {
	t.Helper()
	q := question{dir: dir, analysts: analysts, symbols: symbol.Config{RunDir: dir, DebugDirs: []string{}}}
	q.options.Algorithm = "pdi"
	r, err := concluded(q, analysts, analyse)
	if err != nil {
		t.Fatal(err)
	}
	if r.Analysis.Ranks != analysts {
		t.Errorf("%d analysis ranks, want %d", r.Analysis.Ranks, analysts)
	}
	r.Analysis = report.Analysis{}
	var out bytes.Buffer
	for _, form := range []diagnoseFlags{{}, {json: true}, {dot: true}} {
		if err := write(&out, form, r); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// TestAnalysts: the number of analysis ranks changes no byte.
func TestAnalysts(t *testing.T) {
	const run = "testdata/runs/halo16"
	want := diagnosed(t, run, 1)
	for n := 2; n <= 9; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if diff := cmp.Diff(want, diagnosed(t, run, n)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMergeFacts(t *testing.T) {
	a, b := newFacts(), newFacts()
	for rank := range 2 * maxTexts {
		f := &a
		if rank%2 == 1 {
			f = &b
		}
		f.addProblems([]model.Problem{{File: "n", Rank: rank, Err: &model.FormatError{File: "n", Rank: rank, Section: "STATE record", Offset: int64(rank), Err: model.ErrChecksum}}})
	}
	a.addProblems([]model.Problem{{File: "m", Rank: -1, Err: &model.FormatError{File: "m", Rank: -1, Slot: -1, Section: "chunk", Offset: 4096, Err: model.ErrTruncated}}})
	a.Moving, b.Moving, b.Alive = []int{3}, []int{1}, true
	ab, err := mergeFacts(a, b)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"STATE record: checksum mismatch: 16 times of 16 ranks, 0-15; the first: model: n: rank 0: STATE record at 0: checksum mismatch",
		"model: m: chunk at 4096: file is cut short",
	}
	if diff := cmp.Diff(want, ab.Problems.lines()); diff != "" {
		t.Errorf("problems: %s", diff)
	}
	if want := []int{1, 3}; !cmp.Equal(ab.Moving, want) || !ab.Alive || !ab.Holes || ab.Damaged.Len() != 2*maxTexts {
		t.Errorf("merged %+v", ab)
	}
}

// TestFactsLaws: any tree over the shares gives the same facts.
func TestFactsLaws(t *testing.T) {
	build := func() []facts {
		var out []facts
		for i := range 9 {
			f := newFacts()
			for k := range 5 {
				f.addProblems([]model.Problem{{File: "n", Rank: 10*i + k, Err: &model.FormatError{File: "n", Rank: 10*i + k, Offset: int64(k), Section: "chunk", Err: model.ErrCorrupt}}})
			}
			f.Moving = []int{i}
			out = append(out, f)
		}
		return out
	}
	if err := reducetest.Laws(factsMonoid, build, 20, rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Error(err)
	}
}
