package slice

import (
	"slices"
	"strings"

	"laggard/internal/lateregexp"
	"laggard/slicing/since"
)

// Deciding says what the names in the condition of a line held when it decided, as it stands behind the line: "   <- n = 0", and whether
// these are all. Values that a line has written since are left out.
func (l Line) Deciding(text string) (held string, whole bool) {
	names := operands(conditionIn(text))
	values := slices.DeleteFunc(slices.Clone(l.Values), func(v Value) bool {
		return v.Since == since.Write || !slices.ContainsFunc(names, v.isNamed)
	})
	return valuesText(values), !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(values, func(v Value) bool { return v.isNamed(name) })
	})
}

// isNamed reports whether a value is that of an operand. In Fortran capitals are like other letters, and elsewhere few names differ
// in these alone.
func (v Value) isNamed(operand string) bool { return strings.EqualFold(v.Name, operand) }

var (
	beginsCondition = lateregexp.New(`(?i)^(.*?\b(?:if|while|for|switch|case|type|where)\s*)\(`)
	noOperand       = lateregexp.New(`"[^"]*"|'[^']*'|\b\d[\w.]*|(?i:\.(and|or|not|eqv|neqv|eq|ne|lt|le|gt|ge|true|false)\.)|//.*|/\*.*`)
	operand         = lateregexp.New(`([A-Za-z_]\w*(?:\s*(?:->|\.|%|::)\s*[A-Za-z_]\w*)*)(\s*[(\[])?`)
	wordFollows     = lateregexp.New(`^\s+[A-Za-z_]`)
	access          = lateregexp.New(`\s*(->|\.|%|::)\s*`)
	constant        = lateregexp.New(`^([A-Z][A-Z0-9_]*|true|false|nullptr|const|auto|unsigned|signed|int|long|short|char|bool|float|double|size_t|do)$`)
)

// conditionIn is what is in the parentheses of a condition or loop; the line itself where there are none.
func conditionIn(text string) string {
	text = noOperand.ReplaceAllString(text, " ")
	m := beginsCondition.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	inside, depth := text[len(m[0]):], 1
	for i, c := range inside {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return inside[:i]
		}
	}
	return inside
}

// operands are the names in a condition. One that is called, or of which an element is taken, has its parenthesis behind it: its own value
// did not decide.
func operands(condition string) (out []string) {
	for _, at := range operand.FindAllStringSubmatchIndex(condition, -1) {
		name := strings.TrimPrefix(access.ReplaceAllString(condition[at[2]:at[3]], "$1"), "this->")
		switch {
		case constant.MatchString(name), at[4] < 0 && wordFollows.MatchString(condition[at[1]:]): // of two words the first is a type
			continue
		case at[4] >= 0:
			name += strings.TrimSpace(condition[at[4]:at[5]])
		}
		out = append(out, name)
	}
	return out
}
