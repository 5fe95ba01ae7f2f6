package native

import (
	"maps"
	"slices"

	"laggard/slicing/cpu"
)

// step carries a state over an instruction.
func (v *values) step(s *state, i int) {
	v.at = int32(i)
	in, arch := &v.f.insts[i], v.f.mod.arch
	if in.Kind == cpu.Call {
		v.call(s, i)
		return
	}
	set := func(r cpu.Reg, x value) {
		if arch.Holds(r) {
			s.regs[r] = x
		}
	}
	moved := v.moved(s, in)
	at, frame := v.place(s, in, in.Store), s.regs[arch.FP]
	in.Def.Each(func(r cpu.Reg) {
		if arch.Holds(r) {
			set(r, v.fresh(r))
		}
	})
	switch in.Move {
	case cpu.StoreReg, cpu.StoreImm, cpu.PushReg:
		v.store(s, at, moved)
	case cpu.LeaveMove:
		set(arch.SP, value{base: frame.base, off: frame.off + 8, any: frame.any})
		set(arch.FP, moved)
	case cpu.NoMove:
		if in.Store != nil {
			x := value{}
			if in.SP < 0 && in.Load != nil { // a push from memory
				x = v.loaded(s, in)
			}
			v.store(s, at, x)
		}
	default:
		set(in.Dst, moved)
	}
	if in.SP != 0 {
		s.regs[arch.SP].off += in.SP
	}
}

// register is the value in a register, the zero value if that is none for addresses.
func (v *values) register(s *state, r cpu.Reg) value {
	if !v.f.mod.arch.Holds(r) {
		return value{}
	}
	return s.regs[r]
}

// moved is the value that an instruction moves.
func (v *values) moved(s *state, in *cpu.Inst) value {
	reg := func(r cpu.Reg) value { return v.register(s, r) }
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
		return v.fresh(in.Dst)
	case cpu.Lea:
		return v.address(s, in.Address, in.Dst)
	case cpu.LoadReg, cpu.PopReg, cpu.LeaveMove:
		return v.loaded(s, in)
	case cpu.AddReg:
		return v.sum(reg(in.Dst), reg(in.Src), 1)
	case cpu.AddLoad:
		return v.sum(reg(in.Dst), v.loaded(s, in), 1)
	}
	return value{}
}

// address is the value of a memory operand's address.
func (v *values) address(s *state, m *cpu.Mem, dst cpu.Reg) value {
	if m.Thread {
		return v.fresh(dst)
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
		if v.rank(value{base: constBase, off: m.Disp}) == dataRank {
			return value{base: constBase, off: m.Disp + i.off*m.Scale, any: true}
		}
		x = v.fresh(dst)
		if !i.any {
			x.off = m.Disp + i.off*m.Scale
		}
		return x
	case m.Base == cpu.None:
		x = s.regs[m.Index]
	case m.Index == cpu.None:
		x = s.regs[m.Base]
	default:
		x = v.sum(s.regs[m.Base], s.regs[m.Index], m.Scale)
	}
	if o := x; x.any && m.Disp != 0 {
		if p := v.register(s, m.Base); p.base == o.base {
			o.off = p.off // without what the index begins at
		}
		if x.off += m.Disp; o.base == stackBase || o.base == constBase {
			x.off = v.kept(o, x.off)
		}
		return x
	}
	x.off += m.Disp
	return x
}

// kept is an offset with an index to come, where the pointer that it is from points
// into a variable: the address stays in that, also if something was taken off.
func (v *values) kept(from value, off int64) int64 {
	o := v.object(value{base: from.base, off: from.off})
	if o.typ == nil || o.typ.Elem == nil || o.typ.Elem.Size <= 0 || off >= o.lo && off < o.hi {
		return off
	}
	return o.lo + modulo(off-o.lo, o.typ.Elem.Size)
}

// loaded is the value that a load gives.
func (v *values) loaded(s *state, in *cpu.Inst) value {
	p := v.place(s, in, in.Load)
	if p.base == stackBase && p.exact() {
		if got, ok := s.slots[p.lo]; ok && got.size == int(p.hi-p.lo) {
			return got.v
		}
	}
	if in.Load.Size != 8 && in.SP >= 0 || p.base == noBase || v.nesting[p.base] >= maxNesting {
		return v.fresh(in.Dst)
	}
	if p.base == constBase && !p.any {
		if to, ok := v.f.mod.code.Pointer(uint64(p.lo)); ok && !v.f.mod.code.Writable(uint64(p.lo)) {
			return value{base: constBase, off: int64(to)}
		}
	}
	off := p.first()
	if p.any && !p.bounded() && p.step == 0 { // the type is not known yet
		off = v.address(s, in.Load, cpu.None).off
	}
	return value{base: v.intern(base{kind: loaded, from: p.base, off: off, any: p.any})}
}

// store puts a value into the slot at p and forgets what it may overwrite.
func (v *values) store(s *state, p place, x value) {
	if s.slots == nil {
		return
	}
	if p.base != stackBase {
		if p.base == noBase || v.bases[p.base].kind != constant {
			v.forget(s)
		}
		return
	}
	maps.DeleteFunc(s.slots, func(off int64, old slot) bool { return off < p.hi && off+int64(old.size) > p.lo })
	if p.exact() && x.base != noBase && (p.hi-p.lo == 8 || x.base == constBase) {
		s.slots[p.lo] = slot{x, int(p.hi - p.lo)}
	}
}

// forget drops the slots that somebody else may know the address of.
func (v *values) forget(s *state) {
	if len(v.open) > 0 {
		maps.DeleteFunc(s.slots, func(off int64, _ slot) bool { return v.escaped(off) })
	}
}

// escaped tells whether a byte of the stack is in something whose address is
// taken.
func (v *values) escaped(off int64) bool {
	for _, r := range v.open {
		if off >= r[0] && off < r[1] {
			return true
		}
	}
	return false
}

// call carries a state over a call.
func (v *values) call(s *state, i int) {
	arch := v.f.mod.arch
	changed := arch.CallerSaved
	t := v.f.mod.direct(&v.f.insts[i])
	if !t.known && t.addr != 0 {
		changed = v.f.mod.clobbers(t.addr, maxClobber)
	}
	given := slices.Clone(s.regs)
	changed.Each(func(r cpu.Reg) {
		if arch.Holds(r) && r != arch.SP {
			s.regs[r] = v.fresh(r)
		}
	})
	if old := given[arch.Args[0]]; t.known && t.model.Moves() && v.elsewhere(old.base) {
		s.regs[arch.Result] = old
	} else if t.known && t.model.Allocates() {
		s.regs[arch.Result] = value{base: v.intern(base{kind: allocated, at: int32(i)})}
	} else if t.model.First {
		s.regs[arch.Result] = given[arch.Args[0]]
	} else if callee := v.f.mod.accessor(t); callee != nil {
		inner := callee.values()
		if x, ok := v.returned(s, given, i, inner, inner.gives.base, maxNesting); ok {
			x.off += inner.gives.off
			x.any = x.any || inner.gives.any
			s.regs[arch.Result] = x
		} else if p := inner.part; p.typ != nil {
			s.regs[arch.Result] = value{base: v.intern(base{kind: allocated, at: anywhere, typ: p.typ}), off: p.off}
		}
	}
	v.forget(s)
}

// returned is the value for the caller, at call i, of a base that a callee returns.
func (v *values) returned(s *state, given []value, i int, callee *values, n int32, depth int) (
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
		from, ok := v.returned(s, given, i, callee, b.from, depth-1)
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
