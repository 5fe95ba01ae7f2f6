package since

import (
	"regexp"
	"strings"

	"laggard/internal/lateregexp"
)

// variable is what a name in the source stands for, and how lines treat it.
type variable struct {
	root, last string // the parts of the name before its first sign of access and behind its last
	write      *regexp.Regexp
	give       *regexp.Regexp // in an argument of a call
	count      *regexp.Regexp // these are of C and C++ alone; nil: there is no such thing
	declare    *regexp.Regexp
	object     *regexp.Regexp // it has its method called
}

var access = lateregexp.New(`\s*(->|\.|%)\s*`)

// newVariable takes a name such as "n", "grid.n", "mesh->part" or "grid%n".
func newVariable(name string, w *Way) *variable {
	if w.fortran {
		name = strings.ToLower(name)
	}
	parts := strings.Split(access.ReplaceAllString(name, " "), " ")
	v := &variable{root: parts[0], last: parts[len(parts)-1]}
	// a member is written with its object, or by whatever other name that has
	root := regexp.QuoteMeta(parts[0])
	target := `(^|[^\w.>%])` + root
	if len(parts) > 1 {
		target = `(` + target + `|(\.|->|%)\s*` + regexp.QuoteMeta(v.last) + `)`
	}
	if w.fortran {
		v.write = regexp.MustCompile(target + `\s*=([^=]|$)|^read\b.*\b` + root + `\b`)
		v.give = regexp.MustCompile(`\b` + root + `\b`)
		return v
	}
	v.write = regexp.MustCompile(target + `\s*([-+*/%&|^]|<<|>>)?=([^=]|$)|` + target + `\s*(\+\+|--)|(\+\+|--|>>)\s*` + root + `\b`)
	v.count = regexp.MustCompile(target + `\s*(\+\+|--)`)
	v.declare = regexp.MustCompile(`^\s*(?:for\s*\(\s*)?([A-Za-z_][\w:<>]*)(?:\s+[A-Za-z_]\w*)*[\s*&]+(?:[^=();]*,[\s*&]*)?` +
		root + `\s*([=,;\[({:]|$)`)
	given := `(^|[^&])&\s*` + root + `\b`
	if len(parts) > 1 || w.cpp { // what it points to, or a reference
		given += `|^\s*` + root + `\s*$`
	}
	v.give = regexp.MustCompile(given)
	v.object = regexp.MustCompile(`(^|[^\w.>])` + root + `\s*(\.|->)\s*\w+\s*\(`)
	return v
}

// mentioned spares most lines the search for a pattern.
func (v *variable) mentioned(line string) bool {
	return strings.Contains(line, v.last) || strings.Contains(line, v.root)
}

func (v *variable) isWritten(line string) bool {
	return v.mentioned(line) && v.write.MatchString(line)
}

func (v *variable) isGiven(argument string) bool { return v.give.MatchString(argument) }

func (v *variable) isCounted(line string) bool {
	return v.count != nil && v.mentioned(line) && v.count.MatchString(line)
}

func (v *variable) isObject(line string) bool { return v.object != nil && v.object.MatchString(line) }

// noType are words at the begin of a statement that are none of a declaration.
var noType = lateregexp.New(`^(return|else|goto|case|throw|delete|new)$`)

func (v *variable) isDeclared(line string) bool {
	if v.declare == nil || !v.mentioned(line) {
		return false
	}
	m := v.declare.FindStringSubmatch(line)
	return m != nil && !noType.MatchString(m[1])
}
