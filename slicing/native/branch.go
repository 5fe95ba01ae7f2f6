package native

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/cpu"
	"laggard/symbol"
)

// Branch finds the nearest branch that decides whether a call is made or passed on
// the way to another one; see slicing.Slicer.
func (s *Slicer) Branch(ctx context.Context, made, other, last []model.Frame) (out slicing.Branch, err error) {
	err = s.withRun(ctx, func(r *run) (err error) {
		out, err = r.findBranch(made, other, last)
		out.Unfinished = r.partial
		return err
	})
	return out, err
}

// withRun has f look at the code.
func (s *Slicer) withRun(ctx context.Context, f func(r *run) error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prog = s.prog.forNextAnswer()
	old := debug.SetPanicOnFault(true) // a file that is cut while it is mapped
	defer debug.SetPanicOnFault(old)
	defer func() {
		if p := recover(); p != nil {
			s.prog = newProgram(s.resolver, s.options.Front)
			err = fmt.Errorf("slicing: %w: malformed code or debug information (%v)", slicing.ErrNothing, p)
		}
	}()
	r := newRun(ctx, s.prog, slicing.Criterion{}, slicing.Budget{}, s.options)
	err = f(r)
	switch {
	case err == nil && s.prog.over:
		err = fmt.Errorf("slicing: %w: %s", slicing.ErrNothing, s.prog.limitReached()) // what was found may not be the nearest
	case errors.Is(err, symbol.ErrNoCode):
		err = fmt.Errorf("slicing: %w: %w", slicing.ErrNothing, err)
	}
	if r.partial {
		s.prog = newProgram(s.resolver, s.options.Front)
	}
	return err
}

// callCopies returns the blocks of a call and of all that the compiler made of it: those from the
// same place of the source to the same function. The block of the call itself comes first.
func (r *run) callCopies(l level, frame model.Frame) []int {
	out := []int{int(l.f.blk[l.i])}
	call := &l.f.insts[l.i]
	if call.Indirect {
		return out
	}
	place := func(in *cpu.Inst) symbol.Location {
		return r.prog.resolver.Resolve(model.Frame{Module: frame.Module, Offset: in.Addr}, false)
	}
	here := place(call)
	for i := range l.f.insts {
		in := &l.f.insts[i]
		if i == l.i || in.Kind != cpu.Call || in.Indirect || in.Target != call.Target || here.Line == 0 {
			continue
		}
		there := place(in)
		if there.Column == here.Column && slices.Equal(there.Calls(), here.Calls()) {
			out = append(out, int(l.f.blk[i]))
		}
	}
	return out
}

// anyMarked reports whether one of some blocks is marked.
func anyMarked(marked []bool, blocks []int) bool {
	return slices.ContainsFunc(blocks, func(b int) bool { return marked[b] })
}

// flowGraph is the flow of control in a function: which blocks lead where, and what decides.
type flowGraph struct{ *function }

func (f *function) graph() flowGraph { return flowGraph{f} }

// exitsBetween returns the blocks on the way from one instruction to a call from which
// one successor leads there, and another never does, nearest first.
func (f flowGraph) exitsBetween(from int, to []int, endless bool) []int {
	start := int(f.blk[from])
	onTheWay := make([]bool, len(f.blocks))
	onTheWay[start] = true
	for _, s := range f.blocks[start].succs {
		for n, reached := range f.reachableBlocks(int(s)) {
			onTheWay[n] = onTheWay[n] || reached
		}
	}
	if !onTheWay[to[0]] {
		return nil
	}
	return slices.DeleteFunc(f.exitsBefore(to, endless), func(c int) bool { return !onTheWay[c] })
}

// exitsBefore returns the blocks from which one successor leads to a call, and
// from another one the function returns without coming to that, nearest first. A way that
// ends the program is no such way.
func (f flowGraph) exitsBefore(call []int, endless bool) []int {
	return slices.DeleteFunc(f.controllers(call[0], endless), func(c int) bool {
		if f.mod.prog.timeOver() {
			return true
		}
		comes, goes := false, false
		for _, s := range f.blocks[c].succs {
			leads := anyMarked(f.reachableBlocks(int(s), c), call)
			comes, goes = comes || leads, goes || !leads && f.returnsWithout(int(s), call)
		}
		return !comes || !goes
	})
}

// returnsBefore is exitsBefore for who returned without coming to the call: what only decides how often a loop goes round comes behind what
// leaves the function from it.
func (f flowGraph) returnsBefore(call []int, endless bool) []int {
	return f.withGuard(f.loopsBehindReturns(f.exitsBefore(call, endless), call), call, endless)
}

// withGuard adds, behind the first of the blocks that decide, the condition in an earlier loop by which that is reached at all: both ways
// of it may lead to the call, as of a condition around another one.
func (f flowGraph) withGuard(exits, call []int, endless bool) []int {
	if len(exits) == 0 || f.mod.prog.timeOver() || !f.ownLoop(exits[0], call[0]) {
		return exits
	}
	for _, c := range f.controlDependences(endless, false)[exits[0]] {
		if !slices.Contains(exits, int(c)) && !f.decidesLoop(int(c)) && f.insts[f.blocks[c].end-1].Kind != cpu.Call {
			return slices.Insert(exits, 1, int(c))
		}
	}
	return exits
}

// leadsAway reports whether one way out of a block leads to none of some calls, however often loops go round.
func (f flowGraph) leadsAway(block int, calls []int) bool {
	return slices.ContainsFunc(f.blocks[block].succs, func(s int32) bool { return !anyMarked(f.reachableBlocks(int(s)), calls) })
}

// passesFor reports whether one way out of a block leads to none of some calls: at all, or, of a block outside the innermost loop around
// the first of them, before the block comes again. One inside decides about a round of that loop only.
func (f flowGraph) passesFor(block int, calls []int) bool {
	if f.leadsAway(block, calls) {
		return true
	}
	loops := f.loopsAround(calls[0])
	if len(loops) == 0 || loops[len(loops)-1][block] {
		return false
	}
	return slices.ContainsFunc(f.blocks[block].succs, func(s int32) bool {
		return !anyMarked(f.reachableBlocks(int(s), block), calls)
	})
}

// loopsBehindReturns puts blocks that decide if a loop before a call goes round again behind the last of those in the same loop by which
// the function is left: both ways of the former come to the call unless one of these leads away.
func (f flowGraph) loopsBehindReturns(exits, call []int) []int {
	if len(exits) < 2 || f.mod.prog.timeOver() {
		return exits
	}
	for _, c := range slices.Clone(exits) {
		if !f.ownLoop(c, call[0]) || !f.decidesLoop(c) || f.leadsAway(c, call) {
			continue
		}
		loops := f.loopsAround(c)
		inner, at, last := loops[len(loops)-1], slices.Index(exits, c), -1
		for i, e := range exits {
			if i > at && inner[e] && f.leadsAway(e, call) {
				last = i
			}
		}
		if last >= 0 {
			exits = slices.Insert(slices.Delete(exits, at, at+1), last, c)
		}
	}
	return exits
}

// Decider is a conditional jump that decides whether a call is made.
type Decider struct {
	Jump model.Frame
	// Loop: it decides whether a loop that the call is in goes round once more.
	Loop bool
	// Leads: its target is the way to the call; else that is the next instruction.
	Leads bool
}

// Deciders lists the conditional jumps that the functions on a stack of return
// addresses, innermost first, have before the call that they are in. Errors wrap
// ErrNothing.
func (s *Slicer) Deciders(ctx context.Context, stack []model.Frame) (out []Decider, err error) {
	err = s.withRun(ctx, func(r *run) error {
		for _, frame := range stack {
			l, err := r.locateFrame(frame, false)
			if err != nil {
				return err
			}
			at := int(l.f.blk[l.i])
			loops := l.f.graph().loopsAround(at)
			for _, c := range l.f.graph().controllers(at, s.options.TerminationSensitive) {
				if r.prog.timeOver() {
					break
				}
				if d, ok := l.f.graph().deciderOf(c, at, loops); ok {
					d.Jump.Module = frame.Module
					out = append(out, d)
				}
			}
		}
		return nil
	})
	return out, err
}

// deciderOf says how the jump at the end of a block decides about another block, which the
// loops are around; false where it does not, or has not two ways.
func (f flowGraph) deciderOf(block, about int, loops [][]bool) (Decider, bool) {
	in, b := &f.insts[f.blocks[block].end-1], &f.blocks[block]
	if in.Kind != cpu.Branch || in.Indirect || len(b.succs) != 2 || f.instAt(in.Target) < 0 {
		return Decider{}, false
	}
	taken := int(f.blk[f.instAt(in.Target)])
	other := int(b.succs[0])
	if other == taken {
		other = int(b.succs[1])
	}
	there, past := f.reachableBlocks(taken, block)[about], f.reachableBlocks(other, block)[about]
	if there == past {
		return Decider{}, false
	}
	if past {
		taken, other = other, taken
	}
	d := Decider{Jump: model.Frame{Offset: in.Addr}, Leads: there}
	for _, loop := range loops {
		d.Loop = d.Loop || loop[block] && loop[taken] && !loop[other]
	}
	return d, true
}

// branchAt is the stack of the branch at the end of a block of the function that the
// first frame is in.
func branchAt(f *function, block int, stack []model.Frame) []model.Frame {
	at := model.Frame{Module: stack[0].Module, Offset: f.insts[f.blocks[block].end-1].Addr}
	return append([]model.Frame{at}, stack[1:]...)
}

// decidingBlocks returns the blocks that decide between two calls, the nearest to
// the first one first. A block decides if from one of its successors, without coming back
// to it, the first can be reached before the second, and from another one the second alone. Those from which none of the ways leads to the
// first alone come last: who made it went on to one that decides that.
func (f flowGraph) decidingBlocks(from, to []int, endless bool) []int {
	var decisive, undecided []int
	candidates := map[int]bool{}
	for _, c := range slices.Concat(f.controllers(from[0], endless), f.controllers(to[0], endless)) {
		candidates[c] = true
	}
	seen := make([]bool, len(f.blocks))
	for work := from[:1:1]; len(work) > 0; work = work[1:] {
		for _, p := range f.blocks[work[0]].preds {
			c := int(p)
			if seen[c] {
				continue
			}
			seen[c] = true
			work = append(work, c)
			if !candidates[c] || f.mod.prog.timeOver() {
				continue
			}
			switch separates := f.separatesCalls(c, from, to); {
			case separates && !f.separatesCalls(c, to, from):
				undecided = append(undecided, c)
			case separates || f.separatesInRound(c, from, to):
				decisive = append(decisive, c)
			}
		}
	}
	return append(decisive, undecided...)
}

// separatesCalls reports whether one successor of a block leads to from before to, and another
// to to alone.
func (f flowGraph) separatesCalls(block int, from, to []int) bool {
	either, only := false, false
	for _, s := range f.blocks[block].succs {
		made := anyMarked(f.reachableBlocks(int(s), append([]int{block}, to...)...), from)
		either = either || made
		only = only || !made && anyMarked(f.reachableBlocks(int(s), append([]int{block}, from...)...), to)
	}
	return either && only
}

// separatesInRound reports whether a block separates calls within one round of the innermost loop around it, that the first call is in: one
// successor leads to it, and another one to the other call or to the end of the round alone. A condition of several jumps is tested anew by
// the others of them in the next round.
func (f flowGraph) separatesInRound(block int, from, to []int) bool {
	loops := f.loopsAround(block)
	if len(loops) == 0 || !loops[len(loops)-1][from[0]] {
		return false
	}
	ends := slices.Clone(to)
	for n, in := range loops[len(loops)-1] {
		if in && f.entersAt(n, loops[len(loops)-1], make([]bool, len(f.blocks))) {
			ends = append(ends, n)
		}
	}
	return f.separatesCalls(block, from, ends)
}

// decidesLoop reports whether a block decides if the innermost loop around it goes round
// again.
func (f flowGraph) decidesLoop(block int) bool {
	loops := f.loopsAround(block)
	if len(loops) == 0 {
		return false
	}
	stays, leaves := false, false
	for _, s := range f.blocks[block].succs {
		in := loops[len(loops)-1][s]
		stays, leaves = stays || in, leaves || !in
	}
	return stays && leaves
}

// controllers lists the blocks that a block is control dependent on and that end in a jump with several
// ways, the nearest first.
func (f flowGraph) controllers(block int, endless bool) []int {
	controls := f.controlDependences(endless, false)
	var out []int
	seen := map[int]bool{}
	for work := []int{block}; len(work) > 0; work = work[1:] {
		for _, c := range controls[work[0]] {
			if !seen[int(c)] {
				seen[int(c)] = true
				work = append(work, int(c))
				if len(f.blocks[c].succs) > 1 && f.insts[f.blocks[c].end-1].Kind != cpu.Call {
					out = append(out, int(c))
				}
			}
		}
	}
	return out
}

// reachableBlocks marks the blocks that can be reached from one without passing others.
func (f flowGraph) reachableBlocks(from int, without ...int) []bool {
	seen := make([]bool, len(f.blocks))
	for work := []int{from}; len(work) > 0; work = work[1:] {
		n := work[0]
		if seen[n] || slices.Contains(without, n) {
			continue
		}
		seen[n] = true
		for _, s := range f.blocks[n].succs {
			work = append(work, int(s))
		}
	}
	return seen
}
