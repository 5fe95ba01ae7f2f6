package python

import (
	"regexp"
	"strings"

	"laggard/internal/lateregexp"
)

// firstTime matches a condition that holds until something is set: "if not x:", "if x is None:", "if not hasattr(o, 'x'):",
// "if k not in x:".
var firstTime = lateregexp.New(`^if\s+(?:not\s+([\w.]+)|([\w.]+)\s+is\s+None|` +
	`not\s+hasattr\(\s*([\w.]+)\s*,\s*["'](\w+)["']\s*\)|[^:]*\snot\s+in\s+([\w.]+))\s*:`)

// caching matches a decorator by which a function is not entered again for what it has returned before.
var caching = lateregexp.New(`^@[\w.]*(cache|memoi[sz]e)`)

// CachingDecorator returns the line of the decorator by which the function that a line is in need not be entered when it is called; 0:
// there is none.
func CachingDecorator(text []string, line int) int {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 {
		return 0
	}
	for i, indent := at-1, list[at].indent; i >= 0; i-- {
		s := list[i]
		if s.indent >= indent {
			continue
		}
		if indent = s.indent; s.word != "def" {
			continue
		}
		for i--; i >= 0 && isDecorator(text, list[i]); i-- {
			if caching.MatchString(text[list[i].first-1][list[i].begin:]) {
				return list[i].first
			}
		}
		return 0
	}
	return 0
}

func isDecorator(text []string, s statement) bool { return text[s.first-1][s.begin] == '@' }

// IsOncePerProcess reports whether a line is a condition that holds until its block was gone through, which sets what it asks for: a
// cache, or an object that is made when it is needed; or a decorator that makes a cache.
func IsOncePerProcess(text []string, line int) bool {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 {
		return false
	}
	body := text[list[at].first-1][list[at].begin:]
	if caching.MatchString(body) {
		return true
	}
	m := firstTime.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	name := m[1] + m[2] + m[5]
	if m[4] != "" {
		name = m[3] + "." + m[4]
	}
	sets := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `(\[.*\])?\s*(:[^=]*)?=[^=]`)
	for _, s := range list[at+1:] {
		if s.indent <= list[at].indent {
			break
		}
		if sets.MatchString(strings.TrimRight(text[s.first-1][s.begin:], " ") + " ") {
			return true
		}
	}
	return false
}
