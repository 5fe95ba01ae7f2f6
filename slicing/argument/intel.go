package argument

import (
	"golang.org/x/arch/x86/x86asm"

	"laggard/binary/processor"
	"laggard/slicing/cpu"
	"laggard/slicing/x86"
)

// intel goes over instructions of x86-64.
type intel struct{ *machine }

func (m intel) evalInst(code []byte, i *cpu.Inst) bool {
	in, err := x86asm.Decode(code, 64)
	return err == nil && in.Len == i.Len && (m.evalMove(&in, i.Addr) || m.evalArithmetic(&in, i.Addr))
}

// evalMove goes over an instruction that moves a value.
func (m intel) evalMove(in *x86asm.Inst, pc uint64) bool {
	to, from := in.Args[0], in.Args[1]
	switch in.Op {
	case x86asm.NOP:
	case x86asm.MOV:
		if !isTrackedOperand(to) || !isTrackedOperand(from) {
			return false
		}
		v, bits := m.readOperand(in, pc, from)
		if _, constant := from.(x86asm.Imm); constant {
			if r, ok := to.(x86asm.Reg); ok {
				bits = registerBits(r)
			} else {
				bits = in.MemBytes * 8
			}
		}
		m.writeOperand(in, pc, to, v.lowBits(bits))
	case x86asm.LEA:
		a, ok := from.(x86asm.Mem)
		r, ok2 := to.(x86asm.Reg)
		if !ok || !ok2 {
			return false
		}
		m.writeRegister(r, m.operandAddress(in, pc, a))
	case x86asm.MOVZX, x86asm.MOVSX, x86asm.MOVSXD:
		v, bits := m.readOperand(in, pc, from)
		r, ok := to.(x86asm.Reg)
		if !ok || bits == 0 {
			return false
		}
		if v = v.lowBits(bits); v.Bits > 0 {
			n := v.Number
			if in.Op != x86asm.MOVZX {
				n = uint64(v.asSigned())
			}
			v = knownValue(n, 64, v.Inferred)
		}
		m.writeRegister(r, v)
	case x86asm.CDQE:
		m.writeRegister(x86asm.RAX, signExtend(m.readRegister(x86asm.EAX)))
	case x86asm.CWDE:
		m.writeRegister(x86asm.EAX, signExtend(m.readRegister(x86asm.AX)))
	case x86asm.CDQ:
		m.writeRegister(x86asm.EDX, signFill(m.readRegister(x86asm.EAX)))
	case x86asm.CQO:
		m.writeRegister(x86asm.RDX, signFill(m.readRegister(x86asm.RAX)))
	case x86asm.PUSH:
		v, _ := m.readOperand(in, pc, to)
		if _, constant := to.(x86asm.Imm); !constant {
			v = v.lowBits(64)
		}
		m.reg[x86.RSP] = addValues(m.reg[x86.RSP], knownValue(^uint64(7), 64, false), 64)
		m.recordStore(m.reg[x86.RSP], 8, v)
	case x86asm.POP:
		r, ok := to.(x86asm.Reg)
		if !ok || registerBits(r) != 64 {
			return false
		}
		v := m.loadMemory(m.reg[x86.RSP], 64)
		m.reg[x86.RSP] = addValues(m.reg[x86.RSP], knownValue(8, 64, false), 64)
		m.writeRegister(r, v)
	default:
		return m.evalConditional(in, pc)
	}
	return true
}

func (m intel) branchTaken(code []byte) (taken, known bool) {
	in, err := x86asm.Decode(code, 64)
	if name := in.Op.String(); err == nil && len(name) > 1 && name[0] == 'J' {
		return m.conditionHolds(name[1:])
	}
	return false, false
}

// isTrackedOperand reports whether an operand is one of those that are followed.
func isTrackedOperand(a x86asm.Arg) bool {
	r, ok := a.(x86asm.Reg)
	return !ok || registerBits(r) > 0
}

func signExtend(v Value) Value {
	if v.Bits == 0 {
		return v
	}
	return knownValue(uint64(v.asSigned()), 64, v.Inferred)
}

// signFill is all bits the sign of a value.
func signFill(v Value) Value {
	if v.Bits == 0 {
		return v
	}
	return knownValue(uint64(v.asSigned()>>63), 64, v.Inferred)
}

// evalConditional goes over an instruction that depends on flags.
func (m intel) evalConditional(in *x86asm.Inst, pc uint64) bool {
	name := in.Op.String()
	switch {
	case len(name) > 3 && name[:3] == "SET":
		holds, known := m.conditionHolds(name[3:])
		v := Value{}
		if known {
			v = knownValue(0, 8, m.flags.Inferred)
			if holds {
				v.Number = 1
			}
		}
		m.writeOperand(in, pc, in.Args[0], v)
	case len(name) > 4 && name[:4] == "CMOV":
		holds, known := m.conditionHolds(name[4:])
		r, ok := in.Args[0].(x86asm.Reg)
		if !ok {
			return false
		}
		v, bits := m.readOperand(in, pc, in.Args[1])
		v, old := v.lowBits(bits), m.readRegister(r)
		switch {
		case !known:
			v = joinValues(v, old)
		case !holds:
			v = old
		}
		if known {
			v.Inferred = v.Inferred || m.flags.Inferred
		}
		m.writeRegister(r, v)
	default:
		return false
	}
	return true
}

// evalArithmetic goes over an instruction that computes.
func (m intel) evalArithmetic(in *x86asm.Inst, pc uint64) bool {
	to := in.Args[0]
	a, bits := m.readOperand(in, pc, to)
	b, from := m.readOperand(in, pc, in.Args[1])
	if bits == 0 {
		return false
	}
	if from == 0 {
		b = b.lowBits(bits)
	}
	switch in.Op {
	case x86asm.IDIV, x86asm.DIV:
		return m.evalDivision(in.Op == x86asm.IDIV, a, bits)
	case x86asm.CMP:
		m.setCompareFlags(a, b, bits)
		return true
	case x86asm.TEST:
		m.setCompareFlags(binaryOp(a, b, bits, func(x, y uint64) uint64 { return x & y }), knownValue(0, bits, false), bits)
		return true
	}
	v, ok := m.evalResult(in, pc, a, b, bits)
	if !ok {
		return false
	}
	m.flags = Value{}
	switch in.Op {
	case x86asm.SUB:
		m.setCompareFlags(a, b, bits)
	case x86asm.AND, x86asm.OR, x86asm.XOR:
		m.setCompareFlags(v, knownValue(0, bits, false), bits)
	}
	m.writeOperand(in, pc, to, v)
	return true
}

// evalResult is what an instruction writes to its first operand.
func (m intel) evalResult(in *x86asm.Inst, pc uint64, a, b Value, bits int) (v Value, ok bool) {
	shift := func(f func(x Value, n uint) uint64) Value {
		return binaryOp(a, knownValue(b.Number, bits, b.Inferred), bits, func(_, y uint64) uint64 {
			return f(a.lowBits(bits), uint(y)&uint(max(bits, 32)-1))
		})
	}
	f := map[x86asm.Op]func(x, y uint64) uint64{
		x86asm.ADD: func(x, y uint64) uint64 { return x + y },
		x86asm.SUB: func(x, y uint64) uint64 { return x - y },
		x86asm.AND: func(x, y uint64) uint64 { return x & y },
		x86asm.OR:  func(x, y uint64) uint64 { return x | y },
		x86asm.XOR: func(x, y uint64) uint64 { return x ^ y },
	}[in.Op]
	switch {
	case (in.Op == x86asm.XOR || in.Op == x86asm.SUB) && in.Args[0] == in.Args[1]:
		return knownValue(0, bits, false), true
	case f != nil:
		return binaryOp(a, b, bits, f), true
	}
	one := knownValue(1, bits, false)
	switch in.Op {
	case x86asm.INC:
		return addValues(a, one, bits), true
	case x86asm.DEC:
		return addValues(a, knownValue(^uint64(0), bits, false), bits), true
	case x86asm.NEG:
		return binaryOp(knownValue(0, bits, false), a, bits, func(x, y uint64) uint64 { return x - y }), true
	case x86asm.NOT:
		return binaryOp(a, a, bits, func(x, _ uint64) uint64 { return ^x }), true
	case x86asm.IMUL:
		if in.Args[1] == nil {
			return v, false
		}
		if in.Args[2] != nil {
			a = b
			b, _ = m.readOperand(in, pc, in.Args[2])
		}
		return binaryOp(a, b, bits, func(x, y uint64) uint64 { return x * y }), true
	case x86asm.SHL, x86asm.SHR, x86asm.SAR:
		if in.Args[1] == nil {
			b = one
		}
		if b.Bits == 0 {
			return Value{}, true
		}
	}
	switch in.Op {
	case x86asm.SHL:
		return shift(func(x Value, n uint) uint64 { return x.Number << n }), true
	case x86asm.SHR:
		return shift(func(x Value, n uint) uint64 { return x.Number >> n }), true
	case x86asm.SAR:
		return shift(func(x Value, n uint) uint64 { return uint64(x.asSigned() >> n) }), true
	}
	return v, false
}

// evalDivision divides what is in two registers.
func (m intel) evalDivision(isSigned bool, by Value, bits int) bool {
	lo, hi := x86asm.EAX, x86asm.EDX
	if bits == 64 {
		lo, hi = x86asm.RAX, x86asm.RDX
	} else if bits != 32 {
		return false
	}
	a, top := m.readRegister(lo), m.readRegister(hi)
	m.flags = Value{}
	inferred := a.Inferred || by.Inferred
	var q, r uint64
	switch {
	case a.Bits < bits || top.Bits < bits || by.Bits < bits || by.Number == 0:
		m.writeRegister(lo, Value{})
		m.writeRegister(hi, Value{})
		return true
	case isSigned && top.Number == signFill(a).lowBits(bits).Number && by.asSigned() != -1:
		q, r = uint64(a.asSigned()/by.asSigned()), uint64(a.asSigned()%by.asSigned())
	case !isSigned && top.Number == 0:
		q, r = a.Number/by.Number, a.Number%by.Number
	default:
		m.writeRegister(lo, Value{})
		m.writeRegister(hi, Value{})
		return true
	}
	m.writeRegister(lo, knownValue(q, bits, inferred))
	m.writeRegister(hi, knownValue(r, bits, inferred))
	return true
}

// flagBits are the bits of RFLAGS that are followed.
const flagBits = 16

// setCompareFlags sets the flags that the difference of two values has.
func (m intel) setCompareFlags(a, b Value, bits int) {
	if m.flags = (Value{}); a.Bits < bits || b.Bits < bits {
		return
	}
	a, b = a.lowBits(bits), b.lowBits(bits)
	m.flags = knownValue(0, flagBits, a.Inferred || b.Inferred)
	for place, holds := range map[uint64]bool{
		processor.X86Carry: a.Number < b.Number, processor.X86Zero: a.Number == b.Number,
		processor.X86Sign:     knownValue(a.Number-b.Number, bits, false).asSigned() < 0,
		processor.X86Overflow: (a.asSigned() < b.asSigned()) != (knownValue(a.Number-b.Number, bits, false).asSigned() < 0),
	} {
		if holds {
			m.flags.Number |= place
		}
	}
}

// conditionNumbers are those of the conditions in instructions (Intel SDM volume 1, appendix B).
var conditionNumbers = map[string]byte{
	"B": 2, "AE": 3, "E": 4, "NE": 5, "BE": 6, "A": 7, "S": 8, "NS": 9, "L": 12, "GE": 13, "LE": 14, "G": 15,
}

// conditionHolds reports whether a condition, such as "E" or "LE", holds; known is false if that
// cannot be told.
func (m intel) conditionHolds(condition string) (holds, known bool) {
	if m.flags.Bits == 0 {
		return false, false
	}
	number, known := conditionNumbers[condition]
	return processor.X86Holds(number, m.flags.Number), known
}
