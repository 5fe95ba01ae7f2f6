package evidence

import (
	"laggard/analysis/progress/facts"
	"laggard/analysis/waitfor"
	"laggard/model"
)

// Graph is the wait-for graph of the needs of ranks. A rank needs any of its
// alternatives, an alternative all of its links; a link leads to the node of a
// target, which ranks share, so that the graph stays linear in what was recorded.
type Graph struct {
	*waitfor.Graph
	// present are the ranks that have nodes of their own. Those without a
	// record all behave alike; of each target the first stands for them, so
	// that a wrong size of the job costs nothing.
	present model.RankSet
	targets map[*Target]int // their nodes
}

// NewGraph builds the graph of the needs that use accepts; the others, and
// ranks outside, wait for nothing. With side, the alternatives of side threads
// count as well.
func NewGraph(s *Scene, use func(n Need) bool, side bool) *Graph {
	return newGraph(s, func(rank int) [][]Link {
		n := s.Needs[rank]
		switch {
		case n.Standing != Waiting || !use(n):
			return nil
		case side:
			return n.allAlternatives()
		}
		return n.Alts
	}, nil)
}

// newGraph builds the graph of the alternatives of each rank; one that has none
// waits for nothing. A rank of which over is true is never released; nil: there is none.
func newGraph(s *Scene, alternatives func(rank int) [][]Link, over func(rank int) bool) *Graph {
	g := &Graph{waitfor.New(len(s.Sum.Facts)), s.Present, map[*Target]int{}}
	nodes, alts := make([]int, len(s.Sum.Facts)), make([][][]Link, len(s.Sum.Facts))
	for i, f := range s.Sum.Facts {
		if alts[i] = alternatives(f.Rank); len(alts[i]) > 0 || over != nil && over(f.Rank) {
			nodes[i] = g.Rank(f.Rank, waitfor.Any)
		}
	}
	for i := range alts {
		for _, alt := range alts[i] {
			var links []int
			for _, l := range alt {
				links = append(links, g.targetNode(l.To))
			}
			g.Need(nodes[i], g.Operation(waitfor.All, links...))
		}
	}
	return g
}

// Stranded returns the ranks that can never move, whatever the others do: their certain waits, of those that use accepts, lead to ranks
// that wait for each other, or for one that has finished or ended.
func Stranded(s *Scene, use func(n Need) bool) model.RankSet {
	over := func(rank int) bool {
		return s.Needs[rank].Standing == Finished || s.Facts[rank].End != model.NoEnd || s.known.Liveness[rank] == Dead
	}
	g := newGraph(s, func(rank int) [][]Link {
		if n := s.Needs[rank]; n.Standing == Waiting && !n.Weak && use(n) && !over(rank) {
			return n.allAlternatives()
		}
		return nil
	}, over)
	return g.Ranks(g.Stuck(g.Nodes())).Minus(s.RanksWhere(func(f *facts.Fact) bool { return over(f.Rank) }))
}

// targetNode returns the node of a target.
func (g *Graph) targetNode(t *Target) int {
	node, done := g.targets[t]
	if done {
		return node
	}
	var ranks []int
	t.Ranks.Intersect(g.present).Each(func(r int) { ranks = append(ranks, g.rankNode(r)) })
	if first := t.Ranks.Minus(g.present).Min(); first >= 0 {
		ranks = append(ranks, g.rankNode(first))
	}
	node = g.Operation(waitfor.Kind(t.releasedByOne()), ranks...)
	g.targets[t] = node
	return node
}

// rankNode returns the node of a rank; one that does not wait needs nothing.
func (g *Graph) rankNode(rank int) int {
	if node, known := g.Node(rank); known {
		return node
	}
	return g.Rank(rank, waitfor.All)
}

// Levels returns, by rank, its level in the graph: one above the highest that
// it waits for; ranks that wait for each other are level.
func (g *Graph) Levels() map[int]int {
	heights, out := g.Heights(), map[int]int{}
	g.Ranks(g.Nodes()).Each(func(rank int) { out[rank] = heights[g.rankNode(rank)] })
	return out
}

// AwaitedBy returns the ranks that some wait for, directly or not; those
// themselves only if a way leads back. Ranks without a node wait for none.
func (g *Graph) AwaitedBy(ranks model.RankSet) model.RankSet { return g.Ranks(g.reachedFrom(ranks)) }

// AbsentAwaitedBy returns all ranks without a record that some wait for, not only those that stand for others.
func (g *Graph) AbsentAwaitedBy(ranks model.RankSet) (out model.RankSet) {
	reached := map[int]bool{}
	for _, node := range g.reachedFrom(ranks) {
		reached[node] = true
	}
	for t, node := range g.targets {
		if reached[node] {
			out = out.Union(t.Ranks.Minus(g.present))
		}
	}
	return out
}

// reachedFrom returns the nodes that some ranks wait for, directly or not.
func (g *Graph) reachedFrom(ranks model.RankSet) []int {
	var from []int
	ranks.Each(func(r int) {
		if node, known := g.Node(r); known {
			from = append(from, node)
		}
	})
	return g.Reached(from)
}
