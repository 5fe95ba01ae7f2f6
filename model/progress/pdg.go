package progress

import (
	"slices"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// PDG is the merged progress dependence graph over the positions of the ranks
// (PDI §2.1).
type PDG struct {
	Nodes []Position
	// Relations holds the pairs with a dependence, in both orders.
	Relations map[[2]int]Relation
	// Waits lists the nodes that a node waits for by inference, ascending.
	Waits [][]int
	// PointToPoint lists the nodes that a rank of the node waits for in
	// point-to-point operations, ascending.
	PointToPoint [][]int
}

// newPDG lays out the edges of a partial, whose pairs index nodes.
func newPDG(nodes []Position, edges []PairEdge) *PDG {
	g := &PDG{
		Nodes:        nodes,
		Relations:    make(map[[2]int]Relation, 2*len(edges)),
		Waits:        make([][]int, len(nodes)),
		PointToPoint: make([][]int, len(nodes)),
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

// layers returns the height of each node: as given, else one above the highest
// that it waits for; nodes that wait for each other in a circle are level.
func (g *PDG) layers(given map[Position]int) []int {
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
		top := 0
		for _, n := range component {
			for _, j := range g.Waits[n.ID()] {
				if done[j] {
					top = max(top, heights[j]+1)
				}
			}
		}
		for _, n := range component {
			i := n.ID()
			heights[i], done[i] = top, true
			if h, fixed := given[g.Nodes[i]]; fixed {
				heights[i] = h
			}
		}
	}
	return heights
}
