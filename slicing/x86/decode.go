package x86

import (
	"golang.org/x/arch/x86/x86asm"

	"laggard/slicing/cpu"
)

// Decode decodes the instruction at the start of code, which lies at addr.
func Decode(code []byte, addr uint64) cpu.Inst {
	if n := cetInstLen(code); n > 0 {
		return cpu.Inst{Addr: addr, Len: n, Dst: cpu.None, Src: cpu.None}
	}
	in, err := x86asm.Decode(code, 64)
	if err != nil || in.Op == 0 || in.Len <= 0 || in.Len > len(code) {
		return undecodedInst(code, addr)
	}
	d := decoder{in: &in, out: cpu.Inst{Addr: addr, Len: in.Len, Dst: cpu.None, Src: cpu.None}}
	d.decode()
	return d.out
}

// cetInstLen returns the length of endbr64 or rdsspq (which gives nothing without
// a shadow stack), which x86asm takes for other things. 0: it is neither.
func cetInstLen(code []byte) int {
	switch {
	case len(code) >= 4 && code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] >= 0xfa:
		return 4
	case len(code) >= 5 && code[0] == 0xf3 && code[1]&0xf8 == 0x48 && code[2] == 0x0f && code[3] == 0x1e &&
		code[4] >= 0xc0:
		return 5
	}
	return 0
}

type decoder struct {
	in  *x86asm.Inst
	out cpu.Inst
}

func (d *decoder) decode() {
	op := d.in.Op
	c := classOf(op)
	if c.setsFlags {
		d.def(Flags)
	}
	if c.usesFlags {
		d.use(Flags)
	}
	switch {
	case d.decodeControl():
	case d.decodeStack():
	case d.decodeString():
	default:
		d.decodeOperands(c)
		d.addImplied()
		d.decodeMove()
	}
	d.out.Unfixed = d.out.Def.Has(RSP) && d.out.Dst != RSP
	d.out.Def = d.out.Def.Without(cpu.Set(RSP))
	d.out.Use = d.out.Use.Without(cpu.Set(RSP))
	d.out.Kills = d.out.Kills.And(d.out.Def)
}

func (d *decoder) def(r cpu.Reg) { d.out.Def.Add(r); d.out.Kills.Add(r) }
func (d *decoder) use(r cpu.Reg) { d.out.Use.Add(r) }

// operandReg gives the register of an operand, None if it is no register we follow.
func operandReg(a x86asm.Arg) cpu.Reg {
	r, ok := a.(x86asm.Reg)
	if !ok {
		return cpu.None
	}
	return RegOf(r)
}

// RegOf is the register that a register of x86asm is, or is a part of; None if it is not
// followed.
func RegOf(r x86asm.Reg) cpu.Reg {
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return cpu.Reg(r - x86asm.AL)
	case r >= x86asm.AH && r <= x86asm.BH:
		return cpu.Reg(r - x86asm.AH)
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return RSP + cpu.Reg(r-x86asm.SPB)
	case r >= x86asm.AX && r <= x86asm.R15W:
		return cpu.Reg(r - x86asm.AX)
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return cpu.Reg(r - x86asm.EAX)
	case r >= x86asm.RAX && r <= x86asm.R15:
		return cpu.Reg(r - x86asm.RAX)
	case r >= x86asm.F0 && r <= x86asm.M7:
		return FPU
	case r >= x86asm.X0 && r <= x86asm.X31:
		return X0 + cpu.Reg(r-x86asm.X0)
	case r >= x86asm.Y0 && r <= x86asm.Y31:
		return X0 + cpu.Reg(r-x86asm.Y0)
	case r >= x86asm.Z0 && r <= x86asm.Z31:
		return X0 + cpu.Reg(r-x86asm.Z0)
	case r >= x86asm.K0 && r <= x86asm.K7:
		return Mask
	}
	return cpu.None
}

func (d *decoder) memOperand(a x86asm.Arg) *cpu.Mem {
	m, ok := a.(x86asm.Mem)
	if !ok {
		return nil
	}
	out := &cpu.Mem{
		Base: cpu.None, Index: cpu.None, Scale: int64(m.Scale), Disp: m.Disp, Size: d.in.MemBytes,
	}
	if out.Disp>>32 == 0 { // x86asm forgets the sign of four bytes
		out.Disp = int64(int32(out.Disp))
	}
	switch m.Base {
	case 0:
	case x86asm.RIP, x86asm.EIP:
		out.Disp += int64(d.out.Addr) + int64(d.in.Len)
	default:
		out.Base = RegOf(m.Base)
	}
	if m.Index != 0 && m.Scale != 0 {
		out.Index = RegOf(m.Index)
	}
	out.Thread = m.Segment == x86asm.FS || m.Segment == x86asm.GS
	return out
}

// decodeControl decodes what does not simply go on.
func (d *decoder) decodeControl() bool {
	o, target := &d.out, d.in.Args[0]
	switch d.in.Op {
	case x86asm.JMP, x86asm.LJMP:
		o.Kind = cpu.Jump
	case x86asm.CALL, x86asm.LCALL:
		o.Kind = cpu.Call
	case x86asm.RET, x86asm.LRET, x86asm.IRET, x86asm.IRETD, x86asm.IRETQ:
		o.Kind, o.SP = cpu.Return, 8
		return true
	case x86asm.UD0, x86asm.UD1, x86asm.UD2, x86asm.HLT:
		o.Kind = cpu.Halt
		return true
	case x86asm.LOOP, x86asm.LOOPE, x86asm.LOOPNE:
		d.use(RCX)
		d.def(RCX)
		o.Kind = cpu.Branch
	case x86asm.JCXZ, x86asm.JECXZ, x86asm.JRCXZ:
		d.use(RCX)
		o.Kind = cpu.Branch
	default:
		if !classOf(d.in.Op).jump {
			return false
		}
		o.Kind = cpu.Branch
	}
	switch t := target.(type) {
	case x86asm.Rel:
		o.Target = o.End() + uint64(int64(t))
	default:
		o.Indirect = true
		o.Src = operandReg(target)
		d.use(o.Src)
		if o.Load = d.memOperand(target); o.Load != nil {
			o.Load.Size = 8
		}
	}
	return true
}

// decodeStack decodes what moves the stack pointer by itself.
func (d *decoder) decodeStack() bool {
	o := &d.out
	switch d.in.Op {
	case x86asm.PUSH:
		o.SP, o.Store = -8, &cpu.Mem{Base: RSP, Index: cpu.None, Disp: -8, Size: 8}
		if o.Src = operandReg(d.in.Args[0]); o.Src != cpu.None {
			o.Move = cpu.PushReg
			d.use(o.Src)
		}
		o.Load = d.memOperand(d.in.Args[0])
	case x86asm.POP:
		o.SP, o.Load = 8, &cpu.Mem{Base: RSP, Index: cpu.None, Size: 8}
		if o.Dst = operandReg(d.in.Args[0]); o.Dst != cpu.None {
			o.Move = cpu.PopReg
			d.def(o.Dst)
		}
		o.Store = d.memOperand(d.in.Args[0])
	case x86asm.PUSHF, x86asm.PUSHFD, x86asm.PUSHFQ:
		o.SP, o.Store = -8, &cpu.Mem{Base: RSP, Index: cpu.None, Disp: -8, Size: 8}
	case x86asm.POPF, x86asm.POPFD, x86asm.POPFQ:
		o.SP, o.Load = 8, &cpu.Mem{Base: RSP, Index: cpu.None, Size: 8}
	case x86asm.LEAVE:
		o.Move, o.Dst, o.Load = cpu.LeaveMove, RBP, &cpu.Mem{Base: RBP, Index: cpu.None, Size: 8}
		d.def(RBP)
	case x86asm.ENTER:
		o.Opaque = true
		d.def(RBP)
	default:
		return false
	}
	return true
}

// decodeString decodes the string instructions, whose operands are implied.
func (d *decoder) decodeString() bool {
	c := classOf(d.in.Op)
	if c.str == 0 {
		return false
	}
	o, size := &d.out, d.in.MemBytes
	for _, p := range d.in.Prefix {
		if p&0xfff == x86asm.PrefixREP || p&0xfff == x86asm.PrefixREPN {
			d.use(RCX)
			d.def(RCX)
			size = 0
		}
	}
	at := func(r cpu.Reg) *cpu.Mem {
		d.def(r)
		return &cpu.Mem{Base: r, Index: cpu.None, Size: size}
	}
	if c.str&readsSource != 0 {
		o.Load = at(RSI)
	}
	if c.str&readsTarget != 0 {
		o.Load2 = at(RDI)
	}
	if c.str&writesTarget != 0 {
		o.Store = at(RDI)
	}
	if c.str&readsA != 0 {
		d.use(RAX)
	}
	if c.str&writesA != 0 {
		d.def(RAX)
	}
	return true
}

// decodeOperands goes through the explicit operands; the first one is the target.
func (d *decoder) decodeOperands(c class) {
	write, read := c.writes, c.reads
	if d.isZeroIdiom() {
		d.def(operandReg(d.in.Args[0]))
		return
	}
	if d.in.Op == x86asm.IMUL {
		write, read = d.in.Args[1] != nil, d.in.Args[2] == nil
	}
	for i, a := range d.in.Args {
		if a == nil {
			break
		}
		target := i == 0 || c.both && i == 1
		if m := d.memOperand(a); m != nil {
			if d.in.Op == x86asm.LEA {
				m.Size = 0
			}
			if !target || read && !c.half {
				d.out.Load = m
			}
			if target && write {
				d.out.Store = m
			}
			continue
		}
		r := operandReg(a)
		if !target || read {
			d.use(r)
		}
		if target && write {
			d.def(r)
		}
	}
}

// isZeroIdiom reports whether the result is known though a register is named twice.
func (d *decoder) isZeroIdiom() bool {
	c := classOf(d.in.Op)
	args := d.in.Args
	last := args[1]
	if args[2] != nil {
		if _, vector := args[2].(x86asm.Reg); vector && args[3] == nil {
			if args[1] != args[2] {
				return false
			}
			last = args[2]
			return c.zeroes && operandReg(last) != cpu.None
		}
	}
	return c.zeroes && operandReg(args[0]) != cpu.None && args[0] == last
}
