package native

import (
	"slices"
	"time"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/slicing"
	"laggard/slicing/calls"
	"laggard/slicing/cpu"
)

// alikeness says whether a condition can be another one on one rank than on others.
type alikeness uint8

// The values, from what cannot send one rank away to what can.
const (
	unknownOrigin alikeness = iota
	alike                   // all that it comes from is the same on all ranks
	seldom                  // it comes from error codes of MPI or the arguments of the program, too
	unclear                 // not all that it comes from is known
	differs                 // it comes from what each rank has of its own, such as its number
)

// Bounds of the search for what a condition comes from.
const (
	maxOrigins = 3_000           // steps
	originTime = 1 * time.Second // for all conditions of an answer
)

// origins searches what a condition comes from. Unlike a slice it does not ask what decides whether an instruction
// runs, but what decides which of several values comes to where it is used: that both sides came there is known.
type origins struct {
	*run
	found alikeness
	asked map[originKey]bool
}

// originKey is a step of the search: an instruction, a place before it, or one at an end of a function.
type originKey struct {
	queryKey
	kind slicing.Kind
	asks bool
}

// An item of the search has one of two kinds: the value is asked for, or the address of where it is. Of different
// addresses the same may be read, as the objects of all ranks have the same in them.
const (
	asValue   = slicing.Data
	asAddress = slicing.Call
)

// begins reports whether a step is a new one.
func (o *origins) begins(it item) bool {
	key := originKey{queryKey{it.nodeKey, it.place}, it.kind, it.asks}
	if !it.asks {
		key.p = place{}
	}
	if o.asked[key] {
		return false
	}
	o.asked[key] = true
	return true
}

// withOriginTime has f ask where conditions come from, for which there is less time than for the answer. What it finds
// within that time is used; that it took longer is no reason to do without an answer.
func (r *run) withOriginTime(f func()) {
	p := r.prog
	began, worked, limit := p.began, p.worked, p.time
	p.began, p.worked, p.time = time.Now(), processTime(), min(originTime, p.time)
	f()
	p.began, p.worked, p.time = began, worked, limit
	if p.over {
		p.over, r.partial = false, true
	}
}

// conditionOrigin says whether the condition of a jump can be another one on one rank than on others. The stack is that of
// the call that it decides, in the function of the jump and further out.
func (r *run) conditionOrigin(f *function, block int, stack []model.Frame) alikeness {
	levels, _ := r.locateFrames(stack, false, false)
	if len(levels) == 0 || levels[0].f != f || r.prog.timeOver() {
		return unclear
	}
	o := origins{run: emptyRun(r.prog, r.criterion, r.budget, r.options), found: alike, asked: map[originKey]bool{}}
	jump := f.blocks[block].end - 1
	if f.insts[jump].Kind == cpu.Branch && f.insts[jump].Indirect || f.holes {
		return unclear
	}
	o.askCondition(item{nodeKey: nodeKey{o.chainActivations(levels), jump}, kind: asValue})
	if f.testsAllocation(jump) {
		o.note(seldom)
	}
	for steps := 0; o.queue.count > 0 && o.found < differs; steps++ {
		if steps > maxOrigins || r.prog.timeOver() {
			return unclear
		}
		switch it := o.queue.pop(); {
		case it.asks:
			o.askPlace(it)
		case it.throws:
			o.note(unclear)
		case it.strays != nil:
			o.followStrays(it)
		default:
			o.visitInst(it)
		}
	}
	return o.found
}

// testsAllocation reports whether a jump depends on where an object on the heap is: whether there was memory for it.
func (f *function) testsAllocation(jump int) (tests bool) {
	v := f.valueFlow()
	f.insts[jump].Use.Each(func(reg cpu.Reg) {
		d, sole := f.resolver().soleWriter(jump, registerPlace(reg))
		if !sole || f.insts[d].Kind == cpu.Call {
			return
		}
		f.insts[d].Use.Each(func(used cpu.Reg) {
			if f.mod.arch.IsGeneral(used) {
				tests = tests || v.bases[v.regs[d][used].base].kind == allocated
			}
		})
		if p := f.resolver().resolveValue(d, v.loadedAt(d)); p.base != noBase {
			tests = tests || v.bases[p.base].kind == allocated
		}
	})
	return tests
}

// loadedAt is the value that an instruction loads as it compares it.
func (v *values) loadedAt(i int) value {
	in := &v.f.insts[i]
	if p := *v.load[i]; in.Load != nil && p.isExact() && p.hi-p.lo == 8 {
		return value{base: v.intern(base{kind: loaded, from: p.base, off: p.lo})}
	}
	return value{}
}

// note remembers what some of the condition comes from.
func (o *origins) note(a alikeness) { o.found = max(o.found, a) }

// askCondition asks for what a jump depends on.
func (o *origins) askCondition(it item) {
	if in := &it.a.f.insts[it.i]; in.Kind == cpu.Call { // it decides by an exception
		o.note(unclear)
		return
	}
	if o.begins(it) {
		o.askOperands(it)
	}
}

// askOperands asks for everything that an instruction reads, and for where that is.
func (o *origins) askOperands(it item) {
	f, at := it.a.f, it
	at.kind = asAddress
	in := &f.insts[it.i]
	o.visitor().askRegisters(it, in.Use)
	o.visitor().askRegisters(at, f.addressRegisters(it.i))
	if in.Load != nil {
		o.visitor().askMemory(it, *f.valueFlow().load[it.i])
	}
}

// visitInst asks for what an instruction reads.
func (o *origins) visitInst(it item) {
	f := it.a.f
	in := &f.insts[it.i]
	if _, tail := f.tails[it.i]; in.Kind == cpu.Call || tail {
		if !o.begins(it) {
			return
		}
		if t := f.effects().callTarget(it.i); t.known {
			o.fromModel(it, t.model, 0)
		} else {
			o.note(unclear)
		}
		return
	}
	if in.Load != nil && f.resolver().resolvePlace(it.i, *f.valueFlow().load[it.i]).base == noBase || in.Opaque {
		o.note(unclear)
	}
	o.askCondition(it)
}

// askPlace goes to what may define a place before an instruction, and to what decides which of several does.
func (o *origins) askPlace(it item) {
	if !o.begins(it) {
		return
	}
	f := it.a.f
	found := f.reaching().definitionsAt(it.i, it.place)
	defs, entry := f.effects().withoutReplaced(it.i, it.place, found)
	if it.i < 0 {
		o.visitor().askCallTarget(item{nodeKey: nodeKey{it.a.parent, it.a.call}})
	}
	if len(found.thrown) > 0 {
		o.note(unclear)
	}
	for _, d := range defs {
		if _, tail := f.tails[d]; tail || f.insts[d].Kind == cpu.Call {
			o.enterCall(it, d)
		} else {
			o.push(it.atInst(d, it.kind))
		}
		if len(defs) > 1 || entry {
			o.askChoice(it, d)
		}
	}
	if byAddress, pointed := f.valueFlow().mayStray(it.place); len(found.passed) > 0 && (byAddress || pointed) {
		at := it
		at.asks, at.strays = false, found.passed
		o.push(at)
	}
	if slices.ContainsFunc(found.passed, f.runsUnseenCode) {
		o.note(unclear)
	}
	if entry {
		o.askCaller(it)
	}
}

// askChoice asks for the conditions that decide whether one of several definitions comes to where the place is used.
func (o *origins) askChoice(it item, def int) {
	f := it.a.f
	at := int(f.blk[def])
	for _, c := range f.graph().controllers(at, false) {
		if o.prog.timeOver() {
			return
		}
		if it.i < 0 || !f.graph().decidesTogether(c, at, int(f.blk[it.i])) {
			o.push(it.atInst(f.blocks[c].end-1, it.kind))
		}
	}
}

// decidesTogether reports whether the same ways out of a block lead to two others: who comes to one of them went the way
// to the other.
func (f flowGraph) decidesTogether(block, a, b int) bool {
	leads := false
	for _, s := range f.blocks[block].succs {
		reached := f.reachableBlocks(int(s), block)
		if reached[a] != reached[b] {
			return false
		}
		leads = leads || reached[a]
	}
	return leads
}

// enterCall goes into a call that defines what is asked for.
func (o *origins) enterCall(it item, call int) {
	f := it.a.f
	for _, e := range f.effects().callEffects(call, it.place) {
		at := it
		at.i = call
		switch t := f.effects().callTarget(call); {
		case e.callee != nil && (it.a.depth >= maxDescent || it.a.nested >= maxNested):
			o.note(unclear)
		case e.callee != nil:
			into := at.forPlace(e.inner)
			into.nodeKey = nodeKey{o.visitor().childActivation(at, e.callee), atReturn}
			o.push(into)
		case t.known:
			o.fromModel(at, t.model, e.arg)
		case f.insts[call].Indirect && len(o.indirectTargets(it.a, call)) > 0:
			o.visitor().enterTargets(at, atReturn)
			o.visitor().askCallTarget(at)
		default:
			o.note(unclear)
		}
	}
}

// fromModel is a call that there is a model for, of which an argument or the result, -1, is asked for.
func (o *origins) fromModel(it item, m calls.Model, arg int) {
	it.asks, it.strays = false, nil
	switch gives := m.Gives(); {
	case m.IsErrorCode(arg):
		o.note(seldom)
	case (gives == mpi.GivesOwn || m.Own) && it.kind == asAddress:
		o.note(unclear)
	case gives == mpi.GivesOwn || m.Own:
		o.note(differs)
	case gives == mpi.GivesAlike:
		if n := m.CommIndex(); n >= 0 && m.ByReference {
			o.visitor().askPointee(it, n, 4)
		} else if n >= 0 {
			o.visitor().askArgument(it, n)
		}
	case m.MPI || m.Outside || m.Name == "":
		o.note(unclear)
	case arg < 0 && (m.Allocates() || m.Reallocates()): // where an object is says nothing of what is in it
	case arg < 0 && !m.Result && !m.ReturnsFirst:
		o.note(unclear)
	default:
		o.visitor().askArguments(it, m, true)
	}
}

// askCaller goes to the caller for what was there when the function was entered.
func (o *origins) askCaller(it item) {
	a, p := it.a, it.place
	arch := a.f.mod.arch
	if a.parent == nil {
		o.note(a.outermostOrigin(it.i, p))
		return
	}
	if !p.isMemory() && arch.Passes.Has(p.reg) {
		o.visitor().askCaller(it)
		return
	}
	if p.isMemory() && p.base == stackBase && p.hi <= 0 {
		return // of its own frame, which nothing was put into
	}
	if p.isMemory() {
		if _, _, ok := a.parent.f.effects().outerPlace(a.call, a.f, p); ok {
			o.visitor().askCaller(it)
			return
		}
	}
	o.note(unclear)
}

// outermostOrigin is what is in a place when the outermost known function begins: data of the program as its file has them,
// which is the same on all ranks, or, of main, the program's arguments.
func (a *activation) outermostOrigin(i int, p place) alikeness {
	if p.isMemory() && p.base == constBase {
		return alike
	}
	if !slices.Contains([]string{"main", "MAIN__"}, a.f.name) {
		return unclear
	}
	if !p.isMemory() {
		if a.f.mod.arch.Passes.Has(p.reg) {
			return seldom
		}
		return unclear
	}
	if p.base == stackBase && p.hi <= 0 {
		return alike // a variable that nothing was put into
	}
	if a.f.leadsFromArgument(i, p.base) {
		return seldom
	}
	return unclear
}

// leadsFromArgument reports whether a pointer was reached by way of one that the function was given.
func (f *function) leadsFromArgument(i int, n int32) bool {
	v := f.valueFlow()
	for v.bases[n].kind == loaded {
		b := v.bases[n]
		if n = b.from; n == stackBase && i >= 0 {
			x, _ := f.resolver().storedPointer(i, b)
			n = x.base
			break
		}
	}
	return v.bases[n].kind == onEntry && n != stackBase
}
