package runfiles

import (
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/model/nodefile"
)

// TestStrange: a rank is not taken for a program that it has started, which knows a world
// of another size; of two that know the same the later one counts.
func TestStrange(t *testing.T) {
	at := func(rank, slot, size, second int) nodefile.SlotInfo {
		return nodefile.SlotInfo{Rank: rank, Slot: slot, Size: size, Start: time.Unix(int64(second), 0)}
	}
	slots := []nodefile.SlotInfo{at(0, 0, 3, 1), at(1, 1, 3, 1), at(2, 2, 3, 1), at(0, 3, 1, 5), at(1, 4, 3, 6)}
	var got []int
	for _, s := range latestSlots(slots, Verdict{Size: 3}) {
		got = append(got, s.Slot)
	}
	if len(got) != 3 || got[0] != 0 || got[1] != 4 || got[2] != 2 {
		t.Errorf("slots %v", got)
	}
	a, b := Claims{0: claimOf(slots[0], 3)}, Claims{0: claimOf(slots[3], 3)}
	for _, c := range []Claims{MergeClaims(Claims{0: a[0]}, b), MergeClaims(Claims{0: b[0]}, a)} {
		checktest.Equal(t, 0, c[0].Slot, "the slot whose claim counts")
	}
}
