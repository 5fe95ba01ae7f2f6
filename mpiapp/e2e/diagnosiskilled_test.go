//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/musttest"
)

// TestDiagnosisKilled: the job is ended, with the status that it has without it, when the process that diagnoses
// it dies. What that printed before stays.
func TestDiagnosisKilled(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "run")
		args := f.underRun(t, dir, []string{"--timeout", "2s", "--exit-code"}, 5, f.buildProgram(t, "ring.c"), "hang")
		j := startJob(t, f.runEnvironment(t), nil, args...)
		pid := awaitDiagnosis(t, dir)
		musttest.Succeed(t, syscall.Kill(pid, syscall.SIGKILL))
		got := j.wait()
		if got.status != 3 || !strings.Contains(got.stderr, "the diagnosis failed: signal: killed") ||
			!strings.Contains(got.stderr, "laggard: ending the job") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		for _, r := range openRun(t, dir).Ranks {
			j.eventually(fmt.Sprintf("the process of rank %d has ended", r.Rank), func() bool {
				_, err := os.Stat(fmt.Sprintf("/proc/%d", r.PID))
				return err != nil
			})
		}
	})
}

// awaitDiagnosis waits for the process that diagnoses a run, and returns its number.
func awaitDiagnosis(t *testing.T, dir string) int {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		dirs, _ := filepath.Glob("/proc/[0-9]*")
		for _, proc := range dirs {
			line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
			words := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
			if err != nil || len(words) < 3 || words[1] != "diagnose" || words[len(words)-1] != dir {
				continue
			}
			var pid int
			if _, err := fmt.Sscan(filepath.Base(proc), &pid); err == nil {
				return pid
			}
		}
	}
	t.Fatal("nothing diagnoses the run")
	return 0
}
