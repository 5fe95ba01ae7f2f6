package symbol

import (
	"debug/dwarf"
	"strings"
)

// DerivedType is what a pointer to the class t of this module leads to, if size bytes are
// accessed behind it, more than t has: an object of a class that begins with a t, by
// inheritance. Of several such classes it may be any, as in a union. Nil if there is none.
func (c *Code) DerivedType(t *Type, size int64) *Type {
	if t == nil || t.at == 0 {
		return nil
	}
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if c.m.debug == nil || c.m.debug != t.in {
		return nil
	}
	var out *Type
	if err := guardFile(c.m.image.path, func() (err error) {
		out, err = t.in.derivedType(t, size)
		return err
	}); err != nil {
		return nil
	}
	return out
}

// maxDerived bounds the classes that are looked at for one that begins with another.
const maxDerived = 64

func (f *debugFile) derivedType(t *Type, size int64) (*Type, error) {
	u := f.unitAt(t.at)
	if u == nil {
		return nil, nil
	}
	if u.heirs == nil {
		u.heirs = map[dwarf.Offset][]dwarf.Offset{}
		if err := f.inheritance(u); err != nil {
			return nil, err
		}
	}
	var found []*Type
	w, work := f.newWalker(), u.heirs[t.at]
	for n := 0; n < len(work) && n < maxDerived; n++ {
		if d := w.typeAt(work[n], 0); d != nil && d.Size >= size {
			found = append(found, d)
		}
		work = append(work[:len(work):len(work)], u.heirs[work[n]]...)
	}
	return unionOf(found), nil
}

// unionOf is the type of an object that is one of several classes.
func unionOf(types []*Type) *Type {
	switch len(types) {
	case 0:
		return nil
	case 1:
		return types[0]
	}
	out := &Type{Either: true}
	var kind strings.Builder
	for _, t := range types {
		out.Size = max(out.Size, t.Size)
		out.Fields = append(out.Fields, Field{Type: t})
		kind.WriteString("|" + t.Kind)
	}
	out.Kind = shortKind(kind.String())
	return out
}

// inheritance notes which classes of a unit begin with which others.
func (f *debugFile) inheritance(u *unit) error {
	w := f.newWalker()
	root, err := w.enterUnit(u)
	if err != nil {
		return err
	}
	var around []dwarf.Offset // the entries whose children are being read
	for depth := root.Children; depth; depth = len(around) > 0 {
		if around == nil {
			around = append(around, root.Offset)
		}
		e, err := w.next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			around = around[:len(around)-1]
			continue
		}
		base, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if e.Tag == dwarf.TagInheritance && ok && memberOffset(e) == 0 {
			u.heirs[base] = append(u.heirs[base], around[len(around)-1])
		}
		switch e.Tag {
		case dwarf.TagNamespace, dwarf.TagModule, dwarf.TagStructType, dwarf.TagClassType:
			if e.Children {
				around = append(around, e.Offset)
			}
			continue
		}
		if err := w.skipChildren(e); err != nil {
			return err
		}
	}
	return nil
}

// maxKind bounds, in bytes, the text that says of what kind a type is: that of a struct has those of its members in it.
const maxKind = 4096
