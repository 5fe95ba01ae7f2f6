package main

import (
	"bytes"
	"fmt"
	"go/format"

	"laggard/binary/cpython"
)

// offsetInC is an offset as the recorder's table has it.
func offsetInC(offset uint32) string {
	switch {
	case offset == cpython.Absent:
		return "LG_PY_ABSENT"
	case offset&cpython.Stated != 0:
		return fmt.Sprintf("LG_PY_STATED | %d", offset&^cpython.Stated)
	}
	return fmt.Sprint(offset)
}

// writeCPythonHeader writes struct lg_py_layout and the macro LG_PY_LAYOUTS, an initializer for each version.
func writeCPythonHeader(b *bytes.Buffer, t cpython.Table) {
	b.WriteString("#define LG_PY_MEMBERS(X)")
	for _, m := range t.Members {
		fmt.Fprintf(b, " \\\n  X(%s)", m.Name)
	}
	b.WriteString("\n\nstruct lg_py_layout {\n  int minor; /* of 3.minor */\n")
	for _, m := range t.Members {
		fmt.Fprintf(b, "  uint32_t %s; /* %s */\n", m.Name, m.Doc)
	}
	b.WriteString("};\n\n#define LG_PY_LAYOUTS")
	for i, minor := range t.Minors {
		fmt.Fprintf(b, " \\\n  {.minor = %d", minor)
		for _, m := range t.Members {
			fmt.Fprintf(b, ", .%s = %s", m.Name, offsetInC(m.Offsets[i]))
		}
		b.WriteString("},")
	}
	b.WriteString("\n")
}

// writeCPythonOffsets writes type Offsets of package cpython.
func writeCPythonOffsets(out *bytes.Buffer, t cpython.Table) {
	b := &bytes.Buffer{}
	b.WriteString("\npackage cpython\n\n// Offsets are the places of a version's members, in bytes.\ntype Offsets struct {\n")
	for _, m := range t.Members {
		fmt.Fprintf(b, "\t%s uint32 // %s\n", camelCase(m.Name), m.Doc)
	}
	b.WriteString("}\n")
	text, err := format.Source(b.Bytes())
	if err != nil {
		panic(err) // a mistake of this generator
	}
	out.Write(text)
}
