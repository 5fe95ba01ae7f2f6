//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"laggard/internal/musttest"
)

// TestEndingNode looks at what exec leaves on a node other than rank 0's: it ends the node's processes when the job is
// being ended, and is gone soon after they are.
func TestEndingNode(t *testing.T) {
	t.Parallel()
	laggard := laggardPath(t)
	for _, what := range []string{"the job is ended", "the program ends"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			env := slices.Concat(families[0].runEnvironment(t), []string{"SLURM_JOB_ID=1", "SLURM_STEP_ID=0",
				"SLURM_PROCID=1", "SLURM_LOCALID=0", "SLURM_NTASKS=2", "LAGGARD_KILL_AFTER=2s"})
			deaf := "trap '' TERM; echo $$; while :; do sleep 1; done"
			j := startJob(t, env, nil, laggard, "exec", "-o", dir, "--", "sh", "-c", deaf)
			j.eventually("the program, and what guards the node", func() bool {
				return j.out.String() != "" && slices.ContainsFunc(helperNames(dir), func(name string) bool {
					return name == "laggard-node"
				})
			})
			if what == "the job is ended" {
				musttest.Succeed(t, os.WriteFile(filepath.Join(dir, ".ending"), nil, 0o600))
			} else {
				musttest.Succeed(t, syscall.Kill(j.cmd.Process.Pid, syscall.SIGKILL))
			}
			j.wait()
			j.eventually("nothing of laggard's", func() bool { return len(helperNames(dir)) == 0 })
			if left, _ := filepath.Glob(filepath.Join(dir, "not-ended-*")); len(left) > 0 {
				t.Errorf("%v say that something could not be ended", left)
			}
		})
	}
}

// TestLeftOnPurpose: what a job leaves that ended by itself, well or not, goes on, and nothing of laggard's does. What
// one leaves whose launcher was killed is ended.
func TestLeftOnPurpose(t *testing.T) {
	t.Parallel()
	for end, stays := range map[string]bool{"exit 0": true, "exit 3": true, "kill -KILL $$": false} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			server := "setsid sh -c 'while :; do sleep 1; done' " + dir + "/server >/dev/null 2>&1 &\n"
			j := startJob(t, families[0].runEnvironment(t), nil, laggardPath(t), "run", "-o",
				filepath.Join(dir, "run"), "--", "sh", "-c", server+"sleep 1; "+end)
			got := j.wait()
			defer killProcessesIn(dir)
			left := processesIn(dir)
			server = strings.Join(left, "")
			if strings.Contains(server, "/server") != stays || strings.Contains(server, "laggard run") {
				t.Errorf("status %d; there still are:\n%s\n%s", got.status, strings.Join(left, "\n"), got.stderr)
			}
		})
	}
}

// helperNames are the names of laggard's processes that were started with a run directory in their command line.
func helperNames(dir string) (names []string) {
	for _, p := range processesIn(filepath.Dir(dir)) {
		name, err := os.ReadFile(strings.Fields(p)[0] + "/comm")
		if err == nil && strings.HasPrefix(string(name), "laggard") {
			names = append(names, strings.TrimSpace(string(name)))
		}
	}
	return names
}
