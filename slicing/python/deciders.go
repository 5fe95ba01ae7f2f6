package python

import (
	"cmp"
	"slices"
	"strings"

	"laggard/internal/lateregexp"
)

// Deciders returns the lines of a Python file that decide whether `line` is reached by
// who has come to `other`, in the same function, without it; 0: who has left the function.
// They are the conditions and loops around it that are not around the other, where
// exceptions around it are caught, and the conditions before it that leave the function or go on
// with the loop; the nearest first. It goes by indentation and the first words of statements.
func Deciders(text []string, line, other int) []Decider {
	d := deciders{list: splitStatements(text), line: line, other: other}
	return d.find()
}

// DecidersOfRound returns the lines that decide whether `line` is reached in a round of a loop by who has come to `other` in the next
// one, in the same function: those in the innermost loop around both.
func DecidersOfRound(text []string, line, other int) []Decider {
	d := deciders{list: splitStatements(text), line: line, inLoopWith: other}
	return d.find()
}

func (d *deciders) find() []Decider {
	at := callAt(d.list, d.line)
	if at < 0 {
		return nil
	}
	d.indent = d.list[at].indent
	for i := at - 1; i >= 0 && !d.done; i-- {
		d.visitStatement(i)
	}
	slices.SortStableFunc(d.out, func(a, b Decider) int { return cmp.Compare(b.from, a.from) })
	return slices.Compact(d.out)
}

// BlockEnd returns the last line of the block that the statement at a line begins; the line
// itself if it begins none.
func BlockEnd(text []string, line int) int {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 {
		return line
	}
	return max(line, blockEnd(list[at:]))
}

// NextRound reports whether who stands at `line`, and was at `last` before, is a round of a loop further
// than who has come from there to `other`, in the same function: the loop is around all three.
func NextRound(text []string, line, other, last int) bool {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 || list[at].last >= last || other < last {
		return false
	}
	for _, i := range loopsAround(list, at) {
		if end := blockEnd(list[i:]); last <= end {
			return other <= end
		}
	}
	return false
}

// InOneLoop reports whether a loop is around two lines of one function.
func InOneLoop(text []string, line, other int) bool {
	list := splitStatements(text)
	at := statementAt(list, line)
	return at >= 0 && slices.ContainsFunc(loopsAround(list, at), func(i int) bool {
		return other >= list[i].first && other <= blockEnd(list[i:])
	})
}

// loopsAround are the indexes of the loops of a function that a statement is in, the innermost first.
func loopsAround(list []statement, at int) []int {
	return slices.DeleteFunc(blocksAround(list, at), func(i int) bool { return !slices.Contains(loops, list[i].word) })
}

// blocksAround are the indexes of the statements of a function that begin the blocks which a statement is in, the innermost first.
func blocksAround(list []statement, at int) (out []int) {
	indent := list[at].indent
	for i := at - 1; i >= 0 && indent > 0; i-- {
		s := list[i]
		if s.indent >= indent {
			continue
		}
		if indent = s.indent; s.word == "def" || s.word == "class" {
			break
		}
		out = append(out, i)
	}
	return out
}

// IsForLoop reports whether a line begins a loop that goes through a sequence.
func IsForLoop(text []string, line int) bool {
	list := splitStatements(text)
	at := statementAt(list, line)
	return at >= 0 && list[at].word == "for"
}

// IsLoop reports whether a line begins a loop.
func IsLoop(text []string, line int) bool {
	list := splitStatements(text)
	at := statementAt(list, line)
	return at >= 0 && slices.Contains(loops, list[at].word)
}

// Decider is a line that decides whether another is reached.
type Decider struct {
	Line int
	Loop bool // it is a loop that the other line is in
	// Fixed: it is the head of a loop with a number of rounds that is written there, which is the same for all ranks.
	Fixed bool
	// Manager: it catches exceptions in the context manager of a `with` around the line, elsewhere in the file.
	Manager bool
	Ends    Ending // how what it leads to ends the process
	from    int    // where its block begins
}

// statement is a logical line, or what is behind a semicolon in one; a block on the line of its head is a statement of its own, which is
// indented deeper.
type statement struct {
	first, last int // physical lines
	begin, end  int // columns in these, from 0; the end 0: that of the line
	indent      int
	word        string // that it begins with
	calls       bool   // it calls something
	endless     bool   // it is the head of a loop that only its body leaves
	fixed       bool   // it is the head of a loop with a number of rounds that is written there
	suppresses  bool   // it is a `with` that swallows exceptions
	guardsMain  bool   // it asks if the file is the program, as it is on all ranks
	manager     string // the name of what it calls, if it is a `with`
	defines     string // the name of the function or class, if it defines one
	goesOn      bool   // it is a return of nothing true
	raises      bool   // it is the call of a function of pytest that raises an exception
	ends        Ending // it ends the process
}

var (
	// endlessHead matches the head of such a loop.
	endlessHead = lateregexp.New(`^while\s*\(?\s*(True|1)\s*\)?\s*:`)
	// fixedHead matches the head of a loop that all ranks go through as often, unless its body leaves it.
	fixedHead        = lateregexp.New(`^for\s[^:]*\sin\s+range\([\d\s,]+\)\s*:`)
	mainGuard        = lateregexp.New(`^if\b[^#]*\b__name__\b`)
	catchesAssertion = lateregexp.New(`^\s*except\b.*\bAssertionError\b`)
	// suppressing matches a `with` of contextlib.suppress.
	suppressing = lateregexp.New(`^(async\s+)?with\b.*\bsuppress\(`)
)

// heads are the words that blocks begin with.
var heads = slices.Concat(conditions, loops, []string{"try", "finally", "with", "def", "class", "match"})

// splitStatements finds the statements: brackets, strings of several lines and backslashes join physical lines.
func splitStatements(text []string) (out []statement) {
	var open scanner
	for n, line := range text {
		if body := strings.TrimLeft(line, " \t"); !open.isContinued() && body != "" && body[0] != '#' {
			begin := len(line) - len(body)
			out = append(out, newStatement(line, n+1, begin, indentWidth(line[:begin])))
		} else if len(out) > 0 && open.isContinued() {
			out[len(out)-1].last = n + 1
		}
		open.scanLine(line, func(at int) {
			if len(out) == 0 || open.brackets > 0 {
				return
			}
			s := &out[len(out)-1]
			block := line[at] == ':' && slices.Contains(heads, s.word) && !strings.HasPrefix(line[at:], ":=")
			switch rest := strings.TrimLeft(line[at+1:], " \t"); {
			case line[at] == '(':
				s.calls = s.calls || at > 0 && isName(line[at-1]) && s.word != "def" && s.word != "class"
			case rest == "" || rest[0] == '#' || !block && line[at] != ';':
			default:
				indent := s.indent
				if s.end = at; block {
					indent++
				}
				out = append(out, newStatement(line, n+1, len(line)-len(rest), indent))
			}
		})
	}
	return out
}

// newStatement is the statement that begins at a column of a line.
func newStatement(line string, number, begin, indent int) statement {
	body := line[begin:]
	s := statement{first: number, last: number, begin: begin, indent: indent, word: firstWord(body), endless: endlessHead.MatchString(body),
		fixed: fixedHead.MatchString(body), suppresses: suppressing.MatchString(body), raises: raisingCall.MatchString(body),
		guardsMain: mainGuard.MatchString(body), ends: endingOf(body)}
	switch s.word {
	case "with":
		s.manager = managerOf(body)
	case "def", "class":
		s.defines = definedBy(body)
	case "return":
		s.goesOn = letsGo(body)
	}
	return s
}

// callAt is the index of the statement of a physical line that calls something; of several, or none, the first one. -1: there is none.
func callAt(list []statement, line int) int {
	first := statementAt(list, line)
	at := -1
	for i := max(first, 0); i < len(list) && list[i].first <= line; i++ {
		if !list[i].calls {
			continue
		}
		if at >= 0 {
			return first
		}
		at = i
	}
	return max(at, first)
}

// statementAt is the index of the first statement that a physical line is of, -1 of none.
func statementAt(list []statement, line int) int {
	return slices.IndexFunc(list, func(s statement) bool { return line >= s.first && line <= s.last })
}

// indentWidth counts the columns of white space, as Python does.
func indentWidth(space string) (n int) {
	for _, c := range space {
		n++
		if c == '\t' {
			n = (n + 7) / 8 * 8
		}
	}
	return n
}

func firstWord(body string) string {
	for {
		n := strings.IndexFunc(body, func(c rune) bool { return (c < 'a' || c > 'z') && c != '_' })
		if n < 0 {
			n = len(body)
		}
		if word := body[:n]; word != "async" {
			return word
		}
		body = strings.TrimLeft(body[n:], " \t")
	}
}

// scanner knows what a physical line leaves open.
type scanner struct {
	brackets int
	quote    string // of a string of several lines, "" outside
	joined   bool   // by a backslash
}

func (s *scanner) isContinued() bool { return s.brackets > 0 || s.quote != "" || s.joined }

// scanLine passes a physical line, and gives code the place of each character that is in no string and no comment.
func (s *scanner) scanLine(line string, code func(at int)) {
	s.joined = strings.HasSuffix(line, "\\")
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case s.quote != "":
			if strings.HasPrefix(line[i:], s.quote) {
				i += len(s.quote) - 1
				s.quote = ""
			}
		case c == '#':
			s.joined = false
			i = len(line)
		case c == '"' || c == '\'':
			s.quote = line[i : i+1]
			if triple := strings.Repeat(s.quote, 3); strings.HasPrefix(line[i:], triple) {
				s.quote = triple
				i += 2
			}
		default:
			code(i)
			if strings.IndexByte("([{", c) >= 0 {
				s.brackets++
			} else if strings.IndexByte(")]}", c) >= 0 && s.brackets > 0 {
				s.brackets--
			}
		}
	}
	if len(s.quote) == 1 && !s.joined {
		s.quote = "" // a string of one line ends with it
	}
}

// deciders goes up from a line to the beginning of its function.
type deciders struct {
	list        []statement
	line, other int
	inLoopWith  int // a line: the loop around both ends the search; 0 none
	indent      int // of the block that is left next
	leaves      []leaving
	out         []Decider
	done        bool
}

// leaving is a statement in a block before the line by which it is not reached.
type leaving struct {
	indent int
	loop   bool   // it ends a round of a loop, or the loop
	ends   Ending // it ends the process
	header int    // the condition that it is under; 0 none yet
}

var (
	conditions = []string{"if", "elif", "else", "except", "case"}
	loops      = []string{"for", "while"}
)

func (d *deciders) visitStatement(i int) {
	s := d.list[i]
	switch {
	case (s.leavesLoops() || s.word == "continue") && s.indent > d.indent:
		d.leaves = append(d.leaves, leaving{indent: s.indent, loop: s.word == "continue" || s.word == "break", ends: s.ends})
	case s.indent >= d.indent:
		d.passPrecedingBlock(i)
	default: // it is around the line
		d.passEnclosingBlock(i)
	}
}

// passPrecedingBlock passes the head of a block before the line.
func (d *deciders) passPrecedingBlock(i int) {
	s := d.list[i]
	isLoop, inner := slices.Contains(loops, s.word), s.word == "def" || s.word == "class"
	var rest []leaving
	for _, l := range d.leaves {
		switch {
		case l.indent <= s.indent:
		case isLoop && l.loop || inner:
			continue // it concerns that loop, or that function, alone
		case l.header == 0 && (isLoop || slices.Contains(conditions, s.word)):
			l.header = d.conditionLine(i)
		}
		if s.indent == d.indent && l.indent > s.indent {
			if l.header > 0 && (d.other == 0 || d.other < l.header) {
				d.out = append(d.out, Decider{Line: l.header, Ends: l.ends, from: l.header})
			}
			continue
		}
		rest = append(rest, l)
	}
	d.leaves = rest
}

// passEnclosingBlock passes the head of a block that the line is in.
func (d *deciders) passEnclosingBlock(i int) {
	s := d.list[i]
	d.indent, d.leaves = s.indent, nil
	if s.word == "def" || s.word == "class" {
		d.done = true
		return
	}
	if d.other > s.first && d.other <= blockEnd(d.list[i:]) {
		return
	}
	isLoop := slices.Contains(loops, s.word)
	if isLoop && d.inLoopWith >= s.first && d.inLoopWith <= blockEnd(d.list[i:]) {
		d.done = true
		return
	}
	switch {
	case s.suppresses:
		d.out = append(d.out, Decider{Line: s.first, from: s.first})
	case s.word == "try":
		for _, line := range d.exceptLines(i) {
			d.out = append(d.out, Decider{Line: line, from: s.first})
		}
	case s.manager != "":
		for _, line := range d.managerCatches(s.manager) {
			d.out = append(d.out, Decider{Line: line, Manager: true, from: s.first})
		}
	case isLoop:
		d.passLoop(i)
	case s.guardsMain:
	case slices.Contains(conditions, s.word):
		line := d.conditionLine(i)
		d.out = append(d.out, Decider{Line: line, from: line})
	}
}

// passLoop passes the head of a loop that the line is in. It may be left behind the line, in the round before; of a loop that goes
// through a sequence that is likelier than its end.
func (d *deciders) passLoop(i int) {
	s, out := d.list[i], []Decider{}
	for k, last := i+1, blockEnd(d.list[i:]); k < len(d.list) && d.list[k].first <= last; k++ {
		leaves := d.list[k].leavesLoops()
		if head := d.headBefore(k, i); leaves && d.list[k].first > d.line && head >= d.line {
			out = append(out, Decider{Line: head, Loop: true, Ends: d.list[k].ends, from: s.first})
		}
	}
	head := Decider{Line: s.first, Loop: true, Fixed: s.fixed, from: s.first}
	switch {
	case s.endless:
	case s.word == "for":
		out = append(out, head)
	default:
		out = append([]Decider{head}, out...)
	}
	d.out = append(d.out, out...)
}

// headBefore is the line of the condition that a statement in the body of a loop is under; 0: it is under none, or leaves another loop
// or function alone.
func (d *deciders) headBefore(k, loop int) (line int) {
	indent := d.list[k].indent
	for j := k - 1; j > loop; j-- {
		s := d.list[j]
		switch {
		case s.indent >= indent:
			continue
		case s.word == "def" || s.word == "class", d.list[k].word == "break" && slices.Contains(loops, s.word):
			return 0
		case line == 0 && slices.Contains(conditions, s.word):
			line = d.conditionLine(j)
		}
		indent = s.indent
	}
	return line
}

// Assertions returns the lines of the assertions that come before a line whenever that is reached, in its function behind another line;
// 0: anywhere in it.
func Assertions(text []string, line, behind int) (out []Decider) {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 {
		return nil
	}
	indent := list[at].indent
	for i := at - 1; i >= 0 && list[i].first > behind && !isHeadAround(list, i, at); i-- {
		s := list[i]
		if indent = min(indent, s.indent); s.word == "assert" && s.indent == indent {
			out = append(out, Decider{Line: s.first, from: s.first})
		}
	}
	return out
}

// CatchesInLoop returns the lines at which exceptions are caught that come from a line, within the innermost loop around it in its
// function; none: there is no loop, or they are not caught in it.
func CatchesInLoop(text []string, line int) (out []int) {
	d := deciders{list: splitStatements(text)}
	at := statementAt(d.list, line)
	if at < 0 {
		return nil
	}
	for _, i := range blocksAround(d.list, at) {
		switch word := d.list[i].word; {
		case word == "try":
			out = append(out, d.exceptLines(i)...)
		case slices.Contains(loops, word):
			return out
		}
	}
	return nil
}

// CatchesAssertion reports whether a line catches the exceptions of assertions, and names them.
func CatchesAssertion(text []string, line int) bool {
	return line > 0 && line <= len(text) && catchesAssertion.MatchString(text[line-1])
}

// exceptLines are the lines at which exceptions of a block are caught.
func (d *deciders) exceptLines(i int) (out []int) {
	for _, s := range d.list[i+1:] {
		if s.indent < d.list[i].indent || s.indent == d.list[i].indent && s.word != "except" {
			break
		}
		if s.indent == d.list[i].indent {
			out = append(out, s.first)
		}
	}
	return out
}

// blockEnd is the last line of the block that the first statement of a list begins.
func blockEnd(list []statement) int {
	last := list[0].last
	for _, s := range list[1:] {
		if s.indent <= list[0].indent {
			break
		}
		last = s.last
	}
	return last
}

// conditionLine is the line of what decides on a block: of else the condition before it.
func (d *deciders) conditionLine(i int) int {
	for k := i; k >= 0; k-- {
		s := d.list[k]
		if s.indent == d.list[i].indent && s.word != "else" {
			if k == i || slices.Contains([]string{"if", "elif", "for", "while", "except", "case"}, s.word) {
				return s.first
			}
		}
		if s.indent < d.list[i].indent {
			break
		}
	}
	return d.list[i].first
}
