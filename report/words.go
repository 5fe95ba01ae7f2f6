package report

import (
	"fmt"
	"path"
	"strings"
	"time"

	"laggard/model"
	"laggard/symbol"
)

// ranks names a set: "rank 3", "ranks 0-2,5".
func ranks(set string) string { return verb(set, "rank ", "ranks ") + shorten(set) }

// verb chooses between the forms for one rank and for several.
func verb(set, one, several string) string {
	if strings.ContainsAny(set, ",-") {
		return several
	}
	return one
}

// maxSet is how many characters of a rank set are read at a glance.
const maxSet = 60

// shorten cuts a rank set that fills lines, at a comma, and says how many ranks
// it has.
func shorten(set string) string { return shortenTo(set, maxSet) }

func shortenTo(set string, limit int) string {
	if len(set) <= limit {
		return set
	}
	all, err := model.ParseRankSet(set)
	if err != nil {
		return set
	}
	return fmt.Sprintf("%s,… (%d)", set[:max(0, strings.LastIndexByte(set[:limit], ','))], all.Len())
}

// cut ends a sentence that fills the screen.
func cut(s string) string {
	runes := []rune(s)
	if len(runes) <= maxSentence {
		return s
	}
	return string(runes[:maxSentence]) + "… (all of it in the JSON form)"
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func size(n int) string {
	switch n {
	case 0:
		return "an unknown number of ranks"
	case 1:
		return "1 rank"
	}
	return fmt.Sprintf("%d ranks", n)
}

// arrows writes a cycle.
func arrows(cycle []int) string {
	b := &strings.Builder{}
	for i, rank := range cycle {
		if i == maxLines {
			fmt.Fprintf(b, "… (%d ranks) -> ", len(cycle))
			break
		}
		fmt.Fprintf(b, "%d -> ", rank)
	}
	fmt.Fprint(b, cycle[0])
	return b.String()
}

func doing(l Location) string {
	computes := verb(l.Ranks, "computes", "compute")
	switch {
	case l.InMPI != nil:
		return fmt.Sprintf("%s in %s, called by %s", verb(l.Ranks, "is", "are"), *l.InMPI, placeText(l))
	case len(l.Stack) == 0:
		return "left no stack"
	case l.After == "" && !l.Captured:
		return fmt.Sprintf("%s in %s", computes, placeText(l))
	case l.After == "":
		return fmt.Sprintf("%s in %s, before the first MPI call", computes, placeText(l))
	case l.Captured:
		return fmt.Sprintf("%s in %s, after %s", computes, placeText(l), l.After)
	}
	return fmt.Sprintf("%s after %s, called by %s", computes, l.After, placeText(l))
}

func placeText(l Location) string {
	name := l.Function
	if name == "" {
		name = "an unknown function"
	}
	if l.File == "" {
		return name
	}
	return fmt.Sprintf("%s (%s:%d)", name, path.Base(l.File), l.Line)
}

// process says how to find a rank's process. Of several ranks at a place it is
// that of the one named.
func process(l Location) string {
	var parts []string
	if l.PID != 0 {
		parts = append(parts, fmt.Sprintf("process %d on %s", l.PID, l.Host))
	}
	if l.Since != nil {
		parts = append(parts, "no progress since "+l.Since.Format(time.DateTime)+" UTC")
	}
	if parts != nil {
		parts[0] = verb(l.Ranks, "", fmt.Sprintf("rank %d: ", l.Rank)) + parts[0]
	}
	return strings.Join(parts, ", ")
}

func frameText(f Frame) string {
	switch {
	case f.Module == "":
		return f.Offset
	case f.Function == "":
		return path.Base(f.Module) + "+" + f.Offset
	case f.File == "" && f.Module == symbol.Unknown:
		return f.Function
	case f.File == "":
		return fmt.Sprintf("%s  in %s", f.Function, path.Base(f.Module))
	}
	return fmt.Sprintf("%s  %s:%d", f.Function, f.File, f.Line)
}

func edgeText(r *Result, e Edge) string {
	from, to := r.Groups[e.From].Ranks, r.Groups[e.To].Ranks
	switch {
	case e.Kind == "undefined":
		return fmt.Sprintf("%s and %s: order undefined: %s", ranks(from), ranks(to), cut(e.Reason))
	case e.From == e.To:
		return fmt.Sprintf("%s (%s): %s", ranks(from)+verb(from, " waits for itself", ", among themselves"), e.Kind, cut(e.Reason))
	}
	return fmt.Sprintf("%s %s for %s (%s): %s", ranks(from), verb(from, "waits", "wait"), ranks(to), e.Kind, cut(e.Reason))
}

func stateText(s State) string {
	does, at := stateParts(s)
	if at == "" {
		return does
	}
	return does + " in " + at
}

// stateParts says what the ranks in a state do, and at which place, "" if it is
// not known.
func stateParts(s State) (does, at string) {
	if len(s.Stack) > 0 {
		at = framePlace(s.Stack[0])
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

// framePlace is "function (file:line)", or as much of it as is known.
func framePlace(f Frame) string {
	if f.Function == "" || f.File == "" {
		return f.Function
	}
	return fmt.Sprintf("%s (%s:%d)", f.Function, path.Base(f.File), f.Line)
}
