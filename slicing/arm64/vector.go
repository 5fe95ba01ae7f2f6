package arm64

import "laggard/slicing/cpu"

// decodeVector are instructions on vectors and floating-point numbers.
func (d *decoder) decodeVector() {
	in := d.newPart()
	in.Def, in.Use = cpu.Set(d.v(rd)), cpu.Set(d.v(rn), d.v(rm))
	switch top := d.bits(24, 7); {
	case top == 0x1f:
		in.Use.Add(d.v(ra))
	case top == 0x1e:
		d.scalarFloat(in)
	case d.bits(28, 1) == 0 || d.bits(30, 1) == 1:
		d.vectorLanes(in)
	default:
		in.Opaque = true
	}
}

// scalarFloat are those on single floating-point numbers.
func (d *decoder) scalarFloat(in *cpu.Inst) {
	switch form := d.bits(10, 2); {
	case d.bits(21, 1) == 0, d.bits(10, 6) == 0:
		d.convertFloat(in)
	case d.bits(10, 4) == 0b1000: // fcmp
		if in.Def = cpu.Set(Flags); d.bits(3, 1) == 1 {
			in.Use = cpu.Set(d.v(rn))
		}
	case form == 1: // fccmp
		in.Def = cpu.Set(Flags)
		in.Use.Add(Flags)
	case form == 3: // fcsel
		in.Use.Add(Flags)
	case form == 2:
	case d.bits(12, 1) == 1: // a constant
		in.Use = cpu.RegSet{}
	default:
		in.Use = cpu.Set(d.v(rn))
		if d.bits(15, 6) == 0 && d.bits(10, 5) == 0b10000 {
			in.Move, in.Dst, in.Src = cpu.Copy, d.v(rd), d.v(rn)
		}
	}
}

// convertFloat are those between the general registers and the others.
func (d *decoder) convertFloat(in *cpu.Inst) {
	op := d.bits(16, 3)
	if from, to := d.x(rn), d.x(rd); op == 2 || op == 3 || op == 7 {
		in.Use = cpu.Set(from)
		if op == 7 && from != cpu.None {
			in.Move, in.Dst, in.Src = cpu.Copy, d.v(rd), from
		}
	} else {
		in.Def, in.Use = cpu.Set(to), cpu.Set(d.v(rn))
		if op == 6 && to != cpu.None {
			in.Move, in.Dst, in.Src = cpu.Copy, to, d.v(rn)
		}
	}
}

// vectorLanes are those on the elements of vectors.
func (d *decoder) vectorLanes(in *cpu.Inst) {
	indexed := d.bits(24, 1) == 1
	switch {
	case d.w&0xbfe0fc00 == 0x0ea01c00 && d.v(rn) == d.v(rm): // mov
		in.Move, in.Dst, in.Src = cpu.Copy, d.v(rd), d.v(rn)
	case d.w&0xbfe0fc00 == 0x2e201c00 && d.v(rn) == d.v(rm): // eor of a register with itself
		in.Use = cpu.RegSet{}
	case d.w&0x9fe08400 == 0x0e000400:
		d.moveElement(in)
	case d.w&0x9ff80400 == 0x0f000400: // a constant
		in.Use = cpu.RegSet{}
		if mode := d.bits(12, 4); mode&1 == 1 && mode < 12 {
			addDefsToUse(in)
		}
	case d.w&0xbfe08c00 == 0x0e000000: // tbl, tbx
		for i := range cpu.Reg(d.bits(13, 2) + 1) {
			in.Use.Add(V0 + (d.v(rn)-V0+i)%vectors)
		}
		if d.bits(12, 1) == 1 {
			addDefsToUse(in)
		}
	case indexed && d.bits(10, 1) == 1: // shifts
		if in.Use = cpu.Set(d.v(rn)); d.bits(12, 1) == 1 && d.bits(15, 1) == 0 || d.bits(11, 5) == 0b01000 {
			addDefsToUse(in)
		}
	case !indexed && d.bits(21, 1) == 1 && d.bits(10, 2) == 2: // of one vector
		if in.Use = cpu.Set(d.v(rn)); d.bits(30, 1) == 1 || d.bits(12, 5)&0b10111 == 0b00110 {
			addDefsToUse(in) // it may fill the upper half alone
		}
	case d.accumulates():
		addDefsToUse(in)
	}
}

// moveElement are moves of one element.
func (d *decoder) moveElement(in *cpu.Inst) {
	op := d.bits(11, 4)
	switch {
	case d.bits(29, 1) == 1:
		in.Use = cpu.Set(d.v(rn))
		addDefsToUse(in)
	case op == 1 || op == 3: // from a general register
		if in.Use = cpu.Set(d.x(rn)); op == 3 {
			addDefsToUse(in)
		}
	case op == 5 || op == 7: // to one
		in.Def, in.Use = cpu.Set(d.x(rd)), cpu.Set(d.v(rn))
	default:
		in.Use = cpu.Set(d.v(rn))
	}
}

// accumulates reports whether an instruction on two vectors adds to a third one, or
// chooses among its bits.
func (d *decoder) accumulates() bool {
	op := d.bits(11, 5)
	switch {
	case d.bits(24, 1) == 1: // by an element: all but products
		product := d.bits(12, 4)
		return product != 0b1000 && product != 0b1001 && product != 0b1010 && product != 0b1011 && product != 0b1100 &&
			product != 0b1101
	case d.bits(21, 1) == 0: // dot products, and permutations, which do not
		return d.bits(15, 1) == 1
	case d.bits(10, 1) == 1:
		return op == 0b10010 || op == 0b11001 || op == 0b01111 || op == 0b00011 && d.bits(29, 1) == 1
	}
	op = d.bits(12, 4)
	return op == 0b1000 || op == 0b1010 || op == 0b0101 || op == 0b1001 || op == 0b1011
}
