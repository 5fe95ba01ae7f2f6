package main

import (
	"bytes"
	"fmt"
	"go/format"
	"strconv"
	"strings"
)

// cpythonLayouts is the table of package cpython.
type cpythonLayouts struct {
	minors  []int // of 3.minor
	members []cpythonMember
}

type cpythonMember struct {
	name, doc string
	values    []string // by version, as in the table
}

// parseCPython reads the table of package cpython.
func parseCPython(text string) (t cpythonLayouts, err error) {
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case len(t.minors) == 0:
			for _, f := range fields[1:] {
				minor, err := strconv.Atoi(strings.TrimPrefix(f, "3."))
				if err != nil {
					return t, fmt.Errorf("%s:%d: version %q", cpythonTable, i+1, f)
				}
				t.minors = append(t.minors, minor)
			}
		case len(fields) < 2+len(t.minors):
			return t, fmt.Errorf("%s:%d: want a value for each version, and a comment", cpythonTable, i+1)
		default:
			m := cpythonMember{name: fields[0], values: fields[1 : 1+len(t.minors)]}
			m.doc = strings.Join(fields[1+len(t.minors):], " ")
			for _, v := range m.values {
				if _, err := strconv.ParseUint(strings.TrimPrefix(v, "@"), 10, 16); err != nil && v != "-" {
					return t, fmt.Errorf("%s:%d: offset %q", cpythonTable, i+1, v)
				}
			}
			t.members = append(t.members, m)
		}
	}
	return t, nil
}

// value is one as the generated tables have it: absent, a number, or the number of a word that states it.
func value(v, absent, stated string) string {
	switch {
	case v == "-":
		return absent
	case v[0] == '@':
		return stated + " | " + v[1:]
	}
	return v
}

// header writes struct lg_py_layout and the macro LG_PY_LAYOUTS, an initializer for each version.
func (t cpythonLayouts) header(b *bytes.Buffer) {
	b.WriteString("#define LG_PY_MEMBERS(X)")
	for _, m := range t.members {
		fmt.Fprintf(b, " \\\n  X(%s)", m.name)
	}
	b.WriteString("\n\nstruct lg_py_layout {\n  int minor; /* of 3.minor */\n")
	for _, m := range t.members {
		fmt.Fprintf(b, "  uint32_t %s; /* %s */\n", m.name, m.doc)
	}
	b.WriteString("};\n\n#define LG_PY_LAYOUTS")
	for i, minor := range t.minors {
		fmt.Fprintf(b, " \\\n  {.minor = %d", minor)
		for _, m := range t.members {
			fmt.Fprintf(b, ", .%s = %s", m.name, value(m.values[i], "LG_PY_ABSENT", "LG_PY_STATED"))
		}
		b.WriteString("},")
	}
	b.WriteString("\n")
}

// golang writes type Layout and the layouts of all versions.
func (t cpythonLayouts) golang(out *bytes.Buffer) {
	b := &bytes.Buffer{}
	b.WriteString("\npackage cpython\n\n// Layout has the offsets of a version.\ntype Layout struct {\n\tMinor int // of 3.minor\n")
	for _, m := range t.members {
		fmt.Fprintf(b, "\t%s uint32 // %s\n", camelCase(m.name), m.doc)
	}
	b.WriteString("}\n\n// Layouts are those of all versions that are known.\nvar Layouts = []Layout{\n")
	for i, minor := range t.minors {
		fmt.Fprintf(b, "\t{\n\t\tMinor: %d,\n", minor)
		for _, m := range t.members {
			fmt.Fprintf(b, "\t\t%s: %s,\n", camelCase(m.name), value(m.values[i], "Absent", "stated"))
		}
		b.WriteString("\t},\n")
	}
	b.WriteString("}\n\n// members are pointers to all offsets.\nfunc (l *Layout) members() []*uint32 {\n\treturn []*uint32{\n")
	for _, m := range t.members {
		fmt.Fprintf(b, "\t\t&l.%s,\n", camelCase(m.name))
	}
	b.WriteString("\t}\n}\n")
	text, err := format.Source(b.Bytes())
	if err != nil {
		panic(err) // a mistake of this generator
	}
	out.Write(text)
}
