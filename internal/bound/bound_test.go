package bound

import "testing"

// countDescents goes as deep as the budget allows, twice from each level, and counts the calls.
func countDescents(b *Budget) int {
	if !b.Enter() {
		return 0
	}
	defer b.Leave()
	return 1 + countDescents(b) + countDescents(b)
}

// TestBudget: depth and work are limited each by itself, and depth comes back.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		depth, work, want int
		exceeded          bool
	}{
		{depth: 10, work: 1 << 20, want: 1<<10 - 1, exceeded: true},
		{depth: 1 << 20, work: 1000, want: 1000, exceeded: true},
		{depth: 0, work: 5, want: 0, exceeded: true},
	} {
		b := New(c.depth, c.work)
		if got := countDescents(b); got != c.want || b.Exceeded() != c.exceeded {
			t.Errorf("%+v: %d calls, exceeded %v", c, got, b.Exceeded())
		}
		if b.depth != c.depth {
			t.Errorf("%+v: the depth left is %d", c, b.depth)
		}
	}
	b := New(2, 2)
	if !b.Enter() || b.Exceeded() {
		t.Error("a new budget refuses a step")
	}
}
