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

// callEffects says what the calls in a function write and read.
type callEffects struct{ *function }

func (f *function) effects() callEffects { return callEffects{f} }

// callTarget finds what instruction i calls. The address may have come into a
// register.
func (f callEffects) callTarget(i int) target {
	in := &f.insts[i]
	t := f.mod.directTarget(in)
	if t.addr != 0 || t.name != "" || !in.Indirect {
		return t
	}
	if in.Load != nil {
		at := *f.valueFlow().load[i]
		if at.base == constBase && at.isExact() && !f.mod.code.IsWritable(uint64(at.lo)) {
			return f.mod.slotTarget(uint64(at.lo))
		}
		return target{}
	}
	if v := f.valueFlow().regs[i]; f.mod.arch.IsGeneral(in.Src) {
		x := v[in.Src]
		if x.base == constBase && !x.any && f.mod.code.IsExecutable(uint64(x.off)) {
			return f.mod.targetAt(uint64(x.off))
		}
		if b := f.valueFlow().bases[x.base]; b.kind == loaded && b.from == constBase && !b.any && !x.any && x.off == 0 &&
			!f.mod.code.IsWritable(uint64(b.off)) { // out of a slot that the loader fills
			return f.mod.slotTarget(uint64(b.off))
		}
	}
	return target{}
}

// followedCallee is the function that a call is followed into; nil if it is not known, or there is a model for it.
func (f callEffects) followedCallee(i int) *function {
	t := f.callTarget(i)
	if t.known {
		return nil
	}
	return f.mod.targetFunction(t)
}

// argValue is the value of argument n of a call.
func (f callEffects) argValue(i, n int) value {
	v, regs := f.valueFlow(), f.mod.arch.Args
	if n < len(regs) {
		return v.regs[i][regs[n]]
	}
	if args := v.passed[i]; n-len(regs) < len(args) {
		return args[n-len(regs)]
	}
	return value{}
}

// argPlace is where argument n of a call is.
func (f callEffects) argPlace(i, n int) place {
	regs := f.mod.arch.Args
	if n < len(regs) {
		return registerPlace(regs[n])
	}
	v := f.valueFlow()
	sp := v.regs[i][f.mod.arch.SP]
	sp.off += 8 * int64(n-len(regs))
	return v.placeAt(sp, 8)
}

// callEffects are the ways in which call i may define a place.
func (f callEffects) callEffects(i int, p place) []effect {
	t := f.callTarget(i)
	if t.known {
		return f.modelEffects(i, t.model, p)
	}
	if callee := f.mod.targetFunction(t); callee != nil {
		return f.calleeEffects(i, callee, p)
	}
	return f.unknownEffects(i, p)
}

// modelEffects are the effects of a call that there is a model for.
func (f callEffects) modelEffects(i int, m calls.Model, p place) []effect {
	if !p.isMemory() {
		if f.mod.arch.Results.Has(p.reg) {
			return []effect{{arg: -1, all: true}}
		}
		return nil
	}
	var out []effect
	for n := range f.modelArgs(m) {
		if m.Role(n) == calls.Filled && f.fillsBlock(i, n, p) {
			out = append(out, effect{arg: n})
		}
		if !m.Role(n).Writes() {
			continue
		}
		x := f.resolver().resolveValue(i, f.argValue(i, n))
		if f.valueFlow().aliases().mayOverlap(f.valueFlow().placeAt(x, 0), p) {
			one := x.base == p.base && !x.any && !f.valueFlow().bases[x.base].mayVary()
			small := one && p.isExact() && p.lo == x.off && p.hi-p.lo <= 8
			out = append(out, effect{arg: n, all: small && m.Role(n) != calls.BothData})
		}
	}
	return out
}

// fillsBlock reports whether a place may be where a pointer leads to that is in a block of parameters: argument n of call i. The compiler
// puts them there right before the call.
func (f callEffects) fillsBlock(i, n int, p place) bool {
	v := f.valueFlow()
	block := v.placeAt(f.argValue(i, n), parameterBlock)
	for d := f.blocks[f.blk[i]].first; d < i && block.base == stackBase; d++ {
		in := &f.insts[d]
		if in.Move != cpu.StoreReg || !f.mod.arch.IsGeneral(in.Src) {
			continue
		}
		at := f.resolver().storePlace(d)
		x := v.regs[d][in.Src]
		known := x.base == stackBase || x.base == constBase && f.isData(x.off)
		if known && at.base == block.base && at.lo >= block.lo && at.hi <= block.hi && v.aliases().mayOverlap(v.placeAt(x, 8), p) {
			return true
		}
	}
	return false
}

// modelArgs is how many arguments of a call are looked at.
func (f callEffects) modelArgs(m calls.Model) int {
	if m.Variadic() {
		return len(f.mod.arch.Args)
	}
	return m.Args()
}

// calleeEffects are the effects of a call whose code is known.
func (f callEffects) calleeEffects(i int, callee *function, p place) []effect {
	if !p.isMemory() {
		if f.mod.arch.Results.Has(p.reg) && callee.writeSummary(maxSummary).defs.Has(p.reg) {
			return []effect{{callee: callee, inner: p, all: true}}
		}
		return nil
	}
	var out []effect
	for s, m := range f.aliasingWrites(i, callee, p) {
		inner := s.inner.place
		if s.direct && m.known && p.isBounded() {
			by := m.shift - s.shift
			inner.any, inner.lo, inner.hi, inner.grid = p.any, p.lo+by, p.hi+by, p.shiftedBy(by)
		}
		out = addEffect(out, effect{callee: callee, inner: inner, all: f.leavesNothing(s, p)})
	}
	return out
}

// leavesNothing reports whether a write of a call is certain, and leaves nothing of what was in a place.
func (f callEffects) leavesNothing(s *seenWrite, p place) bool {
	return s.inner.always && f.valueFlow().aliases().coversPlace(s.outer.place, p)
}

// aliasingWrites are those writes of a call that may be to a place in memory, and how they lie to it.
func (f callEffects) aliasingWrites(i int, callee *function, p place) iter.Seq2[*seenWrite, aliasShift] {
	return func(yield func(*seenWrite, aliasShift) bool) {
		v, asked, seen := f.valueFlow(), datum{place: p}, f.seenByCall(i, callee, callee.writeSummary(maxSummary))
		for _, n := range f.aliasingIndices(i, callee, seen, &asked) {
			s := &seen.writes[n]
			if m, ok := v.aliases().mayAlias(&asked, &s.outer); ok && !yield(s, m) {
				return
			}
		}
	}
}

// aliasingIndices are the numbers of those writes of a call that may be to a datum, remembered, or as far as the types say.
func (f callEffects) aliasingIndices(i int, callee *function, seen *seenWrites, asked *datum) []int16 {
	v, key, h := f.valueFlow(), callKey{i, callee}, f.reaching().hitsOf(asked.place)
	if h == nil || callee.sum == nil {
		return v.candidates(seen, asked)
	}
	out, ok := h.aliasing[key]
	if !ok {
		for _, n := range v.candidates(seen, asked) {
			if _, ok := v.aliases().mayAlias(asked, &seen.writes[n].outer); ok {
				out = append(out, n)
			}
		}
		if len(out) > 0 { // of the others the hits say that they are none
			f.mod.prog.rememberAnswers(60 + 2*len(out))
			h.aliasing[key] = out
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
	lookingUp bool
}

// seenWrites are the writes of a callee as one call sees them.
type seenWrites struct {
	writes []seenWrite
	all    []int16                  // the numbers of all
	byType map[*shape.Shape][]int16 // of those that may be to an object of a type, a part of it, or what has it
}

// seenWrite is a write of a callee as the caller sees it.
type seenWrite struct {
	inner  *writtenPlace // as the summary has it
	direct bool          // shift is known
	shift  int64         // what is added to an offset of the write's own place
	outer  datum
}

// seenByCall are the writes of a callee as call i sees them.
func (f callEffects) seenByCall(i int, callee *function, sum *summary) *seenWrites {
	key := seenKey{callKey{i, callee}, f.resolver().isLookingUp()}
	if out, ok := f.views[key]; ok {
		return out
	}
	out := &seenWrites{}
	for n := range sum.writes {
		if p, x, ok := f.outerPlace(i, callee, sum.writes[n].place); ok {
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
	t := v.aliases().kindOf(asked).Shape
	if t == nil || !v.final {
		return s.all
	}
	out, ok := s.byType[t]
	if !ok {
		for n := range s.writes {
			if v.aliases().mayBeInObject(asked, &s.writes[n].outer) {
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

// outerPlace is a place of the callee as the caller sees it at call i, and what its base
// is there.
func (f callEffects) outerPlace(i int, callee *function, p place) (place, value, bool) {
	x, ok := f.outerBase(i, callee, p.base)
	if ok && x.base != noBase {
		return f.valueFlow().relativePlace(x, p), x, true
	}
	inner := callee.valueFlow()
	if p.base == noBase || !inner.aliases().mayBeAliased(p.base) {
		return place{}, value{}, false
	}
	// Of what remains, another object of the same type is the most likely.
	t := inner.aliases().typeOf(p.base)
	if t == nil && (!p.isExact() || !inner.aliases().isOpaque(p.base)) {
		return place{}, value{}, false
	}
	p.base = f.valueFlow().intern(base{kind: allocated, at: anywhere, typ: t})
	return p, value{base: p.base}, true
}

// outerBase is the value that a base of the callee has for the caller.
func (f callEffects) outerBase(i int, callee *function, n int32) (value, bool) {
	v, b := f.valueFlow(), callee.valueFlow().bases[n]
	switch b.kind {
	case allocated:
		if out := callee.valueFlow().returnValue; out.base == n && !out.any && out.off == 0 {
			if x := v.after[i]; x.base != noBase {
				return x, true
			}
		}
		if x, ok := f.outerHanded(i, callee, n); ok {
			return x, true
		}
		return value{base: v.intern(base{kind: allocated, at: anywhere, typ: callee.valueFlow().aliases().typeOf(n)})}, true
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
		return f.resolver().resolveValue(i, v.regs[i][b.reg]), true
	case loaded:
		if b.from == stackBase && b.off < f.mod.arch.ReturnAddress {
			return value{}, false // it was kept in the frame of the callee, which is gone
		}
		from, ok := f.outerBase(i, callee, b.from)
		if !ok || from.base == noBase || v.nesting[from.base] >= maxNesting {
			return value{}, false
		}
		own := base{kind: loaded, from: from.base, off: from.off + b.off, any: from.any || b.any}
		if x, ok := f.resolver().storedPointer(i, own); ok && x.base != noBase {
			return x, true
		}
		return value{base: v.intern(own)}, true
	}
	return f.outerHanded(i, callee, n)
}

// outerHanded is the value for the caller of a pointer that the callee got from a call and put where the
// caller finds it.
func (f callEffects) outerHanded(i int, callee *function, n int32) (value, bool) {
	at, ok := callee.valueFlow().handedOut()[n]
	if !ok {
		return value{}, false
	}
	v := f.valueFlow()
	from, ok := f.outerBase(i, callee, at.base)
	if !ok || from.base == noBase || v.nesting[from.base] >= maxNesting {
		return value{}, false
	}
	return value{base: v.intern(base{kind: loaded, from: from.base, off: from.off + at.off, any: from.any})}, true
}

// unknownEffects are the effects of a call of which nothing is known: it may write
// what it is given the address of.
func (f callEffects) unknownEffects(i int, p place) []effect {
	if !p.isMemory() {
		if f.mod.arch.Single.Has(p.reg) {
			return []effect{{arg: -1, all: true}}
		}
		return nil
	}
	var out []effect
	v, asked, given := f.valueFlow(), datum{place: p}, f.handedTo(i)
	for n := range given {
		if _, ok := v.aliases().mayAlias(&given[n], &asked); ok {
			out = append(out, effect{arg: n})
		}
	}
	if len(out) == 0 && f.insts[i].Indirect && f.valueFlow().aliases().isShared(p) {
		out = append(out, effect{found: true})
	}
	return out
}

// handedTo is what the arguments of call i lead to, of a function of which nothing is known.
func (f callEffects) handedTo(i int) []datum {
	if out, ok := f.unknownArgs[i]; ok {
		return out
	}
	var out []datum
	for n := range f.givenArgs(i) {
		out = append(out, datum{place: f.valueFlow().placeAt(f.resolver().resolveValue(i, f.argValue(i, n)), 0)})
	}
	if !f.resolver().isLookingUp() && f.valueFlow().final {
		if f.unknownArgs == nil {
			f.unknownArgs = map[int][]datum{}
		}
		f.unknownArgs[i] = out
	}
	return out
}

// givenArgs is how many argument registers are set before call i in its block, in
// their order: as many as a function of which nothing is known seems to take.
func (f callEffects) givenArgs(i int) int {
	var set cpu.RegSet
	for j := i - 1; j >= f.blockOf(i).first && f.insts[j].Kind != cpu.Call; j-- {
		set = set.Or(f.insts[j].Def)
	}
	n, regs := 0, f.mod.arch.Args
	for n < len(regs) && set.Has(regs[n]) {
		n++
	}
	return n
}
