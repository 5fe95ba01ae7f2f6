package python

import "laggard/internal/lateregexp"

// Ending is how a statement ends the process.
type Ending int

// The endings.
const (
	NoEnding   Ending = iota
	SystemExit        // by that exception: the interpreter calls MPI_Finalize
	Killed            // at once
)

var (
	// raisingCall matches calls of pytest that raise an exception, which it catches around the test.
	raisingCall = lateregexp.New(`^pytest\.(skip|fail|xfail|exit)\s*\(`)
	// systemExit matches what raises SystemExit.
	systemExit = lateregexp.New(`^(raise\s+SystemExit\b|((sys\.)?exit|quit)\s*\()`)
	killing    = lateregexp.New(`^(os\.(_exit|abort)|([\w.()]+\.)?Abort)\s*\(`)
)

// endingOf is how a statement ends the process, by its text.
func endingOf(body string) Ending {
	switch {
	case systemExit.MatchString(body):
		return SystemExit
	case killing.MatchString(body):
		return Killed
	}
	return NoEnding
}

// leavesLoops reports whether what is behind a statement is not reached, nor another round of the loop that it is in.
func (s *statement) leavesLoops() bool {
	switch s.word {
	case "return", "raise", "break":
		return true
	}
	return s.raises || s.ends != NoEnding
}

// ExitsBehind reports whether a function comes to an exit in any case once the statement of a line is done: that is one itself, or one
// follows that is under no other condition.
func ExitsBehind(text []string, line int) bool {
	list := splitStatements(text)
	at := statementAt(list, line)
	if at < 0 {
		return false
	}
	function := -1 // how far that is indented
	for i, indent := at-1, list[at].indent; i >= 0 && function < 0; i-- {
		if s := list[i]; s.indent < indent {
			if indent = s.indent; s.word == "def" || s.word == "class" {
				function = s.indent
			}
		}
	}
	indent := list[at].indent
	for _, s := range list[at:] {
		if s.indent <= function {
			break
		}
		if s.indent <= indent {
			if indent = s.indent; s.ends == SystemExit {
				return true
			}
		}
	}
	return false
}

// ExitsElsewhere reports whether a file has an exit in another function than those of some lines.
func ExitsElsewhere(text []string, lines []int) bool {
	list := splitStatements(text)
	known := map[string]bool{}
	for _, line := range lines {
		known[FunctionAt(text, line)] = true
	}
	for _, s := range list {
		if s.ends == SystemExit && !known[FunctionAt(text, s.first)] {
			return true
		}
	}
	return false
}
