package folded

import (
	"path"
	"strings"

	"laggard/internal/lateregexp"
)

// function is a function in the text: lines first to last, from 1.
type function struct {
	name        string
	first, last int
}

// outline is a source file without comments and strings, and its functions.
type outline struct {
	fortran   bool
	text      []string
	functions []function
	blockEnds map[int]int     // the line where the block ends that a line opens
	owner     []int32         // function of each line, -1 none
	globals   map[string]bool // names outside of functions; nil: not read yet
}

func newOutline(name string, text []string) *outline {
	o := &outline{blockEnds: map[int]int{}}
	ext := strings.ToLower(path.Ext(name))
	o.fortran = strings.HasPrefix(ext, ".f")
	if o.fortran {
		o.readFortran(text)
	} else {
		o.readC(text)
	}
	o.owner = make([]int32, len(o.text)+1)
	for i := range o.owner {
		o.owner[i] = -1
	}
	for n, f := range o.functions { // an inner one comes after the one it is in
		for line := f.first; line <= min(f.last, len(o.text)); line++ {
			o.owner[line] = int32(n)
		}
	}
	return o
}

// functionAt returns the function that a line is in, nil if it is in none.
func (o *outline) functionAt(line int) *function {
	if line < 1 || line >= len(o.owner) || o.owner[line] < 0 {
		return nil
	}
	return &o.functions[o.owner[line]]
}

// isGlobal reports whether a name stands outside of the functions.
func (o *outline) isGlobal(name string) bool {
	if o.globals == nil {
		o.globals = map[string]bool{}
		for i, l := range o.text {
			if o.functionAt(i+1) == nil {
				for _, w := range parseStatement(l, o.fortran).words {
					o.globals[w] = true
				}
			}
		}
	}
	return o.globals[name]
}

func (o *outline) functionNamed(name string) *function {
	for i := range o.functions {
		if o.functions[i].name == name {
			return &o.functions[i]
		}
	}
	return nil
}

// braceReader takes C and C++ apart by its braces.
type braceReader struct {
	o      *outline
	head   strings.Builder // since the last brace or semicolon
	start  int             // line where head begins
	blocks []openBlock
}

type openBlock struct {
	line     int
	function int // index, -1 none
}

func (o *outline) readC(text []string) {
	o.text = stripC(text)
	r := braceReader{o: o}
	for i, l := range o.text {
		if strings.HasPrefix(strings.TrimSpace(l), "#") {
			o.text[i] = ""
			continue
		}
		for _, c := range l {
			r.readChar(c, i+1)
		}
		r.head.WriteByte(' ')
	}
}

func (r *braceReader) readChar(c rune, line int) {
	switch c {
	case '{':
		r.beginBlock(line)
	case '}':
		r.endBlock(line)
	case ';':
		if !strings.Contains(r.head.String(), "(") ||
			strings.Count(r.head.String(), "(") == strings.Count(r.head.String(), ")") {
			r.head.Reset()
		}
	default:
		if strings.TrimSpace(r.head.String()) == "" {
			r.start = line
		}
		r.head.WriteRune(c)
	}
}

// beginBlock begins a block: of a function, if none is open and its head has
// parentheses.
func (r *braceReader) beginBlock(line int) {
	b := openBlock{line, -1}
	head := r.head.String()
	inside := false
	for _, o := range r.blocks {
		inside = inside || o.function >= 0
	}
	if name, _, ok := strings.Cut(head, "("); ok && !inside {
		words := splitTokens(name)
		if n := len(words); n > 0 && isName(words[n-1]) {
			b.function = len(r.o.functions)
			r.o.functions = append(r.o.functions, function{words[n-1], r.start, len(r.o.text)})
		}
	}
	r.blocks = append(r.blocks, b)
	r.head.Reset()
}

func (r *braceReader) endBlock(line int) {
	r.head.Reset()
	if len(r.blocks) == 0 {
		return
	}
	b := r.blocks[len(r.blocks)-1]
	r.blocks = r.blocks[:len(r.blocks)-1]
	r.o.blockEnds[b.line] = line
	if b.function >= 0 {
		r.o.functions[b.function].last = line
	}
}

// stripC blanks comments and the contents of strings.
func stripC(text []string) []string {
	out := make([]string, len(text))
	comment := false
	for i, l := range text {
		var b strings.Builder
		for j := 0; j < len(l); j++ {
			rest := l[j:]
			switch {
			case comment && strings.HasPrefix(rest, "*/"):
				comment, j = false, j+1
			case comment:
			case strings.HasPrefix(rest, "//"):
				j = len(l)
			case strings.HasPrefix(rest, "/*"):
				comment, j = true, j+1
			case l[j] == '"' || l[j] == '\'':
				b.WriteString(`""`)
				j += quotedLen(rest)
			default:
				b.WriteByte(l[j])
			}
		}
		out[i] = b.String()
	}
	return out
}

// quotedLen is the length of the rest of a string behind its opening quote.
func quotedLen(s string) int {
	for j := 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case s[0]:
			return j
		}
	}
	return len(s)
}

var (
	fortranBegin = lateregexp.New(`^\s*(?:[a-z][a-z0-9_ ()=*,]*\s)?(subroutine|function|program)\s+([a-z]\w*)`)
	fortranEnd   = lateregexp.New(`^\s*end\s*(subroutine|function|program)?\s*(\w+)?\s*$`)
)

func (o *outline) readFortran(text []string) {
	var open []int
	for i, l := range text {
		l = strings.ToLower(stripFortran(l))
		o.text = append(o.text, l)
		if m := fortranEnd.FindStringSubmatch(l); m != nil && (m[1] != "" || m[2] == "") && len(open) > 0 {
			o.functions[open[len(open)-1]].last = i + 1
			open = open[:len(open)-1]
		} else if m := fortranBegin.FindStringSubmatch(l); m != nil && !strings.HasPrefix(strings.TrimSpace(l), "end") {
			open = append(open, len(o.functions))
			o.functions = append(o.functions, function{m[2], i + 1, len(text)})
		}
	}
}

func stripFortran(l string) string {
	var b strings.Builder
	for j := 0; j < len(l); j++ {
		switch l[j] {
		case '!':
			return b.String()
		case '"', '\'':
			b.WriteString(`""`)
			j += quotedLen(l[j:])
		default:
			b.WriteByte(l[j])
		}
	}
	return b.String()
}
