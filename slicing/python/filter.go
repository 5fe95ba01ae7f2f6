package python

import (
	"regexp"
	"slices"
)

// wrappers are functions that go through what they are given, of which they leave nothing out.
var wrappers = []string{"enumerate", "sorted", "list", "tuple", "set", "reversed", "iter"}

// LoopFilters returns the lines that decide which elements the loop goes through that begins at a line, of what the function put together
// for it: a comprehension with a condition, or what is added under one. None: the loop goes through something else.
func LoopFilters(text []string, line int) []int {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 || list[at].word != "for" {
		return nil
	}
	return filtersOf(text, list, at, sequenceName(splitWords(text, list[at]), 0))
}

// ComprehensionFilters returns the same of the comprehension in which a function is called at a line. called is the last part of its name.
func ComprehensionFilters(text []string, line int, called string) []int {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 || called == "" {
		return nil
	}
	words := splitWords(text, list[at])
	call := slices.IndexFunc(words, func(w word) bool { return w.text == called && w.line == line })
	if call < 0 || call+1 == len(words) || words[call+1].text != "(" {
		return nil
	}
	for i, w := range words {
		depth := len(w.groups)
		around := depth > 0 && depth <= len(words[call].groups) && slices.Equal(w.groups, words[call].groups[:depth])
		if w.text == "for" && around {
			return filtersOf(text, list, at, sequenceName(words, i))
		}
	}
	return nil
}

// sequenceName is the variable that the `for` goes through which is the i-th of some words; "": it is something else.
func sequenceName(words []word, i int) string {
	depth := len(words[i].groups)
	for k := i + 1; k < len(words); k++ {
		if words[k].text != "in" || len(words[k].groups) != depth {
			continue
		}
		for k++; k+1 < len(words) && slices.Contains(wrappers, words[k].text) && words[k+1].text == "("; {
			k += 2
		}
		if k == len(words) || !isName(words[k].text[0]) || k+1 < len(words) && words[k+1].text == "(" {
			return ""
		}
		return words[k].text
	}
	return ""
}

// filtersOf are the lines before a statement, in its function, that decide what a variable holds; those of the latest assignment, and of
// what is added behind it.
func filtersOf(text []string, list []statement, at int, name string) (out []int) {
	if name == "" {
		return nil
	}
	quoted := regexp.QuoteMeta(name)
	assigned := regexp.MustCompile(`^\s*` + quoted + `\s*(:[^=]+)?=[^=]`)
	added := regexp.MustCompile(`^\s*` + quoted + `(\.(append|add|extend|update|insert)\(|\[[^=]*\]\s*=[^=])`)
	for i := at - 1; i >= 0 && !isHeadAround(list, i, at); i-- {
		s := list[i]
		switch first := text[s.first-1]; {
		case added.MatchString(first):
			for _, d := range Deciders(text, s.first, 0) {
				if !d.Loop {
					out = append(out, d.Line)
				}
			}
		case assigned.MatchString(first):
			words := splitWords(text, s)
			out = append(out, comprehensionConditions(words)...)
			if !slices.ContainsFunc(words[1:], func(w word) bool { return w.text == name }) {
				return out // it is not made of what the variable held before
			}
		}
	}
	return nil // what was added to is not known: it is the caller's
}

// isHeadAround reports whether a statement begins the function, or the class, that a later one is in.
func isHeadAround(list []statement, i, at int) bool {
	s := list[i]
	return (s.word == "def" || s.word == "class") && s.indent < list[at].indent && list[at].first <= blockEnd(list[i:])
}

// comprehensionConditions are the lines of the conditions of comprehensions.
func comprehensionConditions(words []word) (out []int) {
	for i, w := range words {
		if w.text != "if" || len(w.groups) == 0 {
			continue
		}
		filters := slices.ContainsFunc(words[:i], func(v word) bool { return v.text == "for" && slices.Equal(v.groups, w.groups) })
		if filters {
			out = append(out, w.line)
		}
	}
	return out
}
