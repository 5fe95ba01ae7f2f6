package native

import (
	"slices"
	"strings"

	"laggard/slicing"
	"laggard/slicing/calls"
	"laggard/slicing/cpu"
	"laggard/symbol"
)

// Exceptions are flow of control from a call to the landing pad that the tables of the
// compiler have for it (symbol.Code.Pads). There the exception is in a register, and every
// register that a callee saves has what it had at the call. Only calls that may throw what a
// program can expect go there.

// maxThrowers bounds the functions that are looked at to find out whether one may throw. One that needs more is taken
// to throw.
const maxThrowers = 5000

// resume is the function by which a landing pad lets an exception go on.
const resume = "_Unwind_Resume"

// landingPad is the landing pad for an exception at an address, 0 none.
func (m *module) landingPad(parts []symbol.Function, at uint64) uint64 {
	for _, part := range parts {
		if at < part.Lo || at >= part.Hi {
			continue
		}
		pads, ok := m.pads[part.Lo]
		if !ok {
			pads = m.code.Pads(part.Lo)
			m.pads[part.Lo] = pads
		}
		for _, p := range pads {
			if at >= p.Lo && at < p.Hi {
				return p.At
			}
		}
	}
	return 0
}

// callThrows reports whether a call may throw an exception that the program may expect.
func (m *module) callThrows(in *cpu.Inst) bool {
	to, throws := m.enteredFunction(in)
	return throws || to.m != nil && to.mayThrow()
}

// funcRef is a function of a module, by its address.
type funcRef struct {
	m    *module // nil: none
	addr uint64
}

// outgoingCalls is what a function calls or jumps to.
type outgoingCalls struct {
	to     []funcRef // functions whose code is there
	throws bool      // another one, which throws
}

// enteredFunction returns the function that a call enters, if its code is there; throws: it is not, and the call throws.
func (m *module) enteredFunction(in *cpu.Inst) (to funcRef, throws bool) {
	t := m.directTarget(in)
	switch {
	case t.known:
		return funcRef{}, t.model.Throws
	case t.addr != 0:
		return funcRef{m, t.addr}, false
	case t.name == "":
		return funcRef{}, in.Indirect
	}
	for _, o := range m.prog.list {
		if o.err == nil && !o.system {
			if addr, ok := o.addressOf(t.name); ok {
				return funcRef{o, addr}, false
			}
		}
	}
	return funcRef{}, calls.Throws(t.name)
}

// mayThrow reports whether a function, or one that it calls directly or through others, throws. The functions may call
// each other in cycles, through any modules. That none of the functions reached throws is kept for all of them, that
// one does for those on the way to it.
func (r funcRef) mayThrow() bool {
	if known, ok := r.m.throwKnown[r.addr]; ok {
		return known
	}
	from, work := map[funcRef]funcRef{r: {}}, []funcRef{r} // from: which function calls it
	for n := 0; n < len(work); n++ {
		if r.m.prog.timeOver() {
			return true
		}
		if n == maxThrowers {
			r.m.throwKnown[r.addr] = true
			return true
		}
		c := work[n].m.outgoingCalls(work[n].addr)
		for _, to := range c.to {
			known, ok := to.m.throwKnown[to.addr]
			c.throws = c.throws || known
			if _, seen := from[to]; !seen && !ok {
				from[to], work = work[n], append(work, to)
			}
		}
		if c.throws {
			for at := work[n]; at.m != nil; at = from[at] {
				at.m.throwKnown[at.addr] = true
			}
			return true
		}
	}
	for _, at := range work {
		at.m.throwKnown[at.addr] = false
	}
	return false
}

// isInvoker reports whether a function of a library, by its linker name, is there to call what it was given: the call
// operator of std::function, and what std::visit, std::invoke and std::thread come to.
func isInvoker(name string) bool {
	return strings.Contains(name, "EclE") || strings.Contains(name, "invoke")
}

// outgoingCalls finds once what a function calls or jumps to.
func (m *module) outgoingCalls(addr uint64) outgoingCalls {
	out, ok := m.outgoing[addr]
	if !ok {
		out = m.findOutgoingCalls(addr)
		m.outgoing[addr] = out
	}
	return out
}

func (m *module) findOutgoingCalls(addr uint64) (out outgoingCalls) {
	sym, ok := m.code.FunctionAt(addr)
	if !ok || !m.code.IsExecutable(sym.Lo) {
		return out
	}
	code := m.code.Bytes(sym.Lo)
	var parts []cpu.Inst
	for at := sym.Lo; at < sym.Hi && len(code) > 0 && !m.prog.timeOver(); {
		parts = m.arch.Decode(parts[:0], code[:min(len(code), m.arch.Kind.LongestInstruction)], at)
		for i := range parts {
			in := &parts[i]
			at, code = in.End(), code[min(in.Len, len(code)):]
			jumps := (in.Kind == cpu.Jump || in.Kind == cpu.Branch) && !in.Indirect
			if in.Kind != cpu.Call && !(jumps && (in.Target < sym.Lo || in.Target >= sym.Hi)) {
				continue
			}
			out.addCall(m, in, sym)
		}
	}
	return out
}

// addCall adds a call, or a jump out of the function, of a function of a module.
func (c *outgoingCalls) addCall(m *module, in *cpu.Inst, of symbol.Function) {
	if t := m.directTarget(in); t.addr == 0 && t.name == "" { // those in headers are mostly of what frees objects
		c.throws = c.throws || !m.isHeaderCode(of.Lo) || isInvoker(of.Name)
		return
	}
	to, throws := m.enteredFunction(in)
	c.throws = c.throws || throws
	if to.m == nil {
		return
	}
	if f, ok := to.m.code.FunctionAt(to.addr); ok {
		c.to = append(c.to, funcRef{to.m, f.Lo})
	}
}

// unwinding is where exceptions leave a function, and where they are caught.
type unwinding struct{ *function }

func (f *function) unwinding() unwinding { return unwinding{f} }

// isUnwindEdge reports whether control goes from one block to another by an exception.
func (f unwinding) isUnwindEdge(n, to int32) bool {
	last := &f.insts[f.blocks[n].end-1]
	return last.Kind == cpu.Call && f.insts[f.blocks[to].first].Addr != last.End()
}

// throwingCalls are the calls by which an exception may leave the function.
func (f unwinding) throwingCalls() []int {
	if f.throwers != nil {
		return f.throwers
	}
	f.throwers = []int{}
	for n := range f.blocks {
		last := f.blocks[n].end - 1
		_, tail := f.tails[last]
		if in := &f.insts[last]; in.Kind != cpu.Call && !tail || len(f.padBlocks(int32(n))) > 0 ||
			f.mod.directTarget(in).name != resume && !f.mod.callThrows(in) {
			continue
		}
		f.throwers = append(f.throwers, last)
	}
	return f.throwers
}

// padBlocks are the blocks where an exception goes on that is thrown at the end of a block.
func (f unwinding) padBlocks(n int32) (out []int32) {
	for _, s := range f.blocks[n].succs {
		if f.isUnwindEdge(n, s) {
			out = append(out, s)
		}
	}
	return out
}

// throwsAtEnd reports whether an exception leaves the function at the end of a block that somebody
// may catch: one that the program throws there, or with caught any.
func (f unwinding) throwsAtEnd(n int, caught bool) bool {
	last := f.blocks[n].end - 1
	in := &f.insts[last]
	if in.Kind == cpu.Call && f.mod.directTarget(in).model.Name == "__cxa_throw" && !f.isFromHeader() {
		return true
	}
	if !caught {
		return false
	}
	_, ok := slices.BinarySearch(f.throwingCalls(), last)
	return ok
}

// hasHandler reports whether an exception of a call, in an activation or one further out, comes
// to a handler.
func (a *activation) hasHandler(call int) bool {
	if a.caught {
		return true
	}
	dead := a.f.graph().deadBlocks(false)
	return slices.ContainsFunc(a.f.unwinding().padBlocks(a.f.blk[call]), func(n int32) bool { return !dead[n] })
}

// definitionsAtThrow is what defines a place when an exception leaves the function.
func (f unwinding) definitionsAtThrow(p place) reached {
	var out reached
	for _, call := range f.throwingCalls() {
		if hit, _ := f.reaching().writesPlace(call, p); hit {
			out.thrown = append(out.thrown, call)
		}
		out.add(f.reaching().definitions(call, p))
	}
	out.normalise()
	return out
}

// scanThrown is scan for a block that an exception left; of its last call it is not known
// how far that came.
func (f unwinding) scanThrown(n int32, p place, out *reached) bool {
	call, arch := f.blocks[n].end-1, f.mod.arch
	switch {
	case p.isMemory():
		if hit, _ := f.reaching().writesPlace(call, p); hit {
			out.thrown = append(out.thrown, call)
		}
	case p.reg == arch.Result || p.reg == arch.Selector:
		out.thrown = append(out.thrown, call)
		return true
	case arch.CallerSaved.Has(p.reg):
		return true
	}
	return f.reaching().scanBlock(n, call, p, out)
}

// stateAlong is a state at the end of a block as it comes to a successor; given is the first
// argument of the call there.
func (v *values) stateAlong(s *state, n, to int32, given value) *state {
	if !v.f.unwinding().isUnwindEdge(n, to) {
		return s
	}
	s, arch := s.clone(), v.f.mod.arch
	last := v.f.blocks[n].end - 1
	if v.f.mod.directTarget(&v.f.insts[last]).model.Name != "__cxa_throw" {
		given = value{base: v.intern(base{kind: caught, at: to})}
	}
	s.regs[arch.Result], s.regs[arch.Selector] = given, v.freshValue(arch.Selector)
	return s
}

// savesException reports whether an instruction puts aside an exception, or which handler is meant.
func (f unwinding) savesException(i int) bool {
	in, arch, b := &f.insts[i], f.mod.arch, f.blockOf(i)
	if in.Src != arch.Result && in.Src != arch.Selector {
		return false
	}
	for j := b.first; j < i; j++ {
		if f.insts[j].Def.Has(in.Src) {
			return false
		}
	}
	return slices.ContainsFunc(b.preds, func(n int32) bool { return f.isUnwindEdge(n, f.blk[i]) })
}

// catchCalls are the calls that begin a handler of what is thrown at the end of a block.
func (f unwinding) catchCalls(n int32, caught bool) (out []int) {
	dead, seen := f.graph().deadBlocks(caught), make([]bool, len(f.blocks))
	for work := f.padBlocks(n); len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[at] || dead[at] {
			continue
		}
		seen[at] = true
		last := f.blocks[at].end - 1
		if f.insts[last].Kind == cpu.Call && f.mod.directTarget(&f.insts[last]).model.Name == "__cxa_begin_catch" {
			out = append(out, last)
			continue
		}
		work = append(work, f.blocks[at].succs...)
	}
	return out
}

// whyThrown is the item that asks why a call of the same activation throws.
func (it item) whyThrown(call int, kind slicing.Kind) item {
	it = it.atInst(call, kind)
	it.throws = true
	return it
}

// followException is for an instruction that runs or not by whether the call at the end of a block
// throws: why that does, and what handles it.
func (r *run) followException(it item, n int32) {
	f := it.a.f
	r.push(it.whyThrown(f.blocks[n].end-1, slicing.Control))
	for _, c := range f.unwinding().catchCalls(n, it.a.caught) {
		r.push(it.atInst(c, slicing.Control))
	}
}

// followThrow goes to what makes a call throw: the throw, or the calls in a callee that do.
func (r *run) followThrow(it item) {
	if r.explainedThrows[it.nodeKey] {
		return
	}
	r.explainedThrows[it.nodeKey] = true
	f := it.a.f
	t, callees := f.effects().callTarget(it.i), r.possibleCallees(it.a, it.i)
	switch {
	case t.name == resume:
		r.visitor().askRegisters(it, cpu.Set(f.mod.arch.Args[0]))
	case t.known:
		r.push(it.atInst(it.i, it.kind))
	case len(callees) == 0:
		r.visitor().followUnknownCall(it)
	case it.a.depth < maxDescent && it.a.nested < maxNested:
		for _, callee := range callees {
			r.followThrowInto(it, callee)
		}
	}
}

// followThrowInto goes to the calls in a callee by which an exception may have left it.
func (r *run) followThrowInto(it item, callee *function) {
	throwing := callee.unwinding().throwingCalls()
	if len(throwing) == 0 {
		return
	}
	kind, child := it.kind, r.visitor().childActivation(it, callee)
	it = r.reporter().reportLine(it.atInst(it.i, slicing.Call))
	it.a = child
	for _, i := range throwing {
		r.push(it.whyThrown(i, kind))
	}
}
