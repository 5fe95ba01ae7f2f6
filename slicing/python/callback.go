package python

import (
	"slices"

	"laggard/internal/lateregexp"
)

// LoopLeaves returns the lines of the conditions under which the body of the loop leaves it that begins at a line; none: it begins no
// loop.
func LoopLeaves(text []string, line int) (out []Decider) {
	d := deciders{list: splitStatements(text), line: line}
	at := statementAt(d.list, line)
	if at < 0 || !slices.Contains(loops, d.list[at].word) {
		return nil
	}
	d.passLoop(at)
	return slices.DeleteFunc(d.out, func(o Decider) bool { return o.Line == line })
}

// IsGenerator reports whether a line is in a function that yields.
func IsGenerator(text []string, line int) bool {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 {
		return false
	}
	for i := at; i >= 0; i-- {
		if s := list[i]; s.word == "def" && s.indent < list[at].indent && line <= blockEnd(list[i:]) {
			return yields(text, list[i+1:], blockEnd(list[i:]))
		}
	}
	return false
}

// yields reports whether one of some statements up to a line yields.
func yields(text []string, list []statement, last int) bool {
	for _, s := range list {
		if s.first > last {
			break
		}
		if slices.ContainsFunc(splitWords(text, s), func(w word) bool { return w.text == "yield" }) {
			return true
		}
	}
	return false
}

// Registrations returns the lines that decide whether a function of some name is handed on, as a callback is: the conditions of the
// statements that name it without calling it.
func Registrations(text []string, function string) (out []int) {
	for _, s := range splitStatements(text) {
		if s.word == "def" || s.word == "class" || s.word == "import" || s.word == "from" || !namesOnly(splitWords(text, s), function) {
			continue
		}
		for _, d := range Deciders(text, s.first, 0) {
			if !d.Loop {
				out = append(out, d.Line)
			}
		}
	}
	return out
}

// namesOnly reports whether words have a name that is not called there.
func namesOnly(words []word, name string) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.text == name }) && !calls(words, name)
}

func calls(words []word, name string) bool {
	for i, w := range words {
		if w.text == name && i+1 < len(words) && words[i+1].text == "(" {
			return true
		}
	}
	return false
}

// Calls reports whether the statement at a line calls a function by its name.
func Calls(text []string, line int, name string) bool {
	list := splitStatements(text)
	at := statementAt(list, line)
	return at >= 0 && calls(splitWords(text, list[at]), name)
}

// CallsChosen reports whether the statement at a line calls what it takes from a sequence or a mapping, or what another call returns: which
// function that is, it decides there.
func CallsChosen(text []string, line int) (found bool) {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 {
		return false
	}
	var open scanner
	before := byte(0)
	for _, physical := range text[list[at].first-1 : list[at].last] {
		open.scanLine(physical, func(i int) {
			c := physical[i]
			found = found || c == '(' && (before == ']' || before == ')')
			if c != ' ' && c != '\t' {
				before = c
			}
		})
	}
	return found
}

// functionHead matches the head of a function, or a class.
var functionHead = lateregexp.New(`^\s*(?:async\s+)?(?:def|class)\s+(\w+)`)

// FunctionAt is the plain name of the function that a line is in, or of the class; "<module>": of none.
func FunctionAt(text []string, line int) string {
	list := splitStatements(text)
	for i := statementAt(list, line); i >= 0; i-- {
		s := list[i]
		if s.word != "def" && s.word != "class" || line > blockEnd(list[i:]) {
			continue
		}
		if m := functionHead.FindStringSubmatch(text[s.first-1]); m != nil {
			return m[1]
		}
	}
	return "<module>"
}
