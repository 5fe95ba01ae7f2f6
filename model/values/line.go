package values

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// FrameOf is the frame of a function of a file; nil: the stack has none, or several, of which it is not known which one is asked about.
func (r *Rank) FrameOf(function, file string) *Frame {
	var found *Frame
	for i := range r.Frames {
		if f := &r.Frames[i]; f.Function == function && f.File == file {
			if found != nil && function != "main" { // of a program in Fortran both the program and what calls it may have that name
				return nil
			}
			found = cmp.Or(found, f)
		}
	}
	return found
}

// ValuesInLine returns the values of the names that occur in a line of the source of a frame's function,
// in the order in which the line has them.
func (r *Rank) ValuesInLine(f *Frame, text string) []Value {
	fortran := slices.Contains(fortranFiles, strings.ToLower(filepath.Ext(f.File)))
	type at struct {
		Value
		place int
	}
	var found []at
	covered := map[string]bool{}
	add := func(list []Value) {
		for _, v := range list {
			if place := findName(v.Name, text, fortran); place >= 0 && !covered[v.Name] {
				covered[v.Name] = true
				found = append(found, at{v, place})
			}
		}
	}
	add(f.Values)
	add(slices.DeleteFunc(slices.Clone(r.Static[f.File]), func(v Value) bool { return slices.Contains(f.Unknown, v.object()) }))
	slices.SortStableFunc(found, func(a, b at) int { return cmp.Compare(a.place, b.place) })
	var out []Value
	for _, f := range found {
		out = append(out, f.Value)
	}
	return out
}

// object is the name of the variable that a value is, or is a member of.
func (v Value) object() string {
	if at := strings.IndexAny(v.Name, ".-%"); at > 0 {
		return v.Name[:at]
	}
	return v.Name
}

// fortranFiles are the endings of files that do not tell capitals from other letters.
var fortranFiles = []string{".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18"}

// findName finds a name in a line, outside of texts and comments; -1: it is not there. Between the parts of
// a name there may be space; Fortran does not tell capitals from other letters.
func findName(name, text string, fortran bool) int {
	for i := 0; i < len(text); i++ {
		switch n := skipLength(text[i:], fortran); {
		case n < 0:
			return -1
		case n > 0:
			i += n - 1
		case i > 0 && isNameByte(text[i-1]), isMemberAccess(text[:i], fortran):
		case beginsWithName(text[i:], name, fortran):
			return i
		}
	}
	return -1
}

// skipLength is the length of a text in quotes that begins here, 0: none does; -1: a comment does.
func skipLength(text string, fortran bool) int {
	switch {
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"), fortran && text[0] == '!':
		return -1
	case text[0] != '"' && text[0] != '\'':
		return 0
	}
	for i := 1; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if text[i] == text[0] {
			return i + 1
		}
	}
	return len(text)
}

// isNameByte reports whether a character belongs to a name.
func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// isMemberAccess reports whether what comes behind a text is a member of something that the text ends with,
// other than of the object that a method is called for.
func isMemberAccess(before string, fortran bool) bool {
	before = strings.TrimRight(before, " \t")
	if fortran {
		return strings.HasSuffix(before, "%")
	}
	for _, access := range []string{".", "->", "::"} {
		if rest, ok := strings.CutSuffix(before, access); ok {
			rest = strings.TrimRight(rest, " \t")
			return access != "->" || !strings.HasSuffix(rest, "this") || len(rest) > 4 && isNameByte(rest[len(rest)-5])
		}
	}
	return false
}

// beginsWithName reports whether a text begins with a name, and not with a longer one.
func beginsWithName(text, name string, fold bool) bool {
	for i := 0; i < len(name); {
		if text == "" {
			return false
		}
		if (text[0] == ' ' || text[0] == '\t') && (!isNameByte(name[i]) || i > 0 && !isNameByte(name[i-1])) {
			text = text[1:]
			continue
		}
		if lowerByte(text[0]) != lowerByte(name[i]) || text[0] != name[i] && !fold {
			return false
		}
		text, i = text[1:], i+1
	}
	return text == "" || !isNameByte(text[0])
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
