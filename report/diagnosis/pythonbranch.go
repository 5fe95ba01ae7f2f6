package diagnosis

import (
	"slices"
	"strings"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/report"
	"laggard/report/source"
	"laggard/slicing"
	"laggard/slicing/python"
	"laggard/symbol"
)

// maxDeciders bounds the lines that may have decided, which are listed.
const maxDeciders = 4

// pythonWays are the Python frames of two sides, outermost first, and how many they share.
type pythonWays struct {
	reached, missed []report.Frame
	calls, misses   string // what the innermost of each calls, see calledFunction
	shared          int
	called          bool // a library in another language called what is behind the shared ones
	inPackage       bool // the program's frames are the same, those of packages in Python are not
}

// waysOf takes stacks innermost first.
func waysOf(reached, missed []report.Frame) (w pythonWays) {
	w.reached, w.missed = pythonFrames(reached), pythonFrames(missed)
	w.calls, w.misses = calledFunction(reached), calledFunction(missed)
	w.shared = sharedFrames(w.reached, w.missed)
	w.called = calledBack(reached, w.shared) || calledBack(missed, w.shared)
	w.inPackage = slices.Equal(w.reached, w.missed) && !slices.Equal(allPython(reached), allPython(missed))
	return w
}

// sharedFrames counts the first frames that two stacks, outermost first, have in common.
func sharedFrames(a, b []report.Frame) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// calledBack reports whether the Python frame of the program behind some outer ones was called by code in another
// language.
func calledBack(stack []report.Frame, outer int) bool {
	for i, f := range slices.Backward(stack) {
		if !isOwnPython(f) {
			continue
		}
		if outer == 0 {
			return i+1 < len(stack) && stack[i+1].Language != symbol.Python
		}
		outer--
	}
	return false
}

// inCallbacks reports whether the ways part in a library that called a function in Python on one
// side, and another one, or none, on the other.
func (w *pythonWays) inCallbacks() bool {
	k := w.shared
	return w.called && k > 0 && (k == len(w.reached) || k == len(w.missed) || !sameFunction(w.reached[k], w.missed[k]))
}

func sameFunction(f, g report.Frame) bool { return f.Function == g.Function && f.File == g.File }

// pythonDeciders finds the lines of a program in Python that may have decided where ranks went.
type pythonDeciders struct {
	Source
	finder source.Finder // of the program's text
}

// pythonBranch finds the lines of a Python program that may have decided between the ways of
// two sides, nearest first; none: they did not part in Python, or it is not known where. inLibrary: they
// parted in machine code.
func (s pythonDeciders) pythonBranch(o *divergence.Odd, inLibrary bool) []report.Site {
	made, other := o.Ways()
	if made == nil || made.State == nil || other == nil || other.State == nil {
		return nil
	}
	stack, otherStack := s.newBegun(made).Stack, s.newBegun(other).Stack
	w := waysOf(stack, otherStack)
	reached, missed, k := w.reached, w.missed, w.shared
	last := s.framesBehind(o.LastShared(), reached[:k])
	search := lineSearch{finder: s.finder, outer: reached[:k], behind: last, rounds: o.Kind == divergence.LoopCount}
	switch {
	case len(missed) == 0 && s.finishes(other.State):
		if !divergence.InCollective(s.Diverged) && !mpi.FunctionOf(made.State.Call).NeedsPartner() {
			return nil // who waits for a message is not where it was to be sent
		}
		search.exit = s.exitRole(stack, otherStack)
		return search.lastDeciders(reached, w.calls)
	case len(reached) == 0 || len(missed) == 0:
		return nil // who has left the program may have done so by an exception
	case inLibrary && !w.inCallbacks():
		return nil
	case k == len(reached) && k == len(missed):
		if o.Kind == divergence.Arguments || w.inPackage {
			return nil // both came to the line, and what differs is what it passes, or is decided in a package
		}
		search.round = o.Kind != divergence.LoopCount
		return search.sites(reached, w.calls)
	case w.inCallbacks() || k < len(reached) && k < len(missed) && !sameFunction(reached[k], missed[k]):
		// They are called from one line, in an order that the line does not tell.
		one, two := search.sites(reached[k:], w.calls), search.sites(missed[k:], w.misses)
		if len(one) > 0 && len(two) > 0 {
			return nil
		}
		if sites := append(one, two...); len(sites) > 0 {
			return sites
		}
		return append(shortCut(reached[:k], s.finder), filters(w, s.finder)...)
	case k == len(reached) || k == len(missed):
		return nil
	}
	if sites := search.repeats(w); len(sites) > 0 {
		return sites
	}
	switch o.Kind {
	case divergence.Extra, divergence.Skipped, divergence.LoopCount: // it is known who made the call, and who did not
		search.past = w.missed[k].Line
		if sites := search.sites(w.reached[k:], w.calls); len(sites) > 0 {
			return sites
		}
	}
	if isFurther(reached[k:], missed[k:], last, s.finder) {
		w.reached, w.missed, w.calls = missed, reached, w.misses // who is further has passed the call of the other side
	}
	search.past = w.missed[k].Line
	return search.sites(w.reached[k:], w.calls)
}

// likeliestFirst puts conditions by which a call is made once in a process, as to fill a cache, behind the others where a side never made
// it: nothing kept it from there.
func (s pythonDeciders) likeliestFirst(o *divergence.Odd, sites []report.Site) []report.Site {
	if !o.Never || o.Kind == divergence.Extra || o.Kind == divergence.LoopCount {
		return sites
	}
	isOnce := func(at report.Site) bool { return python.IsOncePerProcess(s.finder.Text(at.File), at.Line) }
	out := slices.DeleteFunc(slices.Clone(sites), isOnce)
	return append(out, slices.DeleteFunc(sites, func(at report.Site) bool { return !isOnce(at) })...)
}

// correctKind corrects the kind of the first divergence where others wait for messages: a call that comes behind theirs in a function of
// Python was not made in addition, as the code in machine language tells likewise ([divergence.Divergence.Decide]).
func (s pythonDeciders) correctKind() {
	if len(s.Diverged) == 0 || s.Diverged[0].BetweenGroups {
		return
	}
	d := &s.Diverged[0]
	o := &d.Odd[0]
	own, theirs := o.Own(), o.Theirs
	if o.Kind != divergence.Extra || !o.OthersAwaitMessage() || own == nil || own.State == nil || theirs[0].State == nil {
		return
	}
	w := waysOf(s.newBegun(own).Stack, s.newBegun(&theirs[0]).Stack)
	k := w.shared
	behind := k < min(len(w.reached), len(w.missed)) && sameFunction(w.reached[k], w.missed[k]) &&
		isFurther(w.reached[k:], w.missed[k:], s.framesBehind(o.LastShared(), w.reached[:k]), s.finder)
	if behind && d.Decide(slicing.Ways{After: true}, false) {
		s.RestateReason(d)
	}
}

// shortCut is the any or all in which some frames end, outermost first, and which need not go through the generator expression that the
// last one is; nil: they do not end so.
func shortCut(frames []report.Frame, finder source.Finder) []report.Site {
	n := len(frames)
	if n < 2 || !strings.HasSuffix(frames[n-1].Function, python.GeneratorExpression) {
		return nil
	}
	f := frames[n-2]
	if line := python.InlineCondition(finder.Text(f.File), f.Line, python.GeneratorExpression); line > 0 {
		return []report.Site{{Function: f.Function, File: f.File, Line: line}}
	}
	return nil
}

// filters are the lines that decide which elements the comprehension goes through that is the innermost frame which two sides share, and
// that calls another function for each.
func filters(w pythonWays, finder source.Finder) (out []report.Site) {
	f, next := w.reached[w.shared-1], w.reached
	if w.shared == len(next) {
		next = w.missed
	}
	for _, line := range python.ComprehensionFilters(finder.Text(f.File), f.Line, plainName(next[w.shared].Function)) {
		out = append(out, report.Site{Function: withoutComprehension(f.Function), File: f.File, Line: line})
	}
	return out
}

// repeats are the lines by which one of two sides, which stand in one function, left it to call it again: it has made the last call
// again that both made, in no loop of the function. That is a try: the exception that led there is caught in a loop around it.
func (q lineSearch) repeats(w pythonWays) (out []report.Site) {
	k := w.shared
	again, other := w.missed[k:], w.reached[k:]
	if slices.Equal(other, q.behind) {
		again, other = other, again
	}
	if !slices.Equal(again, q.behind) || other[0].Line <= again[0].Line {
		return nil
	}
	text := q.finder.Text(again[0].File)
	if python.InOneLoop(text, again[0].Line, other[0].Line) {
		return nil
	}
	for _, f := range slices.Backward(q.outer) {
		catches := python.CatchesInLoop(q.finder.Text(f.File), f.Line)
		if len(catches) == 0 {
			continue
		}
		for _, d := range python.Deciders(text, other[0].Line, 0) {
			if d.Line > again[0].Line {
				out = append(out, report.Site{Function: other[0].Function, File: other[0].File, Line: d.Line})
			}
		}
		for _, line := range catches {
			out = append(out, report.Site{Function: f.Function, File: f.File, Line: line})
		}
		return out
	}
	return nil
}

// finishes reports whether a call is MPI_Finalize, to which ranks came without an exception, as far as is known.
func (s pythonDeciders) finishes(state *model.State) bool {
	ends := func(x facts.Raised) bool { return x.How.EndsProcess() }
	return mpi.FindFunction(state.Call).InClass(mpi.ClassFinalize) && !slices.ContainsFunc(s.Raised, ends)
}

// calledFunction is the last part of the name of what the innermost Python frame of a stack calls; "": it is not known.
func calledFunction(stack []report.Frame) string {
	at := slices.IndexFunc(stack, isOwnPython)
	if at < 1 {
		return ""
	}
	return plainName(stack[at-1].Function)
}

// plainName is the last part of the name of a function in Python.
func plainName(function string) string { return function[strings.LastIndexByte(function, '.')+1:] }

// framesBehind are the frames of a call from behind some outer ones; nil: it is not known, or was not made from there.
func (s pythonDeciders) framesBehind(call *model.State, outer []report.Frame) []report.Frame {
	if call == nil {
		return nil
	}
	frames := pythonFrames(s.newMadeCall(call).Stack)
	if len(frames) <= len(outer) || !slices.Equal(frames[:len(outer)], outer) {
		return nil
	}
	return frames[len(outer):]
}

// isFurther reports whether the first of two sides, which stand in one function, has come further
// than the other: to a later round of a loop, by the last call that both made, or to a later line.
func isFurther(one, other, last []report.Frame, finder source.Finder) bool {
	a, b := standsAt(one, finder), standsAt(other, finder)
	if len(last) > 0 && sameFunction(last[0], one[0]) {
		text, l := finder.Text(one[0].File), standsAt(last, finder)
		round := func(side []report.Frame, at, other int) bool { // it is a round further
			again := slices.Equal(side, last) && python.InOneLoop(text, at, other)
			return again || python.NextRound(text, at, other, l)
		}
		if isPastCall(one, last) && round(other, b, a) {
			return false
		}
		if isPastCall(other, last) && round(one, a, b) {
			return true
		}
		if a == l && isRoundAgain(text, b, l) && isInnerRound(one, last, finder) {
			return false
		}
		if b == l && isRoundAgain(text, a, l) && isInnerRound(other, last, finder) {
			return true
		}
	}
	return a > b
}

// isRoundAgain reports whether a line before that of the last call which both made is in a loop around it: who stands there has begun
// another round.
func isRoundAgain(text []string, line, last int) bool {
	return line < last && python.InOneLoop(text, line, last)
}

// isInnerRound reports whether a side may stand in the round in which both made their last call, since a function further in has a loop
// around it.
func isInnerRound(side, last []report.Frame, finder source.Finder) bool {
	for i := 1; i < min(len(side), len(last)) && sameFunction(side[i], last[i]); i++ {
		if python.InOneLoop(finder.Text(side[i].File), side[i].Line, last[i].Line) {
			return true
		}
		if side[i] != last[i] {
			return false
		}
	}
	return false
}

// isPastCall reports whether a side stands behind the last call that both made, in the same round; not who
// makes that call again.
func isPastCall(side, last []report.Frame) bool {
	for i := range min(len(side), len(last)) {
		if side[i] != last[i] {
			return sameFunction(side[i], last[i]) && side[i].Line > last[i].Line
		}
	}
	return false
}

// standsAt is the line up to which the first of some frames has come: one that leaves the
// block of a `with` is at its end, though Python tells the line of its beginning.
func standsAt(frames []report.Frame, finder source.Finder) int {
	f := frames[0]
	if len(frames) > 1 && (strings.HasSuffix(frames[1].Function, "__exit__") ||
		strings.HasSuffix(frames[1].Function, "__aexit__")) {
		return python.BlockEnd(finder.Text(f.File), f.Line)
	}
	return f.Line
}

// isOwnPython reports whether a frame is in Python and of no library: what decides in one is no answer for who uses it.
func isOwnPython(f report.Frame) bool { return f.Language == symbol.Python && !f.Library }

// allPython are the frames in Python, those of libraries among them.
func allPython(stack []report.Frame) []report.Frame {
	return slices.DeleteFunc(slices.Clone(stack), func(f report.Frame) bool { return f.Language != symbol.Python })
}

// pythonFrames are the frames of a program in Python, outermost first, without those of libraries.
func pythonFrames(stack []report.Frame) []report.Frame {
	out := slices.DeleteFunc(slices.Clone(stack), func(f report.Frame) bool { return !isOwnPython(f) })
	slices.Reverse(out)
	return out
}
