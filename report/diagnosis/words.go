package diagnosis

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"time"

	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
	"laggard/symbol/outside"
)

// cycleText writes a cycle.
func cycleText(cycle []int) string {
	b := &strings.Builder{}
	for i, rank := range cycle {
		if i == words.MaxLines {
			fmt.Fprintf(b, "… (%d ranks) -> ", len(cycle))
			break
		}
		fmt.Fprintf(b, "%d -> ", rank)
	}
	fmt.Fprint(b, cycle[0])
	return b.String()
}

func activityText(l Location) string {
	computes := words.Verb(l.Ranks, "computes", "compute")
	if waits := outside.Waits[l.WaitsFor]; waits != "" {
		end := strings.Index(waits+" ", " ") // of the verb, whose s only one rank has
		computes = words.Verb(l.Ranks, waits, waits[:end-1]+waits[end:])
	} else if l.Ended {
		computes = "ended"
	}
	at := l.Site.String() + within[l.Within]
	switch {
	case l.OtherThread:
		return "ended in another thread, in " + at
	case l.InMPI != nil && l.Ended:
		return fmt.Sprintf("%s in %s, called by %s", words.Verb(l.Ranks, "was", "were"), *l.InMPI, at)
	case l.InMPI != nil:
		return fmt.Sprintf("%s in %s, called by %s", words.Verb(l.Ranks, "is", "are"), *l.InMPI, at)
	case len(l.Stack) == 0:
		return "left no stack"
	case l.Captured && unrecordedCall(l.Stack) != "":
		is := words.Verb(l.Ranks, "is", "are")
		return fmt.Sprintf("%s in %s, a call that is not recorded, made by %s", is, unrecordedCall(l.Stack), at)
	case l.After == "" && !l.Captured:
		return fmt.Sprintf("%s in %s", computes, at)
	case l.After == "":
		return fmt.Sprintf("%s in %s, before the first MPI call", computes, at)
	case l.After == "MPI_Finalize" && !l.Captured:
		return fmt.Sprintf("%s finished, after %s called by %s", words.Verb(l.Ranks, "has", "have"), l.After, at)
	case l.Captured:
		return fmt.Sprintf("%s in %s, after %s%s", computes, at, l.After, cmp.Or(holderText(l.Holder, l.WaitsFor), besideText(l)))
	}
	return fmt.Sprintf("%s after %s, called by %s", computes, l.After, at)
}

// holderText says which thread has what a rank waits for, and where that thread is.
func holderText(h *Holder, waits string) string {
	switch {
	case h == nil:
		return ""
	case h.Ended:
		return fmt.Sprintf("; thread %d locked it and ended without unlocking it", h.Thread)
	case h.Assumed:
		return fmt.Sprintf("; its thread %d is in %s, called by %s", h.Thread, *h.InMPI, h.Site.String())
	case waits == outside.Interpreter && h.InMPI != nil:
		return fmt.Sprintf("; its thread %d has that lock in %s, called by %s", h.Thread, *h.InMPI, h.Site.String())
	case h.InMPI == nil && h.Line > 0:
		return fmt.Sprintf("; it waits for thread %d, which %s in %s", h.Thread, cmp.Or(outside.Waits[h.WaitsFor], "is"), h.Site.String())
	case h.InMPI == nil:
		return fmt.Sprintf("; it waits for thread %d, which is outside MPI", h.Thread)
	}
	return fmt.Sprintf("; it waits for thread %d, which is in %s, called by %s", h.Thread, *h.InMPI, h.Site.String())
}

// besideText says where the first of the threads beside a rank is.
func besideText(l Location) string {
	if len(l.Beside) == 0 {
		return ""
	}
	first := l.Beside[0]
	text := "; another thread of " + words.Verb(l.Ranks, "it", "each")
	if first.Ranks != l.Ranks {
		text = "; another thread of " + words.Ranks(first.Ranks)
	}
	if first.Line == 0 {
		return text + " has left the program's code and waits in the OpenMP library"
	}
	does := "waits"
	if first.isInPython() { // what C code does there is not known
		does = "is"
	}
	text += " " + cmp.Or(outside.Waits[first.WaitsFor], does) + " in " + first.Site.String()
	if more := len(l.Beside) - 1; more > 0 {
		text += fmt.Sprintf(" (+%s)", words.Count(more, "more place", "more places"))
	}
	return text
}

// isInPython reports whether its frames are those of Python alone.
func (t *ThreadPlace) isInPython() bool {
	return len(t.Stack) > 0 && t.Stack[0].Language == symbol.Python
}

// within says in words what of Python a place is part of.
var within = map[string]string{"import": ", while a module is imported", "destructor": ", in a destructor"}

// processText says how to find a rank's process. Of several ranks at a place it is
// that of the one named.
func processText(l Location) string {
	var parts []string
	if l.PID != 0 {
		parts = append(parts, fmt.Sprintf("process %d%s on %s", l.PID, inContainer(l), l.Host))
	}
	if l.Since != nil {
		parts = append(parts, "no progress since "+l.Since.Format(time.DateTime)+" UTC")
	}
	if parts != nil {
		parts[0] = words.Verb(l.Ranks, "", fmt.Sprintf("rank %d: ", l.Rank)) + parts[0]
	}
	return strings.Join(parts, ", ")
}

// inContainer says where the number of a process counts, unless it does on its host.
func inContainer(l Location) string {
	if l.Contained {
		return " inside its container"
	}
	return ""
}

func edgeText(r *Result, e Edge) string {
	from, to := r.Groups[e.From].Ranks, r.Groups[e.To].Ranks
	switch {
	case e.Kind == "undefined":
		return fmt.Sprintf("%s and %s: order undefined: %s", words.Ranks(from), words.Ranks(to), words.Cut(e.Reason))
	case e.From == e.To:
		return fmt.Sprintf("%s (%s): %s", words.Ranks(from)+words.Verb(from, " waits for itself", ", among themselves"),
			e.Kind, words.Cut(e.Reason))
	}
	return fmt.Sprintf("%s %s for %s (%s): %s", words.Ranks(from), words.Verb(from, "waits", "wait"), words.Ranks(to),
		e.Kind, words.Cut(e.Reason))
}

func stateText(s State) string {
	does, at := stateParts(s)
	switch {
	case at == "":
		return does
	case s.Kind == "computation" && s.MPI != "": // where it computes now is not part of the state
		return does + " called in " + at
	}
	return does + " in " + at
}

// stateParts says what the ranks in a state do, and at which place, "" if it is
// not known.
func stateParts(s State) (does, at string) {
	if len(s.Stack) > 0 {
		at = framePlace(s.Stack)
	}
	switch {
	case s.Kind == "communication":
		return s.MPI, at
	case s.Kind != "computation":
		return "no record", ""
	case s.MPI == "" && len(s.Stack) > 0:
		return "computation", at
	case s.MPI == "":
		return "computation before the first MPI call", ""
	case s.MPI == "MPI_Finalize":
		return "finished, after MPI_Finalize", at
	}
	return "computation after " + s.MPI, at
}

// framePlace is "function (file:line)" of the frame that says where a stack is, or as
// much of it as is known.
func framePlace(stack []report.Frame) string {
	f := stack[report.Place(stack)]
	switch {
	case f.Function == "" && f.Module != "":
		return f.Code()
	case f.Function == "" || f.File == "":
		return f.Function
	}
	return fmt.Sprintf("%s (%s:%d)", f.Function, path.Base(f.File), f.Line)
}

// unrecordedCall is the function of MPI's profiling interface that a captured stack is in, which programs call by that name in wrappers of
// their own (MPI-3.1 §14.2); "": none.
func unrecordedCall(stack []report.Frame) string {
	for _, f := range stack {
		if strings.HasPrefix(f.Function, "PMPI_") {
			return f.Function
		}
	}
	return ""
}
