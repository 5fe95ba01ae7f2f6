package progress

import (
	"slices"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
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
	Nodes []Position
	// Relations holds the pairs with a dependence, in both orders.
	Relations map[[2]int]Relation
	// Waits lists the nodes that a node waits for by inference, ascending.
	Waits [][]int
}

// newPDG lays out the edges of a partial, whose pairs index nodes.
func newPDG(nodes []Position, edges []PairEdge) *PDG {
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

// heights returns the height of each node: one above the highest that it waits
// for, 0 if it waits for none; nodes that wait for each other in a circle are
// level.
func (g *PDG) heights() []int {
	d := simple.NewDirectedGraph()
	for i := range g.Nodes {
		d.AddNode(simple.Node(i))
	}
	for i, waits := range g.Waits {
		for _, j := range waits {
			d.SetEdge(simple.Edge{F: simple.Node(i), T: simple.Node(j)})
		}
	}
	heights := make([]int, len(g.Nodes))
	done := make([]bool, len(g.Nodes))
	for _, component := range topo.TarjanSCC(d) {
		top := b2i(len(component) > 1)
		for _, n := range component {
			for _, j := range g.Waits[n.ID()] {
				if done[j] {
					top = max(top, heights[j]+1)
				}
			}
		}
		for _, n := range component {
			heights[n.ID()], done[n.ID()] = top, true
		}
	}
	return heights
}
