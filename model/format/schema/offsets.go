package schema

import (
	"fmt"
	"strconv"
)

// word is what the parts of a record are aligned to, bytes.
const word = 8

// computeOffsets computes offsets and sizes, and checks what the table may not say. A structure
// comes behind those that it has in it, so what they are is known.
func (t *Table) computeOffsets() error {
	for _, s := range t.Structs {
		for _, part := range []*Part{&s.Fixed, &s.Live} {
			if err := t.placeFields(part); err != nil {
				return fmt.Errorf("format table: %s: %w", s.Name, err)
			}
			if s.isRecord() { // the fixed part is padded behind its arrays
				part.Align = word
			}
			if part.Size%part.Align != 0 {
				return fmt.Errorf("format table: %s: %d bytes, not a multiple of %d: add padding", s.Name, part.Size, part.Align)
			}
		}
	}
	return t.checkNames()
}

func (t *Table) placeFields(part *Part) error {
	part.Align = 1
	for i, f := range part.Fields {
		n, err := t.elementCount(f)
		if err != nil {
			return err
		}
		if f.Open && i < len(part.Fields)-1 {
			return fmt.Errorf("%s: only the last field can have any length", f.Name)
		}
		if part.Size%f.alignment() != 0 {
			return fmt.Errorf("%s is at %d, not a multiple of %d: add padding", f.cName(), part.Size, f.alignment())
		}
		f.Offset, f.Size = part.Size, n*f.elementSize()
		part.Size += f.Size
		part.Align = max(part.Align, f.alignment())
		part.listField(f)
	}
	return nil
}

// listField puts a field into the lists of a part.
func (p *Part) listField(f *Field) {
	switch {
	case f.Pad:
	case f.isEmbedded():
		for _, inner := range f.Struct.Fixed.Flat {
			moved := *inner
			moved.Offset += f.Offset
			p.Flat = append(p.Flat, &moved)
		}
		p.showField("", f)
	default:
		p.Flat = append(p.Flat, f)
		p.showField(f.Name+"_", f)
	}
}

// showField puts a field, or those of a structure, into what the dump shows.
func (p *Part) showField(before string, f *Field) {
	switch {
	case !f.isShown():
	case f.Struct == nil:
		p.Shown = append(p.Shown, Shown{f.Name, f.Offset, basics[f.Type].kind})
	default:
		for _, inner := range f.Struct.Fixed.Shown {
			p.Shown = append(p.Shown, Shown{before + inner.Name, f.Offset + inner.Offset, inner.Kind})
		}
	}
}

// alignment is that of one element.
func (f *Field) alignment() int {
	if f.Struct != nil {
		return f.Struct.Fixed.Align
	}
	return basics[f.Type].size
}

// elementSize is the size of one element, bytes.
func (f *Field) elementSize() int {
	if f.Struct != nil {
		return f.Struct.Fixed.Size
	}
	return basics[f.Type].size
}

// elementCount is the number of elements of a field.
func (t *Table) elementCount(f *Field) (int, error) {
	n := 1
	for _, d := range f.Dims {
		length, err := t.constantValue(d)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", f.Name, err)
		}
		n *= length
	}
	return n, nil
}

// constantValue is that which a constant or a numeral stands for.
func (t *Table) constantValue(text string) (int, error) {
	for _, c := range t.Consts {
		if c.Name == text {
			text = c.Value
			break
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("length %q is no constant and no number", text)
	}
	return n, nil
}

// checkNames refuses a table in which a name, or the number of a record, is used twice.
// Names are those of Go: all are in one package there.
func (t *Table) checkNames() error {
	seen := map[string]bool{}
	var twice error
	add := func(name string) {
		if seen[name] {
			twice = fmt.Errorf("format table: two things are called %s", name)
		}
		seen[name] = true
	}
	for _, c := range t.Consts {
		add(goName(c.Name))
	}
	for _, e := range t.Enums {
		for _, v := range e.Values {
			add(goName(v.Name))
		}
	}
	for _, s := range t.Structs {
		add("structure " + s.Name)
		if s.isRecord() {
			if t.Struct(header) == nil {
				return fmt.Errorf("format table: no structure %s, with which records begin", header)
			}
			add(goRecord(s))
			add("record " + strconv.Itoa(s.Number))
		}
		for _, part := range []*Part{&s.Fixed, &s.Live} {
			for _, f := range part.Flat {
				add(goName(s.Name) + goName(f.Name))
			}
		}
	}
	return twice
}
