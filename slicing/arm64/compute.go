package arm64

import (
	"math/bits"

	"laggard/slicing/cpu"
)

// Part is what an instruction reads of a register: its low Bits. Of None it reads zero.
type Part struct {
	Reg  cpu.Reg
	Bits int
}

// Data is what an instruction does that computes from general registers and constants alone.
type Data struct {
	Dst  cpu.Reg // None: it sets flags alone
	Bits int     // of the result, 32 or 64; what is above them becomes zero
	From []Part
	// Result and Flags compute from what From have. Without Result it is not known; without
	// Flags they stay as they are.
	Result func(x []uint64) uint64
	Flags  func(x []uint64) NZCV
	Place  bool // the result is an address in the file
	// If is the condition under which this is done. Otherwise Else is, which has the same Dst
	// and Bits; nil: there is no condition.
	If   Condition
	Else *Data
}

// NZCV are the flags, as the instructions that compare under a condition have them.
type NZCV uint8

const (
	overflow NZCV = 1 << iota
	carry
	zero
	negative
)

// Condition is one as instructions have it.
type Condition uint8

const carrySet Condition = 2

// Holds tells whether a condition holds with some flags.
func (c Condition) Holds(f NZCV) bool {
	n, z, v := f&negative != 0, f&zero != 0, f&overflow != 0
	carried := f&carry != 0
	holds := [8]bool{z, carried, n, v, carried && !z, n == v, n == v && !z, true}[c>>1&7]
	return holds != (c&1 == 1) || c>>1&7 == 7
}

// Compute returns what an instruction computes; ok is false of one that does something else,
// or that is not known.
func Compute(code []byte, addr uint64) (out Data, ok bool) {
	d, ok := decoderOf(code, addr)
	if !ok {
		return out, false
	}
	switch op := d.bits(25, 4); {
	case op>>1 == 0b100:
		return d.fromConstant()
	case op&0b111 == 0b101:
		return d.fromRegisters()
	}
	return out, false
}

// widthBits is that of the registers, in bits.
func (d *decoder) widthBits() int { return 32 << d.bits(31, 1) }

// fromConstant is what immediate instructions compute.
func (d *decoder) fromConstant() (Data, bool) {
	width := d.widthBits()
	switch d.bits(23, 3) {
	case 0, 1: // adr, adrp
		return Data{Dst: d.x(rd), Bits: 64, Result: constant(uint64(d.near())), Place: true}, true
	case 2:
		n := uint64(d.bits(10, 12)) << (12 * d.bits(22, 1))
		return d.sum(d.base(rn), []Part{{d.base(rn), width}}, constant(n)), true
	case 4:
		n, ok := mask(d.bits(22, 1), d.bits(16, 6), d.bits(10, 6))
		return d.combine([]Part{{d.x(rn), width}}, constant(uint64(n)), d.base(rd)),
			ok && (width == 64 || d.bits(22, 1) == 0)
	case 5:
		return d.wideData(width)
	case 6:
		return d.field(width)
	case 7:
		n := uint(d.bits(10, 6))
		join := func(x []uint64) uint64 { return x[1]>>n | x[0]<<(uint(width)-n) }
		return d.plain(width, join, Part{d.x(rn), width}, Part{d.x(rm), width}),
			d.bits(29, 2) == 0 && d.bits(21, 1) == 0 && int(d.bits(22, 1)) == width>>6 && int(n) < width
	}
	return Data{}, false
}

func constant(n uint64) func([]uint64) uint64 { return func([]uint64) uint64 { return n } }

// plain is an instruction that computes from registers and leaves the flags.
func (d *decoder) plain(width int, f func(x []uint64) uint64, from ...Part) Data {
	return Data{Dst: d.x(rd), Bits: width, From: from, Result: f}
}

// cut are the low bits of a number.
func cut(n uint64, width int) uint64 {
	if width >= 64 {
		return n
	}
	return n & (1<<uint(width) - 1)
}

// widen is a number of some bits with its sign.
func widen(n uint64, width int) uint64 {
	shift := uint(64 - width)
	return uint64(int64(n<<shift) >> shift)
}

// added adds numbers of some bits.
func added(width int, a, b, with uint64) (sum uint64, f NZCV) {
	a, b = cut(a, width), cut(b, width)
	sum, over := bits.Add64(a, b, with)
	if width == 32 {
		sum, over = cut(sum, 32), sum>>32&1
	}
	if over != 0 {
		f |= carry
	}
	if (a^sum)&(b^sum)>>uint(width-1)&1 != 0 {
		f |= overflow
	}
	return sum, f | signs(width, sum)
}

// addOrTake adds the second number, or takes it off.
func (d *decoder) addOrTake(width int, a, b uint64) (uint64, NZCV) {
	if d.bits(30, 1) == 1 {
		return added(width, a, ^b, 1)
	}
	return added(width, a, b, 0)
}

// signs are the flags that tell the sign of a result.
func signs(width int, n uint64) (f NZCV) {
	if n = cut(n, width); n == 0 {
		f |= zero
	}
	if n>>uint(width-1)&1 != 0 {
		f |= negative
	}
	return f
}

// sum adds to the first register what second gives, or takes it off.
func (d *decoder) sum(first cpu.Reg, from []Part, second func(x []uint64) uint64) Data {
	width := d.widthBits()
	from[0] = Part{first, width}
	add := func(x []uint64) (uint64, NZCV) { return d.addOrTake(width, x[0], second(x)) }
	out := Data{Dst: d.base(rd), Bits: width, From: from, Result: func(x []uint64) uint64 { n, _ := add(x); return n }}
	if d.bits(29, 1) == 1 {
		out.Dst, out.Flags = d.x(rd), func(x []uint64) NZCV { _, f := add(x); return f }
	}
	return out
}

// combine is and, or, exclusive or of the first register with what second gives.
func (d *decoder) combine(from []Part, second func(x []uint64) uint64, to cpu.Reg) Data {
	width, op := d.widthBits(), d.bits(29, 2)
	f := func(x []uint64) uint64 {
		switch op {
		case 1:
			return x[0] | second(x)
		case 2:
			return x[0] ^ second(x)
		}
		return x[0] & second(x)
	}
	out := Data{Dst: to, Bits: width, From: from, Result: f}
	if op == 3 {
		out.Dst, out.Flags = d.x(rd), func(x []uint64) NZCV { return signs(width, f(x)) }
	}
	return out
}

// wideData are moves of 16 bits.
func (d *decoder) wideData(width int) (Data, bool) {
	at := uint(16 * d.bits(21, 2))
	n := uint64(d.bits(5, 16)) << at
	ok := int(at) < width
	switch d.bits(29, 2) {
	case 0:
		return d.plain(width, constant(^n)), ok
	case 2:
		return d.plain(width, constant(n)), ok
	case 3:
		keep := func(x []uint64) uint64 { return x[0]&^(0xffff<<at) | n }
		return d.plain(width, keep, Part{d.x(rd), width}), ok
	}
	return Data{}, false
}

// field are moves of a part of a register.
func (d *decoder) field(width int) (Data, bool) {
	r, s, op := int(d.bits(16, 6)), int(d.bits(10, 6)), d.bits(29, 2)
	if op == 3 || int(d.bits(22, 1)) != width>>6 || r >= width || s >= width {
		return Data{}, false
	}
	n, to := s+1, width-r // n bits go to a place further up
	if s >= r {
		n, to = s-r+1, 0 // n bits come down
	}
	take := func(x uint64) uint64 {
		if s >= r {
			x >>= uint(r)
		}
		return cut(x, n)
	}
	from := Part{d.x(rn), s + 1}
	switch op {
	case 0:
		return d.plain(width, func(x []uint64) uint64 { return widen(take(x[0]), n) << uint(to) }, from), true
	case 1:
		keep := func(x []uint64) uint64 { return x[1]&^(cut(^uint64(0), n)<<uint(to)) | take(x[0])<<uint(to) }
		return d.plain(width, keep, from, Part{d.x(rd), width}), true
	}
	return d.plain(width, func(x []uint64) uint64 { return take(x[0]) << uint(to) }, from), true
}
