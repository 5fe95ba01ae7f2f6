package progress

import (
	"slices"

	"laggard/model"
)

// PDI names the paper's algorithm.
const PDI = "pdi"

// pdi is progress-dependence inference as the paper has it (§3.2, §4.3).
type pdi struct{}

func (pdi) Name() string { return PDI }

// Relate is the loop of Figure 5: path probabilities both ways, then Table 1.
func (pdi) Relate(m *model.Model, at Position, others []Position) []Relation {
	chain, row := NewChain(m), make([]Relation, len(others))
	for i, other := range others {
		if other != at {
			reach, back := chain.Reach(at, other), chain.Reach(other, at)
			row[i] = Relation{Dependence(reach, back), reach, back}
		}
	}
	return row
}

// LeastProgressed returns the nodes without an outgoing edge. If there are
// several, those that wait point-to-point for a node which is not among them
// and lies in another branch are discarded, unless that would leave none
// (§4.3). An undefined edge is no outgoing edge: it says that the order is not
// known. The result is empty when every node waits for another, in a circle.
func (pdi) LeastProgressed(g *PDG) []int {
	var ends []int
	for i := range g.Nodes {
		if len(g.Waits[i]) == 0 {
			ends = append(ends, i)
		}
	}
	if len(ends) < 2 {
		return ends
	}
	kept := slices.DeleteFunc(slices.Clone(ends), func(i int) bool {
		return slices.ContainsFunc(g.PointToPoint[i], func(j int) bool {
			return g.Code(i, j) == Null && !slices.Contains(ends, j)
		})
	})
	if len(kept) == 0 {
		return ends
	}
	return kept
}
