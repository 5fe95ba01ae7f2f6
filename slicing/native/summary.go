package native

import "laggard/slicing/cpu"

// summary is what a function writes that its callers can see, itself or through
// what it calls.
type summary struct {
	writes []written
	defs   cpu.RegSet
}

// written is a place that is written; always, on every way through.
type written struct {
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

// summary is made once; that of a function that is being summarised, because it
// calls itself, is empty.
func (f *function) summary(depth int) *summary {
	if f.sum != nil {
		return f.sum
	}
	if f.summing || depth == 0 || f.mod.prog.late() {
		return &summary{defs: f.mod.arch.Results}
	}
	f.summing, f.naming = true, f.mod.prog.insts > maxLookedUp
	s := &summary{}
	always := f.always()
	for i := range f.insts {
		if f.mod.prog.late() {
			break // of a large function that is called with much, a summary can take minutes
		}
		f.summarise(s, i, always[int(f.blk[i])], depth)
	}
	for n := range f.blocks {
		s.defs = s.defs.Or(f.blocks[n].defs)
	}
	f.summing, f.naming, f.sum = false, false, s
	return s
}

func (f *function) summarise(s *summary, i int, always bool, depth int) {
	in, v := &f.insts[i], f.values()
	if _, tail := f.tails[i]; in.Kind != cpu.Call && !tail {
		if in.Store != nil {
			at := f.stores(i)
			s.add(v, written{at, always && at.exact()})
			for _, x := range v.oneOf(at.base) {
				s.add(v, written{v.below(x, at), false})
			}
		}
		return
	}
	t := f.target(i)
	switch callee := f.mod.callee(t); {
	case t.known:
		for n := range f.modelArgs(t.model) {
			if t.model.Role(n).Writes() {
				s.add(v, written{place: v.span(f.settle(i, f.arg(i, n)), 0)})
			}
		}
	case callee != nil:
		for _, w := range callee.summary(depth - 1).writes {
			if p, _, ok := f.outer(i, callee, w.place); ok {
				s.add(v, written{p, always && w.always})
			}
		}
	default:
		for n := range f.given(i) {
			s.add(v, written{place: v.span(f.settle(i, f.arg(i, n)), 0)})
		}
	}
}

// add notes a write that callers can see.
func (s *summary) add(v *values, w written) {
	if !v.visible(w.place) {
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

// visible tells whether a place means something to the caller.
func (v *values) visible(p place) bool {
	if !p.memory() || p.base == noBase {
		return false
	}
	if v.elsewhere(p.base) && v.typeOf(p.base) != nil && v.telling(v.typeOf(p.base)) {
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
			at, ok := v.handed()[n]
			if !ok {
				return false
			}
			n, off = at.base, at.off
		}
	}
}

// handed are the places where callers find pointers that the function got from calls: memory of a container, whose
// type does not say which data may be the same. Such a pointer is put into one place, and nothing else is put there.
func (v *values) handed() map[int32]value {
	if v.hands != nil || !v.typed {
		return v.hands
	}
	v.hands = map[int32]value{}
	put := map[value]int32{}
	for i := range v.f.insts {
		in, p := &v.f.insts[i], v.addr[i]
		root := v.root(p.base)
		if in.Store == nil || !p.exact() || p.hi-p.lo != 8 || root == stackBase || v.bases[root].kind != onEntry {
			continue
		}
		at, x := value{base: p.base, off: p.lo}, value{}
		if in.Move == cpu.StoreReg && v.f.mod.arch.Holds(in.Src) {
			x = v.regs[i][in.Src]
		}
		if old, ok := put[at]; ok && old != x.base || x.any || x.off != 0 || !v.made(x.base) {
			x.base = noBase
		}
		put[at] = x.base
	}
	places := map[int32]int{}
	for at, n := range put {
		places[n]++
		v.hands[n] = at
	}
	for n, count := range places {
		if n == noBase || count > 1 {
			delete(v.hands, n)
		}
	}
	return v.hands
}

// root is the base that the pointers were loaded from by which a base is reached.
func (v *values) root(n int32) int32 {
	for v.bases[n].kind == loaded {
		n = v.bases[n].from
	}
	return n
}

// made tells whether a base is what a call returned, of a type that does not say which data may be the same.
func (v *values) made(n int32) bool {
	switch v.bases[n].kind {
	case allocated, result:
		t := v.typeOf(n)
		return t == nil || !v.telling(t)
	}
	return false
}

// maxAccessor bounds, in bytes, the functions that are looked at for which pointer
// they return.
const maxAccessor = 512

// accessor is the function of this module that is called, if it is small and returns
// a pointer; nil else.
func (m *module) accessor(t target) *function {
	if t.known || t.addr == 0 {
		return nil
	}
	sym, ok := m.code.Function(t.addr)
	if !ok || sym.Lo != t.addr || sym.Hi-sym.Lo > maxAccessor || m.prog.late() {
		return nil
	}
	f := m.function(t.addr)
	if f == nil || f.solving || f.entry != t.addr {
		return nil
	}
	if r := f.variables().Result; r == nil || !r.Pointer && len(r.Fields) == 0 {
		return nil
	}
	return f
}

// clobbers are the registers that a function may change, of those that it may:
// compilers keep values in the others when they see both functions.
func (m *module) clobbers(addr uint64, depth int) cpu.RegSet {
	if depth == 0 {
		return m.arch.CallerSaved
	}
	sym, ok := m.code.Function(addr)
	if !ok || sym.Lo != addr || sym.Hi-sym.Lo > maxEndlessSize {
		return m.arch.CallerSaved
	}
	f := m.function(addr)
	if f == nil || f.holes {
		return m.arch.CallerSaved
	}
	if f.changes.Empty() {
		f.changes = f.clobbered(depth)
	}
	return f.changes
}

func (f *function) clobbered(depth int) cpu.RegSet {
	arch := f.mod.arch
	out := cpu.Set(arch.SP) // never the empty set
	for i := range f.insts {
		in := &f.insts[i]
		if to, tail := f.tails[i]; tail || in.Kind == cpu.Call {
			t := f.mod.direct(in)
			if to != 0 && tail {
				t.addr = to
			}
			if t.known || t.addr == 0 {
				return arch.CallerSaved
			}
			out = out.Or(f.mod.clobbers(t.addr, depth-1))
		}
		out = out.Or(in.Def)
	}
	return out.And(arch.CallerSaved.Or(cpu.Set(arch.SP)))
}
