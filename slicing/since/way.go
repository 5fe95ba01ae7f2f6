package since

import (
	"path"
	"slices"
	"strings"

	"laggard/internal/lateregexp"
	"laggard/slicing/calls"
	"laggard/slicing/fortran"
)

// Change says whether a variable may have been written.
type Change string

// What is known of a variable.
const (
	None  Change = ""      // nothing that is seen has written it
	Call  Change = "call"  // a call may have
	Write Change = "write" // a line writes it, or which lines ran is not known
	Other Change = "other" // it may be another variable of the name: one is declared in a block around one of the two places alone
)

// Way is the statements that may have run since a line ran, up to where a rank stands.
type Way struct {
	known        bool
	fortran, cpp bool
	lines        []string // a statement each, as far as it goes on for others
	// left are lines before, in a block that the rank has left: what they declare is not what the rank has a name for
	left []string
	from string // the line itself
}

// NewWay returns the lines of a file that may have run since line from, up to line to of the same call of the function, from 1. If
// that is an earlier line, either another call of the function or another round of a loop has come there, and nothing is known.
func NewWay(file string, text []string, from, to int) Way {
	w := Way{fortran: fortran.IsSource(file)}
	w.cpp = !w.fortran && strings.ToLower(path.Ext(file)) != ".c"
	if from < 1 || to < from || to > len(text) {
		return w
	}
	w.known, w.from = true, w.code(text[from-1])
	top := w.outermostLeft(text, from, to)
	first, last := from+1, w.statementEnd(text, to)
	if from == to {
		first = from
	}
	w.left = w.statements(text[top-1 : from-1])
	if loop := slices.IndexFunc(w.left, isLoop.MatchString); loop >= 0 {
		w.lines = slices.Clone(w.left[loop:])
	}
	w.lines = append(w.lines, w.statements(text[first-1:last])...)
	return w
}

var (
	isLoop  = lateregexp.New(`(?i)(\b(for|while)\s*\(|\bdo\b)`)
	forHead = lateregexp.New(`^\s*for\b`)
	loopEnd = lateregexp.New(`(?i)^\s*(\d+\s+continue|end\s*do)\b`)
	comment = lateregexp.New(`//.*|/\*.*?(\*/|$)`)
)

// code is a line without comments.
func (w *Way) code(line string) string {
	if w.fortran {
		return fortran.Statement(line)
	}
	return comment.ReplaceAllString(line, "")
}

// statements are those of some lines, without comments.
func (w *Way) statements(text []string) (out []string) {
	open := false
	for _, line := range text {
		code := w.code(line)
		if n := len(out) - 1; open {
			out[n] = strings.TrimSuffix(out[n], "&") + " " + strings.TrimPrefix(strings.TrimSpace(code), "&")
		} else {
			out = append(out, code)
		}
		open = w.goesOn(out[len(out)-1])
	}
	return out
}

// goesOn reports whether a statement is not at its end.
func (w *Way) goesOn(code string) bool {
	if w.fortran {
		return strings.HasSuffix(code, "&")
	}
	return strings.Count(code, "(") > strings.Count(code, ")")
}

// outermostLeft is the line with the begin of the outermost block around a line that another one is not in; the line itself: there is none.
func (w *Way) outermostLeft(text []string, from, to int) int {
	least := indent(text[from-1])
	for _, line := range text[from:to] {
		least = min(least, indent(line))
		if w.fortran && loopEnd.MatchString(line) && indent(line) >= least {
			least = min(least, indent(line)-1) // it may be that of a loop whose lines are not indented
		}
	}
	top := from
	for least < indent(text[from-1]) && top > 1 && (top == from || indent(text[top-1]) > least || strings.TrimSpace(text[top-1]) == "{") {
		top--
	}
	return top
}

// indent is how far a line is indented; without code it is as far as can be.
func indent(line string) int {
	code := strings.TrimLeft(line, " ")
	if code == "" || code[0] == '#' || code[0] == '!' || strings.HasPrefix(code, "//") {
		return len(line) + maxIndent
	}
	return len(line) - len(code)
}

const maxIndent = 1 << 20

// statementEnd is the last line of the statement that a line is in.
func (w *Way) statementEnd(text []string, line int) int {
	for code := w.code(text[line-1]); line < len(text) && w.goesOn(code); line++ {
		code = strings.TrimSuffix(code, "&") + w.code(text[line])
	}
	return line
}

// Change says what may have happened to a variable, by its name in the source; shared: others than this call of the function reach it, too.
func (w Way) Change(name string, shared bool) Change {
	if !w.known {
		return Write
	}
	v := newVariable(name, &w)
	counts := !forHead.MatchString(w.from) && v.isCounted(w.from) // behind the test; the head of such a loop counts before it
	switch {
	case slices.ContainsFunc(w.left, v.isDeclared), slices.ContainsFunc(w.lines, v.isDeclared):
		return Other
	case slices.ContainsFunc(w.lines, v.isWritten), counts:
		return Write
	case slices.ContainsFunc(w.lines, func(line string) bool { return w.calls(line, v, shared) }):
		return Call
	}
	return None
}

var (
	call   = lateregexp.New(`([A-Za-z_][\w:]*)\s*\(`)
	noCall = lateregexp.New(`^(if|for|while|switch|return|sizeof|catch|else|std::(min|max|abs))$`)
	macro  = lateregexp.New(`^[A-Z][A-Z0-9_]*$`)
	callBy = lateregexp.New(`\bcall\s+([a-z]\w*)\s*(?:\(|$)`)
)

// calls reports whether a statement has a call by which a variable may be written.
func (w Way) calls(line string, v *variable, shared bool) bool {
	which, suffix := call, ""
	if w.fortran {
		which, suffix = callBy, "_"
	}
	for _, at := range which.FindAllStringSubmatchIndex(line, -1) {
		name := line[at[2]:at[3]]
		model, known := calls.Lookup(name + suffix)
		mayHide := !w.fortran && macro.MatchString(name) // what it does with its arguments
		switch {
		case noCall.MatchString(name):
			continue
		case !known && shared && !mayHide:
			return true
		}
		for i, arg := range arguments(line[at[1]:]) {
			reads := known && (model.Role(i) == calls.Ignored || model.Role(i) != calls.NoArg && !model.Role(i).Writes())
			if !reads && (v.isGiven(arg) || mayHide && strings.TrimSpace(arg) == v.root) {
				return true
			}
		}
	}
	return v.isObject(line)
}

// arguments are those of a call, by the text behind its parenthesis.
func arguments(text string) (out []string) {
	depth, begin := 0, 0
	for i, c := range text {
		switch {
		case c == '(' || c == '[':
			depth++
		case depth > 0 && (c == ')' || c == ']'):
			depth--
		case depth == 0 && (c == ',' || c == ')'):
			out = append(out, text[begin:i])
			begin = i + 1
			if c == ')' {
				return out
			}
		}
	}
	return out
}
