//go:build e2e

package e2e

import (
	"path/filepath"
	"syscall"
	"testing"

	"laggard/model"
	"laggard/model/runfiles"
)

// TestAskedBySignal asks a running job for its stacks, long before it is quiet
// enough to write them down by itself: the job must go on, and the rank that
// computes must have said where.
func TestAskedBySignal(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		s := scenarioOf(t, "endless.c")
		program := f.buildProgram(t, s.source, "-O0")
		env := f.runEnvironment(t, "LAGGARD_SIGNAL=USR1", "LAGGARD_QUIET_MS=600000")
		dir := filepath.Join(t.TempDir(), "run")
		j := f.startRecorded(t, dir, env, s.rankCount(), nil, program, s.mode)
		stuck := s.least[0]
		j.eventually("all ranks at their work", func() bool {
			run, err := runfiles.Open(dir)
			return err == nil && len(run.Ranks) == s.rankCount() && run.Ranks[stuck].Phase == model.Running
		})
		j.eventually("a stack of the computing rank", func() bool {
			run, err := runfiles.Open(dir)
			if err != nil || j.hasEnded() {
				t.Fatalf("the job did not survive the signal: %v\n%s", err, j.err.String())
			}
			signalRanks(run, syscall.SIGUSR1)
			c := run.Ranks[stuck].Threads[0].Captured
			return c != nil && c.Why == model.CaptureSignal && len(c.Stack) > 1
		})
	})
}
