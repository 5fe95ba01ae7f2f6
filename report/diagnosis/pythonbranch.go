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
	past := 0 // the line, in the function where they part, of who made the other call
	switch {
	case len(reached) == 0:
		return nil
	case k == len(reached) || k == len(missed): // once more round a loop, or one has left
		k = max(0, min(k, len(reached)-1))
		if len(missed) > 0 {
			k = 0
		}
	case reached[k].Function != missed[k].Function || reached[k].File != missed[k].File:
		// They are called from one line, in an order that the line does not tell.
		one, two := decided(reached[k:], 0, finder), decided(missed[k:], 0, finder)
		if len(one) > 0 && len(two) > 0 {
			return nil
		}
		return append(one, two...)
	default: // who is further has passed the call of the other side
		past = missed[k].Line
		if past < reached[k].Line {
			reached, past = missed, reached[k].Line
		}
	}
	return decided(reached[k:], past, finder)
}

// pythonFrames are the frames of a program in Python, outermost first.
func pythonFrames(stack []report.Frame) []report.Frame {
	out := slices.DeleteFunc(slices.Clone(stack), func(f report.Frame) bool { return f.Language != symbol.Python })
	slices.Reverse(out)
	return out
}

// decided lists what decides that the call of the last frame is reached, by who is at the
// line `past` of the function of the first one.
func decided(frames []report.Frame, past int, finder source.Finder) (out []report.Site) {
	for i, f := range slices.Backward(frames) {
		if i > 0 {
			out = append(out, deciders(f, 0, finder)...)
		} else {
			out = append(out, deciders(f, past, finder)...)
		}
	}
	return out[:min(len(out), maxDeciders)]
}

func deciders(f report.Frame, past int, finder source.Finder) (out []report.Site) {
	for _, line := range python.Deciders(finder.Text(f.File), f.Line, past) {
		out = append(out, report.Site{Function: f.Function, File: f.File, Line: line})
	}
	return out
}
