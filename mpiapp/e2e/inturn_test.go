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
		checktest.Contains(t, got.stderr, "of 7 ranks", "8 recorded processes belong to other MPI jobs of this run")
	})
}
