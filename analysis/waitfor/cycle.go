package waitfor

import (
	"slices"

	"laggard/model"
)

// Awaits returns the ranks that a rank waits for itself, through its operations
// but through no other rank.
func (g *Graph) Awaits(rank int) model.RankSet {
	return g.awaitedWithin(rank, func(int) bool { return true }, map[int]bool{})
}

// awaitedWithin follows the nodes that inside accepts and that were not seen.
func (g *Graph) awaitedWithin(rank int, inside func(node int) bool, seen map[int]bool) model.RankSet {
	var out []int
	node, _ := g.Node(rank)
	for queue := []int{node}; len(queue) > 0; {
		x := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, y := range g.needs[x] {
			if seen[y] || !inside(y) {
				continue
			}
			seen[y] = true
			if g.ranks[y] == operation {
				queue = append(queue, y)
			} else {
				out = append(out, g.ranks[y])
			}
		}
	}
	return model.NewRankSet(out...)
}

// Cycle returns a shortest cycle through a rank, which comes first, by the nodes
// that inside accepts; nil if there is none. Of cycles of one length it is the one
// by the smaller ranks.
func (g *Graph) Cycle(rank int, inside func(node int) bool) []int {
	from, seen := map[int]int{}, map[int]bool{}
	for queue := []int{rank}; len(queue) > 0; queue = queue[1:] {
		for _, to := range g.awaitedWithin(queue[0], inside, seen).Slice() {
			from[to] = queue[0]
			if to == rank {
				return cyclePath(from, rank)
			}
			queue = append(queue, to)
		}
	}
	return nil
}

// cyclePath returns the cycle through a rank, by what leads to each.
func cyclePath(from map[int]int, rank int) []int {
	out := []int{rank}
	for at := from[rank]; at != rank; at = from[at] {
		out = append(out, at)
	}
	slices.Reverse(out[1:])
	return out
}

// Ring returns the ranks of a core in the order in which they wait, from the
// smallest on, if each waits for exactly one other; else they ascend.
func (g *Graph) Ring(core model.RankSet) []int {
	ranks := core.Slice()
	if slices.ContainsFunc(ranks, func(r int) bool { return g.Awaits(r).Intersect(core).Len() != 1 }) {
		return ranks
	}
	return g.Cycle(ranks[0], func(node int) bool {
		return g.ranks[node] == operation || core.Contains(g.ranks[node])
	})
}
