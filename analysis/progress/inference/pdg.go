package inference

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/waitfor"
)

// Relation is the dependence of a pair of positions, the own one first.
type Relation struct {
	Code  Code
	Reach float64 // probability to reach the other from the own
	Back  float64 // probability to reach the own from the other
}

// PDG is the merged progress dependence graph over the positions of the ranks
// (PDI §2.1).
type PDG struct {
	Nodes []facts.Position
	// Relations holds the pairs with a dependence, in both orders.
	Relations map[[2]int]Relation
	// Waits lists the nodes that a node waits for by inference, ascending.
	Waits [][]int
}

// newPDG lays out the edges of a partial, whose pairs index nodes.
func newPDG(nodes []facts.Position, edges []PairEdge) *PDG {
	g := &PDG{
		Nodes:     nodes,
		Relations: make(map[[2]int]Relation, 2*len(edges)),
		Waits:     make([][]int, len(nodes)),
	}
	for _, e := range edges {
		g.add(e.A, e.B, Relation{e.Code, e.Reach, e.Back})
		g.add(e.B, e.A, Relation{e.Code.Swap(), e.Back, e.Reach})
	}
	for _, w := range g.Waits {
		slices.Sort(w)
	}
	return g
}

func (g *PDG) add(from, to int, r Relation) {
	g.Relations[[2]int{from, to}] = r
	if r.Code == Forward {
		g.Waits[from] = append(g.Waits[from], to)
	}
}

// Code returns the code of the pair (i, j); Forward means that i waits for j.
func (g *PDG) Code(i, j int) Code { return g.Relations[[2]int{i, j}].Code }

// nodeHeights returns the height of each node: one above the highest that it waits
// for, 0 if it waits for none; nodes that wait for each other in a circle are
// level.
func (g *PDG) nodeHeights() []int {
	next := func(node int) []int { return g.Waits[node] }
	nodes := make([]int, len(g.Nodes))
	for i := range nodes {
		nodes[i] = i
	}
	step := func(int) int { return 1 }
	return waitfor.Heights(len(nodes), new(waitfor.Tarjan).Components(nodes, next), next, step, 1)
}
