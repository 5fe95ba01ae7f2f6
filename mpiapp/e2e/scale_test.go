//go:build e2e

package e2e

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestManyAnalystsAgree diagnoses 32,768 recorded ranks in one process and on 64
// ranks of OpenMPI, oversubscribed: the output must be the same.
func TestManyAnalystsAgree(t *testing.T) {
	f := families[0]
	if _, err := exec.LookPath(f.launcher[0]); err != nil {
		t.Skipf("%v: MPICH spins, 64 ranks of it take minutes on few cores", err)
	}
	laggard, dir := filepath.Join(binaries(t), "laggard"), filepath.Join(t.TempDir(), "run")
	if made := output(t, f.environ(t), laggard, "synth", "-p", "32768", "--seed", "9", "-o", dir); made.status != 0 {
		t.Fatalf("synth: exit status %d\n%s", made.status, made.stderr)
	}
	text, form := diagnoses(t, nil, laggard, "--no-slice", dir)
	same(t, text, form, f.command(64), filepath.Join(binaries(t), "laggard-mpi"), "--no-slice", dir)
}
