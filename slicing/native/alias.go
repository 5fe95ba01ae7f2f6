package native

import (
	"laggard/slicing/cpu"
	"laggard/slicing/shape"
	"laggard/symbol"
)

// aliases says which places may be the same memory.
type aliases struct{ *values }

func (v *values) aliases() aliases { return aliases{v} }

// typeOf is the type of what a base points to, nil if it is not known.
func (v aliases) typeOf(n int32) *symbol.Type {
	if t, ok := v.types[n]; ok {
		return t
	}
	var t *symbol.Type
	switch b := v.bases[n]; b.kind {
	case allocated:
		t = b.typ
	case loaded:
		t = v.pointeeAt(value{base: b.from, off: b.off, any: b.any})
	}
	if v.typed {
		v.types[n] = t
	}
	return t
}

// pointeeAt is the type of what the pointer at a value points to.
func (v aliases) pointeeAt(x value) *symbol.Type {
	if x.base == noBase {
		return nil
	}
	return v.f.mod.code.TargetOf(v.objectAt(x).scalarType(x.off))
}

// inferTypes finds types of what the values of the function point to: the debug
// information says which variables are in registers, what calls return, and what
// the places hold to which pointers go.
func (v aliases) inferTypes() {
	f := v.f
	vars := f.variables()
	for _, h := range vars.Held {
		r, general := f.mod.arch.RegByDWARF(h.Register)
		for i := f.firstInstFrom(h.Lo); general && i < len(f.insts) && f.insts[i].Addr < h.Hi; i = f.blockOf(i).end {
			v.learnType(v.regs[i][r], f.mod.code.TargetOf(h.Type))
		}
	}
	for range 2 { // the second time more places have a type
		for i := range f.insts {
			in := &f.insts[i]
			for _, m := range []*cpu.Mem{in.Load, in.Store, in.Address} {
				if m != nil && f.mod.arch.IsGeneral(m.Base) {
					v.learnType(v.regs[i][m.Base], f.mod.code.TargetOf(vars.RegisterType(f.mod.arch.DWARF[m.Base], in.Addr)))
				}
			}
			if p := *v.addr[i]; in.Move == cpu.StoreReg && f.mod.arch.IsGeneral(in.Src) && p.base != noBase {
				v.learnType(v.regs[i][in.Src], v.pointeeAt(value{base: p.base, off: p.lo, any: p.any}))
			}
			if in.Kind == cpu.Call {
				v.learnFromCall(i)
			}
		}
	}
	v.typed = true
	v.inferDerived()
}

// inferDerived finds the types of objects of which more is accessed than the class has that
// the pointer to them is of: they are of a class derived from it.
func (v aliases) inferDerived() {
	for i := range v.f.insts {
		in := &v.f.insts[i]
		for _, m := range []*cpu.Mem{in.Load, in.Store, in.Address} {
			if m == nil || m.Thread {
				continue
			}
			x := v.transfer().addressValue(&state{regs: v.regs[i]}, m, cpu.None)
			if x.any || !v.mayBeAliased(x.base) {
				continue
			}
			end := x.off + max(int64(m.Size), 1)
			if t := v.typeOf(x.base); t != nil && len(t.Fields) > 0 && end > t.Size {
				if d := v.f.mod.code.DerivedType(t, end); d != nil {
					v.types[x.base] = d
				}
			}
		}
	}
}

// learnFromCall learns from what a function is given and returns.
func (v aliases) learnFromCall(i int) {
	t := v.f.mod.directTarget(&v.f.insts[i])
	if t.known || t.addr == 0 {
		return
	}
	vars := v.f.mod.variables(t.addr)
	v.learnType(v.after[i], v.f.mod.code.TargetOf(vars.Result))
	for n, reg := range v.f.mod.arch.Args {
		v.learnType(v.regs[i][reg], v.f.mod.paramTarget(vars, t.addr, n))
	}
}

// paramTarget is what the argument n of a function points to.
func (m *module) paramTarget(vars *symbol.Variables, addr uint64, n int) *symbol.Type {
	if n < len(vars.Params) {
		return m.code.TargetOf(vars.Params[n])
	}
	return m.code.TargetOf(vars.RegisterType(m.arch.DWARF[m.arch.Args[n]], addr))
}

// variables are those of the function that begins at an address.
func (m *module) variables(addr uint64) *symbol.Variables {
	vars, ok := m.vars[addr]
	if !ok {
		if vars = m.code.Variables(addr); vars == nil {
			vars = &symbol.Variables{}
		}
		m.vars[addr] = vars
	}
	return vars
}

// noteUnnamed notes what a call is given the address of, on the stack and without a name.
func (v aliases) noteUnnamed(s *state, i int, found map[int64]*symbol.Type) {
	t := v.f.mod.directTarget(&v.f.insts[i])
	if t.known || t.addr == 0 {
		return
	}
	for n, reg := range v.f.mod.arch.Args {
		x := s.regs[reg]
		if x.base != stackBase || x.any || x.off >= 0 {
			continue
		}
		if _, ok := smallestVariable(v.f.variables().Stack, v.f.mod.arch.ReturnAddress, x.off); ok {
			continue
		}
		typ := v.f.mod.paramTarget(v.f.mod.variables(t.addr), t.addr, n)
		if old := found[x.off]; typ != nil && len(typ.Fields) > 0 && (old == nil || old.Size < typ.Size) {
			found[x.off] = typ
		}
	}
}

// learnType notes what a value points to.
func (v aliases) learnType(x value, t *symbol.Type) {
	if t == nil || t.Size == 0 || x.base == noBase || x.base == constBase || x.base == stackBase ||
		x.off != 0 || x.any {
		return
	}
	if old := v.types[x.base]; old == nil || len(old.Fields) == 0 && len(t.Fields) > 0 {
		v.types[x.base] = t
	}
}

// aliasShift is how two places that share bytes lie to each other.
type aliasShift struct {
	shift int64 // what is added to an offset of the first to get one of the second
	known bool  // shift is
}

// datum is a place with its kind, which is looked up when it is first needed.
type datum struct {
	place
	kind  shape.Bytes
	known bool
}

// kindOf is the kind of a datum.
func (v aliases) kindOf(d *datum) shape.Bytes {
	if !d.known {
		d.kind, d.known = v.memberBytes(d.place), v.final
	}
	return d.kind
}

// mayOverlap reports whether two places can share bytes.
func (v aliases) mayOverlap(p, q place) bool {
	_, ok := v.mayAlias(&datum{place: p}, &datum{place: q})
	return ok
}

// mayAlias reports whether two places can share bytes. Behind different bases they can if
// the pointers were loaded from places that can be the same, or if both are the
// same field of the same type, where one of the objects is not known.
func (v aliases) mayAlias(p, q *datum) (aliasShift, bool) {
	switch {
	case p.isMemory() != q.isMemory():
		return aliasShift{}, false
	case !p.isMemory():
		return aliasShift{}, p.reg == q.reg
	case p.base == noBase || q.base == noBase:
		return aliasShift{}, false
	case p.base == q.base:
		return aliasShift{known: true}, p.sharesByte(q.place)
	case !v.mayBeAliased(p.base) && !v.mayBeAliased(q.base):
		return aliasShift{}, false
	}
	return v.aliasBehindBases(p, q, maxNesting)
}

func (v aliases) aliasBehindBases(p, q *datum, depth int) (aliasShift, bool) {
	t, u := v.kindOf(p), v.kindOf(q)
	typed := t.Shape != nil && u.Shape != nil
	if !typed && !p.sharesByte(q.place) {
		return aliasShift{}, false
	}
	a, b := &v.bases[p.base], &v.bases[q.base]
	if a.kind == allocated && b.kind == allocated && !a.isAnyObject() && !b.isAnyObject() {
		return aliasShift{}, false
	}
	if a.kind == loaded && b.kind == loaded && depth > 0 {
		from, to := v.pointerSource(p.base), v.pointerSource(q.base)
		if a.from == b.from {
			if !from.sharesByte(to.place) {
				return aliasShift{}, false
			}
			return aliasShift{known: true}, p.sharesByte(q.place)
		}
		if p.sharesByte(q.place) {
			if _, ok := v.aliasBehindBases(from, to, depth-1); ok {
				return aliasShift{known: true}, true
			}
		}
	}
	if !typed {
		heap := a.kind == allocated && v.isOpaque(q.base) || b.kind == allocated && v.isOpaque(p.base)
		return aliasShift{known: true}, heap && !p.any && !q.any
	}
	d, ok := t.CommonOffset(u)
	if !ok {
		return aliasShift{}, false
	}
	return aliasShift{shift: q.lo + d - p.lo, known: p.isExact() && q.isExact()}, true
}

// mayBeInObject reports whether a datum that is written may be in the object of another one, as far as the types say.
func (v aliases) mayBeInObject(asked, written *datum) bool {
	if written.base == noBase {
		return false
	}
	t, u := v.kindOf(asked), v.kindOf(written)
	return u.Shape == nil || !v.mayBeAliased(written.base) || t.MayOverlap(u.Shape)
}

// pointerSource is where the pointer that a base stands for was loaded from.
func (v aliases) pointerSource(n int32) *datum {
	for len(v.loads) < len(v.bases) {
		v.loads = append(v.loads, nil)
	}
	if v.loads[n] == nil || !v.final {
		b := v.bases[n]
		v.loads[n] = &datum{place: v.placeAt(value{base: b.from, off: b.off, any: b.any}, 8)}
	}
	return v.loads[n]
}

// mayBeAliased reports whether a base may lead to an object that has another name too.
func (v aliases) mayBeAliased(n int32) bool { return n != noBase && n != stackBase && n != constBase }

// isShared reports whether a place is in an object of a known type that others than this
// function can have pointers to.
func (v aliases) isShared(p place) bool {
	if !p.isMemory() || !v.mayBeAliased(p.base) {
		return false
	}
	return v.memberBytes(p).Shape != nil
}

// isOpaque reports whether nothing is known of what a base points to.
func (v aliases) isOpaque(n int32) bool {
	switch v.bases[n].kind {
	case result, merged, loaded, caught:
		return true
	}
	return false
}

// coversPlace reports whether a write to p leaves nothing of q.
func (v aliases) coversPlace(p, q place) bool {
	return p.isExact() && p.base == q.base && p.lo <= q.lo && p.hi >= q.hi && !v.bases[p.base].mayVary()
}

// isAnyObject reports whether a base stands for any object on the heap, or any of a type.
func (b base) isAnyObject() bool { return b.kind == allocated && b.at == anywhere }

// mayVary reports whether a base may be another object each time.
func (b base) mayVary() bool { return b.isAnyObject() || b.any }

// memberBytes is which bytes of which type a place is; without a shape it is not known, or could be anything, as numbers
// can.
func (v aliases) memberBytes(p place) shape.Bytes {
	o := v.objectAt(value{base: p.base, off: p.lo})
	t, lo, hi := o.typ, int64(0), int64(0)
	if t == nil || t.Size <= 0 {
		return shape.Bytes{}
	}
	switch {
	case o.many && p.any && p.step == t.Size:
		lo, hi = p.at, p.at+p.size
	case o.many && v.f.mod.derivedType(t, p) != nil:
		lo, hi, t = p.lo, p.hi, v.f.mod.derivedType(t, p)
	case o.many && p.any:
		lo, hi = 0, t.Size
	case o.many:
		lo = modulo(p.lo, t.Size)
		hi = lo + p.hi - p.lo
	default:
		lo, hi = p.lo-o.lo, p.hi-o.lo
		if p.any && t.Elem != nil && p.step == t.Elem.Size && p.step > 0 {
			lo, hi, t = modulo(p.at-o.lo, p.step), p.size, t.Elem
			hi += lo
		}
	}
	for t.Elem != nil && t.Elem.Size > 0 {
		if t, lo, hi = t.Elem, modulo(lo, t.Elem.Size), hi-lo; hi+lo > t.Size {
			lo, hi = 0, t.Size
		} else {
			hi += lo
		}
	}
	if !v.isDistinctive(t) {
		return shape.Bytes{}
	}
	return shape.Bytes{Shape: v.f.mod.prog.shapes.Of(t), Lo: lo, Hi: hi}
}

// derivedType is what an object of a class is if more is accessed than the class has: one of a class derived from it. Such
// objects stand alone, and not in arrays. Nil: there are none of that size.
func (m *module) derivedType(t *symbol.Type, p place) *symbol.Type {
	if p.lo < 0 || p.hi <= t.Size || !p.isBounded() {
		return nil
	}
	heirs, ok := m.derived[t]
	if !ok {
		heirs = m.code.DerivedType(t, t.Size+1)
		m.derived[t] = heirs
	}
	if heirs == nil || heirs.Size < p.hi {
		return nil
	}
	return heirs
}

// isDistinctive reports whether a type says which data may be the same: a struct does, and
// a pointer to one, but not a number.
func (v aliases) isDistinctive(t *symbol.Type) bool {
	if t.Pointer {
		t = v.f.mod.code.TargetOf(t)
	}
	return t != nil && len(t.Fields) > 0
}
