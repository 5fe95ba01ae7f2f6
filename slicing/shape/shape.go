package shape

import (
	"slices"

	"laggard/internal/bound"
	"laggard/symbol"
)

// Shape is a type made ready for that question, which is asked millions of times in a slice.
type Shape struct {
	kind   int      // types of one kind are the same
	size   int64    // bytes, 0 unknown
	parts  []uint64 // a bit for its own kind and for those of all that it has
	elem   *Shape   // of an array
	either bool     // it is one of its fields, it is not known which
	fields []field
}

// field is a shape at an offset in another one.
type field struct {
	off int64
	*Shape
}

// Shapes are the shapes of the types of a program. Those of one of them can be compared.
type Shapes struct {
	of    map[*symbol.Type]*Shape
	kinds map[string]int // numbered
}

// New returns Shapes that know no type yet.
func New() *Shapes { return &Shapes{map[*symbol.Type]*Shape{}, map[string]int{}} }

// Of is the shape of a type.
func (all *Shapes) Of(t *symbol.Type) *Shape {
	if s, ok := all.of[t]; ok {
		return s
	}
	kind, ok := all.kinds[t.Kind]
	if !ok {
		kind = len(all.kinds)
		all.kinds[t.Kind] = kind
	}
	s := &Shape{kind: kind, size: t.Size, either: t.Either, parts: make([]uint64, kind/64+1)}
	s.parts[kind/64] |= 1 << (kind % 64)
	all.of[t] = s // before its parts: damaged debug information has types that are in themselves
	if t.Elem != nil {
		s.elem = all.Of(t.Elem)
		s.addParts(s.elem)
	}
	for _, f := range t.Fields {
		at := field{f.Offset, all.Of(f.Type)}
		s.fields = append(s.fields, at)
		s.addParts(at.Shape)
	}
	return s
}

// addParts adds the parts of a part.
func (s *Shape) addParts(part *Shape) {
	for len(s.parts) < len(part.parts) {
		s.parts = append(s.parts, 0)
	}
	for i, bits := range part.parts {
		s.parts[i] |= bits
	}
}

// hasPart reports whether a shape is another one, or has it in it.
func (s *Shape) hasPart(part *Shape) bool {
	i := part.kind / 64
	return i < len(s.parts) && s.parts[i]&(1<<(part.kind%64)) != 0
}

// MayOverlap reports whether objects of two shapes may have bytes in common.
func (s *Shape) MayOverlap(o *Shape) bool {
	if s.hasPart(o) || o.hasPart(s) {
		return true
	}
	one := func(of *Shape, other *Shape) bool {
		return of.either && slices.ContainsFunc(of.fields, func(f field) bool { return f.MayOverlap(other) })
	}
	return one(s, o) || one(o, s)
}

// Bytes are some of the bytes of a type, from Lo up to Hi.
type Bytes struct {
	*Shape
	Lo, Hi int64
}

// Bounds of a comparison.
const (
	maxParts    = 12     // structs and arrays in each other
	maxCompared = 10_000 // of them in all; what would need more is taken as apart
)

// CommonOffset finds bytes that two have in common, the type of one of which is that of the other or a part of it, and
// returns how far behind the first of o that of b is.
func (b Bytes) CommonOffset(o Bytes) (int64, bool) {
	if d, ok := b.commonWithin(o, bound.New(maxParts+1, maxCompared)); ok {
		return d, true
	}
	if d, ok := o.commonWithin(b, bound.New(maxParts+1, maxCompared)); ok {
		return -d, ok
	}
	if d, ok := b.commonOfEither(o); ok {
		return d, ok
	}
	d, ok := o.commonOfEither(b)
	return -d, ok
}

// commonOfEither is Common of one of those that bytes are of, if they are of one of several.
func (b Bytes) commonOfEither(o Bytes) (int64, bool) {
	if !b.either {
		return 0, false
	}
	for _, f := range b.fields {
		if d, ok := (Bytes{f.Shape, b.Lo, b.Hi}).CommonOffset(o); ok { // all of them begin where it does
			return d, true
		}
	}
	return 0, false
}

// Overlaps reports whether two can have bytes in common; those without a shape are not known, and have none.
func (b Bytes) Overlaps(o Bytes) bool {
	if b.Shape == nil || o.Shape == nil {
		return false
	}
	_, ok := b.CommonOffset(o)
	return ok
}

// commonWithin finds bytes of o among those of b, o being of the type of b or of a part of it.
func (b Bytes) commonWithin(o Bytes, left *bound.Budget) (int64, bool) {
	if !left.Enter() {
		return 0, false
	}
	defer left.Leave()
	switch {
	case b.kind == o.kind:
		return b.Lo - o.Lo, b.Lo < o.Hi && o.Lo < b.Hi
	case !b.hasPart(o.Shape):
		return 0, false
	case b.elem != nil && b.elem.size <= 0:
		return 0, false
	case b.elem != nil:
		return b.elementBytes().commonWithin(o, left)
	}
	for _, f := range b.fields {
		if b.Lo < f.off+f.size && f.off < b.Hi {
			if d, ok := (Bytes{f.Shape, b.Lo - f.off, b.Hi - f.off}).commonWithin(o, left); ok {
				return d, true
			}
		}
	}
	return 0, false
}

// elementBytes is what bytes of an array are of one of its elements, all of them if they are in several.
func (b Bytes) elementBytes() Bytes {
	e := Bytes{b.elem, 0, b.elem.size}
	if lo := ((b.Lo % e.size) + e.size) % e.size; lo+b.Hi-b.Lo <= e.size {
		e.Lo, e.Hi = lo, lo+b.Hi-b.Lo
	}
	return e
}
