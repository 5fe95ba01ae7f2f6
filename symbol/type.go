package symbol

import (
	"cmp"
	"crypto/sha256"
	"debug/dwarf"
	"fmt"
	"slices"
	"strings"

	"laggard/binary/cursor"
	"laggard/binary/expression"
	"laggard/internal/bound"
)

// Type is what the debug information says of a type, without typedefs and
// qualifiers: how large it is, and what is where in it.
type Type struct {
	// Kind tells types apart, also between units and modules: two structs are the
	// same if their names, sizes and fields are. "" unknown.
	Kind   string
	Size   int64   // bytes, 0 unknown
	Fields []Field // of a struct, class or union, with its bases, by offset
	Elem   *Type   // of an array: that of its elements, which follow each other
	// Origin is how many bytes element 0 is before the first one of an array whose
	// indexes do not begin at 0, as in Fortran.
	Origin  int64
	Number  Encoding // of a number
	Pointer bool     // it points to what Code.Target says; so does the first field of an array descriptor
	// Reference: a pointer that the source writes as what it points to.
	Reference bool
	// Either: an object of one of several classes, which are its fields; see Code.DerivedType.
	Either bool
	copied bool // an object of a class that is passed and returned by the address of a copy
	to     dwarf.Offset
	at     dwarf.Offset // of the entry of a class or an enumeration
	in     *debugFile   // that to and at are in
	target *Type        // instead of to
	found  *Type        // what was read at to
	read   bool
}

// Encoding says how a number is written in its bytes (DWARF 5, table 7.11).
type Encoding uint8

// The encodings of numbers. Others, such as complex ones, are None.
const (
	None         Encoding = 0
	Boolean      Encoding = 2
	Float        Encoding = 4
	Signed       Encoding = 5
	SignedChar   Encoding = 6
	Unsigned     Encoding = 7
	UnsignedChar Encoding = 8
	Enumeration  Encoding = 0xff // names for numbers: Code.Enumerator
)

// IsFloat reports whether it is a floating-point number.
func (t *Type) IsFloat() bool { return t.Number == Float }

// Field is a part of a struct.
type Field struct {
	Offset int64
	Type   *Type
	Name   string // "" it has none, as a base class, or its bits are not whole bytes
}

// maxTypeDepth bounds the types that are in each other.
const maxTypeDepth = 24

// typeAt reads the type at off, once; nil if there is none.
func (w *walker) typeAt(off dwarf.Offset, depth int) *Type {
	if off == 0 || depth > maxTypeDepth {
		return nil
	}
	if t, ok := w.f.types[off]; ok {
		return t
	}
	e, err := w.entryAt(off)
	if err != nil {
		return nil
	}
	var t *Type
	switch e.Tag {
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		t = w.structType(e, depth)
	case dwarf.TagArrayType:
		t = w.arrayType(e, depth)
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		t = &Type{Size: 8, Pointer: true, Reference: e.Tag != dwarf.TagPointerType, in: w.f}
		t.to, _ = e.Val(dwarf.AttrType).(dwarf.Offset)
		t.Kind = "*" + w.typeName(t.to, 0)
	case dwarf.TagBaseType, dwarf.TagEnumerationType:
		t = &Type{Size: byteSize(e), Kind: entryName(e), Number: numberEncoding(e)}
		if t.Number == Enumeration {
			t.at, t.in = e.Offset, w.f
		}
	case dwarf.TagPtrToMemberType: // an offset, or two words of the ABI: no number, and not what its function returns
		member, _ := e.Val(dwarf.AttrType).(dwarf.Offset)
		t = &Type{Size: memberPointerSize, Kind: "::*" + w.typeName(member, 0)}
		if of, err := w.entryAt(member); err == nil && of.Tag == dwarf.TagSubroutineType {
			t.Size = methodPointerSize
		}
	default:
		inner, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok {
			inner, _ = e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		}
		t = w.typeAt(inner, depth+1)
		if n := byteSize(e); t == nil && n > 0 {
			t = &Type{Size: n}
		}
	}
	w.f.types[off] = t
	return t
}

// Bytes of pointers to members in the C++ ABI of Itanium, which compilers follow here (2.3).
const (
	memberPointerSize = 8
	methodPointerSize = 16
)

// numberEncoding is that of a number.
func numberEncoding(e *dwarf.Entry) Encoding {
	if e.Tag == dwarf.TagEnumerationType {
		return Enumeration
	}
	switch n, _ := e.Val(dwarf.AttrEncoding).(int64); Encoding(n) {
	case Boolean, Float, Signed, SignedChar, Unsigned, UnsignedChar:
		return Encoding(n)
	case utf:
		return Unsigned
	}
	return None
}

// utf is the encoding of characters of more than a byte.
const utf = 0x10

// passedByReference is DW_CC_pass_by_reference (DWARF 5, section 5.7.1), and defaultedInClass
// DW_DEFAULTED_in_class.
const (
	passedByReference = 4
	defaultedInClass  = 1
)

// impliesPassByCopy reports whether a part of a class says that its objects are passed by the address of a
// copy: a destructor of its own, or a table of virtual functions. Not all compilers say it of the
// class.
func impliesPassByCopy(part *dwarf.Entry) bool {
	name := entryName(part)
	if part.Tag == dwarf.TagMember {
		return strings.HasPrefix(name, "_vptr")
	}
	n, _ := part.Val(dwarf.AttrDefaulted).(int64)
	return part.Tag == dwarf.TagSubprogram && strings.HasPrefix(name, "~") && n != defaultedInClass
}

func byteSize(e *dwarf.Entry) int64 {
	n, _ := e.Val(dwarf.AttrByteSize).(int64)
	return max(n, 0)
}

func entryName(e *dwarf.Entry) string {
	name, _ := e.Val(dwarf.AttrName).(string)
	return name
}

// typeName is the name of a type behind qualifiers and pointers.
func (w *walker) typeName(off dwarf.Offset, depth int) string {
	if off == 0 || depth > maxTypeDepth {
		return ""
	}
	e, err := w.entryAt(off)
	if err != nil {
		return ""
	}
	if name := entryName(e); name != "" {
		return name
	}
	inner, _ := e.Val(dwarf.AttrType).(dwarf.Offset)
	name := w.typeName(inner, depth+1)
	if e.Tag == dwarf.TagPointerType {
		name = "*" + name
	}
	return name
}

// structType reads a struct, class or union. Its fields are read before their
// types, since the reader can be at one place only.
func (w *walker) structType(e *dwarf.Entry, depth int) *Type {
	type member struct {
		Field
		typ dwarf.Offset
	}
	var members []member
	var of dwarf.Offset // of a template: the type that it is made for
	how, _ := e.Val(dwarf.AttrCalling).(int64)
	copied := how == passedByReference
	for more := e.Children; more; {
		c, err := w.next()
		if err != nil || c == nil || c.Tag == 0 {
			break
		}
		copied = copied || impliesPassByCopy(c)
		outside, _ := c.Val(dwarf.AttrExternal).(bool)
		if typ, ok := c.Val(dwarf.AttrType).(dwarf.Offset); ok && !outside &&
			(c.Tag == dwarf.TagMember || c.Tag == dwarf.TagInheritance) {
			members = append(members, member{Field{Offset: memberOffset(c), Name: memberName(c)}, typ})
		} else if ok && of == 0 && c.Tag == dwarf.TagTemplateTypeParameter {
			of = typ
		}
		if w.skipChildren(c) != nil {
			break
		}
	}
	t := &Type{Size: byteSize(e), at: e.Offset, in: w.f}
	t.copied = copied
	var kind strings.Builder
	fmt.Fprintf(&kind, "%s %d", entryName(e), t.Size)
	for _, m := range members {
		m.Type = w.typeAt(m.typ, depth+1)
		if m.Type == nil {
			m.Type = &Type{}
		}
		t.Fields = append(t.Fields, m.Field)
		t.copied = t.copied || m.Type.copied || m.Type.Elem != nil && m.Type.Elem.copied
		fmt.Fprintf(&kind, " %d:%s", m.Offset, m.Type.Kind)
	}
	if !slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Type.Size > 0 || f.Type.Elem != nil }) {
		t.Size = 0 // that it has one is a rule of the language; a base class without fields takes no room
	}
	slices.SortStableFunc(t.Fields, func(a, b Field) int { return cmp.Compare(a.Offset, b.Offset) })
	t.Kind = shortKind(kind.String())
	return w.withStoredType(t, of, depth)
}

// soleDatum is the only datum that an object of a class has, as an iterator has a pointer;
// else it is t.
func (t *Type) soleDatum() *Type {
	for range maxTypeDepth {
		var only *Type
		for _, f := range t.Fields {
			if f.Type.Size == t.Size {
				only = f.Type
			}
		}
		if only == nil || t.Size != word {
			break
		}
		t = only
	}
	return t
}

// DatumAt is the datum at an offset, in bytes, in an object of the type: itself, if that is one; nil if there is none
// alone, as in a union. An array has what each of its elements has.
func (t *Type) DatumAt(off int64) *Type {
	for range maxTypeDepth {
		switch {
		case t.Elem != nil && t.Elem.Size > 0:
			t, off = t.Elem, (off%t.Elem.Size+t.Elem.Size)%t.Elem.Size
			continue
		case len(t.Fields) > 0:
			at := -1
			for i, f := range t.Fields {
				if off < f.Offset || off >= f.Offset+f.Type.Size {
					continue
				}
				if at >= 0 {
					return nil
				}
				at = i
			}
			if at < 0 {
				return nil
			}
			t, off = t.Fields[at].Type, off-t.Fields[at].Offset
			continue
		}
		break
	}
	if off != 0 {
		return nil
	}
	return t
}

// memberName is the name of a member that has bytes of its own.
func memberName(e *dwarf.Entry) string {
	if e.Val(dwarf.AttrBitSize) != nil || e.Tag != dwarf.TagMember {
		return ""
	}
	return entryName(e)
}

// memberOffset is where a member begins, in bytes.
func memberOffset(e *dwarf.Entry) int64 {
	switch n := e.Val(dwarf.AttrDataMemberLoc).(type) {
	case int64:
		return n
	case []byte: // DW_OP_plus_uconst
		if len(n) > 1 && n[0] == expression.PlusConst {
			c := cursor.Cursor{Bytes: n[1:]}
			return int64(c.ULEB())
		}
	}
	bits, _ := e.Val(dwarf.AttrDataBitOffset).(int64)
	return bits / 8
}

// arrayType reads an array: that in which another one begins, or, in Fortran,
// the descriptor of one that is elsewhere.
func (w *walker) arrayType(e *dwarf.Entry, depth int) *Type {
	inner, _ := e.Val(dwarf.AttrType).(dwarf.Offset)
	elsewhere := e.Val(dwarf.AttrDataLocation) != nil
	first := int64(0)
	if u := w.f.unitAt(e.Offset); u != nil && u.fortran {
		first = 1
	}
	dims := w.dimensions(e, first)
	elem := w.typeAt(inner, depth+1)
	if elem == nil {
		elem = &Type{}
	}
	if elsewhere {
		const head, dim = 40, 24 // of libgfortran: address, offset, type, span; then each dimension
		data := &Type{Size: 8, Pointer: true, Kind: "*" + elem.Kind, target: elem}
		return &Type{Size: head + dim*int64(len(dims)), Kind: fmt.Sprintf("descriptor %d:%s", len(dims), elem.Kind),
			Fields: []Field{{Type: data}}}
	}
	t := &Type{Elem: elem, Kind: "[]" + elem.Kind}
	size := elem.Size
	for _, d := range dims {
		const most = 1 << 40
		t.Origin += d.lower * size
		if d.count <= 0 || size <= 0 || d.count > most/size {
			size = 0
			break
		}
		size *= d.count
	}
	t.Size = size
	if size == 0 {
		t.Origin = 0
	}
	return t
}

// dimension is the range of an index; count 0 is unknown.
type dimension struct{ lower, count int64 }

// dimensions reads those of the array just read; first is where an index begins
// if that is not said.
func (w *walker) dimensions(array *dwarf.Entry, first int64) []dimension {
	var out []dimension
	for array.Children {
		e, err := w.next()
		if err != nil || e == nil || e.Tag == 0 {
			break
		}
		if e.Tag == dwarf.TagSubrangeType {
			d := dimension{lower: first}
			if lower, ok := e.Val(dwarf.AttrLowerBound).(int64); ok {
				d.lower = min(max(lower, -1<<32), 1<<32)
			}
			if n, ok := e.Val(dwarf.AttrCount).(int64); ok {
				d.count = n
			} else if upper, ok := e.Val(dwarf.AttrUpperBound).(int64); ok {
				d.count = upper - d.lower + 1
			}
			d.count = min(max(d.count, 0), 1<<32)
			out = append(out, d)
		}
		if w.skipChildren(e) != nil {
			break
		}
	}
	return out
}

// pointerTo is a pointer that the source does not show, such as to an argument
// that is passed by reference.
func pointerTo(t *Type) *Type {
	if t == nil {
		return nil
	}
	return &Type{Size: 8, Pointer: true, Kind: "*" + t.Kind, target: t}
}

// TargetOf is what a pointer of this module points to, nil if that is not known.
func (c *Code) TargetOf(t *Type) *Type {
	switch {
	case t == nil || !t.Pointer:
		return nil
	case t.target != nil:
		return t.target
	}
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if c.m.debug == nil || c.m.debug != t.in {
		return nil
	}
	if !t.read {
		t.read = true
		_ = guardFile(c.m.image.path, func() error { // nil if it cannot be read
			t.found = t.in.newWalker().typeAt(t.to, 0)
			return nil
		})
	}
	return t.found
}

// shortKind is the text itself, or a digest of one that is too long, so that it is still the same for the same kind.
func shortKind(text string) string {
	if len(text) <= maxKind {
		return text
	}
	return fmt.Sprintf("%s… %x", text[:64], sha256.Sum256([]byte(text)))
}

// isRawBytes reports whether a type is bytes that say nothing of what is kept in them.
func (t *Type) isRawBytes(b *bound.Budget) bool {
	if !b.Enter() {
		return false
	}
	defer b.Leave()
	if t.Elem != nil {
		return t.Elem.Size == 1 && len(t.Elem.Fields) == 0
	}
	for _, f := range t.Fields {
		if f.Type.Size > 0 && !f.Type.isRawBytes(b) {
			return false
		}
	}
	return len(t.Fields) > 0 && t.Size > 0
}

// maxRaw bounds the members that are looked at to find out whether a type is raw.
const maxRaw = 10_000

// withStoredType is t, or, if that is a class of raw bytes that is a template of a type of their
// size, the same with a datum of that type in their place: libraries keep in such a
// class what is made later, as in the nodes of their containers.
func (w *walker) withStoredType(t *Type, of dwarf.Offset, depth int) *Type {
	if of == 0 || !t.isRawBytes(bound.New(maxTypeDepth, maxRaw)) {
		return t
	}
	in := w.typeAt(of, depth+1)
	if in == nil || in.Size != t.Size {
		return t
	}
	t.Fields = []Field{{Type: in}}
	return t
}
