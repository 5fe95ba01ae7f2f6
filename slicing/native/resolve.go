package native

import "laggard/slicing/x86"

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

// held is the value that was stored where a pointer was loaded from.
func (f *function) held(i int, b base) (value, bool) {
	if b.kind != loaded || b.any || f.holding {
		return value{}, false
	}
	f.holding = true // the search may come to a call, and so back here
	defer func() { f.holding = false }()
	return f.stored(i, place{reg: x86.None, base: b.from, lo: b.off, hi: b.off + 8}, maxNesting)
}

// stored is the value in eight bytes of memory, if one instruction put it there:
// out of a register, or as a part of something that was copied.
func (f *function) stored(i int, p place, depth int) (value, bool) {
	d, ok := f.only(i, p)
	if !ok || depth == 0 {
		return value{}, false
	}
	in, v := &f.insts[d], f.values()
	switch {
	case in.Load != nil && in.Store.Base == x86.RDI && in.Load.Base == x86.RSI: // rep movs
		to, from := v.regs[d][x86.RDI], v.regs[d][x86.RSI]
		if to.base == p.base && !to.any && !from.any && from.base != noBase {
			at := from.off + p.lo - to.off
			return f.copied(d, place{reg: x86.None, base: from.base, lo: at, hi: at + 8}, depth-1), true
		}
	case in.Move != x86.StoreReg && in.Move != x86.PushReg:
		if from := v.load[d]; in.SP == -8 && from.exact() { // a push from memory
			return f.copied(d, from, depth-1), true
		}
	case in.Src >= 0 && in.Src < x86.General:
		return v.regs[d][in.Src], true
	case in.Src >= x86.X0: // a part of a vector
		from, ok := f.only(d, register(in.Src))
		if !ok || f.insts[from].Move != x86.LoadReg || !v.load[from].exact() {
			return value{}, false
		}
		part := v.load[from]
		part.lo += p.lo - v.addr[d].lo
		part.hi = part.lo + 8
		return f.copied(from, part, depth-1), true
	}
	return value{}, false
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
	if len(r.defs) != 1 || r.entry {
		return 0, false
	}
	return r.defs[0], true
}
