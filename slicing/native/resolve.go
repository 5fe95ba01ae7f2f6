package native

import "laggard/slicing/cpu"

// placeResolver finds which memory an instruction means, and what was stored there.
type placeResolver struct{ *function }

func (f *function) resolver() placeResolver { return placeResolver{f} }

// resolvePlace names a place in memory better, if the pointer to it was itself stored
// in memory, by one instruction only, before instruction i.
func (f placeResolver) resolvePlace(i int, p place) place {
	for range maxNesting {
		q, ok := f.resolveOnce(i, p)
		if !ok {
			break
		}
		p = q
	}
	return p
}

// storePlace is where instruction i stores, as well as it can be named.
func (f placeResolver) storePlace(i int) place {
	p := *f.valueFlow().addr[i]
	if !p.isMemory() || f.valueFlow().bases[p.base].kind != loaded || f.isLookingUp() {
		return f.resolvePlace(i, p)
	}
	q, ok := f.storePlaces[i]
	if !ok {
		q = f.resolvePlace(i, p)
		if f.storePlaces == nil {
			f.storePlaces = map[int]place{}
		}
		f.storePlaces[i] = q
	}
	return q
}

// isLookingUp reports whether a pointer is being looked up: less is known then than afterwards.
func (f placeResolver) isLookingUp() bool { return f.resolvingPointer || f.naming }

// resolveValue names a value better, if it is a pointer that was itself stored in memory
// by one instruction only.
func (f placeResolver) resolveValue(i int, x value) value {
	if y, ok := f.storedPointer(i, f.valueFlow().bases[x.base]); ok && y.base != noBase && y.base != x.base {
		y.off, y.any = y.off+x.off, y.any || x.any
		return y
	}
	return x
}

func (f placeResolver) resolveOnce(i int, p place) (place, bool) {
	v := f.valueFlow()
	if !p.isMemory() {
		return p, false
	}
	x, ok := f.storedPointer(i, v.bases[p.base])
	if !ok || x.base == p.base || x.base == noBase {
		return p, false
	}
	return v.relativePlace(x, p), true
}

// storedPointer is the value that was stored where a pointer was loaded from. While a function of a large program is summarised,
// only pointers in its own frame are looked up: the others have names for its callers, and summaries are made of
// all that a program calls. What it puts somewhere itself, and then writes behind, is lost to callers that know by
// which call it was made.
func (f placeResolver) storedPointer(i int, b base) (value, bool) {
	if b.kind != loaded || b.any || f.resolvingPointer || f.naming && f.valueFlow().rootBase(b.from) != stackBase {
		return value{}, false
	}
	f.resolvingPointer = true // the search may come to a call, and so back here
	defer func() { f.resolvingPointer = false }()
	return f.storedValue(i, place{reg: cpu.None, base: b.from, lo: b.off, hi: b.off + 8}, maxNesting)
}

// maxPut bounds the instructions that may have put a pointer where it is.
const maxPut = 4

// storedValue is the value in eight bytes of memory, if it is one, whichever instruction
// put it there; a pointer that something was added to stays in its object.
func (f placeResolver) storedValue(i int, p place, depth int) (out value, ok bool) {
	r := f.reaching().definitions(i, p)
	if depth == 0 || r.entry || len(r.thrown) > 0 || len(r.defs) == 0 || len(r.defs) > maxPut {
		return value{}, false
	}
	moved := false
	for _, d := range r.defs {
		x, known := f.writtenValue(d, p, depth)
		switch own := f.valueFlow().bases[x.base]; {
		case !known:
			return value{}, false
		case own.kind == loaded && own.from == p.base && own.off == p.lo && !own.any:
			moved = true
		case out.base == noBase:
			out = x
		case x.base != out.base:
			return value{}, false
		case x != out:
			moved = true
		}
	}
	out.any = out.any || moved
	null := out.base == constBase && out.off < firstPage // whoever follows the pointer has put another one there
	return out, out.base != noBase && !null
}

// writtenValue is the value that instruction d puts into eight bytes of memory: out of a
// register, or as a part of something that was copied.
func (f placeResolver) writtenValue(d int, p place, depth int) (value, bool) {
	in, v := &f.insts[d], f.valueFlow()
	switch {
	case in.Load != nil && in.Store == nil:
		return value{}, false
	case in.Kind == cpu.Call:
		return f.valueFromCall(d, p, depth)
	case in.Load != nil && in.SP == 0 && *in.Load != *in.Store: // it copies memory
		to, from := v.regs[d][in.Store.Base], v.regs[d][in.Load.Base]
		if to.base == p.base && !to.any && !from.any && from.base != noBase {
			at := from.off + p.lo - to.off
			return f.copiedValue(d, place{reg: cpu.None, base: from.base, lo: at, hi: at + 8}, depth-1), true
		}
	case in.Load != nil && *v.load[d] == p && *v.addr[d] == p: // something is added to it
		return value{base: v.intern(base{kind: loaded, from: p.base, off: p.lo})}, true
	case in.Move != cpu.StoreReg && in.Move != cpu.PushReg:
		if from := *v.load[d]; in.SP == -8 && from.isExact() { // a push from memory
			return f.copiedValue(d, from, depth-1), true
		}
	case f.mod.arch.IsGeneral(in.Src):
		return v.regs[d][in.Src], v.regs[d][in.Src].base != noBase
	case in.Src >= f.mod.arch.Vector:
		return f.vectorValue(d, in.Src, p.lo-v.addr[d].lo, depth)
	}
	return value{}, false
}

// vectorValue is the value in eight bytes of a vector register before instruction i. Compilers put two pointers together
// in one to store them at once.
func (f placeResolver) vectorValue(i int, reg cpu.Reg, off int64, depth int) (value, bool) {
	from, ok := f.soleWriter(i, registerPlace(reg))
	if !ok || depth == 0 {
		return value{}, false
	}
	in, v := &f.insts[from], f.valueFlow()
	high := in.Move == cpu.JoinHigh && off == 8
	switch {
	case in.Move == cpu.LoadReg || high && in.Load != nil:
		part := *v.load[from]
		if !part.isExact() {
			return value{}, false
		}
		if !high {
			part.lo += off
		}
		part.hi = part.lo + 8
		return f.copiedValue(from, part, depth-1), true
	case in.Move == cpu.JoinHigh && off == 0:
		return f.vectorValue(from, in.Dst, 0, depth-1)
	case !high && in.Move != cpu.Copy:
		return value{}, false
	case in.Src >= f.mod.arch.Vector && high:
		return f.vectorValue(from, in.Src, 0, depth-1)
	case in.Src >= f.mod.arch.Vector:
		return f.vectorValue(from, in.Src, off, depth-1)
	case f.mod.arch.IsGeneral(in.Src) && (off == 0 || high):
		return v.regs[from][in.Src], v.regs[from][in.Src].base != noBase
	}
	return value{}, false
}

// valueFromCall is the value that a call puts into eight bytes of memory, if one function
// that it calls does so.
func (f placeResolver) valueFromCall(call int, p place, depth int) (value, bool) {
	effects := f.effects().callEffects(call, p)
	if len(effects) != 1 || effects[0].callee == nil || effects[0].callee.resolvingPointer {
		return value{}, false
	}
	callee, inner := effects[0].callee, effects[0].inner
	r := callee.reaching().definitionsAtReturn(inner)
	if r.entry || len(r.thrown) > 0 || len(r.defs) != 1 || !inner.isExact() {
		return value{}, false
	}
	callee.resolvingPointer = true
	defer func() { callee.resolvingPointer = false }()
	x, ok := callee.resolver().writtenValue(r.defs[0], inner, depth-1)
	if !ok || depth <= 1 {
		return value{}, false
	}
	out, ok := f.effects().outerBase(call, callee, x.base)
	if !ok || out.base == noBase || callee.valueFlow().bases[x.base].kind == allocated && out.base == heapBase {
		return value{}, false
	}
	out.off, out.any = out.off+x.off, out.any || x.any
	return out, true
}

// copiedValue is the value in eight bytes of memory, by the name of the place if
// nothing else is known of it.
func (f placeResolver) copiedValue(i int, p place, depth int) value {
	if x, ok := f.storedValue(i, p, depth); ok {
		return x
	}
	return value{base: f.valueFlow().intern(base{kind: loaded, from: p.base, off: p.lo})}
}

// soleWriter is the one instruction that can have written a place last.
func (f placeResolver) soleWriter(i int, p place) (int, bool) {
	r := f.reaching().definitions(i, p)
	if len(r.defs) != 1 || len(r.thrown) > 0 || r.entry {
		return 0, false
	}
	return r.defs[0], true
}
