package native

import (
	"maps"
	"slices"

	"laggard/slicing/cpu"
)

// transfer applies what an instruction does to the values of registers and variables.
type transfer struct{ *values }

func (v *values) transfer() transfer { return transfer{v} }

// transferInst carries a state over an instruction.
func (v transfer) transferInst(s *state, i int) {
	v.at = int32(i)
	in, arch := &v.f.insts[i], v.f.mod.arch
	if in.Kind == cpu.Call {
		v.transferCall(s, i)
		return
	}
	set := func(r cpu.Reg, x value) {
		if arch.IsGeneral(r) {
			s.regs[r] = x
		}
	}
	moved := v.movedValue(s, in)
	at, frame := v.operandPlace(s, in, in.Store), s.regs[arch.FP]
	in.Def.Each(func(r cpu.Reg) {
		if arch.IsGeneral(r) {
			set(r, v.freshValue(r))
		}
	})
	switch in.Move {
	case cpu.StoreReg, cpu.StoreImm, cpu.PushReg:
		v.storeSlot(s, at, moved)
	case cpu.LeaveMove:
		set(arch.SP, value{base: frame.base, off: frame.off + 8, any: frame.any})
		set(arch.FP, moved)
	case cpu.NoMove:
		if in.Store != nil {
			x := value{}
			if in.SP < 0 && in.Load != nil { // a push from memory
				x = v.loadedValue(s, in)
			}
			v.storeSlot(s, at, x)
		}
	default:
		set(in.Dst, moved)
	}
	if in.SP != 0 {
		s.regs[arch.SP].off += in.SP
	}
}

// registerValue is the value in a register, the zero value if that is none for addresses.
func (v transfer) registerValue(s *state, r cpu.Reg) value {
	if !v.f.mod.arch.IsGeneral(r) {
		return value{}
	}
	return s.regs[r]
}

// movedValue is the value that an instruction moves.
func (v transfer) movedValue(s *state, in *cpu.Inst) value {
	reg := func(r cpu.Reg) value { return v.registerValue(s, r) }
	switch in.Move {
	case cpu.Copy, cpu.StoreReg, cpu.PushReg:
		return reg(in.Src)
	case cpu.SetImm, cpu.StoreImm:
		return value{base: constBase, off: in.Imm}
	case cpu.AddImm:
		x := reg(in.Src)
		x.off += in.Imm
		return x
	case cpu.AndImm:
		if in.Dst == v.f.mod.arch.SP || in.Imm < 0 && in.Imm >= -64 { // alignment
			return reg(in.Src)
		}
		return v.freshValue(in.Dst)
	case cpu.Lea:
		return v.addressValue(s, in.Address, in.Dst)
	case cpu.LoadReg, cpu.PopReg, cpu.LeaveMove:
		return v.loadedValue(s, in)
	case cpu.AddReg:
		return v.addressSum(reg(in.Dst), reg(in.Src), 1)
	case cpu.AddLoad:
		return v.addressSum(reg(in.Dst), v.loadedValue(s, in), 1)
	}
	return value{}
}

// addressValue is the value of a memory operand's address.
func (v transfer) addressValue(s *state, m *cpu.Mem, dst cpu.Reg) value {
	if m.Thread {
		return v.freshValue(dst)
	}
	var x value
	switch {
	case m.Base == cpu.None && m.Index == cpu.None:
		return value{base: constBase, off: m.Disp}
	case m.Base == cpu.None && m.Scale != 1:
		i := s.regs[m.Index]
		if i.base == constBase && !i.any {
			return value{base: constBase, off: m.Disp + i.off*m.Scale}
		}
		if v.addressRank(value{base: constBase, off: m.Disp}) == dataRank {
			return value{base: constBase, off: m.Disp + i.off*m.Scale, any: true}
		}
		x = v.freshValue(dst)
		if !i.any {
			x.off = m.Disp + i.off*m.Scale
		}
		return x
	case m.Base == cpu.None:
		x = s.regs[m.Index]
	case m.Index == cpu.None:
		x = s.regs[m.Base]
	default:
		x = v.addressSum(s.regs[m.Base], s.regs[m.Index], m.Scale)
	}
	if o := x; x.any && m.Disp != 0 {
		if p := v.registerValue(s, m.Base); p.base == o.base {
			o.off = p.off // without what the index begins at
		}
		if x.off += m.Disp; o.base == stackBase || o.base == constBase {
			x.off = v.keepInVariable(o, x.off)
		}
		return x
	}
	x.off += m.Disp
	return x
}

// keepInVariable is an offset with an index to come, where the pointer that it is from points
// into a variable: the address stays in that, also if something was taken off.
func (v transfer) keepInVariable(from value, off int64) int64 {
	o := v.objectAt(value{base: from.base, off: from.off})
	if o.typ == nil || o.typ.Elem == nil || o.typ.Elem.Size <= 0 || off >= o.lo && off < o.hi {
		return off
	}
	return o.lo + modulo(off-o.lo, o.typ.Elem.Size)
}

// loadedValue is the value that a load gives.
func (v transfer) loadedValue(s *state, in *cpu.Inst) value {
	p := v.operandPlace(s, in, in.Load)
	if p.base == stackBase && p.isExact() {
		if got, ok := s.slots[p.lo]; ok && got.size == int(p.hi-p.lo) {
			return got.v
		}
	}
	if in.Load.Size != 8 && in.SP >= 0 || p.base == noBase || v.nesting[p.base] >= maxNesting {
		return v.freshValue(in.Dst)
	}
	if p.base == constBase && !p.any {
		if to, ok := v.f.mod.code.PointerAt(uint64(p.lo)); ok && !v.f.mod.code.IsWritable(uint64(p.lo)) {
			return value{base: constBase, off: int64(to)}
		}
	}
	off := p.firstOffset()
	if p.any && !p.isBounded() && p.step == 0 { // the type is not known yet
		off = v.addressValue(s, in.Load, cpu.None).off
	}
	return value{base: v.intern(base{kind: loaded, from: p.base, off: off, any: p.any})}
}

// storeSlot puts a value into the slot at p and forgets what it may overwrite.
func (v transfer) storeSlot(s *state, p place, x value) {
	if s.slots == nil {
		return
	}
	if p.base != stackBase {
		if p.base == noBase || v.bases[p.base].kind != constant {
			v.forgetEscaped(s)
		}
		return
	}
	maps.DeleteFunc(s.slots, func(off int64, old slot) bool { return off < p.hi && off+int64(old.size) > p.lo })
	if p.isExact() && x.base != noBase && (p.hi-p.lo == 8 || x.base == constBase) {
		s.slots[p.lo] = slot{x, int(p.hi - p.lo)}
	}
}

// forgetEscaped drops the slots that somebody else may know the address of.
func (v transfer) forgetEscaped(s *state) {
	if len(v.open) > 0 {
		maps.DeleteFunc(s.slots, func(off int64, _ slot) bool { return v.hasEscaped(off) })
	}
}

// hasEscaped reports whether a byte of the stack is in something whose address is
// taken.
func (v transfer) hasEscaped(off int64) bool {
	for _, r := range v.open {
		if off >= r[0] && off < r[1] {
			return true
		}
	}
	return false
}

// transferCall carries a state over a call.
func (v transfer) transferCall(s *state, i int) {
	arch := v.f.mod.arch
	changed := arch.CallerSaved
	t := v.f.mod.directTarget(&v.f.insts[i])
	if !t.known && t.addr != 0 {
		changed = v.f.mod.clobberedRegs(t.addr, maxClobber)
	}
	given := slices.Clone(s.regs)
	changed.Each(func(r cpu.Reg) {
		if arch.IsGeneral(r) && r != arch.SP {
			s.regs[r] = v.freshValue(r)
		}
	})
	if old := given[arch.Args[0]]; t.known && t.model.Reallocates() && v.aliases().mayBeAliased(old.base) {
		s.regs[arch.Result] = old
	} else if t.known && t.model.Allocates() {
		s.regs[arch.Result] = value{base: v.intern(base{kind: allocated, at: int32(i)})}
	} else if t.model.ReturnsFirst {
		s.regs[arch.Result] = given[arch.Args[0]]
	} else if callee := v.f.mod.accessorCallee(t); callee != nil && v.f.mod.prog.nested.Enter() {
		defer v.f.mod.prog.nested.Leave()
		inner := callee.valueFlow()
		if x, ok := v.returnedValue(s, given, i, inner, inner.returnValue.base, maxNesting); ok {
			x.off += inner.returnValue.off
			x.any = x.any || inner.returnValue.any
			s.regs[arch.Result] = x
		} else if p := inner.part; p.typ != nil {
			s.regs[arch.Result] = value{base: v.intern(base{kind: allocated, at: anywhere, typ: p.typ}), off: p.off}
		}
	}
	v.forgetEscaped(s)
}

// returnedValue is the value for the caller, at call i, of a base that a callee returns.
func (v transfer) returnedValue(s *state, given []value, i int, callee *values, n int32, depth int) (
	value, bool) {
	if n == noBase || depth == 0 {
		return value{}, false
	}
	switch b := callee.bases[n]; b.kind {
	case constant:
		return value{base: constBase}, true
	case allocated:
		return value{base: v.intern(base{kind: allocated, at: int32(i)})}, true
	case onEntry:
		return given[b.reg], b.reg != v.f.mod.arch.SP && given[b.reg].base != noBase
	case loaded:
		from, ok := v.returnedValue(s, given, i, callee, b.from, depth-1)
		if !ok || v.nesting[from.base] >= maxNesting {
			return value{}, false
		}
		from.off += b.off
		if from.any = from.any || b.any; !from.any && from.base == stackBase {
			if got, ok := s.slots[from.off]; ok && got.size == 8 {
				return got.v, true
			}
		}
		return value{base: v.intern(base{kind: loaded, from: from.base, off: from.off, any: from.any})}, true
	}
	return value{}, false
}
