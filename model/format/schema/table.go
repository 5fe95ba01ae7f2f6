package schema

import "laggard/model/format"

// Table is the whole format, in the order of the table.
type Table struct {
	Consts  []Const
	Enums   []*Enum
	Structs []*Struct
	Records map[format.Record]*Struct // those of Structs that are records
}

// Const is a number, or a text in quotes, with a name.
type Const struct {
	Name, Value string
	Text        string // what it is for
}

// Enum is a set of numbers that a field may have.
type Enum struct {
	Name   string
	Text   string
	Values []Const
}

// Struct is a structure, or a record: a structure in parts, behind a header.
type Struct struct {
	Name   string
	Text   string
	Number int    // of a type of record; 0: this is no record
	Record string // name of that type; "" this is no record
	Fixed  Part   // of a structure all there is
	Behind Part   // arrays of variable length at the end of the fixed part
	Live   Part   // what the process changes in place
}

// Part is a run of fields whose offsets count from its start.
type Part struct {
	Fields []*Field
	Size   int // bytes of the fields
	Align  int // what its address is a multiple of, bytes

	// Flat are the fields without padding, and with those of embedded structures.
	Flat []*Field
	// Shown is what the dump shows.
	Shown []Shown
}

// Shown is a field as the dump shows it.
type Shown struct {
	Name   string // those of a structure have its name before theirs
	Offset int
	Kind   Kind
}

// Kind says how a field is stored and shown.
type Kind int

// The kinds of fields.
const (
	Uint16 Kind = iota
	Uint32
	Int32
	Uint64
	Int64
	Hex64
	Time // nanoseconds since 1970, 0 never
)

// Field is one field of a structure.
type Field struct {
	Name   string // "" padding, or a structure whose fields stand for themselves
	Type   string // of one element
	Enum   string // whose values it has; "" none
	Text   string
	Dims   []string // lengths of an array
	Open   bool     // as many elements as fit; Dims says how many a recorder makes
	Pad    bool
	Hidden bool // not in the dump
	Added  bool // older recorders end before it
	Offset int  // within the part
	Size   int  // of all elements, bytes

	Struct *Struct // of a field whose type is one, else nil
}

// basic is a type that is no structure.
type basic struct {
	size int
	c    string // in C
	page string // in docs/reference/format.md
	kind Kind   // as in Shown
}

var basics = map[string]basic{
	"u8":   {1, "uint8_t", "byte", 0},
	"char": {1, "char", "byte", 0},
	"u16":  {2, "uint16_t", "u16", Uint16},
	"u32":  {4, "uint32_t", "u32", Uint32},
	"i32":  {4, "int32_t", "i32", Int32},
	"u32?": {4, "uint32_t", "u32?", Int32},
	"u64":  {8, "uint64_t", "u64", Uint64},
	"u64?": {8, "uint64_t", "u64?", Int64},
	"x64":  {8, "uint64_t", "u64", Hex64},
	"ns":   {8, "uint64_t", "ns", Time},
	// Only behind a fixed part, where nothing has an offset.
	"varint": {0, "varint", "varint", 0},
}

// isEmbedded reports whether the fields of the structure stand for themselves.
func (f *Field) isEmbedded() bool { return f.Struct != nil && f.Name == "" }

// cName is the name of the field in C, where times say their unit.
func (f *Field) cName() string {
	switch {
	case f.isEmbedded():
		return f.Type
	case f.Type == "ns":
		return f.Name + "_ns"
	}
	return f.Name
}

// isRecord reports whether s is a record.
func (s *Struct) isRecord() bool { return s.Record != "" }

// isShown reports whether the dump shows the field with those around it.
func (f *Field) isShown() bool { return !f.Pad && !f.Hidden && f.Dims == nil }

// enumNamed is the one of a name.
func (t *Table) enumNamed(name string) *Enum {
	for _, e := range t.Enums {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Struct is the structure of a name, nil if there is none.
func (t *Table) Struct(name string) *Struct {
	for _, s := range t.Structs {
		if s.Name == name {
			return s
		}
	}
	return nil
}
