package native

import (
	"errors"
	"fmt"
	"path"

	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/calls"
	"laggard/slicing/cpu"
	"laggard/symbol"
)

// level is a frame of an observed stack whose code was found.
type level struct {
	f *function
	i int // instruction; of a call, unless it is the captured one
}

// startAtCriterion finds the criterion in the code.
func (r *run) startAtCriterion() error {
	if r.budget.NeedsLines && !r.hasLines(r.programStack(r.criterion.Stack, r.criterion.Exact)) {
		return fmt.Errorf("slicing: rank %d: %w: no function of its stack has line information", r.criterion.Rank, slicing.ErrNothing)
	}
	levels, skipped := r.locateFrames(r.criterion.Stack, r.criterion.Exact, true)
	if len(levels) == 0 {
		return fmt.Errorf("slicing: rank %d: %w of its stack: %w", r.criterion.Rank, slicing.ErrNothing, r.moduleErrors())
	}
	a := r.chainActivations(levels)
	for _, l := range levels {
		for _, c := range l.f.mod.code.CallLevels(l.f.insts[l.i].Addr) {
			r.stack = append(r.stack, slicing.Line{File: c.File, Line: c.Line})
		}
		if c, ok := r.reporter().functionLevel(l.f); ok {
			r.stack = append(r.stack, slicing.Line{File: c.File, Function: c.Function})
		}
	}
	exact := r.criterion.Exact && skipped == 0
	it := item{nodeKey: nodeKey{a, levels[0].i}, kind: slicing.Call}
	if exact {
		it.kind = slicing.Control
	}
	it = r.reporter().reportLine(it)
	if exact && a.f.insts[it.i].Kind == cpu.Branch {
		r.jump = it.from
	}
	if !exact {
		it = r.intoTail(it, r.criterion.Call)
	}
	r.nodes[it.nodeKey] = !exact // an exact one is where the rank was about to go on: a loop may need what it does
	r.visitor().followControl(it)
	if !exact {
		r.askCompletion(it, r.criterion.Call)
	}
	return nil
}

// askCompletion asks for what decides whether the call of the criterion completes.
func (r *run) askCompletion(it item, call string) {
	f := it.a.f
	r.visitor().askCallTarget(it)
	t := f.effects().callTarget(it.i)
	if m, ok := calls.Lookup(call); ok && (!t.known || !t.model.MPI) && f.mod.targetFunction(t) == nil {
		t.model, t.known = m, true
	}
	switch {
	case t.known:
		r.visitor().askArguments(it, t.model, !t.model.MPI)
	case call == "":
		for n := range f.effects().givenArgs(it.i) {
			r.visitor().askRegisters(it, cpu.Set(f.mod.arch.Args[n]))
		}
	}
}

// chainActivations makes the activations of a stack, innermost first, and returns the
// innermost one.
func (r *run) chainActivations(levels []level) *activation {
	var a *activation
	for n := len(levels) - 1; n >= 0; n-- {
		l := levels[n]
		next := &activation{f: l.f, parent: a}
		if a != nil {
			next.call = levels[n+1].i
			next.caught = a.hasHandler(next.call)
			next = r.throughTail(next)
		}
		a = next
	}
	return a
}

// intoTail goes into functions of which the last one jumped to the call of the criterion instead of calling it, and so
// is not on the stack: wrappers of MPI, as compilers optimise them.
func (r *run) intoTail(it item, call string) item {
	wanted, known := calls.Lookup(call)
	at := it
	for range maxTail {
		callee := at.a.f.mod.targetFunction(at.a.f.effects().callTarget(at.i))
		if !known || callee == nil {
			return it
		}
		at.a, at.i = r.visitor().childActivation(at, callee), -1
		for i := range callee.tails {
			if t := callee.effects().callTarget(i); t.known && t.model.Name == wanted.Name && (at.i < 0 || i < at.i) {
				at.i = i
			}
		}
		if at.i >= 0 {
			return r.reporter().reportLine(at)
		}
		for i := range callee.tails {
			at.i = i
		}
		if len(callee.tails) != 1 {
			return it
		}
	}
	return it
}

// maxTail bounds the functions that end in a call of the next one and so are
// not on the stack.
const maxTail = 3

// throughTail puts between a frame and its caller the functions that jumped to
// it instead of calling it.
func (r *run) throughTail(a *activation) *activation {
	f, jump := tailJumpTo(a.parent.f, a.call, a.f)
	if f == nil {
		return a
	}
	at := *a
	at.f = f
	return &activation{f: a.f, parent: &at, call: jump, caught: a.caught}
}

// tailJumpTo finds the function that jumped to another one instead of calling it, by the call through which the other was reached, and the
// instruction that jumps; nil: there is none.
func tailJumpTo(caller *function, call int, callee *function) (f *function, jump int) {
	if caller.insts[call].Kind != cpu.Call {
		return nil, -1
	}
	if caller.isUnresolvedCall(call) {
		return callee.onlyJumper()
	}
	f, jump = caller.mod.targetFunction(caller.effects().callTarget(call)), -1
	for range maxTail {
		if f == nil || f == callee {
			return nil, -1
		}
		for i := range f.tails {
			if to := f.mod.targetFunction(f.effects().callTarget(i)); to == callee && (jump < 0 || i < jump) {
				jump = i
			}
		}
		if jump >= 0 {
			return f, jump
		}
		f = f.onlyTail()
	}
	return nil, -1
}

// onlyJumper finds the function that jumped to another one, where it was called through a pointer: it is the only one that jumps there, the
// tables of the module have it, and not the other one; nil: there is none.
func (f *function) onlyJumper() (jumper *function, jump int) {
	m := f.mod
	if m.code.IsInTable(f.entry) {
		return nil, -1
	}
	for _, addr := range m.code.JumpsTo(m.arch.Kind, f.entry) {
		g := m.functionAt(addr)
		if g == nil || g == f {
			continue
		}
		i := g.instAt(addr)
		if _, tail := g.tails[i]; !tail {
			continue
		}
		if jumper != nil && jumper != g {
			return nil, -1
		}
		jumper, jump = g, i
	}
	if jumper == nil || !m.code.IsInTable(jumper.entry) {
		return nil, -1
	}
	return jumper, jump
}

// onlyTail is the function that f jumps to at its end, if it is one only.
func (f *function) onlyTail() *function {
	if len(f.tails) != 1 {
		return nil
	}
	for i := range f.tails {
		return f.mod.targetFunction(f.effects().callTarget(i))
	}
	return nil
}

// programStack is a stack without what starts the program, which decides nothing.
func (r *run) programStack(stack []model.Frame, exact bool) []model.Frame {
	return stack[:len(r.prog.resolver.ResolveProgramStack(stack, exact))]
}

// hasLines reports whether a frame of the program that locateFrames may begin with has line information. No code is taken apart for it.
func (r *run) hasLines(stack []model.Frame) bool {
	for n, fr := range stack {
		if n < len(stack)-1 && isSystemFrame(fr) {
			continue
		}
		if m := r.prog.openModule(fr.Module); m.err == nil && m.code.HasLines() {
			return true
		}
	}
	return false
}

// locateFrames finds the frames of a stack in the code. Inner frames whose code is not known are passed over, as are those of
// the system's libraries, and those without line information if a frame further out has it.
func (r *run) locateFrames(stack []model.Frame, exact, say bool) (out []level, skipped int) {
	stack = r.programStack(stack, exact)
	for n, fr := range stack {
		if n > 0 && r.prog.timeOver() { // to take a large function apart takes a second
			r.markTruncated(r.prog.limitReached())
			break
		}
		l, err := r.locateFrame(fr, exact && n == 0)
		switch {
		case err != nil && len(out) == 0:
			skipped++
			if say {
				r.noteFrame(fr, err)
			}
		case err != nil:
			if say && !isSystemFrame(fr) {
				r.noteFrame(fr, err)
			}
			return out, skipped // what is further out cannot be tied to it
		case len(out) == 0 && n < len(stack)-1 && (isSystemFrame(fr) || !l.f.mod.code.HasLines() && r.hasLines(stack[n+1:])):
			skipped++
		default:
			out = append(out, l)
			r.used[l.f.mod] = true
		}
	}
	return out, skipped
}

var errNoInstruction = errors.New("no call ends at that address")

func (r *run) locateFrame(fr model.Frame, pc bool) (level, error) {
	m := r.prog.openModule(fr.Module)
	if m.err != nil {
		return level{}, m.err
	}
	addr := fr.Offset
	if !pc && addr > 0 {
		addr--
	}
	f := m.functionAt(addr)
	if f == nil {
		return level{}, fmt.Errorf("no function is known at %#x", fr.Offset)
	}
	find := func() int {
		if pc {
			return f.instAt(fr.Offset)
		}
		i := f.instEndingAt(fr.Offset)
		if i < 0 {
			return -1
		}
		if _, tail := f.tails[i]; f.insts[i].Kind == cpu.Call || tail {
			return i
		}
		return -1
	}
	i := find()
	if i < 0 {
		f = m.reloadWhole(f)
		i = find()
	}
	if i < 0 {
		return level{}, errNoInstruction
	}
	if f.holes {
		r.addNote(fmt.Sprintf("%s: a jump with a computed target was not resolved; lines may be missing", f.displayName()))
	}
	return level{f: f, i: i}, nil
}

func (f *function) displayName() string {
	if f.name != "" {
		return f.name
	}
	return fmt.Sprintf("the function at %#x", f.entry)
}

// isSystemFrame reports whether a frame is in the MPI library or the system's.
func isSystemFrame(fr model.Frame) bool {
	return fr.Module == nil || symbol.IsSystemModule(fr.Module.Path)
}

func (r *run) noteFrame(fr model.Frame, err error) {
	if _, _, python := fr.Module.PythonFunction(); python {
		return // slicing/python has it
	}
	where := fmt.Sprintf("%#x", fr.Offset)
	if fr.Module != nil {
		where = fmt.Sprintf("%s+%#x", path.Base(fr.Module.Path), fr.Offset)
	}
	if !isSystemFrame(fr) {
		r.addNote(fmt.Sprintf("frame %s left out: %v", where, err))
	}
}

// moduleErrors joins what is wrong with the modules of the stack.
func (r *run) moduleErrors() error {
	var all []error
	said := map[string]bool{}
	for _, m := range r.prog.list {
		if m.err != nil && !said[m.err.Error()] {
			said[m.err.Error()] = true
			all = append(all, m.err)
		}
	}
	switch {
	case len(all) == 0 && r.truncated:
		return errors.New(r.prog.limitReached())
	case len(all) == 0:
		return errNoInstruction
	}
	return errors.Join(all...)
}
