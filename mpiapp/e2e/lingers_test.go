//go:build e2e

package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestLingers: a rank hangs behind MPI_Finalize. The job has not ended, and is not said to have.
func TestLingers(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		j, env, dir := f.record(t, 3, f.buildProgram(t, "lingers.c"))
		const want = "All 3 ranks left MPI_Finalize; the process of rank 1 has not ended"
		j.eventually(want, func() bool { return strings.HasPrefix(diagnosisText(t, env, dir), want) })
		musttest.Succeed(t, syscall.Kill(openRun(t, dir).Ranks[1].PID, syscall.SIGKILL))
		j.waitOrEnd(15 * time.Second)
		checktest.Contains(t, diagnosisText(t, env, dir), "3 ranks")
	})
}
