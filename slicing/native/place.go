package native

import (
	"math"
	"slices"

	"laggard/slicing/x86"
)

// place is where a datum is: a register, or the bytes lo to hi behind a base.
type place struct {
	reg    x86.Reg // None: memory
	any    bool    // somewhere between lo and hi
	base   int32   // noBase: it could not be named
	lo, hi int64
}

const unbounded = math.MaxInt64 / 4

func register(r x86.Reg) place { return place{reg: r} }

func (p place) memory() bool { return p.reg == x86.None }
func (p place) exact() bool  { return p.memory() && !p.any && p.hi < unbounded && p.base != noBase }

// overlaps tells whether two places share bytes. A pointer of which nothing is
// known may point to the same field of the same object on the heap.
func (v *values) overlaps(p, q place) bool {
	if p.memory() != q.memory() {
		return false
	}
	if !p.memory() {
		return p.reg == q.reg
	}
	if p.base == noBase || q.base == noBase {
		return false
	}
	if p.base == q.base {
		return p.lo < q.hi && q.lo < p.hi
	}
	if p.base == heapBase && v.opaque(q.base) || q.base == heapBase && v.opaque(p.base) {
		return p.lo == q.lo && p.hi == q.hi && !p.any && !q.any
	}
	return false
}

// opaque tells whether nothing is known of what a base points to.
func (v *values) opaque(n int32) bool {
	switch v.bases[n].kind {
	case result, merged, loaded:
		return true
	}
	return false
}

// covers tells whether a write to p leaves nothing of q.
func (p place) covers(q place) bool {
	return p.exact() && p.base != heapBase && p.base == q.base && p.lo <= q.lo && p.hi >= q.hi
}

// place is where a memory operand is.
func (v *values) place(s *state, in *x86.Inst, m *x86.Mem) place {
	if m == nil || m.Thread {
		return place{reg: x86.None}
	}
	x := v.address(s, m, x86.None)
	return v.span(x, int64(m.Size))
}

// span is the place of size bytes at a value; size 0 is all that is there.
func (v *values) span(x value, size int64) place {
	p := place{reg: x86.None, base: x.base, lo: x.off, hi: x.off + size, any: x.any}
	if !x.any && size > 0 {
		return p
	}
	p.any = true
	lo, hi := v.f.object(x, v)
	if !x.any { // from there to the end
		lo = x.off
	}
	p.lo, p.hi = lo, hi
	return p
}

// object is the extent of the variable that a value points into.
func (f *function) object(x value, v *values) (lo, hi int64) {
	switch x.base {
	case stackBase:
		return f.extent(x.off, v.escapes)
	case constBase:
		if lo, hi, ok := f.mod.code.Object(uint64(x.off)); ok {
			return int64(lo), int64(hi)
		}
		return x.off, x.off + unknownObject
	}
	return -unbounded, unbounded
}

// unknownObject is how many bytes a variable is thought to have, of which
// nothing but an address is known.
const unknownObject = 64

// extent is that of the variable at an offset on the stack: as the debug
// information has it, or else up to the next one whose address is taken.
func (f *function) extent(off int64, escapes []int64) (lo, hi int64) {
	if lo, hi, ok := f.variable(off); ok {
		return lo, hi
	}
	lo, hi = off, unbounded
	if off < 0 {
		hi = 0
	}
	for _, e := range escapes {
		if e > off {
			hi = min(hi, e)
		}
	}
	if len(f.frame) > 0 { // what the source has no name for is accessed one by one
		if i, _ := slices.BinarySearch(f.direct, off+1); i < len(f.direct) {
			hi = min(hi, f.direct[i])
		}
	}
	return lo, hi
}

// variable finds the variable at an offset from the stack pointer on entry.
func (f *function) variable(off int64) (lo, hi int64, ok bool) {
	if !f.framed {
		f.framed = true
		f.frame = f.mod.code.Variables(f.entry)
	}
	const returnAddress = 8
	for _, x := range f.frame {
		at := x.Offset + returnAddress
		if off >= at && off < at+max(x.Size, 1) && (!ok || hi-lo > x.Size) {
			lo, hi, ok = at, at+x.Size, true
		}
	}
	return lo, hi, ok
}
