package argument

import (
	"laggard/slicing/arm64"
	"laggard/slicing/cpu"
)

// arm goes over instructions of AArch64, or over parts of them.
type arm struct{ *machine }

func (m arm) evalInst(code []byte, i *cpu.Inst) bool {
	if d, ok := arm64.Compute(code, i.Addr); ok {
		m.evalData(&d)
		return true
	}
	switch i.Move {
	case cpu.LoadReg:
		m.loadRegister(arm64.DecodeAccess(code), i)
	case cpu.StoreReg, cpu.StoreImm:
		m.storeRegister(arm64.DecodeAccess(code), i)
	case cpu.AddImm: // to the base of a load or store
		m.writeRegister(i.Dst, addValues(m.readRegister(i.Src), knownValue(uint64(i.Imm), 64, false), 64))
	default:
		return false
	}
	return true
}

// readRegister is what is in a general register; None has zero.
func (m arm) readRegister(r cpu.Reg) Value {
	switch {
	case r == cpu.None:
		return knownValue(0, 64, false)
	case !m.cpu.IsGeneral(r):
		return Value{}
	}
	return m.reg[r]
}

// writeRegister puts a value into a register, if it is one of those that are followed.
func (m arm) writeRegister(r cpu.Reg, v Value) {
	if m.cpu.IsGeneral(r) {
		m.reg[r] = v
	}
}

// readParts is what an instruction reads of registers; ok is false if it is not all known.
func (m arm) readParts(from []arm64.Part) (x []uint64, inferred, ok bool) {
	for _, p := range from {
		v := m.readRegister(p.Reg)
		if v.Bits < p.Bits {
			return nil, false, false
		}
		x, inferred = append(x, v.lowBits(p.Bits).Number), inferred || v.Inferred
	}
	return x, inferred, true
}

// evalData goes over an instruction that computes from registers.
func (m arm) evalData(d *arm64.Data) {
	v, flags := m.evalResult(d)
	if d.Else != nil {
		other, otherFlags := m.evalResult(d.Else)
		holds, known := m.conditionHolds(d.If)
		switch {
		case !known:
			v, flags = joinValues(v, other), joinValues(flags, otherFlags)
		case !holds:
			v, flags = other, otherFlags
		}
		if known {
			v.Inferred = v.Inferred || m.flags.Inferred
			flags.Inferred = flags.Inferred || m.flags.Inferred
		}
	}
	m.writeRegister(d.Dst, v)
	if d.Flags != nil {
		m.flags = flags
	}
}

// evalResult is what an instruction computes, as if there were no condition.
func (m arm) evalResult(d *arm64.Data) (v, flags Value) {
	x, inferred, ok := m.readParts(d.From)
	if ok && d.Flags != nil {
		flags = knownValue(uint64(d.Flags(x)), 8, inferred)
	}
	if !ok || d.Result == nil {
		return v, flags
	}
	n := knownValue(d.Result(x), d.Bits, false).Number
	if d.Place {
		n += m.at.Bias
	}
	return knownValue(n, 64, inferred), flags
}

// conditionHolds reports whether a condition holds; known is false if that cannot be told.
func (m arm) conditionHolds(c arm64.Condition) (holds, known bool) {
	return c.Holds(arm64.NZCV(m.flags.Number)), m.flags.Bits > 0
}

func (m arm) branchTaken(code []byte) (taken, known bool) {
	t, ok := arm64.DecodeTest(code)
	if !ok {
		return false, false
	}
	if t.Taken == nil {
		return m.conditionHolds(t.If)
	}
	x, _, ok := m.readParts([]arm64.Part{t.Of})
	return ok && t.Taken(x[0]), ok
}

// operandAddress is that of a memory operand.
func (m arm) operandAddress(a arm64.Access, operand *cpu.Mem) Value {
	out := knownValue(uint64(operand.Disp), 64, false)
	if operand.Base == cpu.None {
		out.Number += m.at.Bias
	} else {
		out = addValues(out, m.readRegister(operand.Base), 64)
	}
	if operand.Index == cpu.None {
		return out
	}
	index := m.readRegister(operand.Index).lowBits(a.Index)
	if a.Signed {
		index = signExtend(index)
	}
	index.Bits, index.Number = widenedBits(index.Bits), index.Number*uint64(operand.Scale)
	return addValues(out, index, 64)
}

// widenedBits is 64 bits where something is known.
func widenedBits(bits int) int {
	if bits > 0 {
		return 64
	}
	return 0
}

// loadRegister goes over the load of a register.
func (m arm) loadRegister(a arm64.Access, i *cpu.Inst) {
	v := m.loadMemory(m.operandAddress(a, i.Load), i.Load.Size*8)
	if i.Load.Signed {
		v = signExtend(v).lowBits(a.Into)
	}
	v.Bits = widenedBits(v.Bits)
	m.writeRegister(i.Dst, v)
}

// storeRegister goes over the store of a register, or of zero. What else it writes is whether it did.
func (m arm) storeRegister(a arm64.Access, i *cpu.Inst) {
	v := knownValue(0, 64, false)
	if i.Move == cpu.StoreReg {
		v = m.readRegister(i.Src)
	}
	m.recordStore(m.operandAddress(a, i.Store), i.Store.Size, v.lowBits(i.Store.Size*8))
	i.Def.Each(func(r cpu.Reg) { m.writeRegister(r, Value{}) })
}
