package schema

import (
	"fmt"
	"regexp"
	"strings"
)

// place in a page is between two comments, the first of which says what belongs there:
// "constants", "enum NAME", or the name of a structure.
var place = regexp.MustCompile(`(?s)(<!-- table: ([a-z_ ]+) -->\n).*?(<!-- end of table -->)`)

// UpdatePage returns a page with its tables made anew. The error is of a table that is not
// known, or of a structure that has no place.
func (t *Table) UpdatePage(old string) (string, error) {
	places := map[string]bool{}
	for _, m := range place.FindAllStringSubmatch(old, -1) {
		places[m[2]] = true
	}
	var err error
	page := place.ReplaceAllStringFunc(old, func(text string) string {
		m := place.FindStringSubmatch(text)
		table, known := t.pageTable(m[2], places)
		if !known {
			err = fmt.Errorf("no table %q", m[2])
		}
		return m[1] + "\n" + table + "\n" + m[3]
	})
	for _, s := range t.Structs {
		if err == nil && !places[s.Name] && !t.isEmbedded(s) {
			err = fmt.Errorf("%s has no place in the page", s.Name)
		}
	}
	return page, err
}

// isEmbedded reports whether s only stands for its fields in other structures.
func (t *Table) isEmbedded(s *Struct) bool {
	found := false
	for _, other := range t.Structs {
		for _, f := range append(append([]*Field{}, other.Fixed.Fields...), other.Live.Fields...) {
			if f.Struct == s && !f.isEmbedded() {
				return false
			}
			found = found || f.Struct == s
		}
	}
	return found
}

func (t *Table) pageTable(what string, places map[string]bool) (table string, known bool) {
	var b strings.Builder
	if name, ok := strings.CutPrefix(what, "enum "); ok {
		if e := t.enumNamed(name); e != nil {
			pageConsts(&b, e.Values)
			return b.String(), true
		}
	}
	s := t.Struct(what)
	switch {
	case what == "constants":
		pageConsts(&b, t.Consts)
	case s == nil:
		return "", false
	case s.isRecord():
		fmt.Fprintf(&b, "%s\n", s.Text)
		t.pagePart(&b, "fixed, at", &s.Fixed, &s.Behind, places)
		t.pagePart(&b, "mutable, at", &s.Live, nil, places)
	default:
		fmt.Fprintf(&b, "%s\n", s.Text)
		t.pagePart(&b, "at", &s.Fixed, nil, places)
	}
	return b.String(), true
}

func pageConsts(b *strings.Builder, consts []Const) {
	b.WriteString("| name | value | |\n|---|---|---|\n")
	for _, c := range consts {
		writeRow(b, c.Name, c.Value, c.Text)
	}
}

// pagePart writes the fields of a part, and those behind it.
func (t *Table) pagePart(b *strings.Builder, head string, part, behind *Part, places map[string]bool) {
	if len(part.Fields) == 0 && (behind == nil || len(behind.Fields) == 0) {
		return
	}
	fmt.Fprintf(b, "\n| %s | field | type | |\n|---|---|---|---|\n", head)
	for _, f := range part.Flat {
		t.pageField(b, f, places)
	}
	if behind == nil {
		return
	}
	at := fmt.Sprint(part.Size)
	for _, f := range behind.Fields {
		writeRow(b, at, f.Name, f.pageType(), f.Text)
		at = "behind"
	}
}

// pageField writes a row for a field, with what all older records lack marked.
func (t *Table) pageField(b *strings.Builder, f *Field, places map[string]bool) {
	text := f.Text
	if values := t.pageValues(f.Enum, places); values != "" {
		text = strings.TrimPrefix(text+": "+values, ": ")
	}
	if f.Added {
		text = strings.TrimSuffix("not in older records, nor is what follows; "+text, "; ")
	}
	writeRow(b, fmt.Sprint(f.Offset), f.Name, f.pageType(), text)
}

// pageValues lists the values of an enum, or says that the page has a table of them.
func (t *Table) pageValues(name string, places map[string]bool) string {
	e := t.enumNamed(name)
	if e == nil {
		return ""
	}
	if places["enum "+name] {
		return "see the table of values"
	}
	var values []string
	for _, v := range e.Values {
		text := v.Value + " " + v.Name
		if v.Text != "" {
			text += " (" + v.Text + ")"
		}
		values = append(values, text)
	}
	return strings.Join(values, ", ")
}

func (f *Field) pageType() string {
	name := f.Type
	if f.Struct == nil {
		name = basics[f.Type].page
	}
	switch {
	case f.Open:
		return "as many " + name + " as fit"
	case len(f.Dims) == 0:
		return name
	}
	return strings.Join(f.Dims, " × ") + " × " + name
}

// writeRow writes a row of a table.
func writeRow(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString(strings.TrimRight("| "+strings.ReplaceAll(c, "|", `\|`), " ") + " ")
	}
	b.WriteString("|\n")
}
