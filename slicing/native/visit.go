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

// visitor follows dependences from one instruction to those that it needs.
type visitor struct{ *run }

func (r *run) visitor() visitor { return visitor{r} }

// visitInst puts an instruction into the slice: what it reads and what decides
// whether it runs come next.
func (r visitor) visitInst(it item) {
	r.reporter().addLink(it)
	if r.nodes[it.nodeKey] {
		return
	}
	r.nodes[it.nodeKey] = true
	if it.a.f.isFromHeader() {
		r.headers++
	}
	it = r.reporter().reportLine(it)
	f := it.a.f
	if _, tail := f.tails[it.i]; f.insts[it.i].Kind == cpu.Call || tail {
		r.askCallTarget(it) // which function was called decides, too
	} else {
		r.askOperands(it)
	}
	r.followControl(it)
}

// followControl goes to the jumps that decide whether an instruction runs, and to the
// call of its function.
func (r visitor) followControl(it item) {
	f := it.a.f
	if it.a.depth+it.a.nested > 0 && f.staysInLibrary() {
		r.askLibraryInputs(it)
		return
	}
	for _, b := range f.graph().controlDependences(r.options.TerminationSensitive, it.a.caught)[f.blk[it.i]] {
		last := f.blocks[b].end - 1
		r.push(it.atInst(last, slicing.Control))
		if f.insts[last].Kind == cpu.Call {
			r.followException(it, b)
		}
	}
	if it.a.parent != nil {
		r.push(item{nodeKey: nodeKey{it.a.parent, it.a.call}, kind: slicing.Call, distance: it.distance, from: it.from})
	}
}

// askLibraryInputs stands for what decides within a library: what it does depends on what the program gave it. To follow each of
// its own conditions would take all the time that there is.
func (r visitor) askLibraryInputs(it item) {
	a := it.a
	for a.parent != nil && a.parent.f.isFromHeader() && a.parent.depth+a.parent.nested > 0 {
		a = a.parent
	}
	if a.parent == nil || r.askedLibrary[a] {
		return
	}
	r.askedLibrary[a] = true
	up := item{nodeKey: nodeKey{a.parent, a.call}, kind: slicing.Call, distance: it.distance, from: it.from}
	r.push(up)
	at := r.reporter().withLineDistance(up)
	for n := range a.parent.f.effects().givenArgs(a.call) {
		if x := a.parent.f.effects().argValue(a.call, n); x.base != noBase {
			r.askPointee(at, n, 0)
		} else {
			r.askArgument(at, n)
		}
	}
}

// atInst is the item for another instruction of the same activation.
func (it item) atInst(i int, kind slicing.Kind) item {
	it.i, it.kind, it.asks, it.throws, it.strays = i, kind, false, false, nil
	return it
}

// forPlace is the item that asks for a place before the instruction.
func (it item) forPlace(p place) item {
	it.place, it.asks = p, true
	return it
}

// addressRegisters are those that say where an instruction reads and writes memory, as far as that is not known without them.
func (f *function) addressRegisters(i int) (regs cpu.RegSet) {
	in, v := &f.insts[i], f.valueFlow()
	for _, m := range []*cpu.Mem{in.Load, in.Load2, in.Store} {
		if m == nil {
			continue
		}
		p := *v.load[i]
		if m == in.Store {
			p = *v.addr[i]
		}
		if m == in.Load2 || !p.isExact() || p.base != stackBase && p.base != constBase {
			regs = regs.Or(m.Regs().Without(cpu.Set(f.mod.arch.SP)))
		}
	}
	return regs
}

// askOperands asks for everything an instruction reads.
func (r visitor) askOperands(it item) {
	f := it.a.f
	in := &f.insts[it.i]
	r.askRegisters(it, in.Use.Or(f.addressRegisters(it.i)))
	if in.Load != nil {
		r.askMemory(it, *f.valueFlow().load[it.i])
	}
}

// askRegisters asks for registers, but for those that point into the frame.
func (r visitor) askRegisters(it item, regs cpu.RegSet) {
	v := it.a.f.valueFlow().regs[it.i]
	regs.Each(func(reg cpu.Reg) {
		if it.a.f.mod.arch.IsGeneral(reg) && v[reg].base == stackBase && !v[reg].any {
			return
		}
		r.push(it.forPlace(registerPlace(reg)))
	})
}

// askMemory asks for memory that the program can have changed.
func (r visitor) askMemory(it item, p place) {
	p = it.a.f.resolver().resolvePlace(it.i, p)
	if p.base == noBase || p.base == constBase && !it.a.f.mod.code.IsWritable(uint64(max(p.lo, 0))) {
		return
	}
	r.push(it.forPlace(p))
	v := it.a.f.valueFlow()
	for _, x := range v.alternatives(p.base) {
		if q := it.a.f.resolver().resolvePlace(it.i, v.relativePlace(x, p)); q.isMemory() && v.aliases().mayBeAliased(q.base) {
			r.push(it.forPlace(q))
		}
	}
}

// In place of an instruction, atReturn stands for the ends of a function, and atThrow for
// the calls by which an exception leaves it.
const (
	atReturn = -1
	atThrow  = -2
)

// askPlace goes to what may define a place before an instruction.
func (r visitor) askPlace(it item) {
	key := queryKey{it.nodeKey, it.place}
	if r.queries[key] {
		return
	}
	r.queries[key] = true
	found := it.a.f.reaching().definitionsAt(it.i, it.place)
	if it.i < 0 {
		it = r.reportDescent(it, len(found.defs)+len(found.thrown) > 0)
	}
	r.followReached(it, found)
}

// reportDescent goes on from a call that was descended into: it is in the slice only if something in there is.
func (r visitor) reportDescent(it item, found bool) item {
	at := it
	at.nodeKey = nodeKey{it.a.parent, it.a.call}
	if found {
		at = r.reporter().reportLine(at.atInst(at.i, slicing.Call))
		it.kind, it.distance, it.from = at.kind, at.distance, at.from
	}
	r.askCallTarget(at)
	return it
}

func (r visitor) followReached(it item, found reached) {
	f := it.a.f
	for _, d := range found.defs {
		if _, tail := f.tails[d]; f.insts[d].Kind == cpu.Call || tail {
			r.enterCall(it, d, atReturn)
		} else {
			r.push(it.atInst(d, slicing.Data))
		}
	}
	for _, d := range found.thrown {
		if it.place.isMemory() {
			r.enterCall(it, d, atThrow)
		} else {
			r.push(it.whyThrown(d, slicing.Data))
		}
	}
	if byAddress, pointed := f.valueFlow().mayStray(it.place); len(found.passed) > 0 && (byAddress || pointed) {
		at := it
		at.asks, at.strays = false, found.passed
		r.push(at)
	}
	if found.entry {
		r.askCaller(it)
	}
}

// askCaller goes to the caller for what was there when the function was entered.
func (r visitor) askCaller(it item) {
	a := it.a
	if a.parent == nil {
		return
	}
	up := it
	up.nodeKey = nodeKey{a.parent, a.call}
	if !it.place.isMemory() {
		if it.a.f.mod.arch.Passes.Has(it.place.reg) {
			r.askRegisters(up, cpu.Set(it.place.reg))
		}
		return
	}
	if p, _, ok := a.parent.f.effects().outerPlace(a.call, a.f, it.place); ok {
		r.askMemory(up, p)
	}
}

// enterCall goes into a call that defines what is asked for, by the time that it returns or
// throws.
func (r visitor) enterCall(it item, call, end int) {
	f := it.a.f
	for _, e := range f.effects().callEffects(call, it.place) {
		at := it
		at.i = call
		switch t := f.effects().callTarget(call); {
		case e.callee != nil:
			r.enterCallee(at, e, end)
		case t.known:
			r.followModel(at, t.model, e)
		case f.insts[call].Indirect && len(r.indirectTargets(it.a, call)) > 0:
			r.enterTargets(at, end)
		case e.found:
		default:
			r.followUnknownCall(at)
		}
	}
}

// enterTargets is an indirect call of functions that were found.
func (r visitor) enterTargets(it item, end int) {
	for _, callee := range r.indirectTargets(it.a, it.i) {
		for _, e := range it.a.f.effects().calleeEffects(it.i, callee, it.place) {
			r.enterCallee(it, e, end)
		}
	}
}

// enterCallee goes into a callee. What defines the place there is searched for when its turn comes: most of those that
// are far away never have theirs.
func (r visitor) enterCallee(it item, e effect, end int) {
	if it.a.depth >= maxDescent || it.a.nested >= maxNested {
		r.addNote(fmt.Sprintf("calls more than %d deep are not followed", maxDescent))
		return
	}
	child := r.childActivation(it, e.callee)
	key := enterKey{child, e.inner, end}
	if r.entered[key] {
		return
	}
	r.entered[key] = true
	into := it
	into.nodeKey, into.place, into.asks = nodeKey{child, end}, e.inner, true
	r.push(into)
}

// childActivation is the activation of a callee at a call.
func (r visitor) childActivation(it item, callee *function) *activation {
	key := childKey{it.nodeKey, callee}
	if r.children[key] == nil {
		r.children[key] = &activation{f: callee, parent: it.a, call: it.i, depth: it.a.depth, nested: it.a.nested + 1,
			caught: it.a.hasHandler(it.i), viaPointer: it.a.viaPointer || it.a.f.isUnresolvedCall(it.i)}
		if !callee.isFromHeader() && len(callee.insts) > maxSmall {
			r.children[key].depth++
			r.children[key].nested = 0
		}
	}
	return r.children[key]
}

// askCallTarget asks where the address of an indirect call comes from.
func (r visitor) askCallTarget(it item) {
	if in := &it.a.f.insts[it.i]; in.Indirect {
		r.askOperands(it)
	}
}

// followUnknownCall is a call of which nothing is known: what it gives depends on what it
// is given.
func (r visitor) followUnknownCall(it item) {
	f := it.a.f
	r.push(it.atInst(it.i, slicing.Data))
	at := r.reporter().withLineDistance(it)
	for n := range f.effects().givenArgs(it.i) {
		r.askRegisters(at, cpu.Set(f.mod.arch.Args[n]))
	}
	r.askCallTarget(at)
}

// followModel is a call that there is a model for.
func (r visitor) followModel(it item, m calls.Model, e effect) {
	r.push(it.atInst(it.i, slicing.Data))
	if e.arg < 0 && !m.Result {
		return
	}
	at := r.reporter().withLineDistance(it)
	role := m.Role(e.arg)
	arrives := m.MPI && (role == calls.RecvData || role == calls.BothData)
	r.askArguments(at, m, !m.MPI || arrives && !calls.PointToPoint(m.Name))
	if arrives {
		r.followPeers(at, m, e)
	}
}

// askArguments asks for the arguments that decide what a call does and, if wanted,
// for the data it is given.
func (r visitor) askArguments(it item, m calls.Model, payload bool) {
	f := it.a.f
	for n := range f.effects().modelArgs(m) {
		role := m.Role(n)
		reads, data := role.Reads()
		switch {
		case role == calls.Float:
			r.askRegisters(it, f.mod.arch.Floats)
		case role == calls.Callback:
			r.enterCallback(it, n)
		case m.ByReference && role.Decides():
			r.askPointee(it, n, 4)
		case role.Decides():
			r.askArgument(it, n)
		case reads && (payload || !data):
			r.askPointee(it, n, 0)
			if role == calls.Block {
				r.askStoredPointees(it, f.valueFlow().placeAt(f.effects().argValue(it.i, n), parameterBlock))
			}
		}
	}
}

// enterCallback goes into the functions that argument n of a call may be, for what they return.
// What they are given is taken to be what the call is given.
func (r visitor) enterCallback(it item, n int) {
	p := it.a.f.effects().argPlace(it.i, n)
	r.askArgument(it, n)
	for _, callee := range r.searchFunctions(it.a, func(c *constants) { c.tracePlace(it.a, it.i, p) }) {
		r.enterCallee(it, effect{callee: callee, inner: registerPlace(it.a.f.mod.arch.Result)}, atReturn)
	}
}

// askArgument asks for the value of argument n of a call.
func (r visitor) askArgument(it item, n int) {
	p := it.a.f.effects().argPlace(it.i, n)
	if p.isMemory() {
		r.askMemory(it, p)
	} else {
		r.askRegisters(it, cpu.Set(p.reg))
	}
}

// askPointee asks for what argument n points to; size 0 means all that is there.
func (r visitor) askPointee(it item, n int, size int64) {
	f := it.a.f
	x := f.effects().argValue(it.i, n)
	if x.any || x.base != stackBase && x.base != constBase {
		r.askArgument(it, n)
	}
	r.askMemory(it, f.valueFlow().placeAt(x, size))
}

// parameterBlock is the size of the parameters of a transfer in libgfortran.
const parameterBlock = 544

// askStoredPointees asks for what the pointers lead to that were put into a place.
func (r visitor) askStoredPointees(it item, p place) {
	f := it.a.f
	for _, d := range f.reaching().definitions(it.i, p).defs {
		in := &f.insts[d]
		if in.Move != cpu.StoreReg || !f.mod.arch.IsGeneral(in.Src) {
			continue
		}
		x := f.valueFlow().regs[d][in.Src]
		if x.base == stackBase || x.base == constBase && f.isData(x.off) {
			r.askMemory(it, f.valueFlow().placeAt(x, 0))
		}
	}
}
