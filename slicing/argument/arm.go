package argument

import (
	"laggard/slicing/arm64"
	"laggard/slicing/cpu"
)

// arm goes over instructions of AArch64, or over parts of them.
type arm struct{ *machine }

func (m arm) execute(code []byte, i *cpu.Inst) bool {
	if d, ok := arm64.Compute(code, i.Addr); ok {
		m.compute(&d)
		return true
	}
	switch i.Move {
	case cpu.LoadReg:
		m.loadRegister(arm64.Accesses(code), i)
	case cpu.StoreReg, cpu.StoreImm:
		m.storeRegister(arm64.Accesses(code), i)
	case cpu.AddImm: // to the base of a load or store
		m.set(i.Dst, add(m.get(i.Src), number(uint64(i.Imm), 64, false), 64))
	default:
		return false
	}
	return true
}

// get is what is in a general register; None has zero.
func (m arm) get(r cpu.Reg) Value {
	switch {
	case r == cpu.None:
		return number(0, 64, false)
	case !m.cpu.Holds(r):
		return Value{}
	}
	return m.reg[r]
}

// set puts a value into a register, if it is one of those that are followed.
func (m arm) set(r cpu.Reg, v Value) {
	if m.cpu.Holds(r) {
		m.reg[r] = v
	}
}

// read is what an instruction reads of registers; ok is false if it is not all known.
func (m arm) read(from []arm64.Part) (x []uint64, inferred, ok bool) {
	for _, p := range from {
		v := m.get(p.Reg)
		if v.Bits < p.Bits {
			return nil, false, false
		}
		x, inferred = append(x, v.low(p.Bits).Number), inferred || v.Inferred
	}
	return x, inferred, true
}

// compute goes over an instruction that computes from registers.
func (m arm) compute(d *arm64.Data) {
	v, flags := m.result(d)
	if d.Else != nil {
		other, otherFlags := m.result(d.Else)
		holds, known := m.holds(d.If)
		switch {
		case !known:
			v, flags = both(v, other), both(flags, otherFlags)
		case !holds:
			v, flags = other, otherFlags
		}
		if known {
			v.Inferred = v.Inferred || m.flags.Inferred
			flags.Inferred = flags.Inferred || m.flags.Inferred
		}
	}
	m.set(d.Dst, v)
	if d.Flags != nil {
		m.flags = flags
	}
}

// result is what an instruction computes, as if there were no condition.
func (m arm) result(d *arm64.Data) (v, flags Value) {
	x, inferred, ok := m.read(d.From)
	if ok && d.Flags != nil {
		flags = number(uint64(d.Flags(x)), 8, inferred)
	}
	if !ok || d.Result == nil {
		return v, flags
	}
	n := number(d.Result(x), d.Bits, false).Number
	if d.Place {
		n += m.at.Bias
	}
	return number(n, 64, inferred), flags
}

// holds tells whether a condition holds; known is false if that cannot be told.
func (m arm) holds(c arm64.Condition) (holds, known bool) {
	return c.Holds(arm64.NZCV(m.flags.Number)), m.flags.Bits > 0
}

func (m arm) branches(code []byte) (taken, known bool) {
	t, ok := arm64.Tests(code)
	if !ok {
		return false, false
	}
	if t.Taken == nil {
		return m.holds(t.If)
	}
	x, _, ok := m.read([]arm64.Part{t.Of})
	return ok && t.Taken(x[0]), ok
}

// address is that of a memory operand.
func (m arm) address(a arm64.Access, operand *cpu.Mem) Value {
	out := number(uint64(operand.Disp), 64, false)
	if operand.Base == cpu.None {
		out.Number += m.at.Bias
	} else {
		out = add(out, m.get(operand.Base), 64)
	}
	if operand.Index == cpu.None {
		return out
	}
	index := m.get(operand.Index).low(a.Index)
	if a.Signed {
		index = extended(index)
	}
	index.Bits, index.Number = wide(index.Bits), index.Number*uint64(operand.Scale)
	return add(out, index, 64)
}

// wide is 64 bits where something is known.
func wide(bits int) int {
	if bits > 0 {
		return 64
	}
	return 0
}

// loadRegister goes over the load of a register.
func (m arm) loadRegister(a arm64.Access, i *cpu.Inst) {
	v := m.load(m.address(a, i.Load), i.Load.Size*8)
	if i.Load.Signed {
		v = extended(v).low(a.Into)
	}
	v.Bits = wide(v.Bits)
	m.set(i.Dst, v)
}

// storeRegister goes over the store of a register, or of zero. What else it writes is whether it did.
func (m arm) storeRegister(a arm64.Access, i *cpu.Inst) {
	v := number(0, 64, false)
	if i.Move == cpu.StoreReg {
		v = m.get(i.Src)
	}
	m.keep(m.address(a, i.Store), i.Store.Size, v.low(i.Store.Size*8))
	i.Def.Each(func(r cpu.Reg) { m.set(r, Value{}) })
}
