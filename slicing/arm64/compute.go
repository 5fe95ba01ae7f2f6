package arm64

import (
	"math/bits"

	"laggard/binary/processor"
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
	overflow NZCV = processor.ArmOverflow
	carry    NZCV = processor.ArmCarry
	zero     NZCV = processor.ArmZero
	negative NZCV = processor.ArmNegative
)

// Condition is one as instructions have it.
type Condition uint8

const carrySet Condition = 2

// Holds reports whether a condition holds with some flags.
func (c Condition) Holds(f NZCV) bool {
	return processor.ArmHolds(uint32(c), uint64(f))
}

// dataDecoder takes an instruction apart that computes from registers.
type dataDecoder struct{ instruction }

// Compute returns what an instruction computes; ok is false of one that does something else,
// or that is not known.
func Compute(code []byte, addr uint64) (out Data, ok bool) {
	w, ok := readInstruction(code, addr)
	if !ok {
		return out, false
	}
	d := dataDecoder{w}
	switch op := d.bits(25, 4); {
	case op>>1 == 0b100:
		return d.computeImmediate()
	case op&0b111 == 0b101:
		return d.computeRegisters()
	}
	return out, false
}

// widthBits is that of the registers, in bits.
func (i *instruction) widthBits() int { return 32 << i.bits(31, 1) }

// computeImmediate is what immediate instructions compute.
func (d *dataDecoder) computeImmediate() (Data, bool) {
	width := d.widthBits()
	switch d.bits(23, 3) {
	case 0, 1: // adr, adrp
		return Data{Dst: d.x(rd), Bits: 64, Result: constantFunc(uint64(d.pcRelative())), Place: true}, true
	case 2:
		n := uint64(d.bits(10, 12)) << (12 * d.bits(22, 1))
		return d.sumData(d.base(rn), []Part{{d.base(rn), width}}, constantFunc(n)), true
	case 4:
		n, ok := decodeBitMask(d.bits(22, 1), d.bits(16, 6), d.bits(10, 6))
		return d.logicalData([]Part{{d.x(rn), width}}, constantFunc(uint64(n)), d.base(rd)),
			ok && (width == 64 || d.bits(22, 1) == 0)
	case 5:
		return d.moveWideData(width)
	case 6:
		return d.bitfieldData(width)
	case 7:
		n := uint(d.bits(10, 6))
		join := func(x []uint64) uint64 { return x[1]>>n | x[0]<<(uint(width)-n) }
		return d.plainData(width, join, Part{d.x(rn), width}, Part{d.x(rm), width}),
			d.bits(29, 2) == 0 && d.bits(21, 1) == 0 && int(d.bits(22, 1)) == width>>6 && int(n) < width
	}
	return Data{}, false
}

func constantFunc(n uint64) func([]uint64) uint64 { return func([]uint64) uint64 { return n } }

// plainData is an instruction that computes from registers and leaves the flags.
func (d *dataDecoder) plainData(width int, f func(x []uint64) uint64, from ...Part) Data {
	return Data{Dst: d.x(rd), Bits: width, From: from, Result: f}
}

// lowBits are the low bits of a number.
func lowBits(n uint64, width int) uint64 {
	if width >= 64 {
		return n
	}
	return n & (1<<uint(width) - 1)
}

// signExtend is a number of some bits with its sign.
func signExtend(n uint64, width int) uint64 {
	shift := uint(64 - width)
	return uint64(int64(n<<shift) >> shift)
}

// addWithCarry adds numbers of some bits.
func addWithCarry(width int, a, b, with uint64) (sum uint64, f NZCV) {
	a, b = lowBits(a, width), lowBits(b, width)
	sum, over := bits.Add64(a, b, with)
	if width == 32 {
		sum, over = lowBits(sum, 32), sum>>32&1
	}
	if over != 0 {
		f |= carry
	}
	if (a^sum)&(b^sum)>>uint(width-1)&1 != 0 {
		f |= overflow
	}
	return sum, f | signFlags(width, sum)
}

// addOrSub adds the second number, or takes it off.
func (d *dataDecoder) addOrSub(width int, a, b uint64) (uint64, NZCV) {
	if d.bits(30, 1) == 1 {
		return addWithCarry(width, a, ^b, 1)
	}
	return addWithCarry(width, a, b, 0)
}

// signFlags are the flags that tell the sign of a result.
func signFlags(width int, n uint64) (f NZCV) {
	if n = lowBits(n, width); n == 0 {
		f |= zero
	}
	if n>>uint(width-1)&1 != 0 {
		f |= negative
	}
	return f
}

// sumData adds to the first register what second gives, or takes it off.
func (d *dataDecoder) sumData(first cpu.Reg, from []Part, second func(x []uint64) uint64) Data {
	width := d.widthBits()
	from[0] = Part{first, width}
	add := func(x []uint64) (uint64, NZCV) { return d.addOrSub(width, x[0], second(x)) }
	out := Data{Dst: d.base(rd), Bits: width, From: from, Result: func(x []uint64) uint64 { n, _ := add(x); return n }}
	if d.bits(29, 1) == 1 {
		out.Dst, out.Flags = d.x(rd), func(x []uint64) NZCV { _, f := add(x); return f }
	}
	return out
}

// logicalData is and, or, exclusive or of the first register with what second gives.
func (d *dataDecoder) logicalData(from []Part, second func(x []uint64) uint64, to cpu.Reg) Data {
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
		out.Dst, out.Flags = d.x(rd), func(x []uint64) NZCV { return signFlags(width, f(x)) }
	}
	return out
}

// moveWideData are moves of 16 bits.
func (d *dataDecoder) moveWideData(width int) (Data, bool) {
	at := uint(16 * d.bits(21, 2))
	n := uint64(d.bits(5, 16)) << at
	ok := int(at) < width
	switch d.bits(29, 2) {
	case 0:
		return d.plainData(width, constantFunc(^n)), ok
	case 2:
		return d.plainData(width, constantFunc(n)), ok
	case 3:
		keep := func(x []uint64) uint64 { return x[0]&^(0xffff<<at) | n }
		return d.plainData(width, keep, Part{d.x(rd), width}), ok
	}
	return Data{}, false
}

// bitfieldData are moves of a part of a register.
func (d *dataDecoder) bitfieldData(width int) (Data, bool) {
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
		return lowBits(x, n)
	}
	from := Part{d.x(rn), s + 1}
	switch op {
	case 0:
		return d.plainData(width, func(x []uint64) uint64 { return signExtend(take(x[0]), n) << uint(to) }, from), true
	case 1:
		keep := func(x []uint64) uint64 { return x[1]&^(lowBits(^uint64(0), n)<<uint(to)) | take(x[0])<<uint(to) }
		return d.plainData(width, keep, from, Part{d.x(rd), width}), true
	}
	return d.plainData(width, func(x []uint64) uint64 { return take(x[0]) << uint(to) }, from), true
}
