package diagnosis

import (
	"slices"
	"strings"

	"laggard/analysis/divergence"
	"laggard/report"
	"laggard/report/source"
	"laggard/slicing/python"
	"laggard/symbol"
)

// maxDeciders bounds the lines that may have decided, which are listed.
const maxDeciders = 4

// pythonBranch finds the lines of a Python program that may have decided between the ways of
// two sides, nearest first; none: they did not part in Python, or it is not known where.
func (s Source) pythonBranch(o *divergence.Odd, finder source.Finder) []report.Site {
	made, other := o.Ways()
	if made == nil || made.State == nil {
		return nil
	}
	reached, missed := pythonFrames(s.begun(made).Stack), []report.Frame(nil)
	if other != nil && other.State != nil {
		missed = pythonFrames(s.begun(other).Stack)
	}
	k := 0
	for k < len(reached) && k < len(missed) && reached[k] == missed[k] {
		k++
	}
	switch {
	case len(reached) == 0 || len(missed) == 0:
		return nil // who has left the program may have done so by an exception
	case k == len(reached) && k == len(missed):
		if o.Kind != divergence.LoopCount {
			return decided(reached, 0, true, finder)
		}
		return decided(reached, 0, false, finder)
	case k == len(reached) || k == len(missed):
		return nil
	case reached[k].Function != missed[k].Function || reached[k].File != missed[k].File:
		// They are called from one line, in an order that the line does not tell.
		one, two := decided(reached[k:], 0, false, finder), decided(missed[k:], 0, false, finder)
		if len(one) > 0 && len(two) > 0 {
			return nil
		}
		return append(one, two...)
	}
	from := since(o.Before(), reached[:k+1], s)
	further := func(a, b []report.Frame) bool { return from.passed(standsAt(a, finder), standsAt(b, finder)) }
	if further(reached[k:], missed[k:]) {
		reached, missed = missed, reached // who is further has passed the call of the other side
	}
	return decided(reached[k:], missed[k].Line, false, finder)
}

// line is where in a function both sides made their last call in common; 0: elsewhere.
type line int

// since is the line of a call in the function of the last of some frames, where it was called
// through the others.
func since(c *divergence.Call, frames []report.Frame, s Source) line {
	if c == nil || c.State == nil {
		return 0
	}
	before, last := pythonFrames(s.begun(c).Stack), len(frames)-1
	if len(before) <= last || !slices.Equal(before[:last], frames[:last]) ||
		before[last].Function != frames[last].Function || before[last].File != frames[last].File {
		return 0
	}
	return line(before[last].Line)
}

// passed tells whether who stands at line a has passed line b on the way from the last call: a
// line that is not behind that one is reached in the next round of a loop.
func (from line) passed(a, b int) bool {
	if again := a <= int(from); again != (b <= int(from)) {
		return again
	}
	return a > b
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

// pythonFrames are the frames of a program in Python, outermost first.
func pythonFrames(stack []report.Frame) []report.Frame {
	out := slices.DeleteFunc(slices.Clone(stack), func(f report.Frame) bool { return f.Language != symbol.Python })
	slices.Reverse(out)
	return out
}

// decided lists what decides that the call of the last frame is reached, by who is at the
// line `past` of the function of the first one; of that function at least the nearest line.
// round: in one round of the innermost loop.
func decided(frames []report.Frame, past int, round bool, finder source.Finder) (out []report.Site) {
	for i, f := range slices.Backward(frames) {
		other, room := 0, maxDeciders-1
		if i == 0 {
			other, room = past, maxDeciders
		}
		for _, d := range python.Deciders(finder.Text(f.File), f.Line, other) {
			if round && d.Loop {
				return out
			}
			if len(out) < room {
				out = append(out, report.Site{Function: f.Function, File: f.File, Line: d.Line})
			}
		}
	}
	return out
}
