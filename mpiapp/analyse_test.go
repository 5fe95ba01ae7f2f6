package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/model"
	"laggard/reduce/reducetest"
	"laggard/report/diagnosis"
	"laggard/symbol"
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
	r.Analysis = diagnosis.Analysis{}
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
	a, b := newFacts(nil), newFacts(nil)
	a.Moving, b.Moving, b.Alive = []int{3}, []int{1}, true
	ab := mergeFacts(a, b)
	if want := []int{1, 3}; !cmp.Equal(ab.Moving, want) || !ab.Alive {
		t.Errorf("merged %+v", ab)
	}
}

// TestFactsLaws: any tree over the shares gives the same facts.
func TestFactsLaws(t *testing.T) {
	build := func() []shareFacts {
		var out []shareFacts
		for i := range 9 {
			f := newFacts([]model.Problem{{File: "n", Rank: i, Err: &model.FormatError{File: "n", Rank: i, Section: "chunk", Err: model.ErrCorrupt}}})
			f.Moving = []int{i}
			out = append(out, f)
		}
		return out
	}
	if err := reducetest.Laws(factsMonoid, build, 20, rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Error(err)
	}
}
