package loops

import (
	"math/rand/v2"
	"slices"
	"testing"

	"laggard/internal/checktest"
)

// TestSurplus: what is kept of the numbers tells exactly whether some have more than all others.
func TestSurplus(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 4000 {
		numbers, spread := make([]uint64, 2+r.IntN(5)), Spread{}
		more := 1 + r.Uint64N(3)
		for i := range numbers {
			numbers[i] = 4 + more*r.Uint64N(2) + r.Uint64N(1+r.Uint64N(2))
			spread = spread.add(numbers[i])
		}
		low, high, some := slices.Min(numbers), slices.Max(numbers), 1+r.Uint64N(3)
		top := uint64(0)
		for _, n := range numbers {
			if n == high {
				top++
			} else if n != low {
				top = uint64(len(numbers)) // of neither
			}
		}
		want := uint64(0)
		if high > low && top == some && some < uint64(len(numbers)) {
			want = high - low
			found++
		}
		checktest.Equal(t, want, spread.Surplus(some), some, numbers)
	}
	if found < 200 {
		t.Errorf("only %d of the cases have a surplus", found)
	}
}
