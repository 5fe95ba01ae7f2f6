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
func (o *pdgOrder) Relate(a, b int) (Code, Why) {
	i, known := o.at[a]
	k, both := o.at[b]
	if !known || !both || i == k {
		return Null, Why{}
	}
	r := o.Relations[[2]int{i, k}]
	why := Why{Kind: ByProbability, From: o.spotOf(i), To: o.spotOf(k), Reach: r.Reach, Back: r.Back}
	switch r.Code {
	case Undefined:
		why.Kind = LeadBoth
	case Forward: // it waits for the other, which leads to it
		why.From, why.To, why.Reach, why.Back = why.To, why.From, r.Back, r.Reach
	}
	return r.Code, why
}

func (o *pdgOrder) spotOf(node int) Spot {
	at := o.Nodes[node]
	return Spot{o.sum.PlaceAt(at).Call, at.Begun, at.InMPI}
}
