package diagnosis

import (
	"fmt"
	"path"
	"slices"

	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
)

// calledFromPython reports whether a collective was begun by a call that a line of Python made of a
// library, which may make several calls of MPI for it.
func (b *Begun) calledFromPython() bool {
	return b.Through != "" && len(b.Stack) > 0 && b.Stack[report.Place(b.Stack)].Language == symbol.Python
}

// pythonCallsText says in the words of the program what the two sides of the first divergence called,
// where it is in Python: the functions of MPI below need not be alike.
func (r *Result) pythonCallsText() string {
	if len(r.Divergences) == 0 {
		return ""
	}
	odd, others := r.Divergences[0].splitSides()
	if others == nil || len(odd) != 1 || !odd[0].calledFromPython() || !others.calledFromPython() || odd[0].Site == others.Site {
		return ""
	}
	does := func(s *Side) string {
		return fmt.Sprintf("%s called %s at %s:%d", words.Ranks(s.Ranks), s.Through, path.Base(s.File), s.Line)
	}
	return fmt.Sprintf("; in the program %s, %s", does(&odd[0]), does(others))
}

// mergePythonCalls puts calls that follow each other into one where one line of Python made them all by one
// call of a library.
func mergePythonCalls(calls []Begun) []Begun {
	var out []Begun
	for i := range calls {
		c := calls[i]
		if n := len(out); n > 0 && c.calledFromPython() && out[n-1].Site == c.Site {
			last := &out[n-1]
			last.others, last.Bytes = append(slices.Clip(last.others), c.MPI), nil
			continue
		}
		out = append(out, c)
	}
	return out
}
