package regression

import "testing"

// TestRoles: every rank of every size of run has a class in every role, and the
// trees have as many edges as a tree has.
func TestRoles(t *testing.T) {
	for ranks := 1; ranks <= 70; ranks++ {
		low, high, inner2, inner3 := 0, 0, 0, 0
		for rank := range ranks {
			low += lowChildren(rank, ranks)
			high += highChildren(rank, ranks)
			inner2 += gridNeighbours(rank, ranks, 2)
			inner3 += gridNeighbours(rank, ranks, 3)
			for _, r := range roles {
				if _, times := r.classOf(rank, ranks); times < 1 {
					t.Errorf("%s: rank %d of %d: %v times", r.name, rank, ranks, times)
				}
			}
		}
		if low != ranks-1 || high != ranks-1 {
			t.Errorf("%d ranks: %d and %d edges", ranks, low, high)
		}
		for _, c := range []struct{ dimensions, got int }{{2, inner2}, {3, inner3}} {
			product, want := 1, 0
			for _, side := range gridSides(ranks, c.dimensions) {
				product *= side
			}
			for _, side := range gridSides(ranks, c.dimensions) {
				want += 2 * (side - 1) * product / side
			}
			if product != ranks || c.got != want {
				t.Errorf("%d ranks in %d dimensions: %d neighbours, want %d; sides %v", ranks, c.dimensions, c.got,
					want, gridSides(ranks, c.dimensions))
			}
		}
	}
}
