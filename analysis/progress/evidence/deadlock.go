package evidence

import (
	"cmp"
	"slices"

	"laggard/model"
)

// Deadlocks finds the cycles and knots among the needs: first everything that
// can move is released, assuming that ranks which wait for nothing can; what
// remains is stuck. In it, a strongly connected component is a deadlock of its
// own if it stays stuck when all outside it is released; the others wait on
// one.
func (g *Graph) Deadlocks() [][]int {
	var cycles [][]int
	g.findDeadlocks(g.stuck(g.all()), &cycles)
	slices.SortFunc(cycles, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return cycles
}

func (g *Graph) findDeadlocks(set []int, cycles *[][]int) {
	for _, component := range g.components(set) {
		if len(component) < 2 {
			continue
		}
		rest := g.stuck(component)
		switch {
		case len(rest) == len(component):
			*cycles = append(*cycles, g.cycle(component))
		case len(rest) > 0:
			g.findDeadlocks(rest, cycles)
		}
	}
}

// cycle writes the ranks of a component down.
func (g *Graph) cycle(component []int) []int {
	ranks := g.ranks(component)
	next := map[int]int{}
	for _, rank := range ranks.Slice() {
		waits := g.direct(rank).Intersect(ranks)
		if waits.Len() != 1 {
			return ranks.Slice()
		}
		next[rank] = waits.Min()
	}
	first := ranks.Min()
	out := []int{first}
	for r := next[first]; r != first && len(out) < len(next); r = next[r] {
		out = append(out, r)
	}
	if len(out) != len(next) {
		return ranks.Slice()
	}
	return out
}

// direct returns the ranks that a rank waits for itself.
func (g *Graph) direct(rank int) model.RankSet {
	var ranks []int
	for _, alt := range g.next[g.gates[rank]] {
		for _, target := range g.next[alt] {
			ranks = append(ranks, g.next[target]...)
		}
	}
	return g.ranks(ranks)
}
