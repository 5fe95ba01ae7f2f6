package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/model/symbol"
	"laggard/reduce"
	"laggard/report"
)

// diagnosed returns what a number of analysis ranks make of a run, in all forms.
func diagnosed(t *testing.T, dir string, analysts int) string {
	t.Helper()
	q := question{dir: dir, analysts: analysts, symbols: symbol.Config{RunDir: dir, DebugDirs: []string{}}}
	q.options.Algorithm = "pdi"
	var r *report.Result
	err := inWorld(analysts, func(c reduce.Comm) error {
		got, err := analyse(q, c)
		if got != nil {
			r = got
		}
		return err
	})
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
	a := facts{Problems: []string{"b"}, Moving: []int{3}, Holes: true}
	b := facts{Problems: []string{"a"}, Moving: []int{1}, Alive: true}
	ab, err := mergeFacts(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "b"}; !cmp.Equal(ab.Problems, want) {
		t.Errorf("problems %q, want %q", ab.Problems, want)
	}
	if want := []int{1, 3}; !cmp.Equal(ab.Moving, want) || !ab.Alive || !ab.Holes {
		t.Errorf("merged %+v", ab)
	}
}
