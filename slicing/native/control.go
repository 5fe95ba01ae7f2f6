package native

import (
	"slices"

	"gonum.org/v1/gonum/graph/flow"
	"gonum.org/v1/gonum/graph/simple"

	"laggard/slicing/cpu"
)

// maxControls bounds the dependences on jumps in a function: those of loops in each other are quadratic.
const maxControls = 1 << 24

// controlDependences returns, for each block, the blocks whose last jump decides whether
// it runs (Ferrante, Ottenstein and Warren 1987). Ends of the process are no
// alternatives: the process is there, so it did not take them. What comes after
// a loop that communicates depends on what ends the loop, since it may wait for
// ever; with endless, that holds for every loop. An exception that a call throws is an
// alternative where this function handles it, or, with caught, a caller.
func (f flowGraph) controlDependences(endless, caught bool) [][]int32 {
	known := &f.control[caughtIndex(caught)]
	if *known != nil {
		return *known
	}
	exit, dead := len(f.blocks), f.deadBlocks(caught)
	up, ends := f.postdominators(dead, endless, caught)
	control, room := make([][]int32, len(f.blocks)), maxControls
	for a := range f.blocks {
		if room < 0 || f.mod.prog.timeOver() {
			break
		}
		if len(f.blocks[a].succs) < 2 && !ends[a] {
			continue
		}
		for _, s := range f.blocks[a].succs {
			for n, steps := int(s), 0; n != exit && n != up[a] && steps <= exit; n, steps = up[n], steps+1 {
				control[n] = append(control[n], int32(a))
				room--
				if up[n] < 0 {
					break
				}
			}
		}
	}
	*known = control
	return control
}

func caughtIndex(caught bool) int {
	if caught {
		return 1
	}
	return 0
}

// deadBlocks marks the blocks that can only come to an end of the process; none, if
// that holds for the whole function. With caught, exceptions that leave it are no such end.
func (f flowGraph) deadBlocks(caught bool) []bool {
	if d := f.ended[caughtIndex(caught)]; d != nil {
		return d
	}
	dead := make([]bool, len(f.blocks))
	for changed := true; changed && !f.mod.prog.timeOver(); {
		changed = false
		for n := len(f.blocks) - 1; n >= 0; n-- {
			if !dead[n] && !f.isExitBlock(n) && !f.unwinding().throwsAtEnd(n, caught) && f.allSuccsDead(n, dead) {
				dead[n], changed = true, true
			}
		}
	}
	if len(dead) > 0 && dead[f.entryBlock()] {
		clear(dead)
	}
	f.ended[caughtIndex(caught)] = dead
	return dead
}

func (f flowGraph) allSuccsDead(n int, dead []bool) bool {
	return !slices.ContainsFunc(f.blocks[n].succs, func(s int32) bool { return !dead[s] })
}

func (f flowGraph) entryBlock() int {
	if i := f.instAt(f.entry); i >= 0 {
		return int(f.blk[i])
	}
	return 0
}

// postdominators returns the immediate post-dominator of each block; the exit
// is len(f.blocks), -1 means that there is none. It returns, too, from which blocks there is
// a way to the exit.
func (f flowGraph) postdominators(dead []bool, endless, caught bool) (up []int, ends []bool) {
	g, exit := f.reversedGraph(dead, endless, caught), len(f.blocks)
	tree := flow.Dominators(simple.Node(exit), g)
	up, ends = make([]int, exit+1), make([]bool, exit)
	for n := range up {
		up[n] = -1
		if d := tree.DominatorOf(int64(n)); d != nil && n != exit {
			up[n] = int(d.ID())
		}
	}
	for n := range ends {
		ends[n] = g.HasEdgeFromTo(int64(exit), int64(n))
	}
	return up, ends
}

// reversedGraph is the control flow, backwards from the exit. Every block is
// reached: where none would be, an endless loop, it gets an edge of its own.
func (f flowGraph) reversedGraph(dead []bool, endless, caught bool) *simple.DirectedGraph {
	g, exit := simple.NewDirectedGraph(), len(f.blocks)
	g.AddNode(simple.Node(exit))
	edge := func(from, to int) {
		if from != to {
			g.SetEdge(simple.Edge{F: simple.Node(to), T: simple.Node(from)})
		}
	}
	for n := range f.blocks {
		if len(f.blocks[n].succs) == 0 || caught && f.unwinding().throwsAtEnd(n, caught) {
			edge(n, exit)
		}
		for _, s := range f.blocks[n].succs {
			if !dead[s] || dead[n] {
				edge(n, int(s))
			}
			if s > int32(n) || f.mod.prog.timeOver() {
				continue
			}
			if loop := f.loopBlocks(n, int(s)); loop != nil && (endless || f.communicates(loop)) {
				edge(n, exit)
			}
		}
	}
	seen := make([]bool, exit+1)
	markReachable(g, exit, seen)
	for n := exit - 1; n >= 0; n-- {
		if !seen[n] {
			edge(n, exit)
			markReachable(g, n, seen)
		}
	}
	return g
}

// loopBlocks marks the blocks of the loop that goes round from block last to block first,
// nil if there is none: code that was moved out of the way jumps back too.
func (f flowGraph) loopBlocks(last, first int) []bool {
	in := make([]bool, len(f.blocks))
	in[first] = true
	for work := []int{last}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if in[n] {
			continue
		}
		in[n] = true
		for _, p := range f.blocks[n].preds {
			work = append(work, int(p))
		}
	}
	if entry := f.entryBlock(); in[entry] && entry != first {
		return nil
	}
	return in
}

// communicates reports whether blocks call MPI in a way that depends on other ranks.
func (f flowGraph) communicates(in []bool) bool {
	for n := range in {
		for i := f.blocks[n].first; in[n] && i < f.blocks[n].end; i++ {
			if f.insts[i].Kind == cpu.Call {
				if t := f.mod.directTarget(&f.insts[i]); t.known && t.model.Communicates() {
					return true
				}
			}
		}
	}
	return false
}

func markReachable(g *simple.DirectedGraph, from int, seen []bool) {
	work := []int{from}
	seen[from] = true
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for to := g.From(int64(n)); to.Next(); {
			if id := int(to.Node().ID()); !seen[id] {
				seen[id] = true
				work = append(work, id)
			}
		}
	}
}

// mandatoryBlocks returns the blocks that every way through the function passes.
func (f flowGraph) mandatoryBlocks() map[int]bool {
	up, _ := f.postdominators(f.deadBlocks(false), false, false)
	out := map[int]bool{}
	for n, steps := f.entryBlock(), 0; n >= 0 && n < len(f.blocks) &&
		steps <= len(f.blocks); n, steps = up[n], steps+1 {
		out[n] = true
	}
	return out
}
