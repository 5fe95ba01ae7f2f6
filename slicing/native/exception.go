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

// maxThrowers bounds the functions that are looked at to find out whether one may throw.
const maxThrowers = 200

// resume is the function by which a landing pad lets an exception go on.
const resume = "_Unwind_Resume"

// pad is the landing pad for an exception at an address, 0 none.
func (m *module) pad(parts []symbol.Function, at uint64) uint64 {
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

// throws tells whether a call may throw an exception that the program may expect.
func (m *module) throws(in *cpu.Inst) bool {
	t := m.direct(in)
	switch {
	case t.known:
		return t.model.Throws
	case t.addr != 0:
		return m.thrower(t.addr)
	case t.name == "":
		return in.Indirect
	}
	for _, o := range m.prog.list {
		if o.err == nil && !o.system {
			if addr, ok := o.define(t.name); ok {
				return o.thrower(addr)
			}
		}
	}
	return calls.Throws(t.name)
}

// thrower tells whether a function, or one that it calls, throws.
func (m *module) thrower(addr uint64) bool {
	if known, ok := m.throw[addr]; ok {
		return known
	}
	seen, work := map[uint64]bool{addr: true}, []uint64{addr}
	for len(work) > 0 && len(seen) < maxThrowers {
		at := work[0]
		work = work[1:]
		to, throws := m.callees(at)
		if throws || m.throw[at] {
			m.throw[addr] = true
			return true
		}
		for _, t := range to {
			if known, ok := m.throw[t]; !seen[t] && (!ok || known) {
				seen[t], work = true, append(work, t)
			}
		}
	}
	for at := range seen {
		if at == addr || len(work) == 0 {
			m.throw[at] = false
		}
	}
	return false
}

// invokes tells whether a function of a library, by its linker name, is there to call what it was given: the call
// operator of std::function, and what std::visit, std::invoke and std::thread come to.
func invokes(name string) bool {
	return strings.Contains(name, "EclE") || strings.Contains(name, "invoke")
}

// callees are the functions of the module that one calls or jumps to; throws: it calls one
// elsewhere that throws.
func (m *module) callees(addr uint64) (to []uint64, throws bool) {
	sym, ok := m.code.Function(addr)
	if !ok || !m.code.Executable(sym.Lo) {
		return nil, false
	}
	code := m.code.Bytes(sym.Lo)
	var parts []cpu.Inst
	for at := sym.Lo; at < sym.Hi && len(code) > 0; {
		parts = m.arch.Decode(parts[:0], code[:min(len(code), m.arch.Longest)], at)
		for i := range parts {
			in := &parts[i]
			at, code = in.End(), code[min(in.Len, len(code)):]
			jumps := (in.Kind == cpu.Jump || in.Kind == cpu.Branch) && !in.Indirect
			if in.Kind != cpu.Call && !(jumps && (in.Target < sym.Lo || in.Target >= sym.Hi)) {
				continue
			}
			switch t := m.direct(in); {
			case t.addr == 0 && t.name == "": // those in headers are mostly of what frees objects
				throws = throws || !m.header(sym.Lo) || invokes(sym.Name)
			case t.addr == 0 || t.known:
				throws = throws || m.throws(in)
			default:
				if f, ok := m.code.Function(t.addr); ok {
					to = append(to, f.Lo)
				}
			}
		}
	}
	return to, throws
}

// unwinds tells whether control goes from one block to another by an exception.
func (f *function) unwinds(n, to int32) bool {
	last := &f.insts[f.blocks[n].end-1]
	return last.Kind == cpu.Call && f.insts[f.blocks[to].first].Addr != last.End()
}

// throwing are the calls by which an exception may leave the function.
func (f *function) throwing() []int {
	if f.throwers != nil {
		return f.throwers
	}
	f.throwers = []int{}
	for n := range f.blocks {
		last := f.blocks[n].end - 1
		_, tail := f.tails[last]
		if in := &f.insts[last]; in.Kind != cpu.Call && !tail || len(f.pads(int32(n))) > 0 ||
			f.mod.direct(in).name != resume && !f.mod.throws(in) {
			continue
		}
		f.throwers = append(f.throwers, last)
	}
	return f.throwers
}

// pads are the blocks where an exception goes on that is thrown at the end of a block.
func (f *function) pads(n int32) (out []int32) {
	for _, s := range f.blocks[n].succs {
		if f.unwinds(n, s) {
			out = append(out, s)
		}
	}
	return out
}

// throws tells whether an exception leaves the function at the end of a block that somebody
// may catch: one that the program throws there, or with caught any.
func (f *function) throws(n int, caught bool) bool {
	last := f.blocks[n].end - 1
	in := &f.insts[last]
	if in.Kind == cpu.Call && f.mod.direct(in).model.Name == "__cxa_throw" && !f.foreign() {
		return true
	}
	if !caught {
		return false
	}
	_, ok := slices.BinarySearch(f.throwing(), last)
	return ok
}

// handles tells whether an exception of a call, in an activation or one further out, comes
// to a handler.
func (a *activation) handles(call int) bool {
	if a.caught {
		return true
	}
	dead := a.f.dead(false)
	return slices.ContainsFunc(a.f.pads(a.f.blk[call]), func(n int32) bool { return !dead[n] })
}

// unwound is what defines a place when an exception leaves the function.
func (f *function) unwound(p place) reached {
	var out reached
	for _, call := range f.throwing() {
		if hit, _ := f.writes(call, p); hit {
			out.thrown = append(out.thrown, call)
		}
		out.add(f.defines(call, p))
	}
	out.tidy()
	return out
}

// scanThrown is scan for a block that an exception left; of its last call it is not known
// how far that came.
func (f *function) scanThrown(n int32, p place, out *reached) bool {
	call, arch := f.blocks[n].end-1, f.mod.arch
	switch {
	case p.memory():
		if hit, _ := f.writes(call, p); hit {
			out.thrown = append(out.thrown, call)
		}
	case p.reg == arch.Result || p.reg == arch.Selector:
		out.thrown = append(out.thrown, call)
		return true
	case arch.CallerSaved.Has(p.reg):
		return true
	}
	return f.scan(n, call, p, out)
}

// along is a state at the end of a block as it comes to a successor; given is the first
// argument of the call there.
func (v *values) along(s *state, n, to int32, given value) *state {
	if !v.f.unwinds(n, to) {
		return s
	}
	s, arch := s.clone(), v.f.mod.arch
	last := v.f.blocks[n].end - 1
	if v.f.mod.direct(&v.f.insts[last]).model.Name != "__cxa_throw" {
		given = value{base: v.intern(base{kind: caught, at: to})}
	}
	s.regs[arch.Result], s.regs[arch.Selector] = given, v.fresh(arch.Selector)
	return s
}

// landed tells whether an instruction puts aside an exception, or which handler is meant.
func (f *function) landed(i int) bool {
	in, arch, b := &f.insts[i], f.mod.arch, f.block(i)
	if in.Src != arch.Result && in.Src != arch.Selector {
		return false
	}
	for j := b.first; j < i; j++ {
		if f.insts[j].Def.Has(in.Src) {
			return false
		}
	}
	return slices.ContainsFunc(b.preds, func(n int32) bool { return f.unwinds(n, f.blk[i]) })
}

// catches are the calls that begin a handler of what is thrown at the end of a block.
func (f *function) catches(n int32, caught bool) (out []int) {
	dead, seen := f.dead(caught), make([]bool, len(f.blocks))
	for work := f.pads(n); len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[at] || dead[at] {
			continue
		}
		seen[at] = true
		last := f.blocks[at].end - 1
		if f.insts[last].Kind == cpu.Call && f.mod.direct(&f.insts[last]).model.Name == "__cxa_begin_catch" {
			out = append(out, last)
			continue
		}
		work = append(work, f.blocks[at].succs...)
	}
	return out
}

// why is the item that asks why a call of the same activation throws.
func (it item) why(call int, kind slicing.Kind) item {
	it = it.to(call, kind)
	it.throws = true
	return it
}

// excepted is for an instruction that runs or not by whether the call at the end of a block
// throws: why that does, and what handles it.
func (r *run) excepted(it item, n int32) {
	f := it.a.f
	r.push(it.why(f.blocks[n].end-1, slicing.Control))
	for _, c := range f.catches(n, it.a.caught) {
		r.push(it.to(c, slicing.Control))
	}
}

// thrown goes to what makes a call throw: the throw, or the calls in a callee that do.
func (r *run) thrown(it item) {
	if r.threw[it.nodeKey] {
		return
	}
	r.threw[it.nodeKey] = true
	f := it.a.f
	t, callees := f.target(it.i), r.callees(it.a, it.i)
	switch {
	case t.name == resume:
		r.registers(it, cpu.Set(f.mod.arch.Args[0]))
	case t.known:
		r.push(it.to(it.i, it.kind))
	case len(callees) == 0:
		r.foreign(it)
	case it.a.depth < maxDescent && it.a.nested < maxNested:
		for _, callee := range callees {
			r.threwIn(it, callee)
		}
	}
}

// threwIn goes to the calls in a callee by which an exception may have left it.
func (r *run) threwIn(it item, callee *function) {
	throwing := callee.throwing()
	if len(throwing) == 0 {
		return
	}
	kind, child := it.kind, r.child(it, callee)
	it = r.report(it.to(it.i, slicing.Call))
	it.a = child
	for _, i := range throwing {
		r.push(it.why(i, kind))
	}
}
