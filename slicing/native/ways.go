package native

import (
	"slices"

	"laggard/model"
	"laggard/slicing"
)

// waysBetween says what the code allows of two calls of one function, each with its copies, by which one call
// may be made, and another one. The frames are those further in, innermost first.
func (r *run) waysBetween(f *function, first, second []int, inMade, inOther []model.Frame) slicing.Ways {
	from, to := first[0], second[0]
	ahead := f.graph().backEdgeFilter()
	leads := func(from, to []int) bool {
		return slices.ContainsFunc(from, func(n int) bool { return anyMarked(f.graph().reachableBy(n, ahead), to) })
	}
	before, after := leads(first, second), leads(second, first)
	out := slicing.Ways{
		Passed: from != to && anyMarked(f.graph().reachableBlocks(f.graph().entryBlock(), first...), second),
		Again:  f.graph().ownLoop(to, from),
	}
	mine := f.graph().ownLoop(from, to)
	switch {
	case from == to:
	case before != after:
		out.Before, out.After = before, after
	case mine != out.Again:
		out.Before, out.After = mine, out.Again
	}
	out.Apart = from != to && !out.Again && !mine && !before && !after
	for i := len(inMade) - 1; i >= 0 && !out.Passed; i-- {
		l, err := r.locateFrame(inMade[i], false)
		if err != nil {
			break
		}
		out.Passed = l.f.graph().returnsWithout(l.f.graph().entryBlock(), r.callCopies(l, inMade[i]))
	}
	for i := len(inOther) - 1; i >= 0 && !out.Again; i-- {
		l, err := r.locateFrame(inOther[i], false)
		if err != nil {
			break
		}
		at := int(l.f.blk[l.i])
		out.Again = l.f.graph().ownLoop(at, -1)
	}
	return out
}

// endOf returns the part of a stack of return addresses from which the program does not come back to the function where it parts
// from another one: its first frame is the outermost that never returns. nil: all may. shared counts the frames that
// both stacks have in common.
func endOf(r *run, stack []model.Frame, shared int) []model.Frame {
	for i := len(stack) - shared - 2; i >= 0; i-- {
		l, err := r.locateFrame(stack[i], false)
		if err != nil || l.f.holes {
			return nil
		}
		at, g := int(l.f.blk[l.i]), l.f.graph()
		if !g.returnsWithout(at, nil) && !g.ownLoop(at, -1) {
			return stack[i:]
		}
	}
	return nil
}

// edge is one from a block to a successor.
type edge struct{ from, to int32 }

// backEdgeFilter returns a filter that refuses the edges by which loops go round, as a
// depth-first search from the entry finds them.
func (f flowGraph) backEdgeFilter() func(from, to int32) bool {
	const open, done = 1, 2
	back := map[edge]bool{}
	state := make([]uint8, len(f.blocks))
	type visit struct {
		block int32
		next  int
	}
	for work := []visit{{block: int32(f.entryBlock())}}; len(work) > 0; {
		top := &work[len(work)-1]
		state[top.block] = open
		succs := f.blocks[top.block].succs
		if top.next == len(succs) {
			state[top.block] = done
			work = work[:len(work)-1]
			continue
		}
		s := succs[top.next]
		top.next++
		switch state[s] {
		case 0:
			work = append(work, visit{block: s})
		case open:
			back[edge{top.block, s}] = true
		}
	}
	return func(from, to int32) bool { return !back[edge{from, to}] }
}

// reachableBy marks the blocks that can be reached from one by the edges that use accepts.
func (f flowGraph) reachableBy(from int, use func(from, to int32) bool) []bool {
	return f.floodBlocks(from, func(n int32) []int32 { return f.blocks[n].succs }, use)
}

// floodBlocks marks the blocks that can be reached from one by the neighbours that next
// gives and use accepts.
func (f flowGraph) floodBlocks(from int, next func(n int32) []int32, use func(n, to int32) bool) []bool {
	seen := make([]bool, len(f.blocks))
	for work := []int32{int32(from)}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, s := range next(n) {
			if use(n, s) {
				work = append(work, s)
			}
		}
	}
	return seen
}

// returnsWithout reports whether the function can return, from a block on, without passing others.
func (f flowGraph) returnsWithout(from int, others []int) bool {
	for n, reached := range f.reachableBlocks(from, others...) {
		if reached && !slices.Contains(others, n) && f.isExitBlock(n) {
			return true
		}
	}
	return false
}

// ownLoop reports whether a block is in a loop that another one is not in; -1: in any.
func (f flowGraph) ownLoop(block, other int) bool {
	return slices.ContainsFunc(f.loopsAround(block), func(loop []bool) bool { return other < 0 || !loop[other] })
}

// loopsAround returns the blocks of the loops that a block is in, from the outside in:
// without the blocks by which a loop is entered, what still goes round is further in.
func (f flowGraph) loopsAround(block int) [][]bool {
	var out [][]bool
	gone := make([]bool, len(f.blocks))
	for {
		use := func(_, to int32) bool { return !gone[to] }
		loop := f.reachableBy(block, use)
		back := f.floodBlocks(block, func(n int32) []int32 { return f.blocks[n].preds }, use)
		round := false
		for n := range loop {
			loop[n] = loop[n] && back[n]
			round = round || loop[n] && slices.Contains(f.blocks[n].succs, int32(block))
		}
		if !round || f.mod.prog.timeOver() {
			return out
		}
		out = append(out, loop)
		entered := false
		for n := range loop {
			if loop[n] && n != block && f.entersAt(n, loop, gone) {
				gone[n], entered = true, true
			}
		}
		if !entered {
			return out
		}
	}
}

// entersAt reports whether a loop is entered at a block.
func (f flowGraph) entersAt(block int, loop, gone []bool) bool {
	return block == f.entryBlock() ||
		slices.ContainsFunc(f.blocks[block].preds, func(p int32) bool { return !loop[p] && !gone[p] })
}
