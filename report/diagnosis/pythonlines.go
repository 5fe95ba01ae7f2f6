package diagnosis

import (
	"cmp"
	"slices"
	"strings"

	"laggard/report"
	"laggard/report/source"
	"laggard/slicing/python"
	"laggard/symbol"
)

// lineSearch is which lines of a Python program are looked for that decide whether a call is reached.
type lineSearch struct {
	finder source.Finder
	past   int  // the line of the function of the first frame at which the other side is; 0: it has left that function
	next   bool // it is there in the next round of a loop
	round  bool // only what decides in one round of the innermost loop
	// again: who did not reach the call had reached it before, so what does not change in a process did not decide
	again  bool
	rounds bool           // the sides differ by the number of rounds of a loop
	outer  []report.Frame // frames around those that are searched, outermost first
	behind []report.Frame // those behind outer of the last call that both sides made
	exit   exitRole
}

// exitRole is what exits of the process (sys.exit) may have decided.
type exitRole int

const (
	noExit   exitRole = iota // nothing: the other side has not come to the end of the program by one
	anyExit                  // the same as what returns: the program ends by one in any case
	onlyExit                 // alone: the other side has come to the end of the program by one
)

// exitRole is what exits may have decided by which the other side has come to MPI_Finalize, with a stack. One that the program comes to
// in any case, behind the call with the other stack, such as sys.exit(main()), tells nothing.
func (s pythonDeciders) exitRole(reached, ended []report.Frame) exitRole {
	if !slices.ContainsFunc(ended, func(f report.Frame) bool { return f.Function == symbol.ExitFunction }) {
		return noExit
	}
	for _, f := range reached {
		if f.Language == symbol.Python && python.ExitsBehind(s.finder.Text(f.File), f.Line) {
			return anyExit
		}
	}
	return onlyExit
}

// sites are the lines that decide that the call of the last frame, of a function with that name, is reached, nearest first; of the
// function of the first frame at least one.
func (q lineSearch) sites(frames []report.Frame, called string) (out []report.Site) {
	for i, f := range slices.Backward(frames) {
		room := maxDeciders - 1
		if i == 0 {
			room = maxDeciders
		}
		for _, d := range q.lines(frames[i:], called, i == 0) {
			if q.round && d.Loop {
				return out
			}
			if len(out) < room {
				out = append(out, report.Site{Function: cmp.Or(d.function, f.Function), File: cmp.Or(d.file, f.File), Line: d.Line})
			}
		}
		called = plainName(f.Function)
	}
	return out
}

// decidingLine is a line that decides, elsewhere than in the function of the frame that it was found for if it has one.
type decidingLine struct {
	python.Decider
	function, file string
}

// lines are those of the first of some frames, which calls a function of a name: conditions come before the loops that go through a
// sequence, unless it is the number of rounds by which the sides differ.
func (q lineSearch) lines(frames []report.Frame, called string, first bool) (out []decidingLine) {
	f, text := frames[0], q.finder.Text(frames[0].File)
	var lines []python.Decider
	switch {
	case first && q.next:
		lines = python.DecidersOfRound(text, f.Line, q.past)
	case first:
		lines = python.Deciders(text, f.Line, q.past)
	default:
		lines = python.Deciders(text, f.Line, 0)
	}
	if len(frames) > 1 && python.IsGenerator(q.finder.Text(frames[1].File), frames[1].Line) {
		lines = append(python.LoopLeaves(text, f.Line), lines...) // who leaves the loop does not resume it
	}
	if line := python.InlineCondition(text, f.Line, called); line > 0 {
		lines = append([]python.Decider{{Line: line}}, lines...)
	}
	if called != "" && !python.Calls(text, f.Line, called) && python.CallsChosen(text, f.Line) {
		lines = append([]python.Decider{{Line: f.Line}}, lines...)
	}
	if line := python.CachingDecorator(text, f.Line); line > 0 && !(first && q.past > 0) { // else the other side is in the function, too
		lines = append([]python.Decider{{Line: line}}, lines...)
	}
	lines = append(slices.DeleteFunc(lines, q.isOtherEnding), q.assertions(f, text)...)
	var later []decidingLine
	for _, d := range lines {
		switch {
		case d.Fixed || q.again && python.IsConstantCondition(text, d.Line):
		case !q.rounds && !q.round && python.IsForLoop(text, d.Line):
			later = append(append(later, linesAt(python.LoopFilters(text, d.Line))...), decidingLine{Decider: d})
		case d.Manager:
			out = append(out, decidingLine{Decider: d, function: python.FunctionAt(text, d.Line)})
		default:
			out = append(out, decidingLine{Decider: d})
		}
	}
	if len(later) > 0 && len(frames) > 1 && !python.Calls(text, f.Line, called) {
		return append(out, q.registrations(frames, called)...) // what the loop calls was put there, and may differ in each round
	}
	if !q.round {
		for _, line := range python.ComprehensionFilters(text, f.Line, called) {
			out = append(out, decidingLine{Decider: python.Decider{Line: line}, function: withoutComprehension(f.Function)})
		}
	}
	return append(out, later...)
}

// isOtherEnding reports whether a line decides on another end than that to which the other side has come.
func (q lineSearch) isOtherEnding(d python.Decider) bool {
	switch q.exit {
	case noExit:
		return d.Ends != python.NoEnding
	case onlyExit:
		return d.Ends != python.SystemExit
	}
	return d.Ends == python.Killed
}

// withoutComprehension is the name of the function that a comprehension is in, by the name that Python gives that.
func withoutComprehension(function string) string {
	if at := strings.LastIndex(function, ".<locals>.<"); at >= 0 {
		return function[:at]
	}
	return function
}

func linesAt(numbers []int) (out []decidingLine) {
	for _, n := range numbers {
		out = append(out, decidingLine{Decider: python.Decider{Line: n}})
	}
	return out
}

// assertions are those by which a frame is left before it makes its call, where an outer frame catches their exceptions and goes on with
// its loop.
func (q lineSearch) assertions(f report.Frame, text []string) []python.Decider {
	if !slices.ContainsFunc(q.outer, q.catchesAssertions) {
		return nil
	}
	behind := 0
	if len(q.behind) > 0 && sameFunction(q.behind[0], f) {
		behind = q.behind[0].Line
	}
	return python.Assertions(text, f.Line, behind)
}

func (q lineSearch) catchesAssertions(f report.Frame) bool {
	text := q.finder.Text(f.File)
	return slices.ContainsFunc(python.CatchesInLoop(text, f.Line), func(line int) bool { return python.CatchesAssertion(text, line) })
}

// registrations are the lines that decide whether a function is handed on that is called by another name.
func (q lineSearch) registrations(frames []report.Frame, called string) (out []decidingLine) {
	var seen []string
	for _, f := range append(slices.Clip(q.outer), frames...) {
		if slices.Contains(seen, f.File) {
			continue
		}
		seen = append(seen, f.File)
		text := q.finder.Text(f.File)
		for _, line := range python.Registrations(text, called) {
			out = append(out, decidingLine{python.Decider{Line: line}, python.FunctionAt(text, line), f.File})
		}
	}
	return out
}

// conditions are the lines other than the heads of loops.
func (q lineSearch) conditions(frames []report.Frame, called string) []report.Site {
	return slices.DeleteFunc(q.sites(frames, called), func(at report.Site) bool { return python.IsLoop(q.finder.Text(at.File), at.Line) })
}

// lastDeciders are the lines that decide whether ranks come to a call, by its Python frames, of which others have come to the end of
// the program. Where an exception that is caught, or an exit elsewhere, could have led there as well, it is not known.
func (q lineSearch) lastDeciders(frames []report.Frame, called string) []report.Site {
	for _, f := range frames {
		for _, d := range python.Deciders(q.finder.Text(f.File), f.Line, 0) {
			if d.Line > f.Line { // it catches exceptions of the call
				return nil
			}
		}
	}
	if q.exit == onlyExit && q.exitsElsewhere(frames) {
		return nil
	}
	q.rounds = true // who has come to the end may have gone through fewer rounds
	return q.sites(frames, called)
}

// exitsElsewhere reports whether a file of some frames has an exit in another function than theirs.
func (q lineSearch) exitsElsewhere(frames []report.Frame) bool {
	lines := map[string][]int{}
	for _, f := range frames {
		lines[f.File] = append(lines[f.File], f.Line)
	}
	for file, of := range lines {
		if python.ExitsElsewhere(q.finder.Text(file), of) {
			return true
		}
	}
	return false
}
