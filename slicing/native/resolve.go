package native

import "laggard/slicing/cpu"

// resolve names a place in memory better, if the pointer to it was itself stored
// in memory, by one instruction only, before instruction i.
func (f *function) resolve(i int, p place) place {
	for range maxNesting {
		q, ok := f.resolved(i, p)
		if !ok {
			break
		}
		p = q
	}
	return p
}

// stores is where instruction i stores, as well as it can be named.
func (f *function) stores(i int) place {
	p := f.values().addr[i]
	if !p.memory() || f.values().bases[p.base].kind != loaded || f.lookingUp() {
		return f.resolve(i, p)
	}
	q, ok := f.settled[i]
	if !ok {
		q = f.resolve(i, p)
		if f.settled == nil {
			f.settled = map[int]place{}
		}
		f.settled[i] = q
	}
	return q
}

// lookingUp tells whether a pointer is being looked up: less is known then than afterwards.
func (f *function) lookingUp() bool { return f.holding || f.naming }

// settle names a value better, if it is a pointer that was itself stored in memory
// by one instruction only.
func (f *function) settle(i int, x value) value {
	if y, ok := f.held(i, f.values().bases[x.base]); ok && y.base != noBase && y.base != x.base {
		y.off, y.any = y.off+x.off, y.any || x.any
		return y
	}
	return x
}

func (f *function) resolved(i int, p place) (place, bool) {
	v := f.values()
	if !p.memory() {
		return p, false
	}
	x, ok := f.held(i, v.bases[p.base])
	if !ok || x.base == p.base || x.base == noBase {
		return p, false
	}
	return v.below(x, p), true
}

// held is the value that was stored where a pointer was loaded from. While a function of a large program is summarised,
// only pointers in its own frame are looked up: the others have names for its callers, and summaries are made of
// all that a program calls. What it puts somewhere itself, and then writes behind, is lost to callers that know by
// which call it was made.
func (f *function) held(i int, b base) (value, bool) {
	if b.kind != loaded || b.any || f.holding || f.naming && f.values().root(b.from) != stackBase {
		return value{}, false
	}
	f.holding = true // the search may come to a call, and so back here
	defer func() { f.holding = false }()
	return f.stored(i, place{reg: cpu.None, base: b.from, lo: b.off, hi: b.off + 8}, maxNesting)
}

// maxPut bounds the instructions that may have put a pointer where it is.
const maxPut = 4

// stored is the value in eight bytes of memory, if it is one, whichever instruction
// put it there; a pointer that something was added to stays in its object.
func (f *function) stored(i int, p place, depth int) (out value, ok bool) {
	r := f.defines(i, p)
	if depth == 0 || r.entry || len(r.thrown) > 0 || len(r.defs) == 0 || len(r.defs) > maxPut {
		return value{}, false
	}
	moved := false
	for _, d := range r.defs {
		x, known := f.put(d, p, depth)
		switch own := f.values().bases[x.base]; {
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

// put is the value that instruction d puts into eight bytes of memory: out of a
// register, or as a part of something that was copied.
func (f *function) put(d int, p place, depth int) (value, bool) {
	in, v := &f.insts[d], f.values()
	switch {
	case in.Load != nil && in.Store == nil:
		return value{}, false
	case in.Kind == cpu.Call:
		return f.putBy(d, p, depth)
	case in.Load != nil && in.SP == 0 && *in.Load != *in.Store: // it copies memory
		to, from := v.regs[d][in.Store.Base], v.regs[d][in.Load.Base]
		if to.base == p.base && !to.any && !from.any && from.base != noBase {
			at := from.off + p.lo - to.off
			return f.copied(d, place{reg: cpu.None, base: from.base, lo: at, hi: at + 8}, depth-1), true
		}
	case in.Load != nil && v.load[d] == p && v.addr[d] == p: // something is added to it
		return value{base: v.intern(base{kind: loaded, from: p.base, off: p.lo})}, true
	case in.Move != cpu.StoreReg && in.Move != cpu.PushReg:
		if from := v.load[d]; in.SP == -8 && from.exact() { // a push from memory
			return f.copied(d, from, depth-1), true
		}
	case f.mod.arch.Holds(in.Src):
		return v.regs[d][in.Src], v.regs[d][in.Src].base != noBase
	case in.Src >= f.mod.arch.Vector:
		return f.ofVector(d, in.Src, p.lo-v.addr[d].lo, depth)
	}
	return value{}, false
}

// ofVector is the value in eight bytes of a vector register before instruction i. Compilers put two pointers together
// in one to store them at once.
func (f *function) ofVector(i int, reg cpu.Reg, off int64, depth int) (value, bool) {
	from, ok := f.only(i, register(reg))
	if !ok || depth == 0 {
		return value{}, false
	}
	in, v := &f.insts[from], f.values()
	high := in.Move == cpu.JoinHigh && off == 8
	switch {
	case in.Move == cpu.LoadReg || high && in.Load != nil:
		part := v.load[from]
		if !part.exact() {
			return value{}, false
		}
		if !high {
			part.lo += off
		}
		part.hi = part.lo + 8
		return f.copied(from, part, depth-1), true
	case in.Move == cpu.JoinHigh && off == 0:
		return f.ofVector(from, in.Dst, 0, depth-1)
	case !high && in.Move != cpu.Copy:
		return value{}, false
	case in.Src >= f.mod.arch.Vector && high:
		return f.ofVector(from, in.Src, 0, depth-1)
	case in.Src >= f.mod.arch.Vector:
		return f.ofVector(from, in.Src, off, depth-1)
	case f.mod.arch.Holds(in.Src) && (off == 0 || high):
		return v.regs[from][in.Src], v.regs[from][in.Src].base != noBase
	}
	return value{}, false
}

// putBy is the value that a call puts into eight bytes of memory, if one function
// that it calls does so.
func (f *function) putBy(call int, p place, depth int) (value, bool) {
	effects := f.effects(call, p)
	if len(effects) != 1 || effects[0].callee == nil || effects[0].callee.holding {
		return value{}, false
	}
	callee, inner := effects[0].callee, effects[0].inner
	r := callee.returned(inner)
	if r.entry || len(r.thrown) > 0 || len(r.defs) != 1 || !inner.exact() {
		return value{}, false
	}
	callee.holding = true
	defer func() { callee.holding = false }()
	x, ok := callee.put(r.defs[0], inner, depth-1)
	if !ok || depth <= 1 {
		return value{}, false
	}
	out, ok := f.outerBase(call, callee, x.base)
	if !ok || out.base == noBase || callee.values().bases[x.base].kind == allocated && out.base == heapBase {
		return value{}, false
	}
	out.off, out.any = out.off+x.off, out.any || x.any
	return out, true
}

// copied is the value in eight bytes of memory, by the name of the place if
// nothing else is known of it.
func (f *function) copied(i int, p place, depth int) value {
	if x, ok := f.stored(i, p, depth); ok {
		return x
	}
	return value{base: f.values().intern(base{kind: loaded, from: p.base, off: p.lo})}
}

// only is the one instruction that can have written a place last.
func (f *function) only(i int, p place) (int, bool) {
	r := f.defines(i, p)
	if len(r.defs) != 1 || len(r.thrown) > 0 || r.entry {
		return 0, false
	}
	return r.defs[0], true
}
