//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
)

// TestProgramsInTurn: a script starts a program of eight ranks, which ends well, and then one of seven, which hangs. The second one is the
// job.
func TestProgramsInTurn(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		good, bad := f.buildProgram(t, "ring.c"), f.buildProgram(t, "cycle.c")
		script := strings.Join(append(f.launchCommand(8), good), " ") + "; " + strings.Join(append(f.launchCommand(7), bad, "ssend"), " ")
		env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
		got := startJob(t, env, nil, laggardPath(t), "run", "-o", dir, "--timeout", "3s", "--", "sh", "-c", script).wait()
		checktest.Equal(t, 143, got.status, "exit status, that of the shell")
		checktest.Contains(t, got.stderr, "of 7 ranks", "of the others, one job of 8 ranks finished")
	})
}

// TestJobsOfOneSize: of several MPI jobs of one size in one recording the one that went wrong is told, its ranks are not mixed with those
// of another, and none is ended while one moves.
func TestJobsOfOneSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string // J: a job of three ranks
		status       int
		says         []string
	}{
		{"crash, then another", "J crash; rc=$?; J ok; exit $((rc != 0))", 1, []string{"ank 1 ", "SIGSEGV", "one job of 3 ranks finished"}},
		{"one hangs beside a healthy one", "(J ok 400; echo healthy: $?) & sleep 1; J hangs & wait", 143,
			[]string{"healthy: 0\n", "ank 1 is least progressed, of 3 ranks", "is in MPI_Recv", "one job of 3 ranks finished"}},
		{"the first of two at once hangs", "J hangs & J ok 200 & wait", 143,
			[]string{"ank 1 is least progressed, of 3 ranks", "is in MPI_Recv", "one job of 3 ranks finished"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			eachFamily(t, func(t *testing.T, f family) {
				t.Parallel()
				job := strings.Join(append(f.launchCommand(3), f.buildProgram(t, "jobs.c")), " ")
				script := strings.ReplaceAll(c.script, "J ", job+" ")
				env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
				got := startJob(t, env, nil, laggardPath(t), "run", "-o", dir, "--timeout", "4s", "--", "sh", "-c", script).wait()
				checktest.Equal(t, c.status, got.status, "exit status, that of the shell")
				checktest.Contains(t, got.stdout+got.stderr, c.says...)
			})
		})
	}
}
