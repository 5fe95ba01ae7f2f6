package waitfor

import (
	"slices"

	"laggard/model"
)

// Cores returns the deadlocks of the graph: the largest sets of ranks of which
// each waits, in the end, for every other, and which stay stuck even if all nodes
// outside are released. They are disjoint, in the order of their smallest rank.
//
// A strongly connected component of what is stuck is a core if it stays stuck by
// itself. If only a part of it does, cores are looked for in that part: ways
// through what is released do not hold it together.
func (g *Graph) Cores() []model.RankSet {
	var out []model.RankSet
	for sets := [][]int{g.Stuck(g.Nodes())}; len(sets) > 0; {
		set := sets[len(sets)-1]
		sets = sets[:len(sets)-1]
		for _, part := range g.tarjan.Components(set, g.next) {
			if len(part) == 1 && !slices.Contains(g.needs[part[0]], part[0]) {
				continue
			}
			switch rest := g.Stuck(part); {
			case len(rest) == len(part):
				out = append(out, g.Ranks(part))
			case len(rest) > 0:
				sets = append(sets, rest)
			}
		}
	}
	return sortBySmallestRank(slices.DeleteFunc(out, func(core model.RankSet) bool { return core.Len() == 0 }))
}

// Knots returns the sets of ranks that wait, in the end, for each other and for
// no other rank (Holt, "Some deadlock properties of computer systems", 1972, for
// what is stuck). A rank that waits only for what needs any of nothing is one by
// itself; a node that needs nothing does not wait. The knots are disjoint, in the
// order of their smallest rank. Stuck is what Stuck returned for all nodes.
func (g *Graph) Knots(stuck []int) []model.RankSet {
	waits := slices.DeleteFunc(slices.Clone(stuck), func(x int) bool { return len(g.needs[x]) == 0 })
	leads := make([]bool, len(g.needs)) // to a rank, by node of a component that was seen
	var out []model.RankSet
	for _, part := range g.tarjan.Components(waits, g.next) {
		ranks, on := g.Ranks(part), g.leadOn(part, leads)
		if ranks.Len() > 0 && !on {
			out = append(out, ranks)
		}
		for _, x := range part {
			leads[x] = on || ranks.Len() > 0
		}
	}
	return sortBySmallestRank(out)
}

// leadOn reports whether one of some nodes needs a node that is marked.
func (g *Graph) leadOn(part []int, marked []bool) bool {
	return slices.ContainsFunc(part, func(x int) bool {
		return slices.ContainsFunc(g.needs[x], func(y int) bool { return marked[y] })
	})
}

// sortBySmallestRank puts disjoint sets into the order of their smallest rank.
func sortBySmallestRank(sets []model.RankSet) []model.RankSet {
	slices.SortFunc(sets, func(a, b model.RankSet) int { return a.Min() - b.Min() })
	return sets
}
