//go:build e2e

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/internal/musttest"
)

// TestAttachKilled kills attach at random moments: the job is making progress again as if nobody had looked.
func TestAttachKilled(t *testing.T) { killAttach(t, 12) }

func killAttach(t *testing.T, kills int) {
	eachFamily(t, func(t *testing.T, f family) {
		env := f.runEnvironment(t)
		program := f.buildProgram(t, "steady.c", "-O2")
		seconds := max(5, kills/4)
		plain := f.runPlain(t, env, nil, program, "1")
		j := startJob(t, env, nil, append(f.launchCommand(preloadRanks), program, fmt.Sprint(seconds))...)
		j.eventually("all ranks run", func() bool { return strings.Contains(j.out.String(), "steady: begin") })
		pids := programPIDs(t, env, program)
		for n := range kills {
			args := []string{"attach", "-o", filepath.Join(t.TempDir(), fmt.Sprint(n)), "--over", "200ms"}
			for _, pid := range pids {
				args = append(args, "--pid", fmt.Sprint(pid))
			}
			looker := exec.Command(laggardPath(t), args...)
			musttest.Succeed(t, looker.Start())
			time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
			_ = looker.Process.Kill()
			_ = looker.Wait()
			for _, pid := range pids {
				if state := processState(pid); strings.Contains("tTZX", state) {
					t.Fatalf("after kill %d of attach, process %d is in state %q", n, pid, state)
				}
			}
		}
		if got := j.wait(); got.programOutput() != plain.programOutput() || got.status != plain.status {
			t.Errorf("the job printed %q and ended with %d, want %q and %d\n%s", got.programOutput(), got.status,
				plain.programOutput(), plain.status, got.stderr)
		}
	})
}
