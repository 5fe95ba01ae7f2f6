package loops

import (
	"math/rand/v2"
	"testing"

	"laggard/internal/checktest"
)

// randomArcs makes a graph of up to twelve sites.
func randomArcs(rng *rand.Rand) (int, []nestArc) {
	n := 1 + rng.IntN(12)
	var arcs []nestArc
	for range rng.IntN(3 * n) {
		arcs = append(arcs, nestArc{rng.IntN(n), rng.IntN(n), rng.IntN(2) == 0, rng.IntN(3)})
	}
	return n, arcs
}

// Whatever the graph: without the arcs that begin a next iteration there is no cycle
// left, each such arc leads back within its loop, and in the model of one rank
// a loop has one head.
func TestNestLeavesNoCycle(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for i := range 600 {
		size, arcs := randomArcs(rng)
		split := splitSingle
		if i%2 == 1 {
			split = splitUnion(func(site int) bool { return site%2 == 0 })
		}
		n := newNest(size, arcs, split, nil)
		all := make([]int, size)
		for s := range all {
			all[s] = s
		}
		if left := n.components(all); len(left) != size {
			t.Fatalf("%v: cycles left: %v", arcs, left)
		}
		for a, level := range n.cut {
			from, to := n.path[n.arcs[a].from], n.path[n.arcs[a].to]
			if level > 0 && (len(from) <= level || len(to) <= level || from[level].Loop != to[level].Loop ||
				!n.loops[to[level].Loop].back[a]) {
				t.Fatalf("%v: arc %v leads back in no loop", arcs, n.arcs[a])
			}
			if level == 0 && n.arcs[a].from == n.arcs[a].to {
				t.Fatalf("%v: arc %v is a loop", arcs, n.arcs[a])
			}
		}
	}
}

// A ladder of loops, one inside the other without end, costs little.
func TestDeepNest(t *testing.T) {
	const size = 20000
	var arcs []nestArc
	for i := range size - 1 {
		arcs = append(arcs, nestArc{from: i, to: i + 1}, nestArc{from: i + 1, to: i})
	}
	n := newNest(size, arcs, splitSingle, nil)
	checktest.Equal(t, maxNest+1, len(n.path[size-1]), "levels")
}
