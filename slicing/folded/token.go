package folded

import (
	"slices"
	"strings"
	"unicode"

	"laggard/slicing/calls"
)

// statement is what a line says, as far as its words tell.
type statement struct {
	words   []string // identifiers and keywords
	uses    []use    // the words whose values matter to it
	targets []target // what it sets
	calls   []string // what it calls
	first   string   // its first word
	// constant: what it sets is a number, or a name in capital letters.
	constant bool
}

// returnsValue reports whether a statement returns a value.
func (s statement) returnsValue() bool {
	at := slices.Index(s.words, "return")
	return at >= 0 && at < len(s.words)-1
}

// use is a name whose value matters: of a field, or as the data of a message.
type use struct {
	name         string
	member, data bool
}

// target is a name that is set: a variable, a field, or what a pointer leads to.
type target struct {
	name          string
	member, deref bool
}

// operators of two and three characters; all others have one.
var operators = []string{"<<=", ">>=", "...", "->", "==", "!=", "<=", ">=", "=>", "+=", "-=", "*=", "/=", "%=", "&=",
	"|=", "^=", "++", "--", "&&", "||", "<<", ">>", "::"}

// splitTokens cuts a line into words, numbers and operators.
func splitTokens(line string) []string {
	var out []string
	for len(line) > 0 {
		r := rune(line[0])
		n := 1
		switch {
		case unicode.IsSpace(r):
			line = line[1:]
			continue
		case isWordRune(r):
			for n < len(line) && isWordRune(rune(line[n])) {
				n++
			}
		default:
			for _, op := range operators {
				if strings.HasPrefix(line, op) {
					n = len(op)
					break
				}
			}
		}
		out = append(out, line[:n])
		line = line[n:]
	}
	return out
}

func isWordRune(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

func isName(t string) bool {
	return t != "" && isWordRune(rune(t[0])) && (t[0] < '0' || t[0] > '9')
}

// parseStatement reads a line. Fortran has other operators, and passes by reference.
func parseStatement(line string, fortran bool) statement {
	t := splitTokens(line)
	var s statement
	unread, data := markMPIArguments(t)
	depth := 0
	for i, w := range t {
		switch w {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
		switch {
		case isName(w):
			s.addWord(t, i)
			if !unread[i] {
				s.uses = append(s.uses, use{w, i > 0 && isMemberSelector(t[i-1]), data[i]})
			}
		case isAssignment(w, fortran) && (!fortran || depth == 0):
			s.addTarget(t, i-1, fortran)
		case w == "++" || w == "--":
			s.addTarget(t, i-1, fortran)
			s.addTarget(t, i+1, fortran)
		case w == "&" && !fortran && i > 0 && i+1 < len(t) && (t[i-1] == "(" || t[i-1] == ",") && isName(t[i+1]):
			s.targets = append(s.targets, target{name: t[i+1]})
		}
	}
	s.constant = len(s.targets) > 0 && isConstant(t)
	if fortran && s.first == "call" {
		for _, w := range s.words {
			s.targets = append(s.targets, target{name: w})
		}
	}
	return s
}

// isConstant reports whether nothing that varies stands behind the last assignment.
func isConstant(t []string) bool {
	at := -1
	for i, w := range t {
		if w == "=" {
			at = i
		}
	}
	for _, w := range t[at+1:] {
		if isName(w) && strings.ToUpper(w) != w {
			return false
		}
	}
	return at >= 0
}

func (s *statement) addWord(t []string, i int) {
	w := t[i]
	if s.first == "" {
		s.first = w
	}
	s.words = append(s.words, w)
	if i+1 < len(t) && t[i+1] == "(" {
		s.calls = append(s.calls, w)
	}
}

// markMPIArguments marks the tokens in arguments of MPI calls that the call does not read, and
// those that are the data that it sends.
func markMPIArguments(t []string) (unread, data map[int]bool) {
	unread, data = map[int]bool{}, map[int]bool{}
	for i := 0; i+1 < len(t); i++ {
		m, ok := calls.Lookup(t[i])
		if t[i+1] != "(" || !ok || !m.MPI {
			continue
		}
		depth, n := 0, 0
		for j := i + 1; j < len(t); j++ {
			switch t[j] {
			case "(", "[":
				depth++
			case ")", "]":
				depth--
			case ",":
				if depth == 1 {
					n++
				}
			}
			if depth == 0 {
				break
			}
			memory, payload := m.Role(n).Reads()
			data[j] = payload
			unread[j] = !memory && !m.Role(n).Decides()
		}
	}
	return unread, data
}

func isMemberSelector(t string) bool { return t == "." || t == "->" || t == "%" }

func isAssignment(t string, fortran bool) bool {
	if fortran {
		return t == "=" || t == "=>"
	}
	return len(t) > 0 && t[len(t)-1] == '=' && t != "==" && t != "!=" && t != "<=" && t != ">="
}

// addTarget finds the name that ends at token i, behind whatever indexes it has.
func (s *statement) addTarget(t []string, i int, fortran bool) {
	if i >= len(t) {
		return
	}
	for depth := 0; i >= 0; i-- {
		switch t[i] {
		case "]", ")":
			depth++
			continue
		case "[", "(":
			depth--
			continue
		}
		if depth > 0 {
			continue
		}
		break
	}
	if i < 0 || !isName(t[i]) {
		return
	}
	out := target{name: t[i], member: i > 0 && isMemberSelector(t[i-1])}
	out.deref = !fortran && i > 0 && t[i-1] == "*" && (i == 1 || t[i-2] == ";" || t[i-2] == "{" || t[i-2] == ")")
	s.targets = append(s.targets, out)
}
