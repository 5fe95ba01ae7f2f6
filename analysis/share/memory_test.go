package share

import (
	"math"
	"testing"

	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

func TestLargestShare(t *testing.T) {
	needs := []int64{2000, 30000, 5000}
	for _, test := range []struct{ total, want int64 }{
		{1 << 40, math.MaxInt64}, {37000, math.MaxInt64}, {36999, 29999}, {20000, 13000}, {9000, 3500}, {3000, 1000}, {0, 0},
	} {
		if got := largestShare(needs, test.total); got != test.want {
			t.Errorf("each of %v has %d of %d, want %d", needs, got, test.total, test.want)
		}
	}
	if got := largestShare(nil, 0); got != math.MaxInt64 {
		t.Errorf("nobody has %d", got)
	}
}

// TestBudget: a rank is sure of its share, and what the ranks before it did not take is left to it.
func TestBudget(t *testing.T) {
	const mb = 1 << 20
	one, other := nodefile.SlotInfo{File: "node", Slot: 0}, nodefile.SlotInfo{File: "node", Slot: 1}
	one.Events[nodefile.UsageStream], other.Events[nodefile.UsageStream] = 8*mb, 8*mb
	x := &runfiles.Index{Slots: []nodefile.SlotInfo{one, other}}
	for _, test := range []struct {
		memory      int64
		first, next int64 // what may be in use while a rank is read
	}{
		{100 * mb, 50 * mb, 100 * mb},
		{4000 * mb, 2720 * mb, 4000 * mb}, // all that is there but what the other one needs at worst
	} {
		b := NewBudget(x, nodefile.UsageStream, test.memory)
		for i, want := range []int64{test.first, test.next} {
			b.NextRank(&model.Rank{File: "node", Slot: i})
			if b.allowed != want {
				t.Errorf("%d MB: rank %d may go to %d MB, want %d", test.memory/mb, i, b.allowed/mb, want/mb)
			}
		}
	}
}
