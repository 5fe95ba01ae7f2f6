package argument

import (
	"golang.org/x/arch/x86/x86asm"

	"laggard/slicing/cpu"
	"laggard/slicing/x86"
)

// intel goes over instructions of x86-64.
type intel struct{ *machine }

func (m intel) execute(code []byte, i *cpu.Inst) bool {
	in, err := x86asm.Decode(code, 64)
	return err == nil && in.Len == i.Len && (m.moves(&in, i.Addr) || m.computes(&in, i.Addr))
}

// moves goes over an instruction that moves a value.
func (m intel) moves(in *x86asm.Inst, pc uint64) bool {
	to, from := in.Args[0], in.Args[1]
	switch in.Op {
	case x86asm.NOP:
	case x86asm.MOV:
		if !followed(to) || !followed(from) {
			return false
		}
		v, bits := m.operand(in, pc, from)
		if _, constant := from.(x86asm.Imm); constant {
			if r, ok := to.(x86asm.Reg); ok {
				bits = width(r)
			} else {
				bits = in.MemBytes * 8
			}
		}
		m.set(in, pc, to, v.low(bits))
	case x86asm.LEA:
		a, ok := from.(x86asm.Mem)
		r, ok2 := to.(x86asm.Reg)
		if !ok || !ok2 {
			return false
		}
		m.put(r, m.address(in, pc, a))
	case x86asm.MOVZX, x86asm.MOVSX, x86asm.MOVSXD:
		v, bits := m.operand(in, pc, from)
		r, ok := to.(x86asm.Reg)
		if !ok || bits == 0 {
			return false
		}
		if v = v.low(bits); v.Bits > 0 {
			n := v.Number
			if in.Op != x86asm.MOVZX {
				n = uint64(v.signed())
			}
			v = number(n, 64, v.Inferred)
		}
		m.put(r, v)
	case x86asm.CDQE:
		m.put(x86asm.RAX, extended(m.get(x86asm.EAX)))
	case x86asm.CWDE:
		m.put(x86asm.EAX, extended(m.get(x86asm.AX)))
	case x86asm.CDQ:
		m.put(x86asm.EDX, spread(m.get(x86asm.EAX)))
	case x86asm.CQO:
		m.put(x86asm.RDX, spread(m.get(x86asm.RAX)))
	case x86asm.PUSH:
		v, _ := m.operand(in, pc, to)
		if _, constant := to.(x86asm.Imm); !constant {
			v = v.low(64)
		}
		m.reg[x86.RSP] = add(m.reg[x86.RSP], number(^uint64(7), 64, false), 64)
		m.keep(m.reg[x86.RSP], 8, v)
	case x86asm.POP:
		r, ok := to.(x86asm.Reg)
		if !ok || width(r) != 64 {
			return false
		}
		v := m.load(m.reg[x86.RSP], 64)
		m.reg[x86.RSP] = add(m.reg[x86.RSP], number(8, 64, false), 64)
		m.put(r, v)
	default:
		return m.chooses(in, pc)
	}
	return true
}

func (m intel) branches(code []byte) (taken, known bool) {
	in, err := x86asm.Decode(code, 64)
	if name := in.Op.String(); err == nil && len(name) > 1 && name[0] == 'J' {
		return m.holds(name[1:])
	}
	return false, false
}

// followed tells whether an operand is one of those that are followed.
func followed(a x86asm.Arg) bool {
	r, ok := a.(x86asm.Reg)
	return !ok || width(r) > 0
}

func extended(v Value) Value {
	if v.Bits == 0 {
		return v
	}
	return number(uint64(v.signed()), 64, v.Inferred)
}

// spread is all bits the sign of a value.
func spread(v Value) Value {
	if v.Bits == 0 {
		return v
	}
	return number(uint64(v.signed()>>63), 64, v.Inferred)
}

// chooses goes over an instruction that depends on flags.
func (m intel) chooses(in *x86asm.Inst, pc uint64) bool {
	name := in.Op.String()
	switch {
	case len(name) > 3 && name[:3] == "SET":
		holds, known := m.holds(name[3:])
		v := Value{}
		if known {
			v = number(0, 8, m.flags.Inferred)
			if holds {
				v.Number = 1
			}
		}
		m.set(in, pc, in.Args[0], v)
	case len(name) > 4 && name[:4] == "CMOV":
		holds, known := m.holds(name[4:])
		r, ok := in.Args[0].(x86asm.Reg)
		if !ok {
			return false
		}
		v, bits := m.operand(in, pc, in.Args[1])
		v, old := v.low(bits), m.get(r)
		switch {
		case !known:
			v = both(v, old)
		case !holds:
			v = old
		}
		if known {
			v.Inferred = v.Inferred || m.flags.Inferred
		}
		m.put(r, v)
	default:
		return false
	}
	return true
}

// computes goes over an instruction that computes.
func (m intel) computes(in *x86asm.Inst, pc uint64) bool {
	to := in.Args[0]
	a, bits := m.operand(in, pc, to)
	b, from := m.operand(in, pc, in.Args[1])
	if bits == 0 {
		return false
	}
	if from == 0 {
		b = b.low(bits)
	}
	switch in.Op {
	case x86asm.IDIV, x86asm.DIV:
		return m.divides(in.Op == x86asm.IDIV, a, bits)
	case x86asm.CMP:
		m.difference(a, b, bits)
		return true
	case x86asm.TEST:
		m.difference(binaryOf(a, b, bits, func(x, y uint64) uint64 { return x & y }), number(0, bits, false), bits)
		return true
	}
	v, ok := m.result(in, pc, a, b, bits)
	if !ok {
		return false
	}
	m.flags = Value{}
	switch in.Op {
	case x86asm.SUB:
		m.difference(a, b, bits)
	case x86asm.AND, x86asm.OR, x86asm.XOR:
		m.difference(v, number(0, bits, false), bits)
	}
	m.set(in, pc, to, v)
	return true
}

// result is what an instruction writes to its first operand.
func (m intel) result(in *x86asm.Inst, pc uint64, a, b Value, bits int) (v Value, ok bool) {
	shift := func(f func(x Value, n uint) uint64) Value {
		return binaryOf(a, number(b.Number, bits, b.Inferred), bits, func(_, y uint64) uint64 {
			return f(a.low(bits), uint(y)&uint(max(bits, 32)-1))
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
		return number(0, bits, false), true
	case f != nil:
		return binaryOf(a, b, bits, f), true
	}
	one := number(1, bits, false)
	switch in.Op {
	case x86asm.INC:
		return add(a, one, bits), true
	case x86asm.DEC:
		return add(a, number(^uint64(0), bits, false), bits), true
	case x86asm.NEG:
		return binaryOf(number(0, bits, false), a, bits, func(x, y uint64) uint64 { return x - y }), true
	case x86asm.NOT:
		return binaryOf(a, a, bits, func(x, _ uint64) uint64 { return ^x }), true
	case x86asm.IMUL:
		if in.Args[1] == nil {
			return v, false
		}
		if in.Args[2] != nil {
			a = b
			b, _ = m.operand(in, pc, in.Args[2])
		}
		return binaryOf(a, b, bits, func(x, y uint64) uint64 { return x * y }), true
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
		return shift(func(x Value, n uint) uint64 { return uint64(x.signed() >> n) }), true
	}
	return v, false
}

// divides divides what is in two registers.
func (m intel) divides(isSigned bool, by Value, bits int) bool {
	lo, hi := x86asm.EAX, x86asm.EDX
	if bits == 64 {
		lo, hi = x86asm.RAX, x86asm.RDX
	} else if bits != 32 {
		return false
	}
	a, top := m.get(lo), m.get(hi)
	m.flags = Value{}
	inferred := a.Inferred || by.Inferred
	var q, r uint64
	switch {
	case a.Bits < bits || top.Bits < bits || by.Bits < bits || by.Number == 0:
		m.put(lo, Value{})
		m.put(hi, Value{})
		return true
	case isSigned && top.Number == spread(a).low(bits).Number && by.signed() != -1:
		q, r = uint64(a.signed()/by.signed()), uint64(a.signed()%by.signed())
	case !isSigned && top.Number == 0:
		q, r = a.Number/by.Number, a.Number%by.Number
	default:
		m.put(lo, Value{})
		m.put(hi, Value{})
		return true
	}
	m.put(lo, number(q, bits, inferred))
	m.put(hi, number(r, bits, inferred))
	return true
}

// Places of the flags.
const (
	carry = 1 << iota
	zero
	sign
	overflow
)

// difference sets the flags that the difference of two values has.
func (m intel) difference(a, b Value, bits int) {
	if m.flags = (Value{}); a.Bits < bits || b.Bits < bits {
		return
	}
	a, b = a.low(bits), b.low(bits)
	m.flags = number(0, 8, a.Inferred || b.Inferred)
	for place, holds := range map[uint64]bool{
		carry: a.Number < b.Number, zero: a.Number == b.Number,
		sign:     number(a.Number-b.Number, bits, false).signed() < 0,
		overflow: (a.signed() < b.signed()) != (number(a.Number-b.Number, bits, false).signed() < 0),
	} {
		if holds {
			m.flags.Number |= place
		}
	}
}

// holds tells whether a condition, such as "E" or "LE", holds; known is false if that
// cannot be told.
func (m intel) holds(condition string) (holds, known bool) {
	if m.flags.Bits == 0 {
		return false, false
	}
	is := func(flags uint64) bool { return m.flags.Number&flags != 0 }
	less := is(sign) != is(overflow)
	holds, known = map[string]bool{
		"E": is(zero), "L": less, "LE": less || is(zero), "B": is(carry), "BE": is(carry | zero),
		"NE": !is(zero), "GE": !less, "G": !less && !is(zero), "AE": !is(carry), "A": !is(carry | zero),
		"S": is(sign), "NS": !is(sign),
	}[condition]
	return holds, known
}
