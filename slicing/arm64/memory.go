package arm64

import "laggard/slicing/cpu"

// decodeMemory are loads and stores.
func (d *decoder) decodeMemory() {
	switch {
	case d.bits(28, 2) == 0 && d.bits(26, 1) == 1:
		d.vectorStructures()
	case d.bits(24, 6) == 0b001000:
		d.loadStoreExclusive()
	case d.bits(27, 3) == 0b011 && d.bits(24, 1) == 0:
		d.loadLiteral()
	case d.bits(24, 6) == 0b011001 && d.bits(21, 1) == 0 && d.bits(10, 2) == 0: // ldapur, stlur
		d.singleAccess(cpu.Mem{Base: d.base(rn), Index: cpu.None, Disp: d.signedBits(12, 9)})
	case d.bits(27, 3) == 0b011 && d.bits(24, 2) == 1 && d.bits(21, 1) == 0 && d.bits(10, 2) == 1 && d.bits(30, 2) == 0:
		d.copyMemory()
	case d.bits(27, 3) == 0b101:
		d.loadStorePair()
	case d.bits(27, 3) == 0b111:
		d.loadStoreRegister()
	default:
		d.newPart().Opaque = true
	}
}

// addAccess is one load or store of n bytes. A register that is None reads as zero.
func (d *decoder) addAccess(load bool, r cpu.Reg, m cpu.Mem, n int) {
	in := d.newPart()
	m.Size = n
	switch {
	case load:
		in.Load = &m
		if r != cpu.None {
			in.Move, in.Dst, in.Def = cpu.LoadReg, r, cpu.Set(r)
		}
	case r == cpu.None:
		in.Store, in.Move = &m, cpu.StoreImm
	default:
		in.Store, in.Move, in.Src, in.Use = &m, cpu.StoreReg, r, cpu.Set(r)
	}
}

// addBaseUpdate adds a constant to a base.
func (d *decoder) addBaseUpdate(r cpu.Reg, n int64) {
	in := d.newPart()
	in.Move, in.Dst, in.Src, in.Imm, in.Def, in.Use = cpu.AddImm, r, r, n, cpu.Set(r), cpu.Set(r)
}

// accessWithWriteback has f access memory at a base that a constant is added to: before, in the
// pre-indexed forms, or afterwards.
func (d *decoder) accessWithWriteback(pre bool, off int64, f func(cpu.Mem)) {
	at := cpu.Mem{Base: d.base(rn), Index: cpu.None}
	if pre {
		d.addBaseUpdate(at.Base, off)
	}
	f(at)
	if !pre {
		d.addBaseUpdate(at.Base, off)
	}
}

// loadStoreRegister is a load or store of one register.
func (d *decoder) loadStoreRegister() {
	at := cpu.Mem{Base: d.base(rn), Index: cpu.None}
	switch form := d.bits(10, 2); {
	case d.bits(24, 1) == 1:
		_, n, _ := d.accessWidth()
		at.Disp = int64(d.bits(10, 12)) * int64(n)
		d.singleAccess(at)
	case d.bits(21, 1) == 0 && form&1 == 1:
		d.accessWithWriteback(form == 3, d.signedBits(12, 9), d.singleAccess)
	case d.bits(21, 1) == 0:
		at.Disp = d.signedBits(12, 9)
		d.singleAccess(at)
	case form == 2:
		_, n, _ := d.accessWidth()
		if at.Index, at.Scale = d.x(rm), 1; d.bits(12, 1) == 1 {
			at.Scale = int64(n)
		}
		d.singleAccess(at)
	case form == 0:
		d.atomicOperation(at)
	default: // authenticated: 8 bytes
		off := (d.signedBits(22, 1)<<9 | int64(d.bits(12, 9))) * 8
		if d.bits(11, 1) == 1 {
			d.accessWithWriteback(true, off, func(m cpu.Mem) { d.addAccess(true, d.x(rd), m, 8) })
			return
		}
		at.Disp = off
		d.addAccess(true, d.x(rd), at, 8)
	}
}

// accessWidth is what a load or store of one register moves; n is the number of bytes.
func (d *decoder) accessWidth() (load bool, n int, signed bool) {
	size, op := d.bits(30, 2), d.bits(22, 2)
	if d.bits(26, 1) == 1 {
		return op&1 == 1, 1 << (size | op>>1<<2), false
	}
	return op != 0, 1 << size, op >= 2
}

func (d *decoder) singleAccess(at cpu.Mem) {
	load, n, signed := d.accessWidth()
	at.Signed = signed
	switch {
	case d.bits(26, 1) == 1:
		d.addAccess(load, d.v(rd), at, n)
	case signed && n == 8: // a prefetch
		d.newPart()
	default:
		d.addAccess(load, d.x(rd), at, n)
	}
}

// loadLiteral is a load from near the instruction.
func (d *decoder) loadLiteral() {
	at := cpu.Mem{Base: cpu.None, Index: cpu.None, Disp: int64(d.addr) + d.signedBits(5, 19)*size}
	op := d.bits(30, 2)
	switch {
	case d.bits(26, 1) == 1:
		d.addAccess(true, d.v(rd), at, 4<<op)
	case op == 3:
		d.newPart()
	default:
		at.Signed = op == 2
		d.addAccess(true, d.x(rd), at, 4<<(op&1))
	}
}

// loadStorePair is a load or store of two registers.
func (d *decoder) loadStorePair() {
	op, load := d.bits(30, 2), d.bits(22, 1) == 1
	first, second, n, signed := d.x(rd), d.x(ra), 4<<(op>>1), op == 1
	if d.bits(26, 1) == 1 {
		first, second, n, signed = d.v(rd), d.v(ra), 4<<op, false
	}
	off := d.signedBits(15, 7) * int64(n)
	both := func(m cpu.Mem) {
		m.Signed = signed
		high := m
		high.Disp += int64(n)
		if load && first == m.Base { // which the other one needs first
			d.addAccess(load, second, high, n)
			d.addAccess(load, first, m, n)
			return
		}
		d.addAccess(load, first, m, n)
		d.addAccess(load, second, high, n)
	}
	switch d.bits(23, 2) {
	case 1, 3:
		d.accessWithWriteback(d.bits(23, 2) == 3, off, both)
	default:
		both(cpu.Mem{Base: d.base(rn), Index: cpu.None, Disp: off})
	}
}

// loadStoreExclusive are loads and stores that belong together, ordered ones, and compare and
// swap.
func (d *decoder) loadStoreExclusive() {
	at, n := cpu.Mem{Base: d.base(rn), Index: cpu.None}, 1<<d.bits(30, 2)
	ordered, load, two := d.bits(23, 1) == 1, d.bits(22, 1) == 1, d.bits(21, 1) == 1
	switch {
	case two && (ordered || n < 4): // cas, casp
		in := d.newPart()
		if in.Def, in.Use = cpu.Set(d.x(rm)), cpu.Set(d.x(rm), d.x(rd)); !ordered {
			n = 8 << d.bits(30, 1)
			in.Def = in.Def.Or(registerPair(d.x(rm)))
			in.Use = in.Use.Or(registerPair(d.x(rm))).Or(registerPair(d.x(rd)))
		}
		at.Size = n
		in.Load, in.Store = &at, &at
	case two:
		high := at
		high.Disp += int64(n)
		d.addAccess(load, d.x(rd), at, n)
		d.addAccess(load, d.x(ra), high, n)
	default:
		d.addAccess(load, d.x(rd), at, n)
	}
	if !ordered && !load && !(two && n < 4) && d.out[len(d.out)-1].Load == nil {
		d.out[len(d.out)-1].Def.Add(d.x(rm)) // whether it was stored
	}
}

// registerPair is a register and the next one.
func registerPair(r cpu.Reg) cpu.RegSet {
	if r == cpu.None || r >= LR {
		return cpu.Set(r)
	}
	return cpu.Set(r, r+1)
}

// atomicOperation are the operations on memory of Armv8.1, and ldapr.
func (d *decoder) atomicOperation(at cpu.Mem) {
	n := 1 << d.bits(30, 2)
	op := d.bits(12, 4)
	if op == 0b1100 {
		d.addAccess(true, d.x(rd), at, n)
		return
	}
	in := d.newPart()
	at.Size = n
	in.Load, in.Store = &at, &at
	in.Use, in.Def = cpu.Set(d.x(rm)), cpu.Set(d.x(rd))
	in.Opaque = op > 0b1000
}

// copyMemory are the instructions that copy and set memory.
func (d *decoder) copyMemory() {
	in := d.newPart()
	in.Def, in.Use = cpu.Set(d.x(rd), d.x(rn)), cpu.Set(d.x(rn))
	in.Store = &cpu.Mem{Base: d.base(rd), Index: cpu.None}
	if d.bits(22, 2) == 3 {
		in.Use.Add(d.x(rm))
		return
	}
	in.Load = &cpu.Mem{Base: d.base(rm), Index: cpu.None}
	in.Def.Add(d.x(rm))
}

// vectorStructures are loads and stores of several vectors, or of one element of each.
func (d *decoder) vectorStructures() {
	first, load := d.bits(rd, 5), d.bits(22, 1) == 1
	count, n := int(1), 0
	lane := d.bits(24, 1) == 1
	if lane {
		count = int(d.bits(13, 1)<<1|d.bits(21, 1)) + 1
		scale := d.bits(14, 2)
		if scale == 3 { // to all elements
			scale, lane = d.bits(10, 2), false
		}
		n = count << scale
	} else {
		count = [16]int{4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2, 0, 0, 0, 0, 0}[d.bits(12, 4)]
		n = count * 8 << d.bits(30, 1)
	}
	in := d.newPart()
	var regs cpu.RegSet
	for i := range count {
		regs.Add(V0 + cpu.Reg((int(first)+i)%vectors))
	}
	at := &cpu.Mem{Base: d.base(rn), Index: cpu.None, Size: n}
	switch {
	case count == 0:
		in.Kind, in.Opaque = cpu.Bad, true
		return
	case !load:
		in.Store, in.Use = at, regs
	case count == 1 && !lane:
		in.Load, in.Def, in.Move, in.Dst = at, regs, cpu.LoadReg, d.v(rd)
	default:
		if in.Load, in.Def = at, regs; lane {
			addDefsToUse(in)
		}
	}
	if d.bits(23, 1) == 1 && d.x(rm) == cpu.None {
		d.addBaseUpdate(d.base(rn), int64(n))
	} else if d.bits(23, 1) == 1 {
		in, to := d.newPart(), d.base(rn)
		in.Move, in.Dst, in.Src, in.Def, in.Use = cpu.AddReg, to, d.x(rm), cpu.Set(to), cpu.Set(to, d.x(rm))
	}
}
