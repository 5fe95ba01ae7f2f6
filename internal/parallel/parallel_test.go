package parallel

import (
	"sync/atomic"
	"testing"

	"laggard/internal/checktest"
)

func TestForEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		calls := make([]atomic.Int32, n)
		ForEach(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			checktest.Equal(t, 1, calls[i].Load(), "of", n, "calls for", i)
		}
	}
}

// TestForEachWith: a tool is never used by two calls at a time.
func TestForEachWith(t *testing.T) {
	type tool struct{ users atomic.Int32 }
	var calls atomic.Int32
	ForEachWith(1000, func() *tool { return new(tool) }, func(_ int, used *tool) {
		if used.users.Add(1) != 1 {
			t.Error("two users of a tool")
		}
		calls.Add(1)
		used.users.Add(-1)
	})
	checktest.Equal(t, 1000, calls.Load(), "calls")
}
