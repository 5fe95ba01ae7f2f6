package native

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/x86"
)

// Branch finds the nearest branch that decides whether a call is made or passed on
// the way to another one; see slicing.Slicer.
func (s *Slicer) Branch(ctx context.Context, made, other []model.Frame) (out slicing.Branch, err error) {
	err = s.look(ctx, func(r *run) (err error) {
		out, err = r.branch(made, other)
		return err
	})
	return out, err
}

// look has f look at the code.
func (s *Slicer) look(ctx context.Context, f func(r *run) error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := debug.SetPanicOnFault(true) // a file that is cut while it is mapped
	defer debug.SetPanicOnFault(old)
	defer func() {
		if p := recover(); p != nil {
			s.prog = newProgram(s.resolver, s.options.Front)
			err = fmt.Errorf("slicing: %w: malformed code or debug information (%v)", slicing.ErrNothing, p)
		}
	}()
	return f(newRun(ctx, s.prog, slicing.Criterion{}, slicing.Budget{}, s.options))
}

func (r *run) branch(made, other []model.Frame) (out slicing.Branch, err error) {
	n := shared(made, other)
	if n == len(made) || n == len(other) {
		return out, fmt.Errorf("slicing: %w: the stacks are the same", slicing.ErrNothing)
	}
	at := len(made) - 1 - n
	a, err := r.level(made[at], false)
	if err != nil {
		return out, err
	}
	b, err := r.level(other[len(other)-1-n], false)
	if err != nil {
		return out, err
	}
	if a.f == b.f {
		if i := a.f.decides(a.i, b.i, r.options.Endless); i >= 0 {
			return branchAt(a.f, i, made[at:]), nil
		}
	}
	// The ways part further in: a function on the way to the call was left early.
	for at--; at >= 0; at-- {
		if a, err = r.level(made[at], false); err != nil {
			return out, err
		}
		if i := a.f.nearest(a.i, r.options.Endless); i >= 0 {
			return branchAt(a.f, i, made[at:]), nil
		}
	}
	return out, fmt.Errorf("slicing: %w: no branch decides between the calls", slicing.ErrNothing)
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
	err = s.look(ctx, func(r *run) error {
		for _, frame := range stack {
			l, err := r.level(frame, false)
			if err != nil {
				return err
			}
			at := int(l.f.blk[l.i])
			loops := l.f.loopsAround(at)
			for _, c := range l.f.controllers(at, s.options.Endless) {
				if d, ok := l.f.decider(c, at, loops); ok {
					d.Jump.Module = frame.Module
					out = append(out, d)
				}
			}
		}
		return nil
	})
	return out, err
}

// decider says how the jump at the end of a block decides about another block, which the
// loops are around; false where it does not, or has not two ways.
func (f *function) decider(block, about int, loops [][]bool) (Decider, bool) {
	in, b := &f.insts[f.blocks[block].end-1], &f.blocks[block]
	if in.Kind != x86.Branch || in.Indirect || len(b.succs) != 2 || f.at(in.Target) < 0 {
		return Decider{}, false
	}
	taken := int(f.blk[f.at(in.Target)])
	other := int(b.succs[0])
	if other == taken {
		other = int(b.succs[1])
	}
	there, past := f.reachable(taken, block)[about], f.reachable(other, block)[about]
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

// loopsAround lists the natural loops that a block is in, each as the blocks in it: those
// from which the jump back to a head that dominates it is reached without passing the
// head.
func (f *function) loopsAround(block int) [][]bool {
	var out [][]bool
	entry, behind := f.entryBlock(), f.reachable(block, -1)
	for from := range f.blocks {
		if !behind[from] {
			continue
		}
		for _, head := range f.blocks[from].succs {
			h := int(head)
			if h != entry && f.reachable(entry, h)[from] {
				continue // it does not dominate
			}
			body := f.reaching(from, h)
			if body[block] {
				out = append(out, body)
			}
		}
	}
	return out
}

// reaching marks the blocks from which one is reached without passing another, and both.
func (f *function) reaching(to, without int) []bool {
	seen := make([]bool, len(f.blocks))
	seen[without] = true
	for work := []int{to}; len(work) > 0; work = work[1:] {
		n := work[0]
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, p := range f.blocks[n].preds {
			work = append(work, int(p))
		}
	}
	return seen
}

// branchAt is the branch at an instruction of the function that the first frame is
// in.
func branchAt(f *function, i int, stack []model.Frame) slicing.Branch {
	at := model.Frame{Module: stack[0].Module, Offset: f.insts[i].Addr}
	return slicing.Branch{Stack: append([]model.Frame{at}, stack[1:]...), Loop: f.decidesLoop(int(f.blk[i]))}
}

// shared counts the outermost frames that two stacks have in common.
func shared(a, b []model.Frame) int {
	n := 0
	for n < len(a) && n < len(b) && sameFrame(a[len(a)-1-n], b[len(b)-1-n]) {
		n++
	}
	return n
}

func sameFrame(a, b model.Frame) bool {
	if a.Module == nil || b.Module == nil {
		return a == b
	}
	return a.Offset == b.Offset && a.Module.BuildID == b.Module.BuildID && a.Module.Path == b.Module.Path
}

// decides returns the last instruction of the nearest block that decides between
// the calls at instructions a and b; -1: none does. A block decides if from one of
// its successors, without coming back to it, one call can be reached and the other
// cannot.
func (f *function) decides(a, b int, endless bool) int {
	from, to := int(f.blk[a]), int(f.blk[b])
	for _, c := range slices.Concat(f.controllers(from, endless), f.controllers(to, endless)) {
		for _, s := range f.blocks[c].succs {
			seen := f.reachable(int(s), c)
			if seen[from] != seen[to] {
				return f.blocks[c].end - 1
			}
		}
	}
	return -1
}

// decidesLoop tells whether a block decides if a loop goes round again: by some of its
// successors it is reached again, and by others not.
func (f *function) decidesLoop(block int) bool {
	again, leaves := false, false
	for _, s := range f.blocks[block].succs {
		back := f.reachable(int(s), -1)[block]
		again, leaves = again || back, leaves || !back
	}
	return again && leaves
}

// nearest returns the last instruction of the nearest block that decides whether
// instruction i runs, -1 none.
func (f *function) nearest(i int, endless bool) int {
	if all := f.controllers(int(f.blk[i]), endless); len(all) > 0 {
		return f.blocks[all[0]].end - 1
	}
	return -1
}

// controllers lists the blocks that a block is control dependent on, the nearest
// first.
func (f *function) controllers(block int, endless bool) []int {
	controls := f.controls(endless)
	var out []int
	seen := map[int]bool{}
	for work := []int{block}; len(work) > 0; work = work[1:] {
		for _, c := range controls[work[0]] {
			if !seen[int(c)] {
				seen[int(c)] = true
				out, work = append(out, int(c)), append(work, int(c))
			}
		}
	}
	return out
}

// reachable marks the blocks that can be reached from one without passing another.
func (f *function) reachable(from, without int) []bool {
	seen := make([]bool, len(f.blocks))
	for work := []int{from}; len(work) > 0; work = work[1:] {
		n := work[0]
		if seen[n] || n == without {
			continue
		}
		seen[n] = true
		for _, s := range f.blocks[n].succs {
			work = append(work, int(s))
		}
	}
	return seen
}
