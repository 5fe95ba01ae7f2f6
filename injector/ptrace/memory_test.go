package ptrace

import (
	"math/rand/v2"
	"testing"
)

// A gap that is found is free, in reach, and whole pages.
func TestGap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 2000 {
		var maps []mapping
		at := uint64(4 << 20)
		for range random.IntN(30) {
			at += page * random.Uint64N(1<<random.IntN(20))
			end := at + page*(1+random.Uint64N(1<<random.IntN(16)))
			maps = append(maps, mapping{low: at, high: end})
			at = end
		}
		address := 0x400000 + random.Uint64N(at)
		got, ok := gap(maps, address, x86.reach)
		if !ok {
			continue
		}
		found++
		if got%page != 0 || distance(got, address) >= x86.reach {
			t.Fatalf("gap at %#x for %#x", got, address)
		}
		for _, m := range maps {
			if got < m.high && got+areaSize > m.low {
				t.Fatalf("gap at %#x is taken by %#x-%#x", got, m.low, m.high)
			}
		}
	}
	if found < 1900 {
		t.Errorf("only %d of 2000 had a gap", found)
	}
	if _, ok := gap([]mapping{{low: page, high: 1 << 46}}, 1<<40, x86.reach); ok {
		t.Error("a gap where there is none in reach")
	}
}
