package argument

import (
	"golang.org/x/arch/x86/x86asm"

	"laggard/slicing/x86"
)

// operandAddress is that of a memory operand.
func (m intel) operandAddress(in *x86asm.Inst, pc uint64, a x86asm.Mem) Value {
	if a.Segment == x86asm.FS || a.Segment == x86asm.GS {
		return Value{}
	}
	disp := a.Disp
	if disp>>32 == 0 { // x86asm forgets the sign of four bytes
		disp = int64(int32(disp))
	}
	out := knownValue(uint64(disp), 64, false)
	switch a.Base {
	case 0:
	case x86asm.RIP:
		out.Number += pc + uint64(in.Len) + m.at.Bias
	default:
		out = addValues(out, m.readRegister(a.Base), 64)
	}
	if a.Index != 0 && a.Scale != 0 {
		i := m.readRegister(a.Index)
		i.Number *= uint64(a.Scale)
		out = addValues(out, i, 64)
	}
	return out
}

// registerBits is that of a register in bits; 0 of one that is not followed.
func registerBits(r x86asm.Reg) int {
	switch {
	case r >= x86asm.AL && r <= x86asm.R15B:
		return 8
	case r >= x86asm.AX && r <= x86asm.R15W:
		return 16
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return 32
	case r >= x86asm.RAX && r <= x86asm.R15:
		return 64
	}
	return 0
}

// isHighByte reports whether a register is the second byte of another.
func isHighByte(r x86asm.Reg) bool { return r >= x86asm.AH && r <= x86asm.BH }

func (m intel) readRegister(r x86asm.Reg) Value {
	n := x86.RegOf(r)
	if n < 0 || n >= x86.General || isHighByte(r) {
		return Value{}
	}
	return m.reg[n].lowBits(registerBits(r))
}

func (m intel) writeRegister(r x86asm.Reg, v Value) {
	n, bits := x86.RegOf(r), registerBits(r)
	switch {
	case n < 0 || n >= x86.General:
	case isHighByte(r):
		m.reg[n] = m.reg[n].lowBits(8)
	case bits == 64:
		m.reg[n] = v.lowBits(64)
	case bits == 32: // the upper half becomes zero
		if v = v.lowBits(32); v.Bits > 0 {
			v.Bits = 64
		}
		m.reg[n] = v
	default:
		old := m.reg[n]
		if v = v.lowBits(bits); v.Bits > 0 && old.Bits > bits {
			v = knownValue(old.Number&^bitMask(bits)|v.Number, old.Bits, v.Inferred || old.Inferred)
		}
		m.reg[n] = v
	}
}

// readOperand reads an operand; bits is its size.
func (m intel) readOperand(in *x86asm.Inst, pc uint64, a x86asm.Arg) (v Value, bits int) {
	switch a := a.(type) {
	case x86asm.Reg:
		return m.readRegister(a), registerBits(a)
	case x86asm.Imm:
		return knownValue(uint64(a), 64, false), 0
	case x86asm.Mem:
		return m.loadMemory(m.operandAddress(in, pc, a), in.MemBytes*8), in.MemBytes * 8
	}
	return Value{}, 0
}

// writeOperand writes an operand.
func (m intel) writeOperand(in *x86asm.Inst, pc uint64, a x86asm.Arg, v Value) {
	switch a := a.(type) {
	case x86asm.Reg:
		m.writeRegister(a, v)
	case x86asm.Mem:
		m.recordStore(m.operandAddress(in, pc, a), in.MemBytes, v)
	}
}
