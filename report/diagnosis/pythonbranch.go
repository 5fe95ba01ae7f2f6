package diagnosis

import (
	"slices"

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
	past := missed[k].Line // who is further has passed the call of the other side
	if past < reached[k].Line {
		reached, past = missed, reached[k].Line
	}
	return decided(reached[k:], past, false, finder)
}

// pythonFrames are the frames of a program in Python, outermost first.
func pythonFrames(stack []report.Frame) []report.Frame {
	out := slices.DeleteFunc(slices.Clone(stack), func(f report.Frame) bool { return f.Language != symbol.Python })
	slices.Reverse(out)
	return out
}

// decided lists what decides that the call of the last frame is reached, by who is at the
// line `past` of the function of the first one. round: in one round of the innermost loop.
func decided(frames []report.Frame, past int, round bool, finder source.Finder) (out []report.Site) {
	for i, f := range slices.Backward(frames) {
		other := 0
		if i == 0 {
			other = past
		}
		for _, d := range python.Deciders(finder.Text(f.File), f.Line, other) {
			if round && d.Loop || len(out) == maxDeciders {
				return out
			}
			out = append(out, report.Site{Function: f.Function, File: f.File, Line: d.Line})
		}
	}
	return out
}
