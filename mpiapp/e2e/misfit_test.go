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
	if families[0].alone() || families[1].alone() {
		t.Skip("needs both MPI")
	}
	for i, f := range families {
		other := families[1-i]
		t.Run(f.name, func(t *testing.T) {
			program, dir := f.build(t, "ring.c", "-O0"), filepath.Join(t.TempDir(), "run")
			laggard := filepath.Join(binaries(t), "laggard")
			env := other.environ(t)
			args := []string{laggard, "run", "-o", dir, "--record", "progress,usage,movement", "--timeout", "4s", "--"}
			start(t, env, nil, append(append(args, other.command(3)...), program)...).wait() // it hangs over MPICH
			for _, ask := range [][]string{{"diagnose"}, {"usage"}, {"movement"}, {"inspect"}} {
				got := start(t, env, nil, append(append([]string{laggard}, ask...), dir)...).wait()
				if !strings.Contains(got.stdout, "3 processes were recorded, each the only rank of its job") {
					t.Errorf("%s does not tell of three jobs:\n%s%s", ask[0], got.stdout, got.stderr)
				}
			}
		})
	}
}
