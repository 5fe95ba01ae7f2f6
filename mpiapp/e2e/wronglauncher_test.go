//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
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
			laggard := filepath.Join(binaryDir(t), "laggard")
			env := other.runEnvironment(t)
			args := []string{laggard, "run", "-o", dir, "--record", "progress,usage,movement", "--timeout", "4s", "--"}
			startJob(t, env, nil, append(append(args, other.launchCommand(3)...), program)...).wait() // it hangs over MPICH
			for _, ask := range [][]string{{"diagnose"}, {"usage"}, {"movement"}, {"inspect"}} {
				got := startJob(t, env, nil, append(append([]string{laggard}, ask...), dir)...).wait()
				if !strings.Contains(got.stdout, "3 processes were recorded, each the only rank of its job") {
					t.Errorf("%s does not tell of three jobs:\n%s%s", ask[0], got.stdout, got.stderr)
				}
			}
		})
	}
}
