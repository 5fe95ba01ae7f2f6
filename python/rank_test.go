package python

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestRank: what srun has started has the rank of Slurm's variables; the script of sbatch and a shell of salloc, which have them as well,
// are no rank.
func TestRank(t *testing.T) {
	const program = "import sys, unittest.mock; sys.modules['pytest'] = unittest.mock.MagicMock(); " +
		"import laggard_pytest; print(laggard_pytest.rank())"
	for _, c := range []struct{ environ, want string }{
		{"SLURM_PROCID=3 SLURM_STEP_ID=0", "3"},
		{"SLURM_PROCID=0", "None"},
		{"SLURM_PROCID=0 SLURM_STEP_ID=4294967290", "None"},
		{"SLURM_PROCID=0 PMI_RANK=2", "2"},
	} {
		cmd := exec.Command("python3", "-B", "-c", program)
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, strings.Fields(c.environ)...)
		checktest.Equal(t, c.want, strings.TrimSpace(string(musttest.Run(t, cmd))), c.environ)
	}
}
