package native

import (
	"slices"
	"sort"

	"laggard/slicing/cpu"
	"laggard/symbol"
)

// object is what a value points into: a variable, or something on the heap.
type object struct {
	lo, hi int64        // behind the base of the value
	typ    *symbol.Type // nil: unknown
	// many: it may be one of several that follow each other, since all that is known
	// is a pointer to it.
	many bool
}

// objectAt finds what a value points into. An address that an array has with an
// index added belongs to that array, also where it lies a little before it:
// compilers take off beforehand what the first index adds.
func (v *values) objectAt(x value) object {
	switch x.base {
	case noBase:
	case stackBase:
		key := localKey{x.off, x.any}
		o, ok := v.locals[key]
		if !ok {
			o = v.f.localObject(x.off, v.escapes, x.any)
			if v.final {
				v.locals[key] = o
			}
		}
		return o
	case constBase:
		return v.f.staticObject(x.off, x.any)
	default:
		if t := v.aliases().typeOf(x.base); t != nil && t.Size > 0 {
			return object{lo: -unbounded, hi: unbounded, typ: t, many: true}
		}
	}
	return object{lo: -unbounded, hi: unbounded}
}

// localKey is an offset on the stack, and whether an index is added to it.
type localKey struct {
	off     int64
	indexed bool
}

// unknownObject is how many bytes a variable is thought to have, of which
// nothing but an address is known.
const unknownObject = 64

func (f *function) staticObject(off int64, indexed bool) object {
	vars := f.variables().Static
	if indexed {
		if x, ok := arrayWithOrigin(vars, 0, off); ok {
			return x
		}
	}
	if x, ok := smallestVariable(vars, 0, off); ok {
		return x
	}
	if x, ok := f.mod.code.StaticAt(f.entry, uint64(off)); ok {
		return object{lo: x.Offset, hi: x.Offset + x.Size, typ: x.Type}
	}
	if lo, hi, ok := f.mod.code.ObjectRange(uint64(off)); ok {
		return object{lo: int64(lo), hi: int64(hi)}
	}
	return object{lo: off, hi: off + unknownObject}
}

// localObject is the variable at an offset on the stack: as the debug information has
// it, or else up to the next one whose address is taken.
func (f *function) localObject(off int64, escapes []int64, indexed bool) object {
	// The return address lies between the frame's address in the debug information and
	// the stack pointer on entry.
	vars, shift := f.variables().Stack, f.mod.arch.ReturnAddress
	if indexed {
		if x, ok := arrayWithOrigin(vars, shift, off); ok {
			return x
		}
	}
	if x, ok := smallestVariable(vars, shift, off); ok {
		return x
	}
	lo, hi := off, int64(unbounded)
	if off < 0 {
		hi = 0
	}
	for _, e := range escapes {
		if e > off {
			hi = min(hi, e)
		}
	}
	if len(vars) > 0 { // what the source has no name for is accessed one by one
		if i, _ := slices.BinarySearch(f.direct, off+1); i < len(f.direct) {
			hi = min(hi, f.direct[i])
		}
	}
	return object{lo: lo, hi: hi}
}

// variables are those that the debug information has of the function.
func (f *function) variables() *symbol.Variables {
	if f.frame == nil {
		known := *f.mod.variables(f.entry)
		known.Stack = slices.Clone(known.Stack)
		f.frame = &known
	}
	return f.frame
}

// addFrameVariables adds the variables that are given by their distance from a register, once
// it is known where on the stack that points.
func (v *values) addFrameVariables() {
	f := v.f
	for _, b := range f.variables().Based {
		r, general := f.mod.arch.RegByDWARF(b.Register)
		i := f.settledInst(b)
		if !general || i < 0 || v.start[f.blk[i]] == nil {
			continue
		}
		s := v.start[f.blk[i]].clone()
		for j := f.blockOf(i).first; j < i; j++ {
			v.transfer().transferInst(s, j)
		}
		at := s.regs[r]
		off := at.off + b.Offset - f.mod.arch.ReturnAddress
		x := symbol.Variable{Offset: off, Type: b.Type, Size: b.Type.Size}
		if at.base == stackBase && !at.any && !slices.Contains(f.frame.Stack, x) {
			f.frame.Stack = append(f.frame.Stack, x)
		}
	}
}

// settledInst is an instruction while which a variable is where it is said to be. The
// frame of a function is complete where it calls another one.
func (f *function) settledInst(b symbol.Held) int {
	first := f.firstInstFrom(b.Lo)
	for i := first; i < len(f.insts) && f.insts[i].Addr < b.Hi; i++ {
		if f.insts[i].Kind == cpu.Call {
			return i
		}
	}
	if first < len(f.insts) && f.insts[first].Addr < b.Hi {
		return first
	}
	return -1
}

// firstInstFrom is the first instruction at or behind an address.
func (f *function) firstInstFrom(addr uint64) int {
	return sort.Search(len(f.insts), func(i int) bool { return f.insts[i].Addr >= addr })
}

// smallestVariable finds the variable around an offset; shift is added to where it is.
func smallestVariable(vars []symbol.Variable, shift, off int64) (out object, ok bool) {
	for _, x := range vars {
		at := x.Offset + shift
		if off >= at && off < at+max(x.Size, 1) && (!ok || out.hi-out.lo > x.Size) {
			out, ok = object{lo: at, hi: at + x.Size, typ: x.Type}, true
		}
	}
	return out, ok
}

// arrayWithOrigin finds the array whose element 0, which does not exist, is at an offset.
func arrayWithOrigin(vars []symbol.Variable, shift, off int64) (object, bool) {
	for _, x := range vars {
		if at := x.Offset + shift; x.Type != nil && x.Type.Elem != nil && x.Type.Origin > 0 && off != at &&
			inElement(x.Type, off-at+x.Type.Origin) {
			return object{lo: at, hi: at + x.Size, typ: x.Type}, true
		}
	}
	return object{}, false
}

func inElement(array *symbol.Type, off int64) bool { return off >= 0 && off < array.Elem.Size }

// maxParts bounds the structs and arrays that are in each other.
const maxParts = 12

// indexedPart is what may be at an offset with an index added: in each element of the
// outermost array there the part that holds size bytes; 0 is all that begins there.
func (o object) indexedPart(off, size int64) (lo, hi int64, g grid) {
	t, at, open := o.typ, o.lo, true // open: no array was passed that the index may be of
	if o.many {
		g.step, at = t.Size, 0
		off = modulo(off, t.Size)
	}
	lo, hi = o.lo, o.hi
	for range maxParts {
		if size == 0 && off == at && g.step > 0 {
			break
		}
		if t.Elem != nil && g.step == 0 && t.Elem.Size > 0 && t.Size > 0 {
			lo, hi, g.step, open = at, at+t.Size, t.Elem.Size, false
			at = off - modulo(off-at, g.step)
			t = t.Elem
			continue
		}
		f, ok := fieldAt(t, off-at, open)
		if !ok {
			break
		}
		at, t = at+f.Offset, f.Type
	}
	switch {
	case g.step == 0: // there is no array: anything may be meant
	case t.Elem == nil && t.Kind != "" && size > 0 && size < t.Size:
		g.at, g.size = modulo(off, g.step), size
	default:
		g.at, g.size = modulo(at, g.step), min(t.Size, g.step)
	}
	if g.size <= 0 {
		g = grid{}
	}
	return lo, hi, g
}

// fieldAt finds the field that an offset is in. If an index is still to come, that
// may be an array of which the offset is that of element 0, which does not exist;
// behind a single datum, it may be either.
func fieldAt(t *symbol.Type, off int64, indexed bool) (out symbol.Field, ok bool) {
	for _, f := range t.Fields {
		if off < f.Offset || off >= f.Offset+f.Type.Size {
			continue
		}
		if ok { // a union
			return out, false
		}
		out, ok = f, true
	}
	if !indexed || ok && out.Type.Elem != nil && off == out.Offset {
		return out, ok
	}
	for _, f := range t.Fields {
		if f.Type.Elem == nil || f.Type.Origin == 0 || off >= f.Offset ||
			!inElement(f.Type, off-f.Offset+f.Type.Origin) {
			continue
		}
		if !ok || out.Type.Elem != nil {
			return f, true
		}
		both := &symbol.Type{Size: f.Offset + f.Type.Size - out.Offset}
		return symbol.Field{Offset: out.Offset, Type: both}, true
	}
	return out, ok
}

// restFrom is what begins at an offset: the largest part there, or the rest of an array.
func (o object) restFrom(off int64) (lo, hi int64, g grid) {
	t, at := o.typ, o.lo
	if o.many {
		if off%t.Size == 0 {
			return off, o.hi, grid{}
		}
		at = off - modulo(off, t.Size)
	}
	for range maxParts {
		if off == at {
			break
		}
		if t.Elem != nil && t.Elem.Size > 0 {
			if in := modulo(off-at, t.Elem.Size); in != 0 && len(t.Elem.Fields) > 0 {
				at, t = off-in, t.Elem
				continue
			}
			break
		}
		f, ok := fieldAt(t, off-at, false)
		if !ok {
			break
		}
		at, t = at+f.Offset, f.Type
	}
	if t.Size <= 0 || off >= at+t.Size {
		return off, max(o.hi, off+1), grid{}
	}
	return off, at + t.Size, grid{}
}

// scalarType is the type of the datum at an offset, nil if it is none alone.
func (o object) scalarType(off int64) *symbol.Type {
	switch {
	case o.typ == nil:
		return nil
	case o.many:
		return o.typ.DatumAt(modulo(off, o.typ.Size))
	}
	return o.typ.DatumAt(off - o.lo)
}

// sameObject reports whether two numbers are addresses in one variable.
func (f *function) sameObject(a, b int64) bool {
	o := f.staticObject(a, false)
	return f.isData(a) && b >= o.lo && b <= o.hi
}

// isData reports whether a number can be an address in the module.
func (f *function) isData(n int64) bool {
	return n >= firstPage && (f.mod.code.IsWritable(uint64(n)) || f.mod.code.Bytes(uint64(n)) != nil)
}
