//go:build e2e && long

package e2e

import (
	"fmt"
	"testing"
	"time"
)

// TestLongCallsLong: calls of 2 s to 6 min, with a timeout of the user's and without.
func TestLongCallsLong(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, mode := range f.longCalls() {
			for _, seconds := range []int{2, 30, 140, 360} {
				for _, timeout := range []time.Duration{0, 10 * time.Second} {
					if mode == "spawn" && timeout > 0 && seconds > 30 || mode == "sync" && seconds > 140 {
						continue // nothing shows that the child, or the disk, is at work: docs/manual/diagnosis.md
					}
					if mode == "spawn" && seconds > 140 {
						continue // Open MPI itself gives up after 300 s
					}
					t.Run(fmt.Sprintf("%s-%ds-%s", mode, seconds, timeout), func(t *testing.T) {
						t.Parallel()
						begin := time.Now()
						f.checkLongCall(t, longCall{mode, seconds, timeout})
						t.Logf("took %.0f s", time.Since(begin).Seconds())
					})
				}
			}
		}
	})
}
