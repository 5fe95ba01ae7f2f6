package evidence

import (
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
			return n.all()
		}
		return n.Alts
	})
}

// newGraph builds the graph of the alternatives of each rank; one that has none
// waits for nothing.
func newGraph(s *Scene, alternatives func(rank int) [][]Link) *Graph {
	g := &Graph{waitfor.New(), s.Present, map[*Target]int{}}
	nodes, alts := make([]int, len(s.Sum.Facts)), make([][][]Link, len(s.Sum.Facts))
	for i, f := range s.Sum.Facts {
		if alts[i] = alternatives(f.Rank); len(alts[i]) > 0 {
			nodes[i] = g.Rank(f.Rank, waitfor.Any)
		}
	}
	for i := range alts {
		for _, alt := range alts[i] {
			var links []int
			for _, l := range alt {
				links = append(links, g.target(l.To))
			}
			g.Need(nodes[i], g.Operation(waitfor.All, links...))
		}
	}
	return g
}

// target returns the node of a target.
func (g *Graph) target(t *Target) int {
	node, done := g.targets[t]
	if done {
		return node
	}
	var ranks []int
	t.Ranks.Intersect(g.present).Each(func(r int) { ranks = append(ranks, g.rank(r)) })
	if first := t.Ranks.Minus(g.present).Min(); first >= 0 {
		ranks = append(ranks, g.rank(first))
	}
	node = g.Operation(waitfor.Kind(t.Any), ranks...)
	g.targets[t] = node
	return node
}

// rank returns the node of a rank; one that does not wait needs nothing.
func (g *Graph) rank(rank int) int {
	if node, known := g.Node(rank); known {
		return node
	}
	return g.Rank(rank, waitfor.All)
}

// Levels returns, by rank, its level in the graph: one above the highest that
// it waits for; ranks that wait for each other are level.
func (g *Graph) Levels() map[int]int {
	heights, out := g.Heights(), map[int]int{}
	g.Ranks(g.Nodes()).Each(func(rank int) { out[rank] = heights[g.rank(rank)] })
	return out
}

// AwaitedBy returns the ranks that some wait for, directly or not; those
// themselves only if a way leads back. Ranks without a node wait for nobody.
func (g *Graph) AwaitedBy(ranks model.RankSet) model.RankSet {
	var from []int
	ranks.Each(func(r int) {
		if node, known := g.Node(r); known {
			from = append(from, node)
		}
	})
	return g.Ranks(g.Reached(from))
}
