package ptrace

import (
	"math/rand/v2"
	"testing"

	"laggard/internal/procfs"
)

// A gap that is found is free, in reach, and whole pages.
func TestGap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 2000 {
		var maps []procfs.Mapping
		at := uint64(4 << 20)
		for range random.IntN(30) {
			at += page * random.Uint64N(1<<random.IntN(20))
			end := at + page*(1+random.Uint64N(1<<random.IntN(16)))
			maps = append(maps, procfs.Mapping{Lo: at, Hi: end})
			at = end
		}
		address := 0x400000 + random.Uint64N(at)
		got, ok := findGap(maps, address, x86.reach)
		if !ok {
			continue
		}
		found++
		if got%page != 0 || distance(got, address) >= x86.reach {
			t.Fatalf("gap at %#x for %#x", got, address)
		}
		for _, m := range maps {
			if got < m.Hi && got+areaSize > m.Lo {
				t.Fatalf("gap at %#x is taken by %#x-%#x", got, m.Lo, m.Hi)
			}
		}
	}
	if found < 1900 {
		t.Errorf("only %d of 2000 had a gap", found)
	}
	if _, ok := findGap([]procfs.Mapping{{Lo: page, Hi: 1 << 46}}, 1<<40, x86.reach); ok {
		t.Error("a gap where there is none in reach")
	}
}
