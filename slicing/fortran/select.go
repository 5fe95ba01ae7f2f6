package fortran

import (
	"path"
	"slices"
	"strings"

	"laggard/internal/lateregexp"
)

var (
	files = []string{".f", ".for", ".ftn", ".fpp", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18"}

	beginsSelect = lateregexp.New(`^(\w+\s*:\s*)?select\s*(case|type|rank)\s*\(`)
	endsSelect   = lateregexp.New(`^end\s*select\b`)
	decides      = lateregexp.New(`^(\w+\s*:\s*)?(if|else\s*if|do|where|else\s*where|forall|select)\b`)
	label        = lateregexp.New(`^\d+\s+`)
)

// IsSource reports whether a file has the name of one in Fortran.
func IsSource(file string) bool { return slices.Contains(files, strings.ToLower(path.Ext(file))) }

// BranchLine is the line of a branch in a file whose debug information names a line, from 1. GNU Fortran (seen up to 12) names for the
// choice of a SELECT construct the last statement in it instead of its first; of a statement that decides by itself the line stays.
func BranchLine(text []string, line int) int {
	if line < 1 || line > len(text) || decides.MatchString(Statement(text[line-1])) || !isLastInSelect(text, line) {
		return line
	}
	depth := 0
	for n := line; n > 0; n-- {
		switch s := Statement(text[n-1]); {
		case endsSelect.MatchString(s):
			depth++
		case beginsSelect.MatchString(s) && depth == 0:
			return n
		case beginsSelect.MatchString(s):
			depth--
		}
	}
	return line
}

// isLastInSelect reports whether the statement that begins in a line is followed by the end of a SELECT construct.
func isLastInSelect(text []string, line int) bool {
	continued := strings.HasSuffix(Statement(text[line-1]), "&")
	for _, next := range text[line:] {
		switch s := Statement(next); {
		case s == "":
		case continued:
			continued = strings.HasSuffix(s, "&")
		default:
			return endsSelect.MatchString(s)
		}
	}
	return false
}

// Statement is a line in lower case without its comment and label; "" where there is nothing else.
func Statement(line string) string {
	quoted := rune(0)
	comment := strings.IndexFunc(line, func(c rune) bool {
		switch {
		case quoted == c:
			quoted = 0
		case quoted == 0 && (c == '\'' || c == '"'):
			quoted = c
		}
		return quoted == 0 && c == '!'
	})
	if comment >= 0 {
		line = line[:comment]
	}
	return label.ReplaceAllString(strings.ToLower(strings.TrimSpace(line)), "")
}
