package native

import (
	"fmt"

	"laggard/slicing"
	"laggard/slicing/calls"
	"laggard/slicing/cpu"
)

// maxDescent bounds the calls that are descended into one below the other, those of
// the program's own functions; templates of libraries call each other more deeply, and so do functions of few
// instructions, such as those that return a member.
const (
	maxDescent = 6
	maxNested  = 10
	maxSmall   = 24
)

// visit puts an instruction into the slice: what it reads and what decides
// whether it runs come next.
func (r *run) visit(it item) {
	r.link(it)
	if r.nodes[it.nodeKey] {
		return
	}
	r.nodes[it.nodeKey] = true
	if it.a.f.foreign() {
		r.headers++
	}
	it = r.report(it)
	f := it.a.f
	if _, tail := f.tails[it.i]; f.insts[it.i].Kind == cpu.Call || tail {
		r.through(it) // which function was called decides, too
	} else {
		r.uses(it)
	}
	r.decided(it)
}

// decided goes to the jumps that decide whether an instruction runs, and to the
// call of its function.
func (r *run) decided(it item) {
	f := it.a.f
	if it.a.depth+it.a.nested > 0 && f.closed() {
		r.inquire(it)
		return
	}
	for _, b := range f.controls(r.options.Endless, it.a.caught)[f.blk[it.i]] {
		last := f.blocks[b].end - 1
		r.push(it.to(last, slicing.Control))
		if f.insts[last].Kind == cpu.Call {
			r.excepted(it, b)
		}
	}
	if it.a.parent != nil {
		r.push(item{nodeKey: nodeKey{it.a.parent, it.a.call}, kind: slicing.Call, distance: it.distance, from: it.from})
	}
}

// inquire stands for what decides within a library: what it does depends on what the program gave it. To follow each of
// its own conditions would take all the time that there is.
func (r *run) inquire(it item) {
	a := it.a
	for a.parent != nil && a.parent.f.foreign() && a.parent.depth+a.parent.nested > 0 {
		a = a.parent
	}
	if a.parent == nil || r.inquired[a] {
		return
	}
	r.inquired[a] = true
	up := item{nodeKey: nodeKey{a.parent, a.call}, kind: slicing.Call, distance: it.distance, from: it.from}
	r.push(up)
	at := r.near(up)
	for n := range a.parent.f.given(a.call) {
		if x := a.parent.f.arg(a.call, n); x.base != noBase {
			r.pointed(at, n, 0)
		} else {
			r.argument(at, n)
		}
	}
}

// to is the item for another instruction of the same activation.
func (it item) to(i int, kind slicing.Kind) item {
	it.i, it.kind, it.asks, it.throws, it.strays = i, kind, false, false, nil
	return it
}

// needs is the item that asks for a place before the instruction.
func (it item) needs(p place) item {
	it.place, it.asks = p, true
	return it
}

// uses asks for everything an instruction reads.
func (r *run) uses(it item) {
	f := it.a.f
	in, v := &f.insts[it.i], f.values()
	regs := in.Use
	for _, m := range []*cpu.Mem{in.Load, in.Load2, in.Store} {
		if m == nil {
			continue
		}
		p := v.load[it.i]
		if m == in.Store {
			p = v.addr[it.i]
		}
		if m == in.Load2 || !p.exact() || p.base != stackBase && p.base != constBase {
			regs = regs.Or(m.Regs().Without(cpu.Set(f.mod.arch.SP)))
		}
	}
	r.registers(it, regs)
	if in.Load != nil {
		r.memory(it, v.load[it.i])
	}
}

// registers asks for registers, but for those that point into the frame.
func (r *run) registers(it item, regs cpu.RegSet) {
	v := it.a.f.values().regs[it.i]
	regs.Each(func(reg cpu.Reg) {
		if it.a.f.mod.arch.Holds(reg) && v[reg].base == stackBase && !v[reg].any {
			return
		}
		r.push(it.needs(register(reg)))
	})
}

// memory asks for memory that the program can have changed.
func (r *run) memory(it item, p place) {
	p = it.a.f.resolve(it.i, p)
	if p.base == noBase || p.base == constBase && !it.a.f.mod.code.Writable(uint64(max(p.lo, 0))) {
		return
	}
	r.push(it.needs(p))
	v := it.a.f.values()
	for _, x := range v.oneOf(p.base) {
		if q := it.a.f.resolve(it.i, v.below(x, p)); q.memory() && v.elsewhere(q.base) {
			r.push(it.needs(q))
		}
	}
}

// In place of an instruction, atReturn stands for the ends of a function, and atThrow for
// the calls by which an exception leaves it.
const (
	atReturn = -1
	atThrow  = -2
)

// ask goes to what may define a place before an instruction.
func (r *run) ask(it item) {
	key := queryKey{it.nodeKey, it.place}
	if r.queries[key] {
		return
	}
	r.queries[key] = true
	found := it.a.f.definesAt(it.i, it.place)
	if it.i < 0 {
		it = r.returned(it, len(found.defs)+len(found.thrown) > 0)
	}
	r.answer(it, found)
}

// returned goes on from a call that was descended into: it is in the slice only if something in there is.
func (r *run) returned(it item, found bool) item {
	at := it
	at.nodeKey = nodeKey{it.a.parent, it.a.call}
	if found {
		at = r.report(at.to(at.i, slicing.Call))
		it.kind, it.distance, it.from = at.kind, at.distance, at.from
	}
	r.through(at)
	return it
}

func (r *run) answer(it item, found reached) {
	f := it.a.f
	for _, d := range found.defs {
		if _, tail := f.tails[d]; f.insts[d].Kind == cpu.Call || tail {
			r.called(it, d, atReturn)
		} else {
			r.push(it.to(d, slicing.Data))
		}
	}
	for _, d := range found.thrown {
		if it.place.memory() {
			r.called(it, d, atThrow)
		} else {
			r.push(it.why(d, slicing.Data))
		}
	}
	if byAddress, pointed := f.values().mayStray(it.place); len(found.passed) > 0 && (byAddress || pointed) {
		at := it
		at.asks, at.strays = false, found.passed
		r.push(at)
	}
	if found.entry {
		r.ascend(it)
	}
}

// ascend goes to the caller for what was there when the function was entered.
func (r *run) ascend(it item) {
	a := it.a
	if a.parent == nil {
		return
	}
	up := it
	up.nodeKey = nodeKey{a.parent, a.call}
	if !it.place.memory() {
		if it.a.f.mod.arch.Passes.Has(it.place.reg) {
			r.registers(up, cpu.Set(it.place.reg))
		}
		return
	}
	if p, _, ok := a.parent.f.outer(a.call, a.f, it.place); ok {
		r.memory(up, p)
	}
}

// called goes into a call that defines what is asked for, by the time that it returns or
// throws.
func (r *run) called(it item, call, end int) {
	f := it.a.f
	for _, e := range f.effects(call, it.place) {
		at := it
		at.i = call
		switch t := f.target(call); {
		case e.callee != nil:
			r.descend(at, e, end)
		case t.known:
			r.modelled(at, t.model, e)
		case f.insts[call].Indirect && len(r.targets(it.a, call)) > 0:
			r.virtual(at, end)
		case e.found:
		default:
			r.foreign(at)
		}
	}
}

// virtual is an indirect call of functions that were found.
func (r *run) virtual(it item, end int) {
	for _, callee := range r.targets(it.a, it.i) {
		for _, e := range it.a.f.inside(it.i, callee, it.place) {
			r.descend(it, e, end)
		}
	}
}

// descend goes into a callee. What defines the place there is searched for when its turn comes: most of those that
// are far away never have theirs.
func (r *run) descend(it item, e effect, end int) {
	if it.a.depth >= maxDescent || it.a.nested >= maxNested {
		r.note(fmt.Sprintf("calls more than %d deep are not followed", maxDescent))
		return
	}
	child := r.child(it, e.callee)
	key := enterKey{child, e.inner, end}
	if r.entered[key] {
		return
	}
	r.entered[key] = true
	into := it
	into.nodeKey, into.place, into.asks = nodeKey{child, end}, e.inner, true
	r.push(into)
}

// child is the activation of a callee at a call.
func (r *run) child(it item, callee *function) *activation {
	key := childKey{it.nodeKey, callee}
	if r.children[key] == nil {
		r.children[key] = &activation{f: callee, parent: it.a, call: it.i, depth: it.a.depth, nested: it.a.nested + 1,
			caught: it.a.handles(it.i), loose: it.a.loose || it.a.f.byPointer(it.i)}
		if !callee.foreign() && len(callee.insts) > maxSmall {
			r.children[key].depth++
			r.children[key].nested = 0
		}
	}
	return r.children[key]
}

// through asks where the address of an indirect call comes from.
func (r *run) through(it item) {
	if in := &it.a.f.insts[it.i]; in.Indirect {
		r.uses(it)
	}
}

// foreign is a call of which nothing is known: what it gives depends on what it
// is given.
func (r *run) foreign(it item) {
	f := it.a.f
	r.push(it.to(it.i, slicing.Data))
	at := r.near(it)
	for n := range f.given(it.i) {
		r.registers(at, cpu.Set(f.mod.arch.Args[n]))
	}
	r.through(at)
}

// modelled is a call that there is a model for.
func (r *run) modelled(it item, m calls.Model, e effect) {
	r.push(it.to(it.i, slicing.Data))
	if e.arg < 0 && !m.Result {
		return
	}
	at := r.near(it)
	role := m.Role(e.arg)
	arrives := m.MPI && (role == calls.RecvData || role == calls.BothData)
	r.arguments(at, m, !m.MPI || arrives && !calls.PointToPoint(m.Name))
	if arrives {
		r.communicated(at, m, e)
	}
}

// arguments asks for the arguments that decide what a call does and, if wanted,
// for the data it is given.
func (r *run) arguments(it item, m calls.Model, payload bool) {
	f := it.a.f
	for n := range f.modelArgs(m) {
		role := m.Role(n)
		reads, data := role.Reads()
		switch {
		case role == calls.Float:
			r.registers(it, f.mod.arch.Floats)
		case role == calls.Callback:
			r.calledBack(it, n)
		case m.ByReference && role.Decides():
			r.pointed(it, n, 4)
		case role.Decides():
			r.argument(it, n)
		case reads && (payload || !data):
			r.pointed(it, n, 0)
			if role == calls.Block {
				r.linked(it, f.values().span(f.arg(it.i, n), parameterBlock))
			}
		}
	}
}

// calledBack goes into the functions that argument n of a call may be, for what they return.
// What they are given is taken to be what the call is given.
func (r *run) calledBack(it item, n int) {
	p := it.a.f.argPlace(it.i, n)
	r.argument(it, n)
	for _, callee := range r.functions(it.a, func(c *constants) { c.place(it.a, it.i, p) }) {
		r.descend(it, effect{callee: callee, inner: register(it.a.f.mod.arch.Result)}, atReturn)
	}
}

// argument asks for the value of argument n of a call.
func (r *run) argument(it item, n int) {
	p := it.a.f.argPlace(it.i, n)
	if p.memory() {
		r.memory(it, p)
	} else {
		r.registers(it, cpu.Set(p.reg))
	}
}

// pointed asks for what argument n points to; size 0 means all that is there.
func (r *run) pointed(it item, n int, size int64) {
	f := it.a.f
	x := f.arg(it.i, n)
	if x.any || x.base != stackBase && x.base != constBase {
		r.argument(it, n)
	}
	r.memory(it, f.values().span(x, size))
}

// parameterBlock is the size of the parameters of a transfer in libgfortran.
const parameterBlock = 544

// linked asks for what the pointers lead to that were put into a place.
func (r *run) linked(it item, p place) {
	f := it.a.f
	for _, d := range f.defines(it.i, p).defs {
		in := &f.insts[d]
		if in.Move != cpu.StoreReg || !f.mod.arch.Holds(in.Src) {
			continue
		}
		x := f.values().regs[d][in.Src]
		if x.base == stackBase || x.base == constBase && f.isData(x.off) {
			r.memory(it, f.values().span(x, 0))
		}
	}
}
