package folded

import (
	"cmp"
	"maps"
	"slices"

	"laggard/slicing"
)

// Text gives the lines of a source file, nil if it was not found.
type Text func(file string) []string

// Coded gives the lines of a source file that have machine code.
type Coded func(file string) map[int]bool

// maxRounds bounds how far names are followed.
const maxRounds = 12

// maxLines bounds the files that are looked at.
const maxLines = 100_000

// Files are the source files of a program, read once. It is not safe for
// concurrent use.
type Files struct {
	text  Text
	files map[string]*outline
}

// NewFiles returns the files that text finds.
func NewFiles(text Text) *Files { return &Files{text, map[string]*outline{}} }

func (f *Files) outlineOf(name string) *outline {
	o, ok := f.files[name]
	if !ok {
		if text := f.text(name); text != nil && len(text) <= maxLines {
			o = newOutline(name, text)
		}
		f.files[name] = o
	}
	return o
}

// Lines returns the lines without code that belong to a slice. The functions of
// the lines in stack have not returned, so what they return matters to nobody.
func (f *Files) Lines(slice, stack []slicing.Line, coded Coded) []slicing.Line {
	s := &search{Files: f, coded: coded, in: map[lineKey]bool{}, active: map[scope]*names{}, members: map[string]bool{}}
	for _, l := range slice {
		s.addLine(l)
	}
	for _, l := range stack {
		if o := s.outlineOf(l.File); o != nil && o.functionAt(l.Line) != nil {
			s.activateFunction(l.File, o.functionAt(l.Line), l.Distance).open = true
		}
	}
	s.added = nil // these were there before
	s.runToFixpoint()
	if len(s.added) > 0 { // the compiler folded things, so it carried constants along
		s.constants = true
		s.runToFixpoint()
	}
	return s.added
}

func (s *search) runToFixpoint() {
	for range maxRounds {
		if !s.scanFunctions() {
			break
		}
	}
}

type lineKey struct {
	file string
	line int
}

// scope is a function of a file.
type scope struct {
	file  string
	first int
}

// names is what the lines of the slice in one function name.
type names struct {
	f        *function
	used     map[string]bool
	distance int  // of the nearest line
	called   bool // a line of the slice calls it
	open     bool // it has not returned
}

type search struct {
	*Files
	coded   Coded
	in      map[lineKey]bool
	active  map[scope]*names
	members map[string]bool // fields that the slice names
	added   []slicing.Line
	// constants: lines that have code count too if they set a constant, which the
	// compiler may use without looking at where it was put.
	constants bool
}

// addLine enters a line and the names in it.
func (s *search) addLine(l slicing.Line) {
	s.in[lineKey{l.File, l.Line}] = true
	s.added = append(s.added, l)
	o := s.outlineOf(l.File)
	if o == nil || l.Line < 1 || l.Line > len(o.text) {
		return
	}
	st := parseStatement(o.text[l.Line-1], o.fortran)
	if f := o.functionAt(l.Line); f != nil {
		n := s.activateFunction(l.File, f, l.Distance)
		for _, u := range st.uses {
			n.used[u.name] = n.used[u.name] || s.needsValue(u, l)
		}
	}
	for _, u := range st.uses {
		s.members[u.name] = s.members[u.name] || u.member && s.needsValue(u, l)
	}
	callees := st.calls
	if o.fortran {
		callees = st.words
	}
	for _, c := range callees {
		if f := o.functionNamed(c); f != nil && l.Line != f.first {
			n := s.activateFunction(l.File, f, l.Distance+1)
			n.called = true
			if o.fortran { // which passes by reference
				for _, w := range parseStatement(o.text[f.first-1], true).words {
					n.used[w] = true
				}
			}
		}
	}
}

// needsValue reports whether the slice needs the value of a name in a line of it. What the
// call sends that a slice begins with does not decide whether it completes.
func (s *search) needsValue(u use, l slicing.Line) bool { return !u.data || l.Distance > 0 }

func (s *search) activateFunction(file string, f *function, distance int) *names {
	key := scope{file, f.first}
	n := s.active[key]
	if n == nil {
		n = &names{f: f, used: map[string]bool{}, distance: distance}
		s.active[key] = n
	}
	n.distance = min(n.distance, distance)
	return n
}

// scanFunctions looks once through all functions that the slice touches; false if it
// found nothing.
func (s *search) scanFunctions() bool {
	before := len(s.added)
	for _, k := range slices.SortedFunc(maps.Keys(s.active), func(a, b scope) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.first, b.first))
	}) {
		s.scanFunction(k.file, s.active[k])
	}
	return len(s.added) > before
}

func (s *search) scanFunction(file string, n *names) {
	o, coded := s.outlineOf(file), s.coded(file)
	for line := n.f.last; line > n.f.first || line == n.f.last; line-- {
		if s.in[lineKey{file, line}] || o.functionAt(line) == nil || o.functionAt(line).first != n.f.first {
			continue
		}
		kind := slicing.Data
		st := parseStatement(o.text[line-1], o.fortran)
		if coded[line] && !(s.constants && st.constant) {
			continue
		}
		switch {
		case !beginsLoop(st) && s.setsUsedName(o, n, st), n.called && !n.open && st.returnsValue():
		case s.decidesLine(o, file, line, st):
			kind = slicing.Control
		default:
			continue
		}
		s.addLine(slicing.Line{File: file, Line: line, Function: n.f.name, Distance: n.distance + 1, Kind: kind})
	}
}

// setsUsedName reports whether a statement sets something that the slice uses.
func (s *search) setsUsedName(o *outline, n *names, st statement) bool {
	for _, t := range st.targets {
		switch {
		case t.member:
			if s.members[t.name] {
				return true
			}
		case t.deref && n.called, n.used[t.name]:
			return true
		case o.isGlobal(t.name) && s.usedAnywhere(t.name):
			return true
		}
	}
	return false
}

// usedAnywhere reports whether some function of the slice uses a name.
func (s *search) usedAnywhere(name string) bool {
	for _, n := range s.active {
		if n.used[name] {
			return true
		}
	}
	return false
}

// beginsLoop reports whether a statement begins a loop: what it sets is for what is in the
// loop, since the names that loops count with repeat.
func beginsLoop(st statement) bool { return st.first == "for" || st.first == "do" }

var deciders = []string{"if", "else", "for", "while", "do", "switch", "select", "elseif"}

// decidesLine reports whether a statement decides whether a line of the slice runs.
func (s *search) decidesLine(o *outline, file string, line int, st statement) bool {
	if !slices.Contains(deciders, st.first) || len(st.words) < 2 { // a bare else decides nothing
		return false
	}
	last := o.blockEnds[line]
	if last == 0 {
		last = line + 1
	}
	for l := line + 1; l <= last; l++ {
		if s.in[lineKey{file, l}] {
			return true
		}
	}
	return false
}
