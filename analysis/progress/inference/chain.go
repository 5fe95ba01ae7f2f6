package inference

import (
	"cmp"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/waitfor"
	"laggard/model"
)

// arc is a passage to a state, with its probability.
type arc struct {
	to int
	p  float64 // in (0, 1]
}

// Chain is the Markov chain of one model. Its states are the communication
// states; the computation state behind each needs no place of its own, since
// it is entered from there with certainty. Where the paper names computation
// states by the pair of calls around them, here the second is not known until
// the call comes, so the state is "after s" and leads on as s does.
type Chain struct {
	next   [][]arc // by state, in order of arc.to
	prev   [][]int
	places map[model.StateID]int
	hits   map[int][]float64 // by target: see hitProbabilities
	tarjan waitfor.Tarjan
}

// NewChain returns the chain of a model, with probabilities count/total. Edges
// with no count, and edges to states the model lacks, are left out.
func NewChain(m *model.Model) *Chain {
	n := len(m.States)
	c := &Chain{
		next:   make([][]arc, n),
		prev:   make([][]int, n),
		places: make(map[model.StateID]int, n),
		hits:   map[int][]float64{},
	}
	for i, s := range m.States {
		if _, twice := c.places[s.ID]; !twice {
			c.places[s.ID] = i
		}
	}
	for _, e := range m.Edges {
		if e.Count > 0 && e.From >= 0 && e.From < n && e.To >= 0 && e.To < n {
			c.next[e.From] = append(c.next[e.From], arc{e.To, float64(e.Count)})
		}
	}
	for from := range c.next {
		c.next[from] = normalised(c.next[from])
		for _, a := range c.next[from] {
			c.prev[a.to] = append(c.prev[a.to], from)
		}
	}
	return c
}

// normalised joins arcs to the same state and turns counts into probabilities.
func normalised(arcs []arc) []arc {
	slices.SortFunc(arcs, func(a, b arc) int { return cmp.Or(a.to-b.to, cmp.Compare(a.p, b.p)) })
	total, out := 0.0, arcs[:0]
	for _, a := range arcs {
		total += a.p
		if n := len(out); n > 0 && out[n-1].to == a.to {
			out[n-1].p += a.p
		} else {
			out = append(out, a)
		}
	}
	for i := range out {
		out[i].p /= total
	}
	return out
}

// Reach returns the probability P(from, to) that a rank at from is ever at to,
// over all paths (PDI §3.2). It is 0 for positions the model does not know, for
// two equal positions 1. 0 and 1 are exact: they are found by reachability in
// the graph, not by rounding, so that a loop left once in a billion iterations
// still counts as left.
func (c *Chain) Reach(from, to facts.Position) float64 {
	if from == to {
		return 1
	}
	target, known := c.places[to.State]
	if !to.Begun || !known {
		return 0
	}
	hit := c.hitProbabilities(target)
	if !from.Begun {
		return hit[0] // a recorder numbers states in order of first visit
	}
	at, known := c.places[from.State]
	switch {
	case !known:
		return 0
	case at != target:
		return hit[at]
	case from.InMPI:
		return 1 // into the computation behind the call
	}
	return c.meanOverSuccessors(at, hit)
}

// meanOverSuccessors returns the mean of hit over the successors of a state, exact at 0 and 1.
func (c *Chain) meanOverSuccessors(at int, hit []float64) float64 {
	low, high, sum := 1.0, 0.0, 0.0
	for _, a := range c.next[at] {
		low, high = min(low, hit[a.to]), max(high, hit[a.to])
		sum += a.p * hit[a.to]
	}
	if low == 1 && high == 1 || high == 0 {
		return high
	}
	return clampOpenUnit(sum)
}
