package evidence

import (
	"slices"

	"laggard/analysis/waitfor"
	"laggard/model"
)

// Graph is an AND–OR graph. A gate is released when all of its successors
// are, or, for an OR gate, when any is. A rank is an OR gate over its
// alternatives; an alternative is an AND gate over its links; a link leads to
// the gate of a target, which ranks share, so that the graph stays linear in
// what was recorded.
type Graph struct {
	or    []bool
	next  [][]int
	prev  [][]int
	rank  []int       // by gate: the rank it stands for, -1 none
	gates map[int]int // by rank
	// present are the ranks that have gates of their own. Those without a
	// record all behave alike; of each target the first stands for them, so
	// that a wrong size of the job costs nothing.
	present model.RankSet
	marks   []mark // by gate; of stuck, all zero otherwise
}

// mark is what stuck knows of a gate.
type mark struct {
	inside, released bool
	missing          int // successors an AND gate still needs
}

// NewGraph builds the graph of the needs that use accepts; the others, and
// ranks outside, wait for nothing. With side, the alternatives of side threads
// count as well.
func NewGraph(s *Scene, use func(n Need) bool, side bool) *Graph {
	g := &Graph{gates: make(map[int]int, len(s.Sum.Facts)), present: s.Present}
	targets := map[*Target]int{}
	for _, f := range s.Sum.Facts {
		n := s.Needs[f.Rank]
		if n.Standing != Waiting || !use(n) {
			continue
		}
		rank := g.rankGate(f.Rank)
		g.or[rank] = true
		alts := n.Alts
		if side {
			alts = slices.Concat(n.Alts, n.side)
		}
		for _, alt := range alts {
			and := g.gate(-1, false)
			g.connect(rank, and)
			for _, l := range alt {
				g.connect(and, g.targetGate(targets, l.To))
			}
		}
	}
	return g
}

func (g *Graph) gate(rank int, or bool) int {
	g.or, g.rank = append(g.or, or), append(g.rank, rank)
	g.next, g.prev = append(g.next, nil), append(g.prev, nil)
	return len(g.or) - 1
}

// rankGate returns the gate of a rank; until it gets alternatives it is an AND
// gate over nothing, which is released.
func (g *Graph) rankGate(rank int) int {
	gate, known := g.gates[rank]
	if !known {
		gate = g.gate(rank, false)
		g.gates[rank] = gate
	}
	return gate
}

func (g *Graph) targetGate(known map[*Target]int, t *Target) int {
	gate, done := known[t]
	if !done {
		gate = g.gate(-1, t.Any)
		known[t] = gate
		t.Ranks.Intersect(g.present).Each(func(r int) { g.connect(gate, g.rankGate(r)) })
		if first := t.Ranks.Minus(g.present).Min(); first >= 0 {
			g.connect(gate, g.rankGate(first))
		}
	}
	return gate
}

func (g *Graph) connect(from, to int) {
	g.next[from] = append(g.next[from], to)
	g.prev[to] = append(g.prev[to], from)
}

// stuck returns the gates of the set that can never be released if all gates
// outside it are. Gates come in the order of the set.
func (g *Graph) stuck(set []int) []int {
	if len(g.marks) < len(g.or) {
		g.marks = make([]mark, len(g.or))
	}
	for _, x := range set {
		g.marks[x] = mark{inside: true}
	}
	var queue []int
	for _, x := range set {
		m := &g.marks[x]
		for _, y := range g.next[x] {
			if g.marks[y].inside {
				m.missing++
			}
		}
		free := len(g.next[x]) - m.missing
		if g.or[x] && free > 0 || !g.or[x] && m.missing == 0 {
			queue = append(queue, x)
		}
	}
	for len(queue) > 0 {
		x := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if g.marks[x].released {
			continue
		}
		g.marks[x].released = true
		for _, y := range g.prev[x] {
			m := &g.marks[y]
			if !m.inside {
				continue
			}
			if m.missing--; g.or[y] || m.missing == 0 {
				queue = append(queue, y)
			}
		}
	}
	out := slices.DeleteFunc(slices.Clone(set), func(x int) bool { return g.marks[x].released })
	for _, x := range set {
		g.marks[x] = mark{}
	}
	return out
}

// components returns the strongly connected components of the gates in the
// set, each after those it leads to, ascending inside.
func (g *Graph) components(set []int) [][]int {
	return new(waitfor.Tarjan).Components(set, func(x int) []int { return g.next[x] })
}

// ranks returns the ranks among the gates.
func (g *Graph) ranks(gates []int) model.RankSet {
	var out model.RankSet
	for _, x := range gates {
		out.Add(g.rank[x])
	}
	return out
}

// all returns all gates.
func (g *Graph) all() []int {
	out := make([]int, len(g.or))
	for i := range out {
		out[i] = i
	}
	return out
}

// Levels returns, by rank, its level in the graph: one above the highest that
// it waits for; ranks that wait for each other are level.
func (g *Graph) Levels() map[int]int {
	isRank := func(gate int) int {
		if g.rank[gate] >= 0 {
			return 1
		}
		return 0
	}
	height := waitfor.Heights(len(g.or), g.components(g.all()), func(gate int) []int { return g.next[gate] }, isRank, 0)
	out := make(map[int]int, len(g.gates))
	for rank, gate := range g.gates {
		out[rank] = height[gate]
	}
	return out
}

// AwaitedBy returns the ranks that some wait for, directly or not; those
// themselves only if a way leads back. Ranks without a gate wait for nobody.
func (g *Graph) AwaitedBy(ranks model.RankSet) model.RankSet {
	var queue, out []int
	ranks.Each(func(r int) {
		if gate, known := g.gates[r]; known {
			queue = append(queue, gate)
		}
	})
	seen := make([]bool, len(g.next))
	for len(queue) > 0 {
		x := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, y := range g.next[x] {
			if !seen[y] {
				seen[y] = true
				queue, out = append(queue, y), append(out, y)
			}
		}
	}
	return g.ranks(out)
}
