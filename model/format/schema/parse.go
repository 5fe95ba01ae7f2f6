package schema

import (
	"fmt"
	"strconv"
	"strings"

	"laggard/internal/lateregexp"
	"laggard/model/format"
)

// Parse reads a table and computes the offsets of all fields. The error names the line.
func Parse(text string) (*Table, error) {
	p := &parser{table: &Table{Records: map[format.Record]*Struct{}}}
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		if err := p.parseLine(line); err != nil {
			return nil, fmt.Errorf("format table, line %d: %w", i+1, err)
		}
	}
	return p.table, p.table.computeOffsets()
}

// parser is what the lines above have begun.
type parser struct {
	table *Table
	enum  *Enum
	this  *Struct
	part  *Part
	added bool // the next field is not in older records
}

var (
	lineName  = lateregexp.New(`^[a-z][a-z0-9_]*$`)
	constName = lateregexp.New(`^[A-Z][A-Z0-9_]*$`)
	fieldName = lateregexp.New(`^-?[a-z][a-z0-9_]*$|^-$`)
	fieldType = lateregexp.New(`^([a-z][a-z0-9_]*\??)(?::([a-z_]+))?((?:\[[A-Za-z0-9_]+(?:\.\.\.)?\])*)$`)
	fieldDim  = lateregexp.New(`\[(\w+)(\.\.\.)?\]`)
)

func (p *parser) parseLine(line string) error {
	if strings.HasPrefix(line, " ") {
		return p.parseIndented(line)
	}
	words := splitWords(line, 4)
	switch words[0] {
	case "const":
		return p.parseConst(words[1], words[2], words[3])
	case "enum":
		words = splitWords(line, 3)
		p.enum, p.this, p.part = &Enum{Name: words[1], Text: words[2]}, nil, nil
		p.table.Enums = append(p.table.Enums, p.enum)
		return checkName(lineName, words[1])
	case "struct":
		words = splitWords(line, 3)
		return p.beginStruct(&Struct{Name: words[1], Text: words[2]})
	case "record":
		return p.parseRecord(splitWords(line, 5))
	case "fixed", "behind", "live":
		return p.beginPart(words[0])
	}
	return fmt.Errorf("%q begins nothing", words[0])
}

func (p *parser) beginStruct(s *Struct) error {
	p.enum, p.this, p.part = nil, s, &s.Fixed
	p.table.Structs = append(p.table.Structs, s)
	return checkName(lineName, s.Name)
}

func (p *parser) parseRecord(words []string) error {
	number, err := strconv.Atoi(words[2])
	if err != nil || number < 1 || !constName.MatchString(words[3]) {
		return fmt.Errorf("record %s: expected a number from 1 and a name", words[1])
	}
	err = p.beginStruct(&Struct{Name: words[1], Number: number, Record: words[3], Text: words[4]})
	p.table.Records[format.Record(number)] = p.this
	p.part = nil
	return err
}

// beginPart opens a part of a record.
func (p *parser) beginPart(part string) error {
	if p.this == nil || !p.this.isRecord() {
		return fmt.Errorf("%s: only records have parts", part)
	}
	p.part = map[string]*Part{"fixed": &p.this.Fixed, "behind": &p.this.Behind, "live": &p.this.Live}[part]
	return nil
}

// parseIndented reads an indented line: a value of an enum, or a field.
func (p *parser) parseIndented(line string) error {
	switch {
	case p.enum != nil:
		words := splitWords(line, 3)
		if _, err := strconv.Atoi(words[1]); err != nil {
			return fmt.Errorf("value %s: %w", words[0], err)
		}
		p.enum.Values = append(p.enum.Values, Const{words[0], words[1], words[2]})
		return checkName(constName, words[0])
	case p.part == nil:
		return fmt.Errorf("a field outside of a structure and of the parts of a record")
	case strings.TrimSpace(line) == "added":
		p.added = true
		return nil
	}
	f, err := p.parseField(splitWords(line, 3))
	p.part.Fields, p.added = append(p.part.Fields, f), false
	return err
}

func (p *parser) parseField(words []string) (*Field, error) {
	m := fieldType.FindStringSubmatch(words[0])
	if m == nil {
		return nil, fmt.Errorf("type %q", words[0])
	}
	f := &Field{Type: m[1], Enum: m[2], Text: words[2], Added: p.added, Struct: p.table.Struct(m[1])}
	for _, d := range fieldDim.FindAllStringSubmatch(m[3], -1) {
		f.Dims = append(f.Dims, d[1])
		f.Open = f.Open || d[2] != ""
	}
	if _, known := basics[f.Type]; !known && f.Struct == nil {
		return nil, fmt.Errorf("type %q is not defined above", f.Type)
	}
	if f.Enum != "" && p.table.enumNamed(f.Enum) == nil {
		return nil, fmt.Errorf("enum %q is not defined above", f.Enum)
	}
	if words[1] == "" && f.Struct != nil && f.Dims == nil {
		return f, nil
	}
	name, hidden := strings.CutPrefix(words[1], "-")
	f.Name, f.Hidden, f.Pad = name, hidden, words[1] == "-"
	return f, checkName(fieldName, words[1])
}

func (p *parser) parseConst(name, value, text string) error {
	p.enum, p.this, p.part = nil, nil, nil
	_, err := strconv.ParseInt(value, 0, 64)
	if err != nil && !strings.HasPrefix(value, `"`) {
		return fmt.Errorf("const %s: %q is no number and no text", name, value)
	}
	p.table.Consts = append(p.table.Consts, Const{name, value, text})
	return checkName(constName, name)
}

func checkName(form *lateregexp.Regexp, name string) error {
	if !form.MatchString(name) {
		return fmt.Errorf("%q is no name", name)
	}
	return nil
}

// splitWords returns n words of a line, the last one with all that is left.
func splitWords(line string, n int) []string {
	words := make([]string, n)
	rest := strings.TrimSpace(line)
	for i := range words {
		if i == n-1 {
			words[i] = rest
			break
		}
		end := strings.IndexByte(rest, ' ')
		if end < 0 {
			words[i], rest = rest, ""
			continue
		}
		words[i], rest = rest[:end], strings.TrimSpace(rest[end:])
	}
	return words
}
