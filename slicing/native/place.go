package native

import (
	"math"

	"laggard/slicing/cpu"
)

// place is where a datum is: a register, or the bytes lo to hi behind a base.
type place struct {
	reg    cpu.Reg // None: memory
	any    bool    // somewhere between lo and hi
	base   int32   // noBase: it could not be named
	lo, hi int64
	grid
}

// grid says which bytes between lo and hi a place that is anywhere there can have:
// in each element of an array the same field. Element 0 need not begin at lo.
type grid struct {
	step int64 // from element to element; 0: all bytes
	at   int64 // of the first byte, in [0, step)
	size int64
}

const unbounded = math.MaxInt64 / 4

func registerPlace(r cpu.Reg) place { return place{reg: r} }

func (p place) isMemory() bool  { return p.reg == cpu.None }
func (p place) isBounded() bool { return p.lo > -unbounded && p.hi < unbounded }
func (p place) isExact() bool   { return p.isMemory() && !p.any && p.hi < unbounded && p.base != noBase }

// firstOffset is an offset at which a place can begin: of a field of the elements of an array, which field it is.
func (p place) firstOffset() int64 {
	switch {
	case p.step == 0:
		return p.lo
	case p.lo <= -unbounded:
		return p.at
	}
	return p.lo + modulo(p.at-p.lo, p.step)
}

// sharesByte reports whether two places behind the same base have a byte in common.
func (p place) sharesByte(q place) bool {
	return p.lo < q.hi && q.lo < p.hi && p.meetsGrid(q.grid) && p.wholeGrid().meetsGrid(q.grid) && q.wholeGrid().meetsGrid(p.grid)
}

// wholeGrid is the grid of all bytes of a place, if their number is known.
func (p place) wholeGrid() grid {
	if !p.isBounded() {
		return grid{}
	}
	return grid{step: math.MaxInt64, at: p.lo, size: p.hi - p.lo}
}

// meetsGrid reports whether two grids can have a byte in common.
func (g grid) meetsGrid(o grid) bool {
	if g.step == 0 || o.step == 0 {
		return true
	}
	if g.step > o.step {
		g, o = o, g
	}
	if o.step != math.MaxInt64 && o.step%g.step != 0 || g.step == math.MaxInt64 {
		return true
	}
	d := modulo(o.at-g.at, g.step)
	return d < g.size || d+o.size > g.step
}

// shiftedBy is the grid some bytes further on.
func (g grid) shiftedBy(by int64) grid {
	if g.step > 0 {
		g.at = modulo(g.at+by, g.step)
	}
	return g
}

func modulo(a, n int64) int64 { return ((a % n) + n) % n }

// operandPlace is where a memory operand is.
func (v *values) operandPlace(s *state, in *cpu.Inst, m *cpu.Mem) place {
	if m == nil || m.Thread {
		return place{reg: cpu.None}
	}
	x := v.transfer().addressValue(s, m, cpu.None)
	return v.placeAt(x, int64(m.Size))
}

// placeAt is the place of size bytes at a value; size 0 is all that is there.
func (v *values) placeAt(x value, size int64) place {
	p := place{reg: cpu.None, base: x.base, lo: x.off, hi: x.off + size, any: x.any}
	if !x.any && size > 0 {
		return p
	}
	p.any = true
	o := v.objectAt(x)
	switch {
	case o.typ != nil && x.any:
		p.lo, p.hi, p.grid = o.indexedPart(x.off, size)
	case o.typ != nil:
		p.lo, p.hi, p.grid = o.restFrom(x.off)
	case x.any:
		p.lo, p.hi = o.lo, o.hi
	default: // from there to the end
		p.hi = o.hi
	}
	return p
}

// relativePlace is a place that is given relative to a pointer.
func (v *values) relativePlace(x value, p place) place {
	switch {
	case x.any && p.isExact():
		return v.placeAt(value{base: x.base, off: x.off + p.lo, any: true}, p.hi-p.lo)
	case x.any:
		return v.placeAt(x, 0)
	}
	p.base, p.grid = x.base, p.shiftedBy(x.off)
	if p.lo > -unbounded {
		p.lo += x.off
	}
	if p.hi < unbounded {
		p.hi += x.off
	}
	if p.any && (!p.isBounded() || x.base == stackBase) {
		all := v.placeAt(x, 0)
		if p.lo, p.hi = max(p.lo, all.lo), min(p.hi, all.hi); p.lo >= p.hi {
			return all
		}
	}
	return p
}
