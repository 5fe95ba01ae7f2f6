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

func register(r cpu.Reg) place { return place{reg: r} }

func (p place) memory() bool  { return p.reg == cpu.None }
func (p place) bounded() bool { return p.lo > -unbounded && p.hi < unbounded }
func (p place) exact() bool   { return p.memory() && !p.any && p.hi < unbounded && p.base != noBase }

// first is an offset at which a place can begin: of a field of the elements of an array, which field it is.
func (p place) first() int64 {
	switch {
	case p.step == 0:
		return p.lo
	case p.lo <= -unbounded:
		return p.at
	}
	return p.lo + modulo(p.at-p.lo, p.step)
}

// shares tells whether two places behind the same base have a byte in common.
func (p place) shares(q place) bool {
	return p.lo < q.hi && q.lo < p.hi && p.meets(q.grid) && p.whole().meets(q.grid) && q.whole().meets(p.grid)
}

// whole is the grid of all bytes of a place, if their number is known.
func (p place) whole() grid {
	if !p.bounded() {
		return grid{}
	}
	return grid{step: math.MaxInt64, at: p.lo, size: p.hi - p.lo}
}

// meets tells whether two grids can have a byte in common.
func (g grid) meets(o grid) bool {
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

// shifted is the grid some bytes further on.
func (g grid) shifted(by int64) grid {
	if g.step > 0 {
		g.at = modulo(g.at+by, g.step)
	}
	return g
}

func modulo(a, n int64) int64 { return ((a % n) + n) % n }

// place is where a memory operand is.
func (v *values) place(s *state, in *cpu.Inst, m *cpu.Mem) place {
	if m == nil || m.Thread {
		return place{reg: cpu.None}
	}
	x := v.address(s, m, cpu.None)
	return v.span(x, int64(m.Size))
}

// span is the place of size bytes at a value; size 0 is all that is there.
func (v *values) span(x value, size int64) place {
	p := place{reg: cpu.None, base: x.base, lo: x.off, hi: x.off + size, any: x.any}
	if !x.any && size > 0 {
		return p
	}
	p.any = true
	o := v.object(x)
	switch {
	case o.typ != nil && x.any:
		p.lo, p.hi, p.grid = o.indexed(x.off, size)
	case o.typ != nil:
		p.lo, p.hi, p.grid = o.rest(x.off)
	case x.any:
		p.lo, p.hi = o.lo, o.hi
	default: // from there to the end
		p.hi = o.hi
	}
	return p
}

// below is a place that is given relative to a pointer.
func (v *values) below(x value, p place) place {
	switch {
	case x.any && p.exact():
		return v.span(value{base: x.base, off: x.off + p.lo, any: true}, p.hi-p.lo)
	case x.any:
		return v.span(x, 0)
	}
	p.base, p.grid = x.base, p.shifted(x.off)
	if p.lo > -unbounded {
		p.lo += x.off
	}
	if p.hi < unbounded {
		p.hi += x.off
	}
	if p.any && (!p.bounded() || x.base == stackBase) {
		all := v.span(x, 0)
		if p.lo, p.hi = max(p.lo, all.lo), min(p.hi, all.hi); p.lo >= p.hi {
			return all
		}
	}
	return p
}
