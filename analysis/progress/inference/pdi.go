package inference

import (
	"fmt"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// PDI names the paper's algorithm.
const PDI = "pdi"

// pdi is progress-dependence inference as the paper has it (§3.2, §4.3).
type pdi struct{}

// Name is that of Algorithm.
func (pdi) Name() string { return PDI }

// Local builds the local PDGs of a block.
func (pdi) Local(sum *facts.Summary) Gatherer { return newPDGGatherer(sum.Positions()) }

// relatePositions is the loop of Figure 5: for a rank with this model at this position,
// the path probabilities to and from each other position, then Table 1.
func relatePositions(m *model.Model, at facts.Position, others []facts.Position) []Relation {
	chain, row := NewChain(m), make([]Relation, len(others))
	for i, other := range others {
		if other != at {
			reach, back := chain.Reach(at, other), chain.Reach(other, at)
			row[i] = Relation{Dependence(reach, back), reach, back}
		}
	}
	return row
}

// Order lays out the merged graph.
func (pdi) Order(sum *facts.Summary, part *Partial) (Order, error) {
	if len(part.Stations) > 0 {
		return nil, fmt.Errorf("progress: stations of %s: %w", LoopAware, ErrMismatch)
	}
	positions := sum.Positions()
	for _, e := range part.Edges {
		if e.A < 0 || e.A >= e.B || e.B >= len(positions) {
			return nil, fmt.Errorf("progress: edge %d–%d of %d positions: %w", e.A, e.B, len(positions), ErrMismatch)
		}
	}
	o := &pdgOrder{sum: sum, PDG: newPDG(positions, part.Edges), at: map[int]int{},
		ranks: make([][]int, len(positions))}
	index := map[facts.Position]int{}
	for i, p := range positions {
		index[p] = i
	}
	for _, f := range sum.Facts {
		if i, known := index[f.At]; known {
			o.at[f.Rank] = i
			o.ranks[i] = append(o.ranks[i], f.Rank)
		}
	}
	return o, nil
}

// pdgOrder is the order of ranks in a PDG.
type pdgOrder struct {
	*PDG
	sum   *facts.Summary
	at    map[int]int // rank to node
	ranks [][]int     // by node
}

// Layers lists the nodes by height. Those without an outgoing edge come first
// (§4.3). An undefined edge is no outgoing edge: it says that the order is not
// known. There are none when every node waits for another, in a circle.
func (o *pdgOrder) Layers() [][]model.RankSet {
	var out [][]model.RankSet
	for node, height := range o.nodeHeights() {
		for len(out) <= height {
			out = append(out, nil)
		}
		out[height] = append(out[height], model.NewRankSet(o.ranks[node]...))
	}
	return out
}

// Relate returns the code of the ranks' positions.
func (o *pdgOrder) Relate(a, b int) (Code, string) {
	i, known := o.at[a]
	k, both := o.at[b]
	if !known || !both || i == k {
		return Null, ""
	}
	r := o.Relations[[2]int{i, k}]
	x, y := o.sum.Describe(o.Nodes[i]), o.sum.Describe(o.Nodes[k])
	switch r.Code {
	case Undefined:
		return r.Code, fmt.Sprintf("%s and %s lead to each other, with probability %s and %s: not ordered",
			x, y, probabilityText(r.Reach), probabilityText(r.Back))
	case Backward:
		x, y, r.Reach, r.Back = y, x, r.Back, r.Reach
	}
	return r.Code, fmt.Sprintf("%s leads to %s with probability %s, back with %s", y, x, probabilityText(r.Back),
		probabilityText(r.Reach))
}

// probabilityText writes a probability so that only 0 and 1 themselves look like them.
func probabilityText(p float64) string {
	switch {
	case p > 0 && p < 0.001:
		return "<0.001"
	case p < 1 && p > 0.999:
		return ">0.999"
	}
	return fmt.Sprintf("%.3g", p)
}
