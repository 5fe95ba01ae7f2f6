package loops

import (
	"slices"

	"laggard/model"
)

// Program is the loops of the merged flow.
type Program struct {
	nest  *nest
	sites map[model.StateID]int
}

// rounding is more than what is lost in the variance of small numbers.
const rounding = 1e-6

// NewProgram finds the loops of a merged flow.
func NewProgram(f *Flow) *Program {
	c := &Program{sites: make(map[model.StateID]int, len(f.Sites))}
	for i, s := range f.Sites {
		c.sites[s.ID] = i
	}
	var arcs []nestArc
	for _, a := range f.Arcs {
		from, known := c.sites[a.From]
		to, both := c.sites[a.To]
		if known && both {
			arcs = append(arcs, nestArc{from, to, a.Forward >= a.Back, a.Depth})
		}
	}
	nested := func(site int) bool {
		return f.Sites[site].Iterations.variance() <= f.Sites[site].Visits.variance()+rounding
	}
	c.nest = newNest(len(f.Sites), arcs, splitUnion(nested), func(site int) bool { return f.Sites[site].Poll })
	return c
}

// Loops returns the loops around a state, from the whole program inwards, with
// the part of each that it lies in; empty if it is not known.
func (c *Program) Loops(state model.StateID) []Step {
	site, known := c.sites[state]
	if !known {
		return nil
	}
	return c.nest.path[site]
}

// Leads reports whether one part of a loop leads to another within an iteration.
func (c *Program) Leads(from, to Step) bool {
	return from.Loop == to.Loop && c.nest.partLeadsTo(from.Loop, from.Part, to.Part)
}

// Last reports whether no rank went on from a state.
func (c *Program) Last(state model.StateID) bool {
	site, known := c.sites[state]
	return known && len(c.nest.next[site]) == 0
}

// HasMixedOrder reports whether ranks go through one iteration of a loop in different
// orders.
func (c *Program) HasMixedOrder(loop int) bool { return c.nest.loops[loop].mixedOrder }

// Counter counts the iterations of ranks. Ranks of one shape in one state share
// a plan; nearly always the next rank has the plan of the one before.
type Counter struct {
	*Program
	plans map[uint64][]*plan
	last  *plan
}

// NewCounter returns a Counter for the ranks of a flow.
func NewCounter(f *Flow) *Counter {
	return &Counter{Program: NewProgram(f), plans: map[uint64][]*plan{}}
}

// Iterations returns how many iterations a rank in a state has begun of each loop
// around that state, from the outermost.
func (c *Counter) Iterations(m *model.Model, state model.StateID) []uint64 {
	return c.planFor(m, state).countIterations(m)
}

func (c *Counter) planFor(m *model.Model, state model.StateID) *plan {
	if c.last != nil && c.last.state == state && SameShape(c.last.model, m) {
		return c.last
	}
	key := ShapeHash(m)
	for _, p := range c.plans[key] {
		if p.state == state && SameShape(p.model, m) {
			c.last = p
			return p
		}
	}
	c.last = c.newPlan(m, state)
	c.plans[key] = append(c.plans[key], c.last)
	return c.last
}

// plan says, for ranks of one shape in one state, which edges begin iterations of
// the loops around them.
type plan struct {
	model *model.Model
	state model.StateID
	terms []term
	loops int
}

// term adds the count of an edge (-1: the one step from the start) to a loop,
// from 0, the outermost.
type term struct{ edge, loop int }

// newPlan finds the edges that begin an iteration of one of the loops around a
// state. Loops that only poll have none.
func (c *Program) newPlan(m *model.Model, state model.StateID) *plan {
	path := c.Loops(state)
	p := &plan{model: CopyShape(m), state: state, loops: max(len(path)-1, 0)}
	nodes := c.nodeSites(m)
	for _, e := range passagesOf(m) {
		for level := 1; level < len(path); level++ {
			if c.beginsIteration(path[level].Loop, level, nodes[e.from], nodes[e.to]) {
				p.terms = append(p.terms, term{e.edge, level - 1})
			}
		}
	}
	return p
}

// nodeSites returns, for the nodes of passagesOf, the sites.
func (c *Program) nodeSites(m *model.Model) []int {
	nodes := make([]int, 1, len(m.States)+1)
	nodes[0] = c.siteIndex(model.StateID{})
	for _, s := range m.States {
		nodes = append(nodes, c.siteIndex(s.ID))
	}
	return nodes
}

// siteIndex returns the number of a site, -1 if there is none.
func (c *Program) siteIndex(id model.StateID) int {
	if i, known := c.sites[id]; known {
		return i
	}
	return -1
}

// beginsIteration reports whether a passage begins an iteration of a loop on a level: it comes
// from outside, or leads back.
func (c *Program) beginsIteration(loop, level, from, to int) bool {
	n := c.nest
	if from < 0 || to < 0 || n.loops[loop].idle {
		return false
	}
	into, inside := n.stepAt(to, level)
	if !inside || into.Loop != loop {
		return false
	}
	if was, inside := n.stepAt(from, level); !inside || was.Loop != loop {
		return true
	}
	arc, known := slices.BinarySearchFunc(n.arcs, nestArc{from: from, to: to}, compareNestArcs)
	return known && n.loops[loop].back[arc]
}

// countIterations adds up the edges that begin iterations.
func (p *plan) countIterations(m *model.Model) []uint64 {
	if p.loops == 0 {
		return nil
	}
	out := make([]uint64, p.loops)
	for _, t := range p.terms {
		if t.edge < 0 {
			out[t.loop]++
		} else {
			out[t.loop] += m.Edges[t.edge].Count
		}
	}
	return out
}
