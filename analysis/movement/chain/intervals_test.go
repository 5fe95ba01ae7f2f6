package chain

import (
	"math/rand/v2"
	"testing"

	"laggard/internal/musttest"
)

// The table of intervals does what one value a byte does.
func TestIntervals(t *testing.T) {
	const size = 3000
	rng := rand.New(rand.NewPCG(13, 14))
	var table intervals
	var flat [size]int32
	for step := range 20000 {
		lo := rng.IntN(size - 1)
		hi := lo + 1 + rng.IntN(min(size-lo, 1+rng.IntN(40)))
		v := int32(step + 1)
		if rng.IntN(3) == 0 {
			v = 0
			table.clearRange(uint64(lo), uint64(hi))
		} else {
			table.setRange(uint64(lo), uint64(hi), v)
		}
		for a := lo; a < hi; a++ {
			flat[a] = v
		}
		at := rng.IntN(size)
		if got, ok := table.valueAt(uint64(at)); ok != (flat[at] > 0) || ok && got != flat[at] {
			t.Fatalf("step %d: %d at %d, not %d", step, got, at, flat[at])
		}
		if step%100 == 0 {
			compareIntervals(t, &table, flat[:])
		}
	}
}

func compareIntervals(t *testing.T, table *intervals, flat []int32) {
	t.Helper()
	next := uint64(0)
	for _, s := range table.appendOverlaps(0, uint64(len(flat)), nil) {
		if s.lo < next || s.hi <= s.lo {
			t.Fatalf("%+v after %d", s, next)
		}
		for ; next < s.lo; next++ {
			if flat[next] != 0 {
				t.Fatalf("nothing at %d", next)
			}
		}
		for ; next < s.hi; next++ {
			musttest.Equal(t, s.v, flat[next], "at", next)
		}
	}
	for ; next < uint64(len(flat)); next++ {
		if flat[next] != 0 {
			t.Fatalf("nothing at %d", next)
		}
	}
}
