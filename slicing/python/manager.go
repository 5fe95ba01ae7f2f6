package python

import (
	"math"
	"strings"

	"laggard/internal/lateregexp"
)

var (
	withCall = lateregexp.New(`^(?:async\s+)?with\s+(?:\w+\s*\.\s*)*(\w+)\s*\(`)
	// goesOn matches the return of an __exit__ that lets exceptions go on.
	goesOn = lateregexp.New(`^return(\s+(False|None|0))?\s*(#.*)?$`)
)

// managerOf is the name of what the first item of a `with` calls; "": the statement is another one, or calls nothing.
func managerOf(body string) string {
	if m := withCall.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

// managerCatches are the lines at which a context manager of this file catches exceptions of the block that it is for, and does not
// raise them again: in a generator around its `yield`, in a class where __exit__ returns something true.
func (d *deciders) managerCatches(name string) (out []int) {
	for i, s := range d.list {
		if s.defines != name {
			continue
		}
		last := blockEnd(d.list[i:])
		for k := i + 1; k < len(d.list) && d.list[k].first <= last; k++ {
			switch inner := d.list[k]; {
			case s.word == "def" && inner.word == "yield":
				out = append(out, d.catchesAround(k)...)
			case s.word == "class" && inner.defines == "__exit__":
				out = append(out, d.swallowingReturns(k)...)
			}
		}
	}
	return out
}

// catchesAround are the lines at which exceptions of a statement are caught in its function and not raised again.
func (d *deciders) catchesAround(at int) (out []int) {
	for _, i := range blocksAround(d.list, at) {
		if d.list[i].word != "try" {
			continue
		}
		for _, line := range d.exceptLines(i) {
			if !d.raisesAtEnd(statementAt(d.list, line)) {
				out = append(out, line)
			}
		}
	}
	return out
}

// raisesAtEnd reports whether the last statement of the block that a statement begins raises; one under a condition may not.
func (d *deciders) raisesAtEnd(i int) bool {
	end, last := blockEnd(d.list[i:]), statement{indent: math.MaxInt}
	for _, s := range d.list[i+1:] {
		if s.first > end {
			break
		}
		if s.indent <= last.indent {
			last = s
		}
	}
	return last.word == "raise"
}

// swallowingReturns are the lines at which a function returns something that may be true.
func (d *deciders) swallowingReturns(at int) (out []int) {
	end := blockEnd(d.list[at:])
	for _, s := range d.list[at+1:] {
		if s.first > end {
			break
		}
		if s.word == "return" && !s.goesOn {
			out = append(out, s.first)
		}
	}
	return out
}

// definedBy is the name that a statement defines; "" none.
func definedBy(body string) string {
	if m := functionHead.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

// letsGo reports whether a statement is the return of an __exit__ that lets exceptions go on.
func letsGo(body string) bool { return goesOn.MatchString(strings.TrimSpace(body)) }
