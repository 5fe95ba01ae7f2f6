//go:build e2e

package e2e

import (
	"testing"

	"laggard/internal/checktest"
)

// TestLeavesCall: a rank that jumped out of a call of MPI, and makes no other, is not in that call.
func TestLeavesCall(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "jumpsout.c", "-O1")
		eachCase(t, []string{"computes", "rests"}, func(t *testing.T, mode string) {
			j, _, dir := f.record(t, 3, program, mode)
			j.awaitHang()
			for _, r := range openRun(t, dir).Ranks {
				checktest.Equal(t, r.Rank != 0, r.Threads[0].Op.InMPI, "rank", r.Rank, "is in a call of MPI")
				checktest.Equal(t, r.Rank != 0, r.Threads[0].Captured.InMPI, "rank", r.Rank, "was in a call of MPI at its stack")
			}
		})
	})
}
