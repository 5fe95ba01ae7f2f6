package native

import (
	"laggard/slicing/cpu"
	"laggard/slicing/shape"
	"laggard/symbol"
)

// typeOf is the type of what a base points to, nil if it is not known.
func (v *values) typeOf(n int32) *symbol.Type {
	if t, ok := v.types[n]; ok {
		return t
	}
	var t *symbol.Type
	switch b := v.bases[n]; b.kind {
	case allocated:
		t = b.typ
	case loaded:
		t = v.pointee(value{base: b.from, off: b.off, any: b.any})
	}
	if v.typed {
		v.types[n] = t
	}
	return t
}

// pointee is the type of what the pointer at a value points to.
func (v *values) pointee(x value) *symbol.Type {
	if x.base == noBase {
		return nil
	}
	return v.f.mod.code.Target(v.object(x).scalar(x.off))
}

// infer finds types of what the values of the function point to: the debug
// information says which variables are in registers, what calls return, and what
// the places hold to which pointers go.
func (v *values) infer() {
	f := v.f
	vars := f.variables()
	for _, h := range vars.Held {
		r, general := f.mod.arch.Numbered(h.Register)
		for i := f.from(h.Lo); general && i < len(f.insts) && f.insts[i].Addr < h.Hi; i = f.block(i).end {
			v.learn(v.regs[i][r], f.mod.code.Target(h.Type))
		}
	}
	for range 2 { // the second time more places have a type
		for i := range f.insts {
			in := &f.insts[i]
			for _, m := range []*cpu.Mem{in.Load, in.Store, in.Address} {
				if m != nil && f.mod.arch.Holds(m.Base) {
					v.learn(v.regs[i][m.Base], f.mod.code.Target(vars.At(f.mod.arch.DWARF[m.Base], in.Addr)))
				}
			}
			if p := v.addr[i]; in.Move == cpu.StoreReg && f.mod.arch.Holds(in.Src) && p.base != noBase {
				v.learn(v.regs[i][in.Src], v.pointee(value{base: p.base, off: p.lo, any: p.any}))
			}
			if in.Kind == cpu.Call {
				v.passedOn(i)
			}
		}
	}
	v.typed = true
	v.deepen()
}

// deepen finds the types of objects of which more is accessed than the class has that
// the pointer to them is of: they are of a class derived from it.
func (v *values) deepen() {
	for i := range v.f.insts {
		in := &v.f.insts[i]
		for _, m := range []*cpu.Mem{in.Load, in.Store, in.Address} {
			if m == nil || m.Thread {
				continue
			}
			x := v.address(&state{regs: v.regs[i]}, m, cpu.None)
			if x.any || !v.elsewhere(x.base) {
				continue
			}
			end := x.off + max(int64(m.Size), 1)
			if t := v.typeOf(x.base); t != nil && len(t.Fields) > 0 && end > t.Size {
				if d := v.f.mod.code.Derived(t, end); d != nil {
					v.types[x.base] = d
				}
			}
		}
	}
}

// passedOn learns from what a function is given and returns.
func (v *values) passedOn(i int) {
	t := v.f.mod.direct(&v.f.insts[i])
	if t.known || t.addr == 0 {
		return
	}
	vars := v.f.mod.variables(t.addr)
	v.learn(v.after[i], v.f.mod.code.Target(vars.Result))
	for n, reg := range v.f.mod.arch.Args {
		v.learn(v.regs[i][reg], v.f.mod.taken(vars, t.addr, n))
	}
}

// taken is what the argument n of a function points to.
func (m *module) taken(vars *symbol.Variables, addr uint64, n int) *symbol.Type {
	if n < len(vars.Params) {
		return m.code.Target(vars.Params[n])
	}
	return m.code.Target(vars.At(m.arch.DWARF[m.arch.Args[n]], addr))
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

// unnamed notes what a call is given the address of, on the stack and without a name.
func (v *values) unnamed(s *state, i int, found map[int64]*symbol.Type) {
	t := v.f.mod.direct(&v.f.insts[i])
	if t.known || t.addr == 0 {
		return
	}
	for n, reg := range v.f.mod.arch.Args {
		x := s.regs[reg]
		if x.base != stackBase || x.any || x.off >= 0 {
			continue
		}
		if _, ok := smallest(v.f.variables().Stack, v.f.mod.arch.ReturnAddress, x.off); ok {
			continue
		}
		typ := v.f.mod.taken(v.f.mod.variables(t.addr), t.addr, n)
		if old := found[x.off]; typ != nil && len(typ.Fields) > 0 && (old == nil || old.Size < typ.Size) {
			found[x.off] = typ
		}
	}
}

// learn notes what a value points to.
func (v *values) learn(x value, t *symbol.Type) {
	if t == nil || t.Size == 0 || x.base == noBase || x.base == constBase || x.base == stackBase ||
		x.off != 0 || x.any {
		return
	}
	if old := v.types[x.base]; old == nil || len(old.Fields) == 0 && len(t.Fields) > 0 {
		v.types[x.base] = t
	}
}

// meeting is how two places that share bytes lie to each other.
type meeting struct {
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
func (v *values) kindOf(d *datum) shape.Bytes {
	if !d.known {
		d.kind, d.known = v.member(d.place), v.final
	}
	return d.kind
}

// overlaps tells whether two places can share bytes.
func (v *values) overlaps(p, q place) bool {
	_, ok := v.meet(&datum{place: p}, &datum{place: q})
	return ok
}

// meet tells whether two places can share bytes. Behind different bases they can if
// the pointers were loaded from places that can be the same, or if both are the
// same field of the same type, where one of the objects is not known.
func (v *values) meet(p, q *datum) (meeting, bool) {
	switch {
	case p.memory() != q.memory():
		return meeting{}, false
	case !p.memory():
		return meeting{}, p.reg == q.reg
	case p.base == noBase || q.base == noBase:
		return meeting{}, false
	case p.base == q.base:
		return meeting{known: true}, p.shares(q.place)
	case !v.elsewhere(p.base) && !v.elsewhere(q.base):
		return meeting{}, false
	}
	return v.alias(p, q, maxNesting)
}

func (v *values) alias(p, q *datum, depth int) (meeting, bool) {
	t, u := v.kindOf(p), v.kindOf(q)
	typed := t.Shape != nil && u.Shape != nil
	if !typed && !p.shares(q.place) {
		return meeting{}, false
	}
	a, b := &v.bases[p.base], &v.bases[q.base]
	if a.kind == allocated && b.kind == allocated && !a.some() && !b.some() {
		return meeting{}, false
	}
	if a.kind == loaded && b.kind == loaded && depth > 0 {
		from, to := v.pointer(p.base), v.pointer(q.base)
		if a.from == b.from {
			if !from.shares(to.place) {
				return meeting{}, false
			}
			return meeting{known: true}, p.shares(q.place)
		}
		if p.shares(q.place) {
			if _, ok := v.alias(from, to, depth-1); ok {
				return meeting{known: true}, true
			}
		}
	}
	if !typed {
		heap := a.kind == allocated && v.opaque(q.base) || b.kind == allocated && v.opaque(p.base)
		return meeting{known: true}, heap && !p.any && !q.any
	}
	d, ok := t.Common(u)
	if !ok {
		return meeting{}, false
	}
	return meeting{shift: q.lo + d - p.lo, known: p.exact() && q.exact()}, true
}

// mayBe tells whether a datum that is written may be in the object of another one, as far as the types say.
func (v *values) mayBe(asked, written *datum) bool {
	if written.base == noBase {
		return false
	}
	t, u := v.kindOf(asked), v.kindOf(written)
	return u.Shape == nil || !v.elsewhere(written.base) || t.May(u.Shape)
}

// pointer is where the pointer that a base stands for was loaded from.
func (v *values) pointer(n int32) *datum {
	for len(v.loads) < len(v.bases) {
		v.loads = append(v.loads, nil)
	}
	if v.loads[n] == nil || !v.final {
		b := v.bases[n]
		v.loads[n] = &datum{place: v.span(value{base: b.from, off: b.off, any: b.any}, 8)}
	}
	return v.loads[n]
}

// elsewhere tells whether a base may lead to an object that has another name too.
func (v *values) elsewhere(n int32) bool { return n != noBase && n != stackBase && n != constBase }

// shared tells whether a place is in an object of a known type that others than this
// function can have pointers to.
func (v *values) shared(p place) bool {
	if !p.memory() || !v.elsewhere(p.base) {
		return false
	}
	return v.member(p).Shape != nil
}

// opaque tells whether nothing is known of what a base points to.
func (v *values) opaque(n int32) bool {
	switch v.bases[n].kind {
	case result, merged, loaded, caught:
		return true
	}
	return false
}

// covers tells whether a write to p leaves nothing of q.
func (v *values) covers(p, q place) bool {
	return p.exact() && p.base == q.base && p.lo <= q.lo && p.hi >= q.hi && !v.bases[p.base].several()
}

// some tells whether a base stands for any object on the heap, or any of a type.
func (b base) some() bool { return b.kind == allocated && b.at == anywhere }

// several tells whether a base may be another object each time.
func (b base) several() bool { return b.some() || b.any }

// member is which bytes of which type a place is; without a shape it is not known, or could be anything, as numbers
// can.
func (v *values) member(p place) shape.Bytes {
	o := v.object(value{base: p.base, off: p.lo})
	t, lo, hi := o.typ, int64(0), int64(0)
	if t == nil || t.Size <= 0 {
		return shape.Bytes{}
	}
	switch {
	case o.many && p.any && p.step == t.Size:
		lo, hi = p.at, p.at+p.size
	case o.many && v.f.mod.heir(t, p) != nil:
		lo, hi, t = p.lo, p.hi, v.f.mod.heir(t, p)
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
	if !v.telling(t) {
		return shape.Bytes{}
	}
	return shape.Bytes{Shape: v.f.mod.prog.shapes.Of(t), Lo: lo, Hi: hi}
}

// heir is what an object of a class is if more is accessed than the class has: one of a class derived from it. Such
// objects stand alone, and not in arrays. Nil: there are none of that size.
func (m *module) heir(t *symbol.Type, p place) *symbol.Type {
	if p.lo < 0 || p.hi <= t.Size || !p.bounded() {
		return nil
	}
	heirs, ok := m.derived[t]
	if !ok {
		heirs = m.code.Derived(t, t.Size+1)
		m.derived[t] = heirs
	}
	if heirs == nil || heirs.Size < p.hi {
		return nil
	}
	return heirs
}

// telling tells whether a type says which data may be the same: a struct does, and
// a pointer to one, but not a number.
func (v *values) telling(t *symbol.Type) bool {
	if t.Pointer {
		t = v.f.mod.code.Target(t)
	}
	return t != nil && len(t.Fields) > 0
}
