package native

import (
	"cmp"
	"fmt"
	"slices"

	"laggard/model"
	"laggard/slicing"
	"laggard/symbol"
)

// Bounds of the branches that are returned of those that decide the same, and of those of which it is asked what
// their conditions come from.
const (
	maxBranches   = 4
	maxCandidates = 12
)

// candidate is a branch that decides whether a call is made.
type candidate struct {
	f      *function
	block  int
	call   int // block of the call in the same function
	frame  int // of made, that of the call
	origin alikeness
	// further: it is further in than others, which are named alone unless it tells more than they do.
	further bool
	// distant: nearer ones of the function are named, so that it only counts where the call was never made.
	distant bool
}

// parting is the search for the branch at which the ways to two calls part.
type parting struct {
	*run
	made, other, last []model.Frame
	out               slicing.Branch
}

func (r *run) findBranch(made, other, last []model.Frame) (slicing.Branch, error) {
	p := parting{run: r}
	made, other, last = p.withTailCallers(made), p.withTailCallers(other), p.withTailCallers(last)
	p.made, p.other, p.last = made, other, last
	n := slicing.SharedFrames(made, other)
	if n == len(made) {
		return p.out, fmt.Errorf("slicing: %w: the stacks are the same", slicing.ErrNothing)
	}
	at := len(made) - 1 - n
	if n == len(other) {
		all, err := p.leftFrom(at, flowGraph.exitsBefore)
		if err == nil {
			p.choose(all)
		}
		return p.out, err
	}
	a, err := r.locateFrame(made[at], false)
	if err != nil {
		return p.out, err
	}
	b, err := r.locateFrame(other[len(other)-1-n], false)
	if err != nil {
		return p.out, err
	}
	var between []candidate
	if a.f == b.f {
		from, to := r.callCopies(a, made[at]), r.callCopies(b, other[len(other)-1-n])
		p.out.Ways = r.waysBetween(a.f, from, to, made[:at], other[:len(other)-1-n])
		p.out.Ends = endOf(r, other, n)
		between = candidatesOf(a.f, a.f.graph().decidingBlocks(from, to, r.options.TerminationSensitive), from, at)
	}
	left, err := p.leftFrom(at-1, flowGraph.returnsBefore) // the ways part further in
	inner := p.leftBehindLast(at)
	if err != nil && len(inner)+len(between) == 0 {
		return p.out, err
	}
	for i := range left {
		left[i].further = len(between) > 0
	}
	p.chooseInOrder(inner, append(between, left...))
	return p.out, nil
}

// withTailCallers adds to a stack of return addresses, innermost first, the functions that jumped to the next one instead of
// calling it: each with the address behind the jump.
func (p *parting) withTailCallers(stack []model.Frame) (out []model.Frame) {
	var callee *function // of the frame before; nil: it is not known
	for n, frame := range stack {
		l, err := p.locateFrame(frame, false)
		if err != nil {
			out, callee = append(out, frame), nil
			continue
		}
		if callee != nil {
			if f, jump := tailJumpTo(l.f, l.i, callee); f != nil && f.mod == callee.mod {
				out = append(out, model.Frame{Module: stack[n-1].Module, Offset: f.insts[jump].End()})
			}
		}
		out, callee = append(out, frame), l.f
	}
	return out
}

// candidatesOf are the blocks of a function as candidates: the nearest ones, and of the others those by which a rank may have passed the
// calls for good.
func candidatesOf(f *function, blocks, calls []int, frame int) (out []candidate) {
	for i, b := range blocks[:min(len(blocks), maxCandidates)] {
		if distant := i >= maxBranches; !distant || f.graph().passesFor(b, calls) {
			out = append(out, candidate{f: f, block: b, call: calls[0], frame: frame, distant: distant})
		}
	}
	return out
}

// leftFrom finds where functions on the way to the call were left early, from a frame inwards, as exits tells of one function.
func (p *parting) leftFrom(at int, exits func(f flowGraph, call []int, endless bool) []int) (out []candidate, err error) {
	for ; at >= 0; at-- {
		a, err := p.locateFrame(p.made[at], false)
		if err != nil {
			if len(out) > 0 {
				err = nil
			}
			return out, err
		}
		calls := p.callCopies(a, p.made[at])
		out = append(out, candidatesOf(a.f, exits(a.f.graph(), calls, p.options.TerminationSensitive), calls, at)...)
	}
	return out, nil
}

// leftBehindLast finds where a function further in was left: if both were in it, together with the call before, and could go
// on to this one there, the way parted there. The call before may have fewer frames: one that a function ended in has none
// of that.
func (p *parting) leftBehindLast(at int) []candidate {
	made, last := p.made, p.last
	for inner := max(len(made)-1-slicing.SharedFrames(made, last), len(made)-len(last), 0); last != nil && inner < at; inner++ {
		l, err := p.locateFrame(made[inner], false)
		if err != nil {
			break
		}
		before, err := p.locateFrame(last[len(last)-len(made)+inner], false)
		if err != nil || before.f != l.f {
			break
		}
		calls := p.callCopies(l, made[inner])
		if b := l.f.graph().exitsBetween(before.i, calls, p.options.TerminationSensitive); len(b) > 0 {
			return candidatesOf(l.f, b, calls, inner)
		}
	}
	return nil
}

// chooseInOrder chooses among the first candidates, and the others where none of the first can have sent a rank away.
func (p *parting) chooseInOrder(first, others []candidate) {
	all := slices.Clone(first)
	p.classify(all)
	if !slices.ContainsFunc(all, func(c candidate) bool { return !c.distant && c.maySendAway() }) {
		for _, c := range others {
			if !slices.ContainsFunc(all, func(o candidate) bool { return o.f == c.f && o.block == c.block }) {
				all = append(all, c)
			}
		}
	}
	p.choose(all)
}

// classify finds out what the conditions of candidates come from.
func (p *parting) classify(all []candidate) {
	p.withOriginTime(func() {
		for i := range all[:min(len(all), maxCandidates)] {
			if c := &all[i]; c.origin == unknownOrigin {
				c.origin = p.conditionOrigin(c.f, c.block, p.made[c.frame:])
			}
		}
		p.classifyCopies(all[:min(len(all), maxCandidates)])
	})
}

// classifyCopies finds out what decides between the copies that the compiler made of a condition, for the ways that lead to it: each copy
// tests what the variables have on its way, so what decides between the ways is a part of the condition.
func (p *parting) classifyCopies(all []candidate) {
	for i := range all {
		for k := range all {
			a, b := &all[i], &all[k]
			if i == k || a.f != b.f || a.maySendAway() || !p.areCopies(a, b) {
				continue
			}
			for _, c := range a.f.graph().controllers(a.block, p.options.TerminationSensitive) {
				if !a.f.graph().decidesTogether(c, a.block, b.block) {
					a.origin = max(a.origin, p.conditionOrigin(a.f, c, p.made[a.frame:]))
				}
			}
		}
	}
}

// areCopies reports whether two jumps of a function are of one place of the source.
func (p *parting) areCopies(a, b *candidate) bool {
	place := func(c *candidate) symbol.Location {
		return p.prog.resolver.Resolve(branchAt(c.f, c.block, p.made[c.frame:])[0], true)
	}
	one, other := place(a), place(b)
	return one.Line > 0 && one.Line == other.Line && one.Column == other.Column && slices.Equal(one.Calls(), other.Calls())
}

// maySendAway reports whether the condition can be another one on one rank than on others.
func (c candidate) maySendAway() bool { return c.origin >= unclear || c.origin == unknownOrigin }

// order puts those last whose condition is the same on all ranks.
func (c candidate) order() int {
	switch c.origin {
	case alike:
		return 2
	case seldom:
		return 1
	}
	return 0
}

// choose makes the branch of candidates, the nearest first, but behind all others those that cannot have sent a rank
// away, as their conditions are the same on all ranks.
func (p *parting) choose(all []candidate) {
	if len(all) == 0 {
		return
	}
	isDistant := func(c candidate) bool { return c.distant }
	near := slices.DeleteFunc(slices.Clone(all), isDistant)
	all = append(near, slices.DeleteFunc(all, func(c candidate) bool { return !c.distant })...)
	p.classify(all)
	p.out.Final = p.finalJumps(all)
	all = slices.DeleteFunc(all, isDistant)
	if slices.ContainsFunc(all, func(c candidate) bool { return !c.further && c.maySendAway() }) {
		all = slices.DeleteFunc(all, func(c candidate) bool { return c.further && c.origin != differs })
	}
	all = slices.DeleteFunc(all, func(c candidate) bool { return c.further && !c.maySendAway() })
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.order(), b.order()) })
	for _, c := range all[:min(len(all), maxBranches)] {
		p.out.Or = append(p.out.Or, p.jumpOf(c))
	}
	p.out.Jump, p.out.Or = p.out.Or[0], p.out.Or[1:]
}

// finalJumps are those of candidates by which a rank may have passed the call for good: first those whose condition certainly differs
// between ranks, as they come.
func (p *parting) finalJumps(all []candidate) (out []slicing.Jump) {
	for _, differing := range []bool{true, false} {
		for _, c := range all {
			if c.origin >= unclear && (c.origin == differs) == differing && c.f.graph().passesFor(c.block, []int{c.call}) {
				out = append(out, p.jumpOf(c))
			}
		}
	}
	return out[:min(len(out), maxBranches)]
}

// jumpOf is the jump of a candidate.
func (p *parting) jumpOf(c candidate) slicing.Jump {
	return slicing.Jump{
		Stack: branchAt(c.f, c.block, p.made[c.frame:]), Loop: c.f.graph().decidesLoop(c.block),
		Outside: c.f.graph().ownLoop(c.call, c.block), Alike: !c.maySendAway(), Differs: c.origin == differs,
	}
}
