package x86

import (
	"golang.org/x/arch/x86/x86asm"

	"laggard/binary/processor"
	"laggard/slicing/cpu"
)

// addImplied adds the registers that an instruction does not name.
func (d *decoder) addImplied() {
	o := &d.out
	switch d.in.Op {
	case x86asm.MUL, x86asm.DIV, x86asm.IDIV:
		d.wideMulDiv()
	case x86asm.IMUL:
		if d.in.Args[1] == nil {
			d.wideMulDiv()
		}
	case x86asm.MULX:
		d.use(RDX)
		d.def(operandReg(d.in.Args[1]))
		o.Use = o.Use.Without(cpu.Set(operandReg(d.in.Args[1])).Without(cpu.Set(operandReg(d.in.Args[2]), RDX)))
	case x86asm.CBW, x86asm.CWDE, x86asm.CDQE:
		d.use(RAX)
		d.def(RAX)
	case x86asm.CWD, x86asm.CDQ, x86asm.CQO:
		d.use(RAX)
		d.def(RDX)
	case x86asm.CMPXCHG:
		d.use(RAX)
		d.def(RAX)
	case x86asm.CMPXCHG8B, x86asm.CMPXCHG16B:
		o.Use = o.Use.Or(cpu.Set(RAX, RBX, RCX, RDX))
		o.Def = o.Def.Or(cpu.Set(RAX, RDX))
	case x86asm.RDTSC, x86asm.RDTSCP, x86asm.XGETBV, x86asm.RDMSR, x86asm.RDPMC:
		d.def(RAX)
		d.def(RDX)
	case x86asm.CPUID:
		o.Use = o.Use.Or(cpu.Set(RAX, RCX))
		for _, r := range []cpu.Reg{RAX, RBX, RCX, RDX} {
			d.def(r)
		}
	case x86asm.SYSCALL:
		o.Use = o.Use.Or(cpu.Set(RAX, RDI, RSI, RDX, R10, R8, R9))
		for _, r := range []cpu.Reg{RAX, RCX, R11} {
			d.def(r)
		}
		o.Opaque = true
	case x86asm.LAHF:
		d.def(RAX)
	case x86asm.SAHF:
		d.use(RAX)
	case x86asm.XLATB:
		o.Use = o.Use.Or(cpu.Set(RAX, RBX))
		d.def(RAX)
	case x86asm.PCMPESTRI, x86asm.PCMPESTRM:
		o.Use = o.Use.Or(cpu.Set(RAX, RDX))
		d.def(RCX)
	case x86asm.PCMPISTRI, x86asm.PCMPISTRM:
		d.def(RCX)
	case x86asm.BLENDVPD, x86asm.BLENDVPS, x86asm.PBLENDVB:
		d.use(X0)
	}
	if classOf(d.in.Op).keeps {
		o.Kills = cpu.RegSet{}
	}
	if classOf(d.in.Op).x87 {
		d.use(FPU)
		o.Def.Add(FPU)
	}
}

// wideMulDiv is a multiplication or division with RDX:RAX.
func (d *decoder) wideMulDiv() {
	d.use(RAX)
	if d.in.Op == x86asm.DIV || d.in.Op == x86asm.IDIV {
		d.use(RDX)
	}
	d.def(RAX)
	d.def(RDX)
}

// decodeMove recognises the instructions whose result has a simple form.
func (d *decoder) decodeMove() {
	o, args := &d.out, d.in.Args
	dst, src := operandReg(args[0]), operandReg(args[1])
	imm, isImm := args[1].(x86asm.Imm)
	general := dst >= 0 && dst < General && d.isFullWidth(args[0])
	switch d.in.Op {
	case x86asm.MOV, x86asm.MOVSXD, x86asm.MOVZX, x86asm.MOVSX:
		switch {
		case o.Store != nil && isImm:
			o.Move, o.Imm = cpu.StoreImm, int64(imm)
		case o.Store != nil:
			o.Move, o.Src = cpu.StoreReg, src
		case !general:
		case isImm:
			o.Move, o.Dst, o.Imm = cpu.SetImm, dst, int64(imm)
		case o.Load != nil:
			o.Move, o.Dst = cpu.LoadReg, dst
		case src >= 0 && src < General:
			o.Move, o.Dst, o.Src = cpu.Copy, dst, src
		}
	case x86asm.CMP:
		if isImm {
			o.Bound = int64(imm)
		}
	case x86asm.LEA:
		o.Address, o.Load = o.Load, nil
		o.Use = o.Use.Or(o.Address.Regs())
		if general {
			o.Move, o.Dst = cpu.Lea, dst
		}
	case x86asm.ADD, x86asm.SUB:
		if general && isImm {
			o.Move, o.Dst, o.Src, o.Imm = cpu.AddImm, dst, dst, int64(imm)
			if d.in.Op == x86asm.SUB {
				o.Imm = -o.Imm
			}
		}
		if general && d.in.Op == x86asm.ADD && src >= 0 && src < General {
			o.Move, o.Dst, o.Src = cpu.AddReg, dst, src
		}
		if general && d.in.Op == x86asm.ADD && o.Load != nil {
			o.Move, o.Dst = cpu.AddLoad, dst
		}
	case x86asm.INC, x86asm.DEC:
		if general {
			o.Move, o.Dst, o.Src, o.Imm = cpu.AddImm, dst, dst, 1
			if d.in.Op == x86asm.DEC {
				o.Imm = -1
			}
		}
	case x86asm.AND:
		if general && isImm {
			o.Move, o.Dst, o.Src, o.Imm = cpu.AndImm, dst, dst, int64(imm)
		}
	case x86asm.XOR:
		if general && d.isZeroIdiom() {
			o.Move, o.Dst, o.Imm = cpu.SetImm, dst, 0
		}
	case x86asm.MOVSS, x86asm.MOVSD_XMM, x86asm.MOVAPS, x86asm.MOVUPS, x86asm.MOVQ, x86asm.MOVD,
		x86asm.MOVAPD, x86asm.MOVUPD, x86asm.MOVDQA, x86asm.MOVDQU:
		d.decodeVectorMove(dst, src)
	case x86asm.PUNPCKLQDQ, x86asm.UNPCKLPD, x86asm.MOVLHPS, x86asm.MOVHPS, x86asm.MOVHPD, x86asm.PINSRQ:
		if which, ok := args[2].(x86asm.Imm); o.Store == nil && (!ok || which == 1) {
			o.Move, o.Dst, o.Src = cpu.JoinHigh, dst, src
		}
	}
}

// decodeVectorMove: moves of the vector registers carry no address, but a spill or a
// copy looks like that of another register.
func (d *decoder) decodeVectorMove(dst, src cpu.Reg) {
	o := &d.out
	switch {
	case o.Store != nil:
		o.Move, o.Src = cpu.StoreReg, src
	case o.Load != nil:
		o.Move, o.Dst = cpu.LoadReg, dst
	case dst != cpu.None && src != cpu.None:
		o.Move, o.Dst, o.Src = cpu.Copy, dst, src
	}
}

// isFullWidth reports whether an operand is at least 32 bits of its register: the
// lesser parts keep the rest.
func (d *decoder) isFullWidth(a x86asm.Arg) bool {
	r, ok := a.(x86asm.Reg)
	return ok && r >= x86asm.EAX && r <= x86asm.R15
}

// undecodedInst is an instruction that x86asm does not decode. Its length is taken
// from the regular layout of the two- and three-byte opcodes.
func undecodedInst(code []byte, addr uint64) cpu.Inst {
	out := cpu.Inst{Addr: addr, Len: 1, Kind: cpu.Bad, Dst: cpu.None, Src: cpu.None, Opaque: true}
	i := 0
	for i < len(code) && i < 4 && (code[i] == 0x66 || code[i] == 0xf2 || code[i] == 0xf3 || code[i] == 0xf0) {
		i++
	}
	if i < len(code) && code[i]&0xf0 == 0x40 {
		i++
	}
	if i+2 >= len(code) || code[i] != 0x0f {
		return out
	}
	imm := 0
	switch code[i+1] {
	case 0x38:
		i++
	case 0x3a:
		i, imm = i+1, 1
	case 0x0d, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0xae, 0xc7, 0x01:
	default:
		return out
	}
	n := i + 2 + processor.X86OperandLength(code[i+2:]) + imm
	if n > len(code) || n > 15 {
		return out
	}
	out.Len, out.Kind = n, cpu.Next
	return out
}
