package native

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"laggard/model"
	"laggard/slicing"
)

// Branch finds the nearest branch that decides whether a call is made or passed on
// the way to another one; see slicing.Slicer.
func (s *Slicer) Branch(ctx context.Context, made, other []model.Frame) (out slicing.Branch, err error) {
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
	r := newRun(ctx, s.prog, slicing.Criterion{}, slicing.Budget{}, s.options)
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
		if i := a.f.decides(a.i, b.i, s.options.Endless); i >= 0 {
			return branchAt(a.f, i, made[at:]), nil
		}
	}
	// The ways part further in: a function on the way to the call was left early.
	for at--; at >= 0; at-- {
		if a, err = r.level(made[at], false); err != nil {
			return out, err
		}
		if i := a.f.nearest(a.i, s.options.Endless); i >= 0 {
			return branchAt(a.f, i, made[at:]), nil
		}
	}
	return out, fmt.Errorf("slicing: %w: no branch decides between the calls", slicing.ErrNothing)
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
