//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
)

// TestMisfit: started by the launcher of another MPI each process is a job of one rank. All analyses say so, and the
// doctor beforehand.
func TestMisfit(t *testing.T) {
	t.Parallel()
	if families[0].isOnlyMPI() || families[1].isOnlyMPI() {
		t.Skip("needs both MPI")
	}
	for i, f := range families {
		other := families[1-i]
		t.Run(f.name, func(t *testing.T) {
			program, dir := f.buildProgram(t, "ring.c", "-O0"), filepath.Join(t.TempDir(), "run")
			env := other.runEnvironment(t)
			flags := []string{"--record", "progress,usage,movement", "--timeout", "4s"}
			startJob(t, env, nil, other.underRun(t, dir, flags, 3, program)...).wait() // it hangs over MPICH
			for _, ask := range []string{"diagnose", "usage", "movement", "inspect"} {
				got := startJob(t, env, nil, laggardPath(t), ask, dir).wait()
				checktest.Contains(t, got.stdout, "3 processes were recorded, each the only rank of its job")
			}
		})
	}
}
