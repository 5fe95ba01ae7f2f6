package argument

import (
	"golang.org/x/arch/x86/x86asm"

	"laggard/slicing/x86"
)

// address is that of a memory operand.
func (m intel) address(in *x86asm.Inst, pc uint64, a x86asm.Mem) Value {
	if a.Segment == x86asm.FS || a.Segment == x86asm.GS {
		return Value{}
	}
	disp := a.Disp
	if disp>>32 == 0 { // x86asm forgets the sign of four bytes
		disp = int64(int32(disp))
	}
	out := number(uint64(disp), 64, false)
	switch a.Base {
	case 0:
	case x86asm.RIP:
		out.Number += pc + uint64(in.Len) + m.at.Bias
	default:
		out = add(out, m.get(a.Base), 64)
	}
	if a.Index != 0 && a.Scale != 0 {
		i := m.get(a.Index)
		i.Number *= uint64(a.Scale)
		out = add(out, i, 64)
	}
	return out
}

// width is that of a register in bits; 0 of one that is not followed.
func width(r x86asm.Reg) int {
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

// high tells whether a register is the second byte of another.
func high(r x86asm.Reg) bool { return r >= x86asm.AH && r <= x86asm.BH }

func (m intel) get(r x86asm.Reg) Value {
	n := x86.Number(r)
	if n < 0 || n >= x86.General || high(r) {
		return Value{}
	}
	return m.reg[n].low(width(r))
}

func (m intel) put(r x86asm.Reg, v Value) {
	n, bits := x86.Number(r), width(r)
	switch {
	case n < 0 || n >= x86.General:
	case high(r):
		m.reg[n] = m.reg[n].low(8)
	case bits == 64:
		m.reg[n] = v.low(64)
	case bits == 32: // the upper half becomes zero
		if v = v.low(32); v.Bits > 0 {
			v.Bits = 64
		}
		m.reg[n] = v
	default:
		old := m.reg[n]
		if v = v.low(bits); v.Bits > 0 && old.Bits > bits {
			v = number(old.Number&^mask(bits)|v.Number, old.Bits, v.Inferred || old.Inferred)
		}
		m.reg[n] = v
	}
}

// operand reads an operand; bits is its size.
func (m intel) operand(in *x86asm.Inst, pc uint64, a x86asm.Arg) (v Value, bits int) {
	switch a := a.(type) {
	case x86asm.Reg:
		return m.get(a), width(a)
	case x86asm.Imm:
		return number(uint64(a), 64, false), 0
	case x86asm.Mem:
		return m.load(m.address(in, pc, a), in.MemBytes*8), in.MemBytes * 8
	}
	return Value{}, 0
}

// set writes an operand.
func (m intel) set(in *x86asm.Inst, pc uint64, a x86asm.Arg, v Value) {
	switch a := a.(type) {
	case x86asm.Reg:
		m.put(a, v)
	case x86asm.Mem:
		m.keep(m.address(in, pc, a), in.MemBytes, v)
	}
}
