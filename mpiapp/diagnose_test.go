package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/report/diagnosis"
	"laggard/symbol"
)

// diagnosed returns what a number of analysis ranks make of a run, in all forms.
func diagnosed(t *testing.T, dir string, analysts int) string {
	t.Helper()
	q := question{analysts: analysts}
	q.Dir, q.Once, q.Symbols = dir, true, symbol.Config{RunDir: dir, DebugDirs: []string{}}
	q.Algorithm = "pdi"
	r, err := q.answer(t.Context(), inWorld)
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

// TestIdentical: no byte changes from one time to the next, whatever goroutine is first. LAGGARD_TRIALS says how often
// each run is diagnosed.
func TestIdentical(t *testing.T) {
	trials, err := strconv.Atoi(os.Getenv("LAGGARD_TRIALS"))
	if err != nil {
		trials = 3
	}
	runs, err := filepath.Glob("testdata/runs/*")
	if err != nil || len(runs) == 0 {
		t.Fatal("no runs", err)
	}
	for _, run := range runs {
		t.Run(filepath.Base(run), func(t *testing.T) {
			t.Parallel()
			want := diagnosed(t, run, 2)
			for i := range trials {
				if diff := cmp.Diff(want, diagnosed(t, run, 2)); diff != "" {
					t.Fatalf("time %d: %s", i, diff)
				}
			}
		})
	}
}
