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

// IsOncePerProcess reports whether a line is a condition that holds until its block was gone through, which sets what it asks for: a
// cache, or an object that is made when it is needed.
func IsOncePerProcess(text []string, line int) bool {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 {
		return false
	}
	m := firstTime.FindStringSubmatch(text[list[at].first-1][list[at].begin:])
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
