package argument

import (
	"golang.org/x/arch/x86/x86asm"

	"laggard/slicing/cpu"
	"laggard/slicing/x86"
)

// execute goes over an instruction that is no jump and no call. What it does not know
// leaves unknown values behind.
func (m *machine) execute(code []byte, i *cpu.Inst) {
	in, err := x86asm.Decode(code, 64)
	readable := err == nil && in.Len == i.Len && !i.Opaque
	if !readable || !m.moves(&in, i.Addr) && !m.computes(&in, i.Addr) {
		m.forget(i)
	}
}

// forget makes unknown all that an instruction writes.
func (m *machine) forget(i *cpu.Inst) {
	for r := range cpu.Reg(x86.General) {
		if i.Opaque || i.Def.Has(r) {
			m.reg[r] = Value{}
		}
	}
	if i.Dst == x86.RSP || i.Move == cpu.LeaveMove || i.SP != 0 {
		m.reg[x86.RSP] = Value{}
	}
	if i.Def.Has(x86.Flags) || i.Opaque {
		m.flags = flags{}
	}
	if i.Store == nil && !i.Opaque {
		return
	}
	addr := Value{}
	if s := i.Store; s != nil && s.Index == cpu.None && s.Base == x86.RSP && !s.Thread {
		addr = add(m.reg[x86.RSP], number(uint64(s.Disp), 64, false), 64)
	} else if s != nil && s.Index == cpu.None && s.Base != cpu.None && s.Base < x86.General && !s.Thread {
		addr = add(m.reg[s.Base], number(uint64(s.Disp), 64, false), 64)
	}
	size := 0
	if i.Store != nil {
		size = i.Store.Size
	}
	m.keep(addr, size, Value{})
}

// moves goes over an instruction that moves a value.
func (m *machine) moves(in *x86asm.Inst, pc uint64) bool {
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
		m.put(x86asm.EDX, sign(m.get(x86asm.EAX)))
	case x86asm.CQO:
		m.put(x86asm.RDX, sign(m.get(x86asm.RAX)))
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

// branches tells whether the conditional jump is taken; known is false if that cannot be
// told.
func (m *machine) branches(code []byte) (taken, known bool) {
	in, err := x86asm.Decode(code, 64)
	if name := in.Op.String(); err == nil && len(name) > 1 && name[0] == 'J' {
		return m.flags.holds(name[1:])
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

// sign is all bits the sign of a value.
func sign(v Value) Value {
	if v.Bits == 0 {
		return v
	}
	return number(uint64(v.signed()>>63), 64, v.Inferred)
}

// chooses goes over an instruction that depends on flags.
func (m *machine) chooses(in *x86asm.Inst, pc uint64) bool {
	name := in.Op.String()
	switch {
	case len(name) > 3 && name[:3] == "SET":
		holds, known := m.flags.holds(name[3:])
		v := Value{}
		if known {
			v = number(0, 8, m.flags.inferred())
			if holds {
				v.Number = 1
			}
		}
		m.set(in, pc, in.Args[0], v)
	case len(name) > 4 && name[:4] == "CMOV":
		holds, known := m.flags.holds(name[4:])
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
			v.Inferred = v.Inferred || m.flags.inferred()
		}
		m.put(r, v)
	default:
		return false
	}
	return true
}

// computes goes over an instruction that computes.
func (m *machine) computes(in *x86asm.Inst, pc uint64) bool {
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
		m.flags = flags{a, b, bits}
		return true
	case x86asm.TEST:
		m.flags = flags{binaryOf(a, b, bits, func(x, y uint64) uint64 { return x & y }), number(0, bits, false), bits}
		return true
	}
	v, ok := m.result(in, pc, a, b, bits)
	if !ok {
		return false
	}
	m.flags = flags{}
	switch in.Op {
	case x86asm.SUB:
		m.flags = flags{a, b, bits}
	case x86asm.AND, x86asm.OR, x86asm.XOR:
		m.flags = flags{v, number(0, bits, false), bits}
	}
	m.set(in, pc, to, v)
	return true
}

// result is what an instruction writes to its first operand.
func (m *machine) result(in *x86asm.Inst, pc uint64, a, b Value, bits int) (v Value, ok bool) {
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
func (m *machine) divides(isSigned bool, by Value, bits int) bool {
	lo, hi := x86asm.EAX, x86asm.EDX
	if bits == 64 {
		lo, hi = x86asm.RAX, x86asm.RDX
	} else if bits != 32 {
		return false
	}
	a, top := m.get(lo), m.get(hi)
	m.flags = flags{}
	inferred := a.Inferred || by.Inferred
	var q, r uint64
	switch {
	case a.Bits < bits || top.Bits < bits || by.Bits < bits || by.Number == 0:
		m.put(lo, Value{})
		m.put(hi, Value{})
		return true
	case isSigned && top.Number == sign(a).low(bits).Number && by.signed() != -1:
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

func (f *flags) inferred() bool { return f.a.Inferred || f.b.Inferred }

// holds tells whether a condition, such as "E" or "LE", holds; known is false if that
// cannot be told.
func (f *flags) holds(condition string) (holds, known bool) {
	if f.bits == 0 || f.a.Bits < f.bits || f.b.Bits < f.bits {
		return false, false
	}
	a, b := f.a.low(f.bits), f.b.low(f.bits)
	x, y := a.signed(), b.signed()
	switch condition {
	case "E":
		return x == y, true
	case "NE":
		return x != y, true
	case "L":
		return x < y, true
	case "GE":
		return x >= y, true
	case "LE":
		return x <= y, true
	case "G":
		return x > y, true
	case "B":
		return a.Number < b.Number, true
	case "AE":
		return a.Number >= b.Number, true
	case "BE":
		return a.Number <= b.Number, true
	case "A":
		return a.Number > b.Number, true
	case "S", "NS":
		d := number(a.Number-b.Number, f.bits, false)
		return (d.signed() < 0) == (condition == "S"), true
	}
	return false, false
}
