package arm64

import (
	"math/bits"

	"laggard/slicing/cpu"
)

// decodeImmediate are instructions that compute from a constant.
func (d *decoder) decodeImmediate() {
	in := d.newPart()
	switch d.bits(23, 3) {
	case 0, 1: // adr, adrp
		setConstant(in, d.x(rd), d.pcRelative())
	case 2:
		d.addImmediate(in)
	case 3: // tags of memory
		in.Def, in.Use = cpu.Set(d.base(rd)), cpu.Set(d.base(rn))
	case 4:
		d.logicalImmediate(in)
	case 5:
		d.moveWide(in)
	case 6:
		d.decodeBitfield(in)
	case 7:
		in.Def, in.Use = cpu.Set(d.x(rd)), cpu.Set(d.x(rn), d.x(rm))
	}
}

// pcRelative is the address that adr or adrp gives, in the file.
func (i *instruction) pcRelative() int64 {
	off, at := i.signedBits(5, 19)<<2|int64(i.bits(29, 2)), i.addr
	if i.bits(31, 1) == 1 {
		off, at = off<<12, at&^0xfff
	}
	return int64(at) + off
}

// setConstant makes an instruction one that puts a constant into a register.
func setConstant(in *cpu.Inst, r cpu.Reg, n int64) {
	if r != cpu.None {
		in.Move, in.Dst, in.Imm, in.Def = cpu.SetImm, r, n, cpu.Set(r)
	}
}

func (d *decoder) addImmediate(in *cpu.Inst) {
	n := int64(d.bits(10, 12)) << (12 * d.bits(22, 1))
	in.Use = cpu.Set(d.base(rn))
	to := d.base(rd)
	if d.bits(29, 1) == 1 { // it sets flags
		in.Def.Add(Flags)
		if to = d.x(rd); to == cpu.None {
			in.Bound = n * int64(d.bits(30, 1))
			return
		}
	}
	in.Def.Add(to)
	in.Move, in.Dst, in.Src, in.Imm = cpu.AddImm, to, d.base(rn), n
	switch {
	case n == 0:
		in.Move = cpu.Copy
	case d.bits(30, 1) == 1:
		in.Imm = -n
	}
}

func (d *decoder) logicalImmediate(in *cpu.Inst) {
	n, ok := decodeBitMask(d.bits(22, 1), d.bits(16, 6), d.bits(10, 6))
	if d.bits(31, 1) == 0 {
		n = int64(int32(n))
	}
	if !ok {
		in.Kind, in.Opaque = cpu.Bad, true
		return
	}
	op, to := d.bits(29, 2), d.base(rd)
	if op == 3 {
		in.Def.Add(Flags)
		to = d.x(rd)
	}
	in.Def.Add(to)
	in.Use = cpu.Set(d.x(rn))
	switch {
	case op == 1 && d.x(rn) == cpu.None:
		setConstant(in, to, n)
	case (op == 0 || op == 3) && to != cpu.None && d.x(rn) != cpu.None:
		in.Move, in.Dst, in.Src, in.Imm = cpu.AndImm, to, d.x(rn), n
	}
}

// decodeBitMask is the constant of a logical instruction: a run of ones, turned, in pieces
// that repeat.
func decodeBitMask(n, immr, imms uint32) (int64, bool) {
	length := bits.Len32(n<<6|^imms&0x3f) - 1
	if length < 1 {
		return 0, false
	}
	piece := uint(1) << length
	ones, turn := uint(imms)&(piece-1)+1, uint(immr)&(piece-1)
	if ones == piece {
		return 0, false
	}
	all := ^uint64(0) >> (64 - piece)
	run := uint64(1)<<ones - 1
	run = (run>>turn | run<<(piece-turn)) & all
	for ; piece < 64; piece *= 2 {
		run |= run << piece
	}
	return int64(run), true
}

// moveWide are moves of 16 bits.
func (d *decoder) moveWide(in *cpu.Inst) {
	n := int64(d.bits(5, 16)) << (16 * d.bits(21, 2))
	switch to := d.x(rd); d.bits(29, 2) {
	case 0:
		if n = ^n; d.bits(31, 1) == 0 {
			n = int64(int32(n))
		}
		setConstant(in, to, n)
	case 2:
		setConstant(in, to, n)
	default: // the other bits stay
		in.Def, in.Use = cpu.Set(to), cpu.Set(to)
	}
}

// maxShift bounds the shifts that are thought to make an address.
const maxShift = 16

// decodeBitfield are moves of a part of a register: extensions and shifts.
func (d *decoder) decodeBitfield(in *cpu.Inst) {
	to, from, op := d.x(rd), d.x(rn), d.bits(29, 2)
	immr, imms, width := d.bits(16, 6), d.bits(10, 6), uint32(32)<<d.bits(31, 1)
	in.Def, in.Use = cpu.Set(to), cpu.Set(from)
	switch {
	case op == 1:
		addDefsToUse(in)
	case to == cpu.None || from == cpu.None:
	case immr == 0 && (imms == 7 || imms == 15 || imms == 31):
		in.Move, in.Dst, in.Src = cpu.Copy, to, from
	case imms < immr && width > immr && width-immr <= maxShift:
		scale := int64(1) << (width - immr)
		in.Move, in.Dst, in.Address = cpu.Lea, to, &cpu.Mem{Base: cpu.None, Index: from, Scale: scale}
	}
}

// decodeRegister are instructions that compute from registers.
func (d *decoder) decodeRegister() {
	in := d.newPart()
	in.Def, in.Use = cpu.Set(d.x(rd)), cpu.Set(d.x(rn), d.x(rm))
	op := d.bits(21, 4)
	switch {
	case d.bits(28, 1) == 0 && op < 8:
		d.logicalRegister(in)
	case d.bits(28, 1) == 0:
		d.addRegister(in)
	case op >= 8:
		d.multiplyAdd(in)
	case op == 0: // with carry
		in.Use.Add(Flags)
		if d.bits(29, 1) == 1 {
			in.Def.Add(Flags)
		}
		if d.bits(10, 6) != 0 { // flags alone
			in.Def, in.Use = cpu.Set(Flags), cpu.Set(d.x(rn), Flags)
		}
	case op == 2: // a comparison under a condition
		in.Def, in.Use = cpu.Set(Flags), cpu.Set(d.x(rn), Flags)
		if d.bits(11, 1) == 0 {
			in.Use.Add(d.x(rm))
		}
	case op == 4: // csel and its family
		in.Use.Add(Flags)
	case op == 6 && d.bits(30, 1) == 1:
		in.Use = cpu.Set(d.x(rn))
		if d.bits(16, 5) == 1 { // authentication of a pointer
			in.Def, in.Use = cpu.RegSet{}, cpu.RegSet{}
		}
	case op != 6:
		in.Opaque = true
	}
}

// logicalRegister are and, or, exclusive or.
func (d *decoder) logicalRegister(in *cpu.Inst) {
	op := d.bits(29, 2)
	if op == 3 {
		in.Def.Add(Flags)
	}
	plain := d.bits(10, 6) == 0 && d.bits(21, 1) == 0
	switch to, from := d.x(rd), d.x(rm); {
	case to == cpu.None || !plain:
	case op == 1 && d.x(rn) == cpu.None && from == cpu.None:
		setConstant(in, to, 0)
	case op == 1 && d.x(rn) == cpu.None:
		in.Move, in.Dst, in.Src = cpu.Copy, to, from
	case op == 2 && d.x(rn) == from:
		in.Use = cpu.RegSet{}
		setConstant(in, to, 0)
	}
}

// addRegister are sums and differences.
func (d *decoder) addRegister(in *cpu.Inst) {
	a, b, to, scale := d.x(rn), d.x(rm), d.x(rd), int64(1)<<min(d.bits(10, 6), maxShift)
	extended := d.bits(21, 1) == 1
	signed := false
	if extended {
		a, scale, signed = d.base(rn), int64(1)<<d.bits(10, 3), d.bits(15, 1) == 1
		if d.bits(29, 1) == 0 {
			to = d.base(rd)
		}
	}
	in.Def, in.Use = cpu.Set(to), cpu.Set(a, b)
	if d.bits(29, 1) == 1 {
		in.Def.Add(Flags)
	}
	left := extended || d.bits(22, 2) == 0 && d.bits(10, 6) <= maxShift
	switch {
	case d.bits(30, 1) == 1 || !left || to == cpu.None || a == cpu.None || b == cpu.None:
	case scale == 1 && !extended && to == a:
		in.Move, in.Dst, in.Src = cpu.AddReg, to, b
	case scale == 1 && !extended && to == b:
		in.Move, in.Dst, in.Src = cpu.AddReg, to, a
	default:
		in.Move, in.Dst = cpu.Lea, to
		in.Address = &cpu.Mem{Base: a, Index: b, Scale: scale, Signed: signed}
	}
}

// multiplyAdd are products that something is added to. That of an index makes an address
// whose factor is in a register.
func (d *decoder) multiplyAdd(in *cpu.Inst) {
	to, sum := d.x(rd), d.x(ra)
	in.Use.Add(sum)
	high := d.bits(21, 3) == 2 || d.bits(21, 3) == 6
	if to != cpu.None && sum != cpu.None && d.x(rn) != cpu.None && d.bits(15, 1) == 0 && !high {
		in.Move, in.Dst, in.Address = cpu.Lea, to, &cpu.Mem{Base: sum, Index: d.x(rn)}
	}
}
