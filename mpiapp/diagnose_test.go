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

	"laggard/internal/checktest"
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
	checktest.Equal(t, analysts, r.Analysis.Ranks, "analysis ranks")
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
			checktest.Equal(t, want, diagnoseAllForms(t, run, n))
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
				musttest.Equal(t, want, diagnoseAllForms(t, run, 2), "time", i)
			}
		})
	}
}

// TestOptionalSteps: whatever the process does that makes the slices, the diagnosis was written before it started, and
// a note says how it failed.
func TestOptionalSteps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	musttest.Succeed(t, os.CopyFS(dir, os.DirFS("testdata/runs/halo16")))
	a := &app{err: t.Output(), settings: musttest.Get(loadSettings(""))(t)}
	for _, c := range []struct{ program, note string }{
		{"echo 'fatal error: stack overflow' >&2; exit 2", "exit status 2: fatal error: stack overflow"},
		{"kill -9 $$", "signal: killed"},
		{"sleep 1000", "its share of the time is over"},
		{"echo nonsense; cat >/dev/null", "invalid character"},
	} {
		q := musttest.Get(a.newQuestion(diagnoseFlags{}, dir))(t)
		var out bytes.Buffer
		before := ""
		q.Budget.Time = time.Second
		q.self = func(context.Context, ...string) *exec.Cmd {
			if before == "" {
				before = out.String()
			}
			return exec.Command("sh", "-c", c.program)
		}
		r := musttest.Get(q.answer(t.Context(), runInWorld, diagnosis.NewTextReport(&out)))(t)
		checktest.Contains(t, before, "Rank 11 is least progressed", "ranks 0-10,12-15 wait for rank 11")
		after := strings.TrimPrefix(out.String(), before)
		checktest.Contains(t, after, "Note: ", c.note, "Groups")
		if len(r.Slices) != 0 || !strings.Contains(strings.Join(r.Notes, "\n"), c.note) {
			t.Errorf("%s: %d slices, notes %q", c.program, len(r.Slices), r.Notes)
		}
	}
}
