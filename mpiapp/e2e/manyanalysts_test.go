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
	laggard, dir := laggardPath(t), filepath.Join(t.TempDir(), "run")
	runCommand(t, f.runEnvironment(t), laggard, "synth", "-p", "32768", "--seed", "9", "-o", dir).mustSucceed(t)
	text, form := diagnoseBothForms(t, nil, laggard, "--no-slice", dir)
	checkSameDiagnoses(t, text, form, f.launchCommand(64), filepath.Join(binaryDir(t), "laggard-mpi"), "--no-slice", dir)
}
