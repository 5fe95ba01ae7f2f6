package report

import (
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// Text writes the result for a person: first the answer, then what supports it,
// then what to do next. It does not contain the Analysis, so equal runs give
// equal text.
func Text(w io.Writer, r *Result) error {
	p := &printer{}
	p.headline(r)
	if r.LeastProgressed != nil {
		p.locations(r)
		p.waiting(r)
	}
	p.deadlock(r)
	p.losses(r)
	p.groups(r)
	p.order(r)
	p.data(r)
	p.next(r)
	_, err := io.WriteString(w, p.String())
	return err
}

type printer struct{ strings.Builder }

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *printer) headline(r *Result) {
	switch {
	case r.LeastProgressed != nil:
		l := r.LeastProgressed
		p.line("%s %s least progressed, of %d ranks (confidence %.2f, by %s)", ranksOf(l.Set, len(l.Ranks)), isAre(len(l.Ranks)), r.Ranks, l.Confidence, l.Method)
		if l.Reason != "" {
			p.line("  because %s", l.Reason)
		}
	case r.Hang:
		p.line("The run of %d ranks did not finish, and which rank is least progressed cannot be told.", r.Ranks)
	case len(r.Groups) == 0:
		p.line("There is no record of any rank.")
	default:
		p.line("No hang: nothing in this run of %d ranks is stuck.", r.Ranks)
	}
}

func ranksOf(set string, n int) string {
	if n == 1 {
		return "Rank " + set
	}
	return "Ranks " + set
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func (p *printer) locations(r *Result) {
	seen := map[string]bool{}
	for _, l := range r.LeastProgressed.Locations {
		if seen[l.Ranks] {
			continue
		}
		seen[l.Ranks] = true
		p.line("")
		p.line("  rank %s %s%s", l.Ranks, doing(l), where(l))
		for _, f := range l.Stack {
			p.line("      %s", frameText(f))
		}
	}
}

func doing(l Location) string {
	switch {
	case l.InMPI != nil:
		return "is in " + *l.InMPI + ", called by " + placeText(l)
	case l.Function == "" && len(l.Stack) == 0:
		return "left no stack"
	case l.After == "":
		return "computes in " + placeText(l) + ", before its first MPI call"
	case l.Captured:
		return "computes in " + placeText(l) + ", after " + l.After
	}
	return "computes after " + l.After + ", called by " + placeText(l)
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

func where(l Location) string {
	var parts []string
	if l.PID != 0 {
		parts = append(parts, fmt.Sprintf("process %d on %s", l.PID, l.Host))
	}
	if l.Since != nil {
		parts = append(parts, "no progress since "+l.Since.Format(time.DateTime)+" UTC")
	}
	if parts == nil {
		return ""
	}
	return "  [" + strings.Join(parts, ", ") + "]"
}

func frameText(f Frame) string {
	name := f.Function
	if name == "" {
		name = path.Base(f.Module) + "+" + f.Offset
	}
	switch {
	case f.File != "":
		return fmt.Sprintf("%s  %s:%d", name, f.File, f.Line)
	case f.Function != "":
		return fmt.Sprintf("%s  in %s", name, path.Base(f.Module))
	}
	return name
}

// waiting says who waits for the least progressed ranks, directly.
func (p *printer) waiting(r *Result) {
	for _, e := range r.Edges {
		if !r.Groups[e.To].Least || r.Groups[e.From].Least || e.Kind == "undefined" {
			continue
		}
		p.line("")
		p.line("  %s (%d) %s for it: %s", lower(ranksOf(r.Groups[e.From].Ranks, r.Groups[e.From].Count)), r.Groups[e.From].Count,
			waits(r.Groups[e.From].Count), e.Reason)
	}
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func waits(n int) string {
	if n == 1 {
		return "waits"
	}
	return "wait"
}

func (p *printer) deadlock(r *Result) {
	for _, c := range r.Deadlock.Cycles {
		parts := make([]string, 0, len(c)+1)
		for _, rank := range c {
			parts = append(parts, fmt.Sprint(rank))
		}
		p.line("")
		p.line("Deadlock: %s -> %d: each waits for the next, none can go on.", strings.Join(parts, " -> "), c[0])
	}
}

func (p *printer) losses(r *Result) {
	for _, l := range r.Losses {
		p.line("")
		p.line("Lost: rank %s: %s", l.Ranks, l.Reason)
	}
	if len(r.UnfinishedRanks) > 0 {
		p.line("")
		p.line("Unfinished: %d ranks never came to MPI_Finalize although others did.", len(r.UnfinishedRanks))
	}
}

func stateText(s State) string {
	at := ""
	if len(s.Stack) > 0 && s.Stack[0].Function != "" {
		at = " in " + s.Stack[0].Function
		if s.Stack[0].File != "" {
			at = fmt.Sprintf("%s (%s:%d)", at, path.Base(s.Stack[0].File), s.Stack[0].Line)
		}
	}
	switch s.Kind {
	case "communication":
		return s.MPI + at
	case "computation":
		if s.MPI == "" {
			return "computation before the first MPI call"
		}
		return "computation after " + s.MPI + at
	}
	return "no record"
}

func (p *printer) groups(r *Result) {
	if len(r.Groups) == 0 {
		return
	}
	p.line("")
	p.line("Groups:")
	for _, g := range r.Groups {
		mark := " "
		if g.Least {
			mark = "*"
		}
		p.line(" %s%3d  rank %s (%d): %s", mark, g.ID, g.Ranks, g.Count, stateText(g.State))
	}
	for _, e := range r.Edges {
		if e.Kind == "undefined" {
			p.line("      groups %d and %d: order undefined: %s", e.From, e.To, e.Reason)
			continue
		}
		p.line("      %d waits for %d (%s): %s", e.From, e.To, e.Kind, e.Reason)
	}
}

func (p *printer) order(r *Result) {
	if len(r.ProgressOrder) < 2 {
		return
	}
	parts := make([]string, len(r.ProgressOrder))
	for i, ids := range r.ProgressOrder {
		ranks := make([]string, len(ids))
		for k, id := range ids {
			ranks[k] = r.Groups[id].Ranks
		}
		parts[i] = strings.Join(ranks, " = ")
	}
	p.line("")
	p.line("Progress, least first: %s", strings.Join(parts, " < "))
}

func (p *printer) data(r *Result) {
	for _, n := range r.Notes {
		p.line("Note: %s", n)
	}
	if len(r.Problems) == 0 {
		return
	}
	p.line("")
	p.line("Missing or damaged data (the rest was used):")
	for _, s := range r.Problems {
		p.line("  %s", s)
	}
}

// next names the command to type next.
func (p *printer) next(r *Result) {
	if r.LeastProgressed == nil || len(r.LeastProgressed.Locations) == 0 {
		return
	}
	if l := r.LeastProgressed.Locations[0]; l.PID != 0 && len(r.LostRanks) == 0 {
		p.line("")
		p.line("Next, while it still runs: on %s: gdb -p %d", l.Host, l.PID)
	}
}
