package schema

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// prefix begins the names of the recorder.
const prefix = "lg_"

// header is the structure that every record begins with.
const header = "rec"

// columns is the width of the header.
const columns = 120

// WriteHeader writes the C header.
func (t *Table) WriteHeader(b *bytes.Buffer) {
	b.WriteString("/* The format of a node file: docs/reference/format.md explains it, model/format/format.tbl lists it. */\n")
	b.WriteString("#pragma once\n\n#include <stdint.h>\n\n")
	for _, c := range t.Consts {
		writeCommented(b, "", fmt.Sprintf("#define %s %s", cConst(c.Name), cValue(c.Value)), c.Text)
	}
	for _, e := range t.Enums {
		fmt.Fprintln(b)
		writeCommented(b, "", fmt.Sprintf("enum %s%s {", prefix, e.Name), e.Text)
		for _, v := range e.Values {
			writeCommented(b, "  ", fmt.Sprintf("%s = %s,", cConst(v.Name), v.Value), v.Text)
		}
		b.WriteString("};\n")
	}
	t.recordTypes(b)
	for _, s := range t.Structs {
		t.writeStruct(b, s)
	}
}

func (t *Table) recordTypes(b *bytes.Buffer) {
	fmt.Fprintf(b, "\nenum %stype {\n", prefix)
	for _, s := range t.Structs {
		if s.isRecord() {
			writeCommented(b, "  ", fmt.Sprintf("%s = %d,", cConst("REC_"+s.Record), s.Number), s.Text)
		}
	}
	b.WriteString("};\n")
}

func cConst(name string) string { return strings.ToUpper(prefix) + name }

// cValue is a value as C has it: what is written in hexadecimal has no sign.
func cValue(value string) string {
	n, err := strconv.ParseUint(value, 0, 64)
	switch {
	case strings.HasPrefix(value, "-"):
		return "(" + value + ")"
	case err != nil || !strings.HasPrefix(value, "0x"):
		return value
	case n > 1<<32-1:
		return value + "ull"
	}
	return value + "u"
}

// writeStruct writes a structure. The live part of a record whose fixed part ends in
// arrays is a structure of its own.
func (t *Table) writeStruct(b *bytes.Buffer, s *Struct) {
	fixed, live := s.Fixed.Fields, s.Live.Fields
	if len(fixed) == 0 && len(live) == 0 {
		return
	}
	apart := len(s.Behind.Fields) > 0 && len(live) > 0
	fmt.Fprintf(b, "\n/* %s */\nstruct %s%s {\n", s.cComment(), prefix, s.Name)
	size := s.Fixed.Size
	if s.isRecord() {
		fmt.Fprintf(b, "  struct %s%s h;\n", prefix, header)
		size += t.Struct(header).Fixed.Size
	}
	declareFields(b, "pad", fixed)
	for _, f := range s.Behind.Fields {
		text := fmt.Sprintf("then %s %s[%s]: %s", f.cType(), f.Name, strings.Join(f.Dims, "]["), f.Text)
		fmt.Fprintf(b, "  /* %s */\n", wrapText(strings.TrimSuffix(text, ": "), columns-8, "   * "))
	}
	if !apart {
		if len(live) > 0 {
			b.WriteString("  /* live: */\n")
		}
		declareFields(b, "live_pad", live)
		closeStruct(b, s.Name, size+s.Live.Size)
		return
	}
	closeStruct(b, s.Name, size)
	fmt.Fprintf(b, "\n/* The live part, behind the fixed part of struct %s%s, which is padded to a multiple of %d bytes. */\n",
		prefix, s.Name, word)
	fmt.Fprintf(b, "struct %s%s_live {\n", prefix, s.Name)
	declareFields(b, "live_pad", live)
	closeStruct(b, s.Name+"_live", s.Live.Size)
}

func (s *Struct) cComment() string {
	if s.isRecord() {
		return s.Record + ": " + s.Text
	}
	return s.Text
}

func closeStruct(b *bytes.Buffer, name string, size int) {
	fmt.Fprintf(b, "};\n_Static_assert(sizeof(struct %s%s) == %d, \"not as the table has it\");\n", prefix, name, size)
}

// declareFields writes fields; pad begins the names of those that only pad.
func declareFields(b *bytes.Buffer, pad string, fields []*Field) {
	pads := 0
	for _, f := range fields {
		name := f.cName()
		if f.Pad {
			pads++
			name = fmt.Sprintf("%s%d", pad, pads)
		}
		if f.Added {
			b.WriteString("  /* not in older records, nor is what follows: */\n")
		}
		for _, d := range f.Dims {
			name += "[" + cDim(d) + "]"
		}
		writeCommented(b, "  ", fmt.Sprintf("%s %s;", f.cType(), name), f.cComment())
	}
}

func cDim(d string) string {
	if constName.MatchString(d) {
		return cConst(d)
	}
	return d
}

func (f *Field) cType() string {
	if f.Struct != nil {
		return "struct " + prefix + f.Type
	}
	return basics[f.Type].c
}

func (f *Field) cComment() string {
	switch {
	case f.Enum != "" && f.Text != "":
		return "enum " + prefix + f.Enum + ": " + f.Text
	case f.Enum != "":
		return "enum " + prefix + f.Enum
	}
	return f.Text
}

// writeCommented writes a line of code with its comment: behind it, or where there is no
// room for that above it.
func writeCommented(b *bytes.Buffer, indent, code, text string) {
	line := indent + code + " /* " + text + " */"
	switch {
	case text == "":
		fmt.Fprintln(b, indent+code)
	case utf8.RuneCountInString(line) <= columns:
		fmt.Fprintln(b, line)
	default:
		fmt.Fprintf(b, "%s/* %s */\n%s\n", indent, wrapText(text, columns-len(indent)-6, indent+" * "), indent+code)
	}
}

// wrapText breaks a text into lines; those behind the first begin with a text.
func wrapText(text string, width int, begin string) string {
	var b strings.Builder
	room := width
	for i, w := range strings.Fields(text) {
		n := utf8.RuneCountInString(w)
		switch {
		case i == 0:
		case n+1 > room:
			b.WriteString("\n" + begin)
			room = width
		default:
			b.WriteByte(' ')
			room--
		}
		b.WriteString(w)
		room -= n
	}
	return b.String()
}
