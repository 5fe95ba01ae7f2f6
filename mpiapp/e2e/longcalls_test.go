//go:build e2e

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
)

// longCalls are the modes of longcalls.c. The Hydra of Debian's MPICH starts no processes for a rank.
func (f family) longCalls() []string {
	modes := []string{"write", "sync", "reduce", "copy"}
	if f.name == "openmpi" {
		modes = append(modes, "spawn")
	}
	return modes
}

// longCall is a healthy job with a call that lasts for some seconds, with a timeout of the user's; 0: none.
type longCall struct {
	mode    string
	seconds int
	timeout time.Duration
}

// TestLongCalls: a job is neither ended nor blamed while a rank is at work inside a call, however short the timeout.
func TestLongCalls(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		eachCase(t, selectCases(f, f.longCalls()), func(t *testing.T, mode string) {
			f.checkLongCall(t, longCall{mode, 25, 10 * time.Second})
		})
	})
}

// TestInterrupted: time for which a job is suspended, or a rank stopped by a debugger, does not count.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		for _, c := range selectCases(f, interruptions) {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				f.checkInterrupted(t, c.interrupt)
			})
		}
	})
}

// interruptions of all ranks, or of rank 0, for longer than the timeout.
var interruptions = []struct {
	name      string
	interrupt func(*testing.T, *model.Run)
}{
	{"suspended", func(_ *testing.T, run *model.Run) {
		signalRanks(run, syscall.SIGSTOP)
		time.Sleep(2 * interruptTimeout)
		signalRanks(run, syscall.SIGCONT)
	}},
	{"debugger", func(t *testing.T, run *model.Run) {
		pause := fmt.Sprintf("shell sleep %.0f", 2*interruptTimeout.Seconds())
		gdb := exec.Command("gdb", "-p", strconv.Itoa(run.Ranks[0].PID), "-batch", "-ex", pause)
		musttest.Run(t, gdb)
	}},
}

// interruptTimeout is the user's timeout of the jobs that are interrupted.
const interruptTimeout = 5 * time.Second

// checkLongCall runs such a job, and asks for its diagnosis in the midst of the call.
func (f family) checkLongCall(t *testing.T, c longCall) {
	t.Helper()
	env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
	j := f.startWatched(t, env, dir, c)
	time.Sleep(time.Duration(c.seconds) * time.Second / 2)
	if a := runDiagnose(t, env, dir); a.LeastProgressed != nil && a.LeastProgressed.Confidence > 0.5 {
		t.Errorf("blamed with %.2f: %+v", a.LeastProgressed.Confidence, a.LeastProgressed)
	}
	checkUnharmed(t, j, time.Duration(c.seconds)*time.Second)
}

func (f family) checkInterrupted(t *testing.T, interrupt func(*testing.T, *model.Run)) {
	t.Helper()
	env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
	j := f.startWatched(t, env, dir, longCall{"write", 25, interruptTimeout})
	time.Sleep(5 * time.Second)
	interrupt(t, openRun(t, dir))
	checkUnharmed(t, j, patience)
}

// startWatched starts such a job under laggard run.
func (f family) startWatched(t *testing.T, env []string, dir string, c longCall) *job {
	t.Helper()
	return startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", c.timeout.String()}, 3,
		f.buildProgram(t, "longcalls.c", "-O2"), c.mode, strconv.Itoa(c.seconds))...)
}

// checkUnharmed waits for the end of a job that laggard must have left alone, and that may last that long.
func checkUnharmed(t *testing.T, j *job, lasts time.Duration) {
	t.Helper()
	select {
	case <-j.done:
	case <-time.After(lasts):
	}
	got := j.wait()
	if got.status != 0 || got.stdout != "done\n" {
		t.Errorf("exit status %d, stdout %q\n%s", got.status, got.stdout, got.stderr)
	}
}
