package native

import "laggard/slicing/cpu"

// summary is what a function writes that its callers can see, itself or through
// what it calls.
type summary struct {
	writes []writtenPlace
	defs   cpu.RegSet
}

// writtenPlace is a place that is written; always, on every way through.
type writtenPlace struct {
	place  place
	always bool
}

const (
	maxSummary = 12 // calls that a summary goes down
	maxWrites  = 48 // of a summary; beyond it they are joined by base
	maxClobber = 2  // calls that are followed to find the registers a function changes
	// maxLookedUp is how many instructions may be taken apart before summaries stop to look up what pointers lead to.
	maxLookedUp = 50_000
)

// writeSummary is made once; that of a function that is being summarised, because it
// calls itself, is empty.
func (f *function) writeSummary(depth int) *summary {
	if f.sum != nil {
		return f.sum
	}
	if f.summing || depth == 0 || f.mod.prog.timeOver() || !f.mod.prog.nested.Enter() {
		return &summary{defs: f.mod.arch.Results}
	}
	defer f.mod.prog.nested.Leave()
	f.summing, f.naming = true, f.mod.prog.insts > maxLookedUp
	s := &summary{}
	always := f.graph().mandatoryBlocks()
	for i := range f.insts {
		if f.mod.prog.timeOver() {
			break // of a large function that is called with much, a summary can take minutes
		}
		f.summariseInst(s, i, always[int(f.blk[i])], depth)
	}
	for n := range f.blocks {
		s.defs = s.defs.Or(f.blocks[n].defs)
	}
	f.summing, f.naming, f.sum = false, false, s
	return s
}

func (f *function) summariseInst(s *summary, i int, always bool, depth int) {
	in, v := &f.insts[i], f.valueFlow()
	if _, tail := f.tails[i]; in.Kind != cpu.Call && !tail {
		if in.Store != nil {
			at := f.resolver().storePlace(i)
			s.add(v, writtenPlace{at, always && at.isExact()})
			for _, x := range v.alternatives(at.base) {
				s.add(v, writtenPlace{v.relativePlace(x, at), false})
			}
		}
		return
	}
	t := f.effects().callTarget(i)
	switch callee := f.mod.targetFunction(t); {
	case t.known:
		for n := range f.effects().modelArgs(t.model) {
			if t.model.Role(n).Writes() {
				s.add(v, writtenPlace{place: v.placeAt(f.resolver().resolveValue(i, f.effects().argValue(i, n)), 0)})
			}
		}
	case callee != nil:
		for _, w := range callee.writeSummary(depth - 1).writes {
			if p, _, ok := f.effects().outerPlace(i, callee, w.place); ok {
				s.add(v, writtenPlace{p, always && w.always})
			}
		}
	default:
		for n := range f.effects().givenArgs(i) {
			s.add(v, writtenPlace{place: v.placeAt(f.resolver().resolveValue(i, f.effects().argValue(i, n)), 0)})
		}
	}
}

// add notes a write that callers can see.
func (s *summary) add(v *values, w writtenPlace) {
	if !v.visibleToCaller(w.place) {
		return
	}
	for i := range s.writes {
		o := &s.writes[i]
		if o.place == w.place {
			o.always = o.always || w.always
			return
		}
		if len(s.writes) >= maxWrites && o.place.base == w.place.base {
			o.place.lo, o.place.hi = min(o.place.lo, w.place.lo), max(o.place.hi, w.place.hi)
			o.place.any, o.always = true, false
			return
		}
	}
	s.writes = append(s.writes, w)
}

// visibleToCaller reports whether a place means something to the caller.
func (v *values) visibleToCaller(p place) bool {
	if !p.isMemory() || p.base == noBase {
		return false
	}
	if v.aliases().mayBeAliased(p.base) && v.aliases().typeOf(p.base) != nil && v.aliases().isDistinctive(v.aliases().typeOf(p.base)) {
		return true
	}
	for n, off := p.base, p.lo; ; {
		b := v.bases[n]
		switch b.kind {
		case constant, allocated:
			return true
		case onEntry:
			arch := v.f.mod.arch
			return b.reg != arch.SP || off >= arch.ReturnAddress // the caller's part of the stack
		case loaded:
			n, off = b.from, b.off
		default:
			at, ok := v.handedOut()[n]
			if !ok {
				return false
			}
			n, off = at.base, at.off
		}
	}
}

// handedOut are the places where callers find pointers that the function got from calls: memory of a container, whose
// type does not say which data may be the same. Such a pointer is put into one place, and nothing else is put there.
func (v *values) handedOut() map[int32]value {
	if v.handedPlaces != nil || !v.typed {
		return v.handedPlaces
	}
	v.handedPlaces = map[int32]value{}
	put := map[value]int32{}
	for i := range v.f.insts {
		in, p := &v.f.insts[i], *v.addr[i]
		root := v.rootBase(p.base)
		if in.Store == nil || !p.isExact() || p.hi-p.lo != 8 || root == stackBase || v.bases[root].kind != onEntry {
			continue
		}
		at, x := value{base: p.base, off: p.lo}, value{}
		if in.Move == cpu.StoreReg && v.f.mod.arch.IsGeneral(in.Src) {
			x = v.regs[i][in.Src]
		}
		if old, ok := put[at]; ok && old != x.base || x.any || x.off != 0 || !v.isCallResult(x.base) {
			x.base = noBase
		}
		put[at] = x.base
	}
	places := map[int32]int{}
	for at, n := range put {
		places[n]++
		v.handedPlaces[n] = at
	}
	for n, count := range places {
		if n == noBase || count > 1 {
			delete(v.handedPlaces, n)
		}
	}
	return v.handedPlaces
}

// rootBase is the base that the pointers were loaded from by which a base is reached.
func (v *values) rootBase(n int32) int32 {
	for v.bases[n].kind == loaded {
		n = v.bases[n].from
	}
	return n
}

// isCallResult reports whether a base is what a call returned, of a type that does not say which data may be the same.
func (v *values) isCallResult(n int32) bool {
	switch v.bases[n].kind {
	case allocated, result:
		t := v.aliases().typeOf(n)
		return t == nil || !v.aliases().isDistinctive(t)
	}
	return false
}

// maxAccessor bounds, in bytes, the functions that are looked at for which pointer
// they return.
const maxAccessor = 512

// accessorCallee is the function of this module that is called, if it is small and returns
// a pointer; nil else.
func (m *module) accessorCallee(t target) *function {
	if t.known || t.addr == 0 {
		return nil
	}
	sym, ok := m.code.FunctionAt(t.addr)
	if !ok || sym.Lo != t.addr || sym.Hi-sym.Lo > maxAccessor || m.prog.timeOver() {
		return nil
	}
	f := m.functionAt(t.addr)
	if f == nil || f.solving || f.entry != t.addr {
		return nil
	}
	if r := f.variables().Result; r == nil || !r.Pointer && len(r.Fields) == 0 {
		return nil
	}
	return f
}

// clobberedRegs are the registers that a function may change, of those that it may:
// compilers keep values in the others when they see both functions.
func (m *module) clobberedRegs(addr uint64, depth int) cpu.RegSet {
	if depth == 0 {
		return m.arch.CallerSaved
	}
	sym, ok := m.code.FunctionAt(addr)
	if !ok || sym.Lo != addr || sym.Hi-sym.Lo > maxEndlessSize {
		return m.arch.CallerSaved
	}
	f := m.functionAt(addr)
	if f == nil || f.holes {
		return m.arch.CallerSaved
	}
	if f.changes.Empty() {
		f.changes = f.computeClobbers(depth)
	}
	return f.changes
}

func (f *function) computeClobbers(depth int) cpu.RegSet {
	arch := f.mod.arch
	out := cpu.Set(arch.SP) // never the empty set
	for i := range f.insts {
		in := &f.insts[i]
		if to, tail := f.tails[i]; tail || in.Kind == cpu.Call {
			t := f.mod.directTarget(in)
			if to != 0 && tail {
				t.addr = to
			}
			if t.known || t.addr == 0 {
				return arch.CallerSaved
			}
			out = out.Or(f.mod.clobberedRegs(t.addr, depth-1))
		}
		out = out.Or(in.Def)
	}
	return out.And(arch.CallerSaved.Or(cpu.Set(arch.SP)))
}
