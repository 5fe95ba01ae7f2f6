package native

import (
	"iter"

	"laggard/slicing/calls"
	"laggard/slicing/cpu"
	"laggard/slicing/shape"
)

// effect is one way in which a call defines a place.
type effect struct {
	callee *function // nil: seen through the model, or unknown
	inner  place     // the same place as the callee sees it
	arg    int       // with a model: the argument that leads to the place, -1 the result
	all    bool      // certain, and nothing is left of what was there
	// found: only if it is found what an indirect call calls, and that defines the place.
	found bool
}

// target finds what instruction i calls. The address may have come into a
// register.
func (f *function) target(i int) target {
	in := &f.insts[i]
	t := f.mod.direct(in)
	if t.addr != 0 || t.name != "" || !in.Indirect {
		return t
	}
	if in.Load != nil {
		at := f.values().load[i]
		if at.base == constBase && at.exact() && !f.mod.code.Writable(uint64(at.lo)) {
			return f.mod.slot(uint64(at.lo))
		}
		return target{}
	}
	if v := f.values().regs[i]; f.mod.arch.Holds(in.Src) {
		x := v[in.Src]
		if x.base == constBase && !x.any && f.mod.code.Executable(uint64(x.off)) {
			return f.mod.target(uint64(x.off))
		}
		if b := f.values().bases[x.base]; b.kind == loaded && b.from == constBase && !b.any && !x.any && x.off == 0 &&
			!f.mod.code.Writable(uint64(b.off)) { // out of a slot that the loader fills
			return f.mod.slot(uint64(b.off))
		}
	}
	return target{}
}

// opened is the function that a call is followed into; nil if it is not known, or there is a model for it.
func (f *function) opened(i int) *function {
	t := f.target(i)
	if t.known {
		return nil
	}
	return f.mod.callee(t)
}

// arg is the value of argument n of a call.
func (f *function) arg(i, n int) value {
	v, regs := f.values(), f.mod.arch.Args
	if n < len(regs) {
		return v.regs[i][regs[n]]
	}
	if args := v.passed[i]; n-len(regs) < len(args) {
		return args[n-len(regs)]
	}
	return value{}
}

// argPlace is where argument n of a call is.
func (f *function) argPlace(i, n int) place {
	regs := f.mod.arch.Args
	if n < len(regs) {
		return register(regs[n])
	}
	v := f.values()
	sp := v.regs[i][f.mod.arch.SP]
	sp.off += 8 * int64(n-len(regs))
	return v.span(sp, 8)
}

// effects are the ways in which call i may define a place.
func (f *function) effects(i int, p place) []effect {
	t := f.target(i)
	if t.known {
		return f.modelled(i, t.model, p)
	}
	if callee := f.mod.callee(t); callee != nil {
		return f.inside(i, callee, p)
	}
	return f.unknown(i, p)
}

// modelled are the effects of a call that there is a model for.
func (f *function) modelled(i int, m calls.Model, p place) []effect {
	if !p.memory() {
		if f.mod.arch.Results.Has(p.reg) {
			return []effect{{arg: -1, all: true}}
		}
		return nil
	}
	var out []effect
	for n := range f.modelArgs(m) {
		if !m.Role(n).Writes() {
			continue
		}
		x := f.settle(i, f.arg(i, n))
		if f.values().overlaps(f.values().span(x, 0), p) {
			one := x.base == p.base && !x.any && !f.values().bases[x.base].several()
			small := one && p.exact() && p.lo == x.off && p.hi-p.lo <= 8
			out = append(out, effect{arg: n, all: small && m.Role(n) != calls.BothData})
		}
	}
	return out
}

// modelArgs is how many arguments of a call are looked at.
func (f *function) modelArgs(m calls.Model) int {
	if m.Variadic() {
		return len(f.mod.arch.Args)
	}
	return m.Args()
}

// inside are the effects of a call whose code is known.
func (f *function) inside(i int, callee *function, p place) []effect {
	if !p.memory() {
		if f.mod.arch.Results.Has(p.reg) && callee.summary(maxSummary).defs.Has(p.reg) {
			return []effect{{callee: callee, inner: p, all: true}}
		}
		return nil
	}
	var out []effect
	for s, m := range f.met(i, callee, p) {
		inner := s.inner.place
		if s.direct && m.known && p.bounded() {
			by := m.shift - s.shift
			inner.any, inner.lo, inner.hi, inner.grid = p.any, p.lo+by, p.hi+by, p.shifted(by)
		}
		out = addEffect(out, effect{callee: callee, inner: inner, all: f.leavesNothing(s, p)})
	}
	return out
}

// leavesNothing tells whether a write of a call is certain, and leaves nothing of what was in a place.
func (f *function) leavesNothing(s *seenWrite, p place) bool {
	return s.inner.always && f.values().covers(s.outer.place, p)
}

// met are those writes of a call that may be to a place in memory, and how they lie to it.
func (f *function) met(i int, callee *function, p place) iter.Seq2[*seenWrite, meeting] {
	return func(yield func(*seenWrite, meeting) bool) {
		v, asked, seen := f.values(), datum{place: p}, f.seen(i, callee, callee.summary(maxSummary))
		for _, n := range f.meeting(i, callee, seen, &asked) {
			s := &seen.writes[n]
			if m, ok := v.meet(&asked, &s.outer); ok && !yield(s, m) {
				return
			}
		}
	}
}

// meeting are the numbers of those writes of a call that may be to a datum, remembered, or as far as the types say.
func (f *function) meeting(i int, callee *function, seen *seenWrites, asked *datum) []int16 {
	v, key, h := f.values(), callKey{i, callee}, f.hitsOf(asked.place)
	if h == nil || callee.sum == nil {
		return v.candidates(seen, asked)
	}
	out, ok := h.met[key]
	if !ok {
		for _, n := range v.candidates(seen, asked) {
			if _, ok := v.meet(asked, &seen.writes[n].outer); ok {
				out = append(out, n)
			}
		}
		if len(out) > 0 { // of the others the hits say that they are none
			f.mod.prog.remember(60 + 2*len(out))
			h.met[key] = out
		}
	}
	return out
}

// callKey is a call and what it calls.
type callKey struct {
	call   int
	callee *function
}

// seenKey is a call, and whether a pointer is being looked up.
type seenKey struct {
	callKey
	holding bool
}

// seenWrites are the writes of a callee as one call sees them.
type seenWrites struct {
	writes []seenWrite
	all    []int16                  // the numbers of all
	byType map[*shape.Shape][]int16 // of those that may be to an object of a type, a part of it, or what has it
}

// seenWrite is a write of a callee as the caller sees it.
type seenWrite struct {
	inner  *written // as the summary has it
	direct bool     // shift is known
	shift  int64    // what is added to an offset of the write's own place
	outer  datum
}

// seen are the writes of a callee as call i sees them.
func (f *function) seen(i int, callee *function, sum *summary) *seenWrites {
	key := seenKey{callKey{i, callee}, f.lookingUp()}
	if out, ok := f.views[key]; ok {
		return out
	}
	out := &seenWrites{}
	for n := range sum.writes {
		if p, x, ok := f.outer(i, callee, sum.writes[n].place); ok {
			out.all = append(out.all, int16(len(out.writes)))
			out.writes = append(out.writes, seenWrite{&sum.writes[n], !x.any, x.off, datum{place: p}})
		}
	}
	if callee.sum == sum {
		if f.views == nil {
			f.views = map[seenKey]*seenWrites{}
		}
		f.views[key] = out
	}
	return out
}

// candidates are the numbers of those writes of a call that may be to a datum, as far as their types say. The same
// types are asked for again and again.
func (v *values) candidates(s *seenWrites, asked *datum) []int16 {
	t := v.kindOf(asked).Shape
	if t == nil || !v.final {
		return s.all
	}
	out, ok := s.byType[t]
	if !ok {
		for n := range s.writes {
			if v.mayBe(asked, &s.writes[n].outer) {
				out = append(out, int16(n))
			}
		}
		if s.byType == nil {
			s.byType = map[*shape.Shape][]int16{}
		}
		s.byType[t] = out
	}
	return out
}

func addEffect(list []effect, e effect) []effect {
	for i := range list {
		if list[i].inner == e.inner {
			list[i].all = list[i].all || e.all
			return list
		}
	}
	return append(list, e)
}

// outer is a place of the callee as the caller sees it at call i, and what its base
// is there.
func (f *function) outer(i int, callee *function, p place) (place, value, bool) {
	x, ok := f.outerBase(i, callee, p.base)
	if ok && x.base != noBase {
		return f.values().below(x, p), x, true
	}
	inner := callee.values()
	if p.base == noBase || !inner.elsewhere(p.base) {
		return place{}, value{}, false
	}
	// Of what remains, another object of the same type is the most likely.
	t := inner.typeOf(p.base)
	if t == nil && (!p.exact() || !inner.opaque(p.base)) {
		return place{}, value{}, false
	}
	p.base = f.values().intern(base{kind: allocated, at: anywhere, typ: t})
	return p, value{base: p.base}, true
}

// outerBase is the value that a base of the callee has for the caller.
func (f *function) outerBase(i int, callee *function, n int32) (value, bool) {
	v, b := f.values(), callee.values().bases[n]
	switch b.kind {
	case allocated:
		if out := callee.values().gives; out.base == n && !out.any && out.off == 0 {
			if x := v.after[i]; x.base != noBase {
				return x, true
			}
		}
		if x, ok := f.outerHanded(i, callee, n); ok {
			return x, true
		}
		return value{base: v.intern(base{kind: allocated, at: anywhere, typ: callee.values().typeOf(n)})}, true
	case constant:
		return value{base: constBase}, f.mod == callee.mod
	case onEntry:
		if arch := f.mod.arch; b.reg == arch.SP {
			sp := v.regs[i][arch.SP]
			if f.insts[i].Kind == cpu.Call {
				sp.off -= arch.ReturnAddress
			}
			return sp, sp.base != noBase
		}
		return f.settle(i, v.regs[i][b.reg]), true
	case loaded:
		if b.from == stackBase && b.off < f.mod.arch.ReturnAddress {
			return value{}, false // it was kept in the frame of the callee, which is gone
		}
		from, ok := f.outerBase(i, callee, b.from)
		if !ok || from.base == noBase || v.nesting[from.base] >= maxNesting {
			return value{}, false
		}
		own := base{kind: loaded, from: from.base, off: from.off + b.off, any: from.any || b.any}
		if x, ok := f.held(i, own); ok && x.base != noBase {
			return x, true
		}
		return value{base: v.intern(own)}, true
	}
	return f.outerHanded(i, callee, n)
}

// outerHanded is the value for the caller of a pointer that the callee got from a call and put where the
// caller finds it.
func (f *function) outerHanded(i int, callee *function, n int32) (value, bool) {
	at, ok := callee.values().handed()[n]
	if !ok {
		return value{}, false
	}
	v := f.values()
	from, ok := f.outerBase(i, callee, at.base)
	if !ok || from.base == noBase || v.nesting[from.base] >= maxNesting {
		return value{}, false
	}
	return value{base: v.intern(base{kind: loaded, from: from.base, off: from.off + at.off, any: from.any})}, true
}

// unknown are the effects of a call of which nothing is known: it may write
// what it is given the address of.
func (f *function) unknown(i int, p place) []effect {
	if !p.memory() {
		if f.mod.arch.Single.Has(p.reg) {
			return []effect{{arg: -1, all: true}}
		}
		return nil
	}
	var out []effect
	v, asked, given := f.values(), datum{place: p}, f.handedTo(i)
	for n := range given {
		if _, ok := v.meet(&given[n], &asked); ok {
			out = append(out, effect{arg: n})
		}
	}
	if len(out) == 0 && f.insts[i].Indirect && f.values().shared(p) {
		out = append(out, effect{found: true})
	}
	return out
}

// handedTo is what the arguments of call i lead to, of a function of which nothing is known.
func (f *function) handedTo(i int) []datum {
	if out, ok := f.hands[i]; ok {
		return out
	}
	var out []datum
	for n := range f.given(i) {
		out = append(out, datum{place: f.values().span(f.settle(i, f.arg(i, n)), 0)})
	}
	if !f.lookingUp() && f.values().final {
		if f.hands == nil {
			f.hands = map[int][]datum{}
		}
		f.hands[i] = out
	}
	return out
}

// given is how many argument registers are set before call i in its block, in
// their order: as many as a function of which nothing is known seems to take.
func (f *function) given(i int) int {
	var set cpu.RegSet
	for j := i - 1; j >= f.block(i).first && f.insts[j].Kind != cpu.Call; j-- {
		set = set.Or(f.insts[j].Def)
	}
	n, regs := 0, f.mod.arch.Args
	for n < len(regs) && set.Has(regs[n]) {
		n++
	}
	return n
}
