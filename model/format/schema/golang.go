package schema

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
)

// WriteGo writes layout.go of package format: the constants, and the offsets and sizes.
func (t *Table) WriteGo(b *bytes.Buffer) {
	var out bytes.Buffer
	out.WriteString("package format\n\n")
	goConsts(&out, "Constants of the format.", t.Consts)
	for _, e := range t.Enums {
		goConsts(&out, fmt.Sprintf("%s: %s", e.Name, e.Text), e.Values)
	}
	for _, s := range t.Structs {
		goStruct(&out, s)
	}
	t.goRecords(&out)
	text, err := format.Source(out.Bytes())
	if err != nil { // a mistake of this file, and of no table
		panic(err)
	}
	b.WriteByte('\n')
	b.Write(text)
}

func goConsts(b *bytes.Buffer, comment string, consts []Const) {
	fmt.Fprintf(b, "// %s\nconst (\n", comment)
	for _, c := range consts {
		goConst(b, goName(c.Name), c.Value, c.Text)
	}
	b.WriteString(")\n\n")
}

func goConst(b *bytes.Buffer, name, value, text string) {
	if text != "" {
		text = " // " + text
	}
	fmt.Fprintf(b, "\t%s = %s%s\n", name, value, text)
}

// goStruct writes the offsets of the fields in their parts, and the sizes; of a table those of its entries say it all.
func goStruct(b *bytes.Buffer, s *Struct) {
	if len(s.Fixed.Fields) == 0 && (len(s.Live.Fields) == 0 || s.Live.isTable()) {
		return
	}
	name := goName(s.Name)
	fmt.Fprintf(b, "// %s\nconst (\n", s.cComment())
	if s.isRecord() {
		goPart(b, name, "Fixed", &s.Fixed)
		goPart(b, name, "Live", &s.Live)
	} else {
		goPart(b, name, "", &s.Fixed)
	}
	b.WriteString(")\n\n")
}

func goPart(b *bytes.Buffer, name, part string, fields *Part) {
	if len(fields.Fields) > 0 && !fields.isTable() {
		goOffsets(b, name, fields)
		goConst(b, "Sizeof"+name+part, fmt.Sprint(fields.Size), "")
	}
}

func goOffsets(b *bytes.Buffer, name string, part *Part) {
	for _, f := range part.Flat {
		goConst(b, name+goName(f.Name), fmt.Sprint(f.Offset), f.Text)
		if f.Type == "char" {
			goConst(b, "Sizeof"+name+goName(f.Name), fmt.Sprint(f.Size), "")
		}
	}
}

// goRecords writes the types of records: names and least sizes.
func (t *Table) goRecords(b *bytes.Buffer) {
	b.WriteString("// The types of records.\nconst (\n")
	for _, s := range t.Structs {
		if s.isRecord() {
			fmt.Fprintf(b, "\t%s Record = %d // %s\n", goRecord(s), s.Number, s.Text)
		}
	}
	b.WriteString(")\n\nvar records = [...]record{\n")
	for _, s := range t.Structs {
		if s.isRecord() {
			fmt.Fprintf(b, "\t%s: {name: %q, leastFixed: %d, leastLive: %d},\n", goRecord(s), s.Record, s.Fixed.Size,
				s.Live.leastSize())
		}
	}
	b.WriteString("}\n\n")
}

// isTable reports whether a part is one array, of as many elements as fit.
func (p *Part) isTable() bool { return p.Fields[0].Open && p.Fields[0].Offset == 0 }

func goRecord(s *Struct) string { return goName(strings.ToLower(s.Record)) + "Record" }

// leastSize is how many bytes every recorder has written of a live part: up to the first
// field that was added, and of a part that is only a table one entry.
func (p *Part) leastSize() int {
	for _, f := range p.Fields {
		switch {
		case f.Open && p.isTable():
			return f.elementSize()
		case f.Open, f.Added:
			return f.Offset
		}
	}
	return p.Size
}

// capitals are the words of names that Go writes in capitals.
var capitals = map[string]bool{
	"cpu": true, "crc": true, "id": true, "io": true, "mpi": true, "ns": true, "pid": true, "rma": true, "tid": true,
}

// goName turns a name of the table into one of Go.
func goName(name string) string {
	var b strings.Builder
	for _, w := range strings.Split(strings.ToLower(name), "_") {
		if capitals[w] {
			w = strings.ToUpper(w)
		} else if w != "" {
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b.WriteString(w)
	}
	return b.String()
}
