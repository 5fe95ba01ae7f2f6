//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"testing"
)

// sliceLine is a line of `laggard slice --json`.
type sliceLine struct {
	File string
	Line int
	Kind string
}

// checkSlice asks for the slice from the least-progressed rank: it must have a
// line that the program marks as the cause of its hang, and each that it marks as
// the sending of what that rank received, as communication.
func (s scenario) checkSlice(t *testing.T, env []string, dir string) {
	t.Helper()
	marked := readMarks(t, s.source)
	if len(marked["cause"]) == 0 {
		return
	}
	var slice struct{ Lines []sliceLine }
	got := runForJSON(t, env, &slice, "slice", "--json", dir)
	got.mustSucceed(t)
	has := func(spans []span, kind string) bool {
		return slices.ContainsFunc(slice.Lines, func(l sliceLine) bool {
			return filepath.Base(l.File) == s.source && coversLine(spans, l.Line) && (kind == "" || l.Kind == kind)
		})
	}
	checkKeptSlice(t, env, dir, got.stdout)
	if !has(marked["cause"], "") {
		t.Errorf("the slice lacks the cause:\n%s", got.stdout)
	}
	if sent := marked["sent"]; len(sent) > 0 && !has(sent, "communication") {
		t.Errorf("the slice lacks what was sent:\n%s", got.stdout)
	}
}

// checkKeptSlice: the slice is kept, and the same when it is asked for again; without a cache it is made as before.
func checkKeptSlice(t *testing.T, env []string, dir, made string) {
	t.Helper()
	if kept, err := filepath.Glob(filepath.Join(cacheDir(), "laggard", "slices", "*.json")); err != nil || len(kept) == 0 {
		t.Errorf("no slice is kept: %v", err)
	}
	for _, without := range []bool{false, true} {
		given := env
		if without {
			given = append(slices.Clone(env), "LAGGARD_SLICE_CACHE_MB=0")
		}
		got := runLaggard(t, given, "slice", "--json", dir)
		if got.stdout != made {
			t.Errorf("asked again (without a cache: %t):\n%s\nfirst:\n%s", without, got.stdout, made)
		}
	}
}
