//go:build e2e

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
)

// TestBatchScript: before MPI_Init has told the rank of a process, it is that of Slurm's variables only if srun has started the process:
// the script of sbatch, which is in no step, and a shell of salloc, which is in one of Slurm's own, have the variables as well.
func TestBatchScript(t *testing.T) {
	t.Parallel()
	f := families[0]
	program := f.buildProgram(t, "unrecorded.c", "-O1")
	for step, want := range map[string]bool{"0": true, "": false, "4294967290": false} {
		dir := filepath.Join(t.TempDir(), "run")
		env := f.runEnvironment(t, "SLURM_JOB_ID=17", "SLURM_PROCID=3", "SLURM_NTASKS=4", "SLURM_STEP_ID="+step,
			"OMPI_MCA_pml=none-such") // MPI_Init fails
		startJob(t, env, nil, laggardPath(t), "run", "-o", dir, "--", "sh", "-c", program).wait()
		text, _ := exec.Command(laggardPath(t), "inspect", dir).Output() // it fails: the other ranks are missing
		checktest.Contains(t, string(text), "1 processes")
		checktest.Equal(t, want, strings.Contains(string(text), "ranks 3\n"), "step", step, string(text))
	}
}
