package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/musttest"
	"laggard/report/diagnosis"
	"laggard/symbol"
)

// diagnoseAllForms returns what a number of analysis ranks make of a run, in all forms.
func diagnoseAllForms(t *testing.T, dir string, analysts int) string {
	t.Helper()
	q := question{analysts: analysts}
	q.Dir, q.Once, q.Symbols = dir, true, symbol.Config{RunDir: dir, DebugDirs: []string{}}
	q.Algorithm = "pdi"
	var out bytes.Buffer
	r := musttest.Get(q.answer(t.Context(), runInWorld, diagnosis.NewTextReport(&out)))(t)
	if r.Analysis.Ranks != analysts {
		t.Errorf("%d analysis ranks, want %d", r.Analysis.Ranks, analysts)
	}
	r.Analysis = diagnosis.Analysis{}
	for _, form := range []diagnoseFlags{{json: true}, {dot: true}} {
		musttest.Succeed(t, writeReport(&out, form, r))
	}
	return out.String()
}

// TestAnalysts: the number of analysis ranks changes no byte.
func TestAnalysts(t *testing.T) {
	const run = "testdata/runs/halo16"
	want := diagnoseAllForms(t, run, 1)
	for n := 2; n <= 9; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if diff := cmp.Diff(want, diagnoseAllForms(t, run, n)); diff != "" {
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
			want := diagnoseAllForms(t, run, 2)
			for i := range trials {
				if diff := cmp.Diff(want, diagnoseAllForms(t, run, 2)); diff != "" {
					t.Fatalf("time %d: %s", i, diff)
				}
			}
		})
	}
}

// TestOptionalSteps: whatever the process does that makes the slices, the diagnosis was written before it started, and
// a note says how it failed.
func TestOptionalSteps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	musttest.Succeed(t, os.CopyFS(dir, os.DirFS("testdata/runs/halo16")))
	a := &app{err: t.Output()}
	var err error
	if a.settings, err = loadSettings(""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ program, note string }{
		{"echo 'fatal error: stack overflow' >&2; exit 2", "exit status 2: fatal error: stack overflow"},
		{"kill -9 $$", "signal: killed"},
		{"sleep 1000", "its share of the time is over"},
		{"echo nonsense; cat >/dev/null", "invalid character"},
	} {
		q, err := a.newQuestion(diagnoseFlags{}, dir)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		before := ""
		q.Budget.Time = time.Second
		q.self = func(context.Context, ...string) *exec.Cmd {
			if before == "" {
				before = out.String()
			}
			return exec.Command("sh", "-c", c.program)
		}
		r, err := q.answer(t.Context(), runInWorld, diagnosis.NewTextReport(&out))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Rank 11 is least progressed", "ranks 0-10,12-15 wait for rank 11"} {
			if !strings.Contains(before, want) {
				t.Errorf("%s: before the slices there is no %q in\n%s", c.program, want, before)
			}
		}
		after := strings.TrimPrefix(out.String(), before)
		for _, want := range []string{"Note: ", c.note, "Groups"} {
			if !strings.Contains(after, want) {
				t.Errorf("%s: no %q in\n%s", c.program, want, after)
			}
		}
		if len(r.Slices) != 0 || !strings.Contains(strings.Join(r.Notes, "\n"), c.note) {
			t.Errorf("%s: %d slices, notes %q", c.program, len(r.Slices), r.Notes)
		}
	}
}
