//go:build e2e && slurm

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSlurmEnding ends jobs on four nodes, more of them with LAGGARD_ALL. Their srun does not end all ranks with one.
func TestSlurmEnding(t *testing.T) {
	c := newCluster(t)
	for _, command := range []string{"run", "test", "exec"} {
		for _, end := range []string{"hang", "TERM", "KILL"} {
			if command == "exec" && end != "hang" || !runEverything() && (command == "test" || end == "TERM") {
				continue
			}
			t.Run(command+"/"+end, func(t *testing.T) {
				eachFamily(t, func(t *testing.T, f family) {
					t.Parallel()
					c.checkJobEnds(t, f, command, end)
				})
			})
		}
	}
}

func (c *cluster) checkJobEnds(t *testing.T, f family, command, end string) {
	dir := t.TempDir()
	program := copyProgram(t, f.buildProgram(t, "stays.c"), dir)
	laggard := []string{laggardPath(t), command, "-o", filepath.Join(dir, "run"), "--kill-after",
		"4s", "--timeout", "1h", "--"}
	mode := "stay"
	if end == "hang" {
		laggard[7], mode = "5s", "ignore" // nobody ends by SIGTERM
	}
	srun := f.srunCommand("--kill-on-bad-exit=0")
	if command == "exec" {
		srun, laggard = laggard, srun
	}
	j := startJob(t, c.env, nil, append(slices.Concat(laggard, srun), program, mode)...)
	defer killProcessesIn(dir)
	j.eventually("eight ranks", func() bool { return countRecorded(filepath.Join(dir, "run")) == 8 || j.hasEnded() })
	if end != "hang" {
		_ = j.cmd.Process.Signal(unix.SignalNum("SIG" + end))
	}
	got := j.wait()
	said := strings.Contains(got.stderr, "ending the job")
	if end == "hang" && !said || strings.Contains(got.stderr, "could not end") {
		t.Error("it is not said that the job ends, or that something could not be ended")
	}
	for begin := time.Now(); len(processesIn(dir)) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Since(begin) > 30*time.Second {
			t.Errorf("there still are:\n%s", strings.Join(processesIn(dir), "\n"))
			break
		}
	}
	if t.Failed() {
		t.Logf("status %d\n%s%s", got.status, got.stdout, got.stderr)
	}
}
