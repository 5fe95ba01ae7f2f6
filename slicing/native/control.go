package native

import (
	"gonum.org/v1/gonum/graph/flow"
	"gonum.org/v1/gonum/graph/simple"

	"laggard/slicing/cpu"
)

// controls returns, for each block, the blocks whose last jump decides whether
// it runs (Ferrante, Ottenstein and Warren 1987). Ends of the process are no
// alternatives: the process is there, so it did not take them. What comes after
// a loop that communicates depends on what ends the loop, since it may wait for
// ever; with endless, that holds for every loop. An exception that a call throws is an
// alternative where this function handles it, or, with caught, a caller.
func (f *function) controls(endless, caught bool) [][]int32 {
	known := &f.control[which(caught)]
	if *known != nil {
		return *known
	}
	exit, dead := len(f.blocks), f.dead(caught)
	up, ends := f.postdominators(dead, endless, caught)
	control := make([][]int32, len(f.blocks))
	for a := range f.blocks {
		if len(f.blocks[a].succs) < 2 && !ends[a] {
			continue
		}
		for _, s := range f.blocks[a].succs {
			for n, steps := int(s), 0; n != exit && n != up[a] && steps <= exit; n, steps = up[n], steps+1 {
				control[n] = append(control[n], int32(a))
				if up[n] < 0 {
					break
				}
			}
		}
	}
	*known = control
	return control
}

func which(caught bool) int {
	if caught {
		return 1
	}
	return 0
}

// dead marks the blocks that can only come to an end of the process; none, if
// that holds for the whole function. With caught, exceptions that leave it are no such end.
func (f *function) dead(caught bool) []bool {
	if d := f.ended[which(caught)]; d != nil {
		return d
	}
	dead := make([]bool, len(f.blocks))
	for changed := true; changed; {
		changed = false
		for n := len(f.blocks) - 1; n >= 0; n-- {
			if !dead[n] && !f.leaves(n) && !f.throws(n, caught) && f.doomed(n, dead) {
				dead[n], changed = true, true
			}
		}
	}
	if len(dead) > 0 && dead[f.entryBlock()] {
		clear(dead)
	}
	f.ended[which(caught)] = dead
	return dead
}

func (f *function) doomed(n int, dead []bool) bool {
	for _, s := range f.blocks[n].succs {
		if !dead[s] {
			return false
		}
	}
	return true
}

func (f *function) entryBlock() int {
	if i := f.at(f.entry); i >= 0 {
		return int(f.blk[i])
	}
	return 0
}

// postdominators returns the immediate post-dominator of each block; the exit
// is len(f.blocks), -1 means that there is none. It returns, too, from which blocks there is
// a way to the exit.
func (f *function) postdominators(dead []bool, endless, caught bool) (up []int, ends []bool) {
	g, exit := f.reversed(dead, endless, caught), len(f.blocks)
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

// reversed is the control flow, backwards from the exit. Every block is
// reached: where none would be, an endless loop, it gets an edge of its own.
func (f *function) reversed(dead []bool, endless, caught bool) *simple.DirectedGraph {
	g, exit := simple.NewDirectedGraph(), len(f.blocks)
	g.AddNode(simple.Node(exit))
	edge := func(from, to int) {
		if from != to {
			g.SetEdge(simple.Edge{F: simple.Node(to), T: simple.Node(from)})
		}
	}
	for n := range f.blocks {
		if len(f.blocks[n].succs) == 0 || caught && f.throws(n, caught) {
			edge(n, exit)
		}
		for _, s := range f.blocks[n].succs {
			if !dead[s] || dead[n] {
				edge(n, int(s))
			}
			if s > int32(n) {
				continue
			}
			if loop := f.loop(n, int(s)); loop != nil && (endless || f.communicates(loop)) {
				edge(n, exit)
			}
		}
	}
	seen := make([]bool, exit+1)
	reach(g, exit, seen)
	for n := exit - 1; n >= 0; n-- {
		if !seen[n] {
			edge(n, exit)
			reach(g, n, seen)
		}
	}
	return g
}

// loop marks the blocks of the loop that goes round from block last to block first,
// nil if there is none: code that was moved out of the way jumps back too.
func (f *function) loop(last, first int) []bool {
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

// communicates tells whether blocks call MPI in a way that depends on other ranks.
func (f *function) communicates(in []bool) bool {
	for n := range in {
		for i := f.blocks[n].first; in[n] && i < f.blocks[n].end; i++ {
			if f.insts[i].Kind == cpu.Call {
				if t := f.mod.direct(&f.insts[i]); t.known && t.model.Communicates() {
					return true
				}
			}
		}
	}
	return false
}

func reach(g *simple.DirectedGraph, from int, seen []bool) {
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

// always returns the blocks that every way through the function passes.
func (f *function) always() map[int]bool {
	up, _ := f.postdominators(f.dead(false), false, false)
	out := map[int]bool{}
	for n, steps := f.entryBlock(), 0; n >= 0 && n < len(f.blocks) &&
		steps <= len(f.blocks); n, steps = up[n], steps+1 {
		out[n] = true
	}
	return out
}
