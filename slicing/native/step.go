package native

import (
	"maps"

	"laggard/slicing/x86"
)

// callerSaved are the registers that a call may change, by the ABI of System V.
var callerSaved = x86.Set(x86.RAX, x86.RCX, x86.RDX, x86.RSI, x86.RDI, x86.R8, x86.R9, x86.R10, x86.R11, x86.Flags,
	x86.FPU, x86.Mask) | vectors

var vectors = func() (s x86.RegSet) {
	for r := range x86.Reg(32) {
		s |= x86.Set(x86.X0 + r)
	}
	return s
}()

// step carries a state over an instruction.
func (v *values) step(s *state, i int) {
	v.at = int32(i)
	in := &v.f.insts[i]
	if in.Kind == x86.Call {
		v.call(s, i)
		return
	}
	set := func(r x86.Reg, x value) {
		if r >= 0 && r < x86.General {
			s.regs[r] = x
		}
	}
	moved := v.moved(s, in)
	at, frame := v.place(s, in, in.Store), s.regs[x86.RBP]
	in.Def.Each(func(r x86.Reg) {
		if r < x86.General {
			set(r, v.fresh(r))
		}
	})
	switch in.Move {
	case x86.StoreReg, x86.StoreImm, x86.PushReg:
		v.store(s, at, moved)
	case x86.LeaveMove:
		set(x86.RSP, value{base: frame.base, off: frame.off + 8, any: frame.any})
		set(x86.RBP, moved)
	case x86.NoMove:
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
		s.regs[x86.RSP].off += in.SP
	}
}

// register is the value in a register, the zero value if that is none for addresses.
func (s *state) register(r x86.Reg) value {
	if r < 0 || r >= x86.General {
		return value{}
	}
	return s.regs[r]
}

// moved is the value that an instruction moves.
func (v *values) moved(s *state, in *x86.Inst) value {
	reg := s.register
	switch in.Move {
	case x86.Copy, x86.StoreReg, x86.PushReg:
		return reg(in.Src)
	case x86.SetImm, x86.StoreImm:
		return value{base: constBase, off: in.Imm}
	case x86.AddImm:
		x := reg(in.Src)
		x.off += in.Imm
		return x
	case x86.AndImm:
		if in.Dst == x86.RSP || in.Imm < 0 && in.Imm >= -64 { // alignment
			return reg(in.Src)
		}
		return v.fresh(in.Dst)
	case x86.Lea:
		return v.address(s, in.Address, in.Dst)
	case x86.LoadReg, x86.PopReg, x86.LeaveMove:
		return v.loaded(s, in)
	case x86.AddReg:
		return v.sum(reg(in.Dst), reg(in.Src), 1)
	case x86.AddLoad:
		return v.sum(reg(in.Dst), v.loaded(s, in), 1)
	}
	return value{}
}

// address is the value of a memory operand's address.
func (v *values) address(s *state, m *x86.Mem, dst x86.Reg) value {
	if m.Thread {
		return v.fresh(dst)
	}
	var x value
	switch {
	case m.Base == x86.None && m.Index == x86.None:
		return value{base: constBase, off: m.Disp}
	case m.Base == x86.None && m.Scale != 1:
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
	case m.Base == x86.None:
		x = s.regs[m.Index]
	case m.Index == x86.None:
		x = s.regs[m.Base]
	default:
		x = v.sum(s.regs[m.Base], s.regs[m.Index], m.Scale)
	}
	if o := x; x.any && m.Disp != 0 {
		if p := s.register(m.Base); p.base == o.base {
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
func (v *values) loaded(s *state, in *x86.Inst) value {
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
	return value{base: v.intern(base{kind: loaded, from: p.base, off: p.lo, any: p.any})}
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
	changed := callerSaved
	t := v.f.mod.direct(&v.f.insts[i])
	if !t.known && t.addr != 0 {
		changed = v.f.mod.clobbers(t.addr, maxClobber)
	}
	given := s.regs
	changed.Each(func(r x86.Reg) {
		if r < x86.General && r != x86.RSP {
			s.regs[r] = v.fresh(r)
		}
	})
	if t.known && t.model.Allocates() {
		s.regs[x86.RAX] = value{base: v.intern(base{kind: allocated, at: int32(i)})}
	} else if callee := v.f.mod.accessor(t); callee != nil {
		inner := callee.values()
		if x, ok := v.returned(s, &given, i, inner, inner.gives.base, maxNesting); ok {
			x.off += inner.gives.off
			x.any = x.any || inner.gives.any
			s.regs[x86.RAX] = x
		}
	}
	v.forget(s)
}

// returned is the value for the caller, at call i, of a base that a callee returns.
func (v *values) returned(s *state, given *[x86.General]value, i int, callee *values, n int32, depth int) (
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
		return given[b.reg], b.reg != x86.RSP && given[b.reg].base != noBase
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
