package words

import (
	"fmt"
	"strings"
)

// MaxLines bounds a list of one kind of things in a text form, such as problems;
// the JSON form has all of them.
const MaxLines = 8

// Printer gathers the lines of a text form.
type Printer struct{ strings.Builder }

// Line adds a line.
func (p *Printer) Line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// List writes a line for each of n things, or for the first ones and how many
// there are besides.
func (p *Printer) List(n, limit int, what string, line func(i int)) {
	for i := range min(n, limit) {
		line(i)
	}
	if n > limit {
		p.Line("      … and %d more %s, in the JSON form", n-limit, what)
	}
}
