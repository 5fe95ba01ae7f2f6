package arm64

import (
	"math/bits"

	"laggard/slicing/cpu"
)

// computeRegisters is what instructions compute from registers.
func (d *dataDecoder) computeRegisters() (Data, bool) {
	width, op := d.widthBits(), d.bits(21, 4)
	two := []Part{{d.x(rn), width}, {d.x(rm), width}}
	switch {
	case d.bits(28, 1) == 0 && d.bits(24, 1) == 1 && d.bits(21, 1) == 1:
		return d.extendedSumData(width)
	case d.bits(28, 1) == 0:
		return d.shiftedData(width, two)
	case op >= 8:
		return d.productData(width)
	case d.bits(21, 3) == 0:
		return d.sumWithCarry(two)
	case d.bits(21, 3) == 2:
		return d.conditionalCompare(width, two)
	case op == 4:
		return d.conditionalSelect(width)
	case op == 6 && d.bits(29, 2) == 0:
		return d.divideOrShift(width, two)
	case op == 6 && d.bits(29, 2) == 2:
		return d.reverseOrCount(width)
	}
	return Data{}, false
}

// shiftedData are logical instructions and sums, whose second register is shifted.
func (d *dataDecoder) shiftedData(width int, two []Part) (Data, bool) {
	n, kind, not := int(d.bits(10, 6)), d.bits(22, 2), d.bits(24, 1) == 0 && d.bits(21, 1) == 1
	second := func(x []uint64) uint64 {
		out := shiftBits(width, kind, x[1], n)
		if not {
			out = ^out
		}
		return out
	}
	if d.bits(24, 1) == 0 {
		return d.logicalData(two, second, d.x(rd)), n < width
	}
	out := d.sumData(d.x(rn), two, second)
	out.Dst = d.x(rd)
	return out, n < width && kind < 3
}

// shiftBits shifts a number of some bits: left, right, right with its sign, or round.
func shiftBits(width int, kind uint32, x uint64, n int) uint64 {
	switch x = lowBits(x, width); kind {
	case 0:
		return lowBits(x<<uint(n), width)
	case 1:
		return x >> uint(n)
	case 2:
		return lowBits(uint64(int64(signExtend(x, width))>>uint(n)), width)
	}
	return lowBits(x>>uint(n)|x<<uint(width-n), width)
}

// extendedSumData are sums whose second register is widened, and shifted.
func (d *dataDecoder) extendedSumData(width int) (Data, bool) {
	option, n := d.bits(13, 3), uint(d.bits(10, 3))
	size := min(8<<(option&3), width)
	second := func(x []uint64) uint64 {
		if option >= 4 {
			return signExtend(x[1], size) << n
		}
		return lowBits(x[1], size) << n
	}
	out := d.sumData(d.base(rn), []Part{{}, {d.x(rm), size}}, second)
	return out, n <= 4 && d.bits(22, 2) == 0
}

// productData are products that something is added to.
func (d *dataDecoder) productData(width int) (Data, bool) {
	less, op := d.bits(15, 1) == 1, d.bits(21, 3)
	half := width
	var product func(x, y uint64) uint64
	switch {
	case op == 0:
		product = func(x, y uint64) uint64 { return x * y }
	case width == 32:
		return Data{}, false
	case op == 1:
		half, product = 32, func(x, y uint64) uint64 { return signExtend(x, 32) * signExtend(y, 32) }
	case op == 5:
		half, product = 32, func(x, y uint64) uint64 { return x * y }
	case op == 2 || op == 6:
		return d.highProduct(op == 2), !less && d.bits(29, 2) == 0
	default:
		return Data{}, false
	}
	sum := func(x []uint64) uint64 {
		if less {
			return x[2] - product(x[0], x[1])
		}
		return x[2] + product(x[0], x[1])
	}
	return d.plainData(width, sum, Part{d.x(rn), half}, Part{d.x(rm), half}, Part{d.x(ra), width}), d.bits(29, 2) == 0
}

// highProduct is the upper half of a product.
func (d *dataDecoder) highProduct(signed bool) Data {
	f := func(x []uint64) uint64 {
		hi, _ := bits.Mul64(x[0], x[1])
		if signed {
			hi -= uint64(int64(x[0])>>63)&x[1] + uint64(int64(x[1])>>63)&x[0]
		}
		return hi
	}
	return d.plainData(64, f, Part{d.x(rn), 64}, Part{d.x(rm), 64})
}

// sumWithCarry are sums that the carry is added to: a sum for each of its values.
func (d *dataDecoder) sumWithCarry(two []Part) (Data, bool) {
	width := d.widthBits()
	with := func(carried uint64) Data {
		add := func(x []uint64) (uint64, NZCV) {
			if d.bits(30, 1) == 1 {
				return addWithCarry(width, x[0], ^x[1], carried)
			}
			return addWithCarry(width, x[0], x[1], carried)
		}
		out := d.plainData(width, func(x []uint64) uint64 { n, _ := add(x); return n }, two...)
		if d.bits(29, 1) == 1 {
			out.Flags = func(x []uint64) NZCV { _, f := add(x); return f }
		}
		return out
	}
	out, without := with(1), with(0)
	out.If, out.Else = carrySet, &without
	return out, d.bits(10, 6) == 0
}

// conditionalCompare are comparisons under a condition, which otherwise set constant flags.
func (d *dataDecoder) conditionalCompare(width int, from []Part) (Data, bool) {
	if d.bits(11, 1) == 1 {
		from = from[:1]
	}
	constant, flags := uint64(d.bits(rm, 5)), NZCV(d.bits(0, 4))
	compare := func(x []uint64) (f NZCV) {
		b := constant
		if len(x) > 1 {
			b = x[1]
		}
		_, f = d.addOrSub(width, x[0], b)
		return f
	}
	otherwise := &Data{Dst: cpu.None, Bits: width, Flags: func([]uint64) NZCV { return flags }}
	return Data{Dst: cpu.None, Bits: width, From: from, Flags: compare, If: Condition(d.bits(12, 4)), Else: otherwise},
		d.bits(29, 1) == 1 && d.bits(10, 1) == 0 && d.bits(4, 1) == 0
}

// conditionalSelect is csel and its family.
func (d *dataDecoder) conditionalSelect(width int) (Data, bool) {
	form := d.bits(30, 1)<<1 | d.bits(10, 1)
	same := func(x []uint64) uint64 { return x[0] }
	other := [4]func(x []uint64) uint64{
		same,
		func(x []uint64) uint64 { return x[0] + 1 },
		func(x []uint64) uint64 { return ^x[0] },
		func(x []uint64) uint64 { return -x[0] },
	}[form]
	out, otherwise := d.plainData(width, same, Part{d.x(rn), width}), d.plainData(width, other, Part{d.x(rm), width})
	out.If, out.Else = Condition(d.bits(12, 4)), &otherwise
	return out, d.bits(29, 1) == 0 && d.bits(11, 1) == 0
}

// divideOrShift are quotients, and shifts by what a register has.
func (d *dataDecoder) divideOrShift(width int, two []Part) (Data, bool) {
	var f func(x []uint64) uint64
	switch op := d.bits(10, 6); op {
	case 2:
		f = func(x []uint64) uint64 {
			if x[1] == 0 {
				return 0
			}
			return x[0] / x[1]
		}
	case 3:
		f = func(x []uint64) uint64 {
			a, b := int64(signExtend(x[0], width)), int64(signExtend(x[1], width))
			switch b {
			case 0:
				return 0
			case -1:
				return uint64(-a)
			}
			return uint64(a / b)
		}
	case 8, 9, 10, 11:
		f = func(x []uint64) uint64 { return shiftBits(width, op-8, x[0], int(x[1]%uint64(width))) }
	default:
		return Data{}, false
	}
	return d.plainData(width, f, two...), true
}

// reverseOrCount are those that turn the order of bits or bytes, and count bits. The result of those
// that authenticate a pointer is not known.
func (d *dataDecoder) reverseOrCount(width int) (Data, bool) {
	if d.bits(16, 5) == 1 {
		return Data{Dst: d.x(rd), Bits: width}, true
	}
	var f func(x uint64) uint64
	swap := func(size int) func(x uint64) uint64 { // the bytes of each piece
		return func(x uint64) (out uint64) {
			for at := 0; at < width; at += size {
				out |= bits.ReverseBytes64(lowBits(x>>uint(at), size)) >> uint(64-size) << uint(at)
			}
			return out
		}
	}
	switch op := d.bits(10, 6); {
	case op == 0:
		f = func(x uint64) uint64 { return bits.Reverse64(x) >> uint(64-width) }
	case op == 1, op == 2, op == 3 && width == 64:
		f = swap(8 << op)
	case op == 4:
		f = func(x uint64) uint64 { return uint64(bits.LeadingZeros64(x) - (64 - width)) }
	case op == 5:
		f = func(x uint64) uint64 { // copies of the sign behind it
			x = signExtend(x, width)
			return uint64(bits.LeadingZeros64(x^uint64(int64(x)>>1)) - 1 - (64 - width))
		}
	default:
		return Data{}, false
	}
	return d.plainData(width, func(x []uint64) uint64 { return f(x[0]) }, Part{d.x(rn), width}), d.bits(16, 5) == 0
}
