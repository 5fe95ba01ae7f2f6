//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
)

// TestHealthy runs every program without its fault, with and without laggard:
// output and exit status are the same, and nothing is reported.
func TestHealthy(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		done := map[string]bool{}
		for _, s := range slices.Concat(hangs, blocking, departures) {
			if done[s.source] {
				continue
			}
			done[s.source] = true
			if !s.runsAsCase(f, len(done)) {
				continue
			}
			t.Run(s.source, func(t *testing.T) {
				t.Parallel()
				f.checkHealthyRun(t, s)
			})
		}
	})
}

func (f family) checkHealthyRun(t *testing.T, s scenario) {
	program := f.buildProgram(t, s.source, "-O0")
	env := f.runEnvironment(t)
	dir := filepath.Join(t.TempDir(), "run")
	plain := startJob(t, env, nil, append(f.launchCommand(s.rankCount()), program, "ok")...).wait()
	got := f.startRecorded(t, dir, env, s.rankCount(), nil, program, "ok").wait()
	if plain.status != 0 || plain.stdout == "" {
		t.Fatalf("the program itself fails: %+v", plain)
	}
	if got.stdout != plain.stdout || got.status != plain.status {
		t.Errorf("with laggard %q and status %d, without %q and %d", got.stdout, got.status, plain.stdout, plain.status)
	}
	if lines := laggardLines(got.stderr); len(lines) != 1 || !strings.Contains(lines[0], dir) {
		t.Errorf("laggard run says %q, want one line that names the directory", lines)
	}
	a := runDiagnose(t, env, dir)
	if a.Hang || a.LeastProgressed != nil ||
		len(a.Lost)+len(a.Damaged)+len(a.Unfinished)+len(a.Deadlock.Cycles)+len(a.Problems) > 0 {
		t.Errorf("the diagnosis of a healthy run: %+v", a)
	}
	checktest.Equal(t, s.rankCount(), a.Ranks, "ranks")
}

// laggardLines picks the lines that laggard wrote among those of a program.
func laggardLines(stderr string) []string {
	var lines []string
	for _, line := range strings.Split(stderr, "\n") {
		if strings.HasPrefix(line, "laggard:") {
			lines = append(lines, line)
		}
	}
	return lines
}
