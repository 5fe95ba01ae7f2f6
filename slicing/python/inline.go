package python

import (
	"slices"
	"strings"
)

// GeneratorExpression is the name that Python gives the function of a generator expression.
const GeneratorExpression = "<genexpr>"

// InlineCondition returns the line of the condition within a statement that decides whether a call in it is made: of a
// conditional expression, of a comprehension, or before "and" and "or", or of any and all, which need not go through the whole
// generator expression that they are given. called is the last part of the name of the function that is called on that line; 0: there
// is no such condition, or it is not known.
func InlineCondition(text []string, line int, called string) int {
	list := splitStatements(text)
	for at := statementAt(list, line); at >= 0 && at < len(list) && list[at].first <= line && called != ""; at++ {
		words := splitWords(text, list[at])
		if called == GeneratorExpression {
			return shortCut(words)
		}
		for i, w := range words {
			if w.text == called && w.line == line && i+1 < len(words) && words[i+1].text == "(" {
				return conditionOf(words, i)
			}
		}
	}
	return 0
}

// shortCut is the line of the only any or all in a statement; 0: there is none, or there are several.
func shortCut(words []word) (line int) {
	for i, w := range words {
		if (w.text == "any" || w.text == "all") && i+1 < len(words) && words[i+1].text == "(" && hasLoop(words[i+2:], len(w.groups)+1) {
			if line > 0 {
				return 0
			}
			line = w.line
		}
	}
	return line
}

// hasLoop reports whether a bracket, of which the words behind its beginning are given and how deep they are in it, has a `for` of its own.
func hasLoop(words []word, depth int) bool {
	for _, w := range words {
		if len(w.groups) < depth {
			return false
		}
		if w.text == "for" && len(w.groups) == depth {
			return true
		}
	}
	return false
}

// word is a name, or a bracket, in a statement.
type word struct {
	text   string
	line   int
	groups []int // the brackets that it is in: their numbers, outermost first
}

// splitWords splits a statement into names and brackets, without its strings and comments.
func splitWords(text []string, s statement) (out []word) {
	var open scanner
	var groups []int // the brackets that are open
	number := 0
	for n := s.first; n <= s.last && n <= len(text); n++ {
		line, end := text[n-1], -1 // where the latest name ends
		if n == s.last && s.end > 0 {
			line = line[:s.end]
		}
		if n == s.first {
			line = strings.Repeat(" ", s.begin) + line[s.begin:]
		}
		open.scanLine(line, func(at int) {
			switch c := line[at]; {
			case isName(c) && at == end:
				out[len(out)-1].text += line[at : at+1]
				end++
			case isName(c):
				out, end = append(out, word{line[at : at+1], n, slices.Clone(groups)}), at+1
			case strings.IndexByte("([{", c) >= 0:
				out = append(out, word{line[at : at+1], n, slices.Clone(groups)})
				number++
				groups = append(groups, number)
			case strings.IndexByte(")]}", c) >= 0:
				groups = groups[:max(0, len(groups)-1)]
				out = append(out, word{line[at : at+1], n, slices.Clone(groups)})
			}
		})
	}
	return out
}

func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// conditionOf is the line of the condition around the call that is the i-th of some words, the nearest by brackets; 0: none.
func conditionOf(words []word, i int) (line int) {
	depth := -1
	for k, w := range words {
		around := len(w.groups) <= len(words[i].groups) && slices.Equal(w.groups, words[i].groups[:len(w.groups)])
		decides := w.text == "if" && k > 0 || k < i && (w.text == "and" || w.text == "or")
		if around && decides && len(w.groups) > depth {
			line, depth = w.line, len(w.groups)
		}
	}
	return line
}

// unchanging are names in conditions that are the same all the time a process runs.
var unchanging = []string{"rank", "size", "comm", "world", "self", "Get_rank", "Get_size", "MPI", "COMM_WORLD", "__name__",
	"if", "elif", "not", "and", "or", "is", "in", "None", "True", "False", "root"}

// IsConstantCondition reports whether a line is a condition on the rank and the number of ranks alone.
func IsConstantCondition(text []string, line int) bool {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 || list[at].word != "if" && list[at].word != "elif" {
		return false
	}
	words := splitWords(text, list[at])
	return !slices.ContainsFunc(words, func(w word) bool {
		number := w.text[0] >= '0' && w.text[0] <= '9'
		return isName(w.text[0]) && !number && !slices.Contains(unchanging, w.text)
	})
}
