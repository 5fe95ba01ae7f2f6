package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestRankVariables: the plug-in knows the variables of launchers that the recorder and the program know.
func TestRankVariables(t *testing.T) {
	names := func(file, begin string) (out []string) {
		text := string(musttest.Get(os.ReadFile(file))(t))
		_, text, found := strings.Cut(text, begin)
		list, _, _ := strings.Cut(text, "\n}")
		list, _, _ = strings.Cut(list, ";\n")
		for _, m := range regexp.MustCompile(`"([A-Z0-9_]+)"`).FindAllStringSubmatch(list, -1) {
			if m[1] != "SLURM_PROCID" { // which is asked for under a condition
				out = append(out, m[1])
			}
		}
		if !found || len(out) < 5 {
			t.Fatalf("%s: %v", file, out)
		}
		return out
	}
	plugin := names("laggard_pytest.py", "RANKS = (")
	plugin = plugin[:slices.Index(plugin, "FLUX_TASK_RANK")+1]
	checktest.EqualList(t, names("../recorder/file/rank.c", "rank_names[] = {"), plugin, "recorder")
	checktest.EqualList(t, names("../job/launcher/job.go", "func RankIn("), plugin, "program")
}

// TestUnknownRanks: of several processes of which the launcher does not say the rank none keeps a journal for long.
func TestUnknownRanks(t *testing.T) {
	_, journals, run := suiteOf(t, map[string]string{"test_all.py": `
import os, subprocess, sys
def test_all():
    if not os.environ.get("INNER"):
        env = dict(os.environ, INNER="1", LAGGARD_TESTS=os.environ["JOURNALS"])
        subprocess.run([sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider"], env=env, check=True)
`})
	for _, inner := range []string{"1", ""} {
		cmd := run("", "-q")
		cmd.Env = append(cmd.Env, "INNER="+inner)
		musttest.Run(t, cmd)
		_, err := os.Stat(filepath.Join(journals, "unranked"))
		checktest.Equal(t, inner == "", err == nil, "several")
	}
}

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
