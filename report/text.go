package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"laggard/model"
)

// The first screen must hold the answer, so its lists are cut in the text form;
// the JSON form has all of them.
const (
	maxPlaces   = 4
	maxFrames   = 10
	maxWaits    = 6
	maxLines    = 8 // of losses, cycles and problems each
	maxSentence = 400
)

// Text writes the result for a person. First the answer: which rank, where,
// since when, who waits for it, what is lost or damaged, and what to do next;
// below it all groups and the other waits. It does not contain the Analysis, so
// equal runs give equal text.
func Text(w io.Writer, r *Result) error {
	p := &printer{said: map[int]bool{}}
	p.headline(r)
	if r.LeastProgressed != nil {
		p.locations(r.LeastProgressed)
		p.waiting(r)
	}
	p.cycles(r)
	p.losses(r)
	p.data(r)
	p.sliced(r)
	p.next(r)
	p.groups(r)
	p.otherWaits(r)
	p.order(r)
	_, err := io.WriteString(w, p.String())
	return err
}

type printer struct {
	strings.Builder
	said map[int]bool // edges, by index, that have been written
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// list writes a line for each of n things, or for the first ones and how many
// there are besides.
func (p *printer) list(n, limit int, what string, line func(i int)) {
	for i := range min(n, limit) {
		line(i)
	}
	if n > limit {
		p.line("      … and %d more %s, in the JSON form", n-limit, what)
	}
}

func (p *printer) headline(r *Result) {
	l := r.LeastProgressed
	if l == nil {
		p.line("%s.", headline(r))
	} else {
		p.line("%s (confidence %.2f, by %s)", headline(r), l.Confidence, l.Method)
		if l.Reason != "" {
			p.line("  because: %s", cut(l.Reason))
		}
	}
	for _, n := range r.Notes {
		p.line("Note: %s", n)
	}
}

// locations writes each place once, with the process of its first rank.
func (p *printer) locations(l *LeastProgressed) {
	list := places(l)
	p.list(len(list), maxPlaces, "places", func(i int) {
		at := list[i]
		p.line("")
		p.line("  %s %s", ranks(at.Ranks), doing(at))
		if text := process(at); text != "" {
			p.line("      %s", text)
		}
		p.stack(at.Stack)
	})
}

func (p *printer) stack(frames []Frame) {
	p.list(len(frames), maxFrames, "frames", func(i int) { p.line("      %s", frameText(frames[i])) })
	var notes []string
	for _, f := range frames[:min(len(frames), maxFrames)] {
		if f.Note != "" && !slices.Contains(notes, f.Note) {
			notes = append(notes, f.Note)
			p.line("      (symbols: %s)", cut(f.Note))
		}
	}
}

// waiting says who waits for the least progressed ranks, directly, and through
// what; in a deadlock they wait for each other.
func (p *printer) waiting(r *Result) {
	var direct []int
	for i, e := range r.Edges {
		if r.Groups[e.To].Least && e.Kind != "undefined" {
			direct = append(direct, i)
		}
	}
	if direct == nil {
		return
	}
	p.line("")
	for _, i := range direct[:min(len(direct), maxWaits)] {
		p.wait(r, i)
	}
}

func (p *printer) wait(r *Result, i int) {
	p.said[i] = true
	p.line("  %s", edgeText(r, r.Edges[i]))
}

func (p *printer) cycles(r *Result) { p.section(cycleLines(r), "cycles") }

func (p *printer) section(lines []string, what string) {
	if len(lines) > 0 {
		p.line("")
	}
	p.list(len(lines), maxLines, what, func(i int) { p.line("%s", lines[i]) })
}

func (p *printer) losses(r *Result) { p.section(lossLines(r), "losses") }

func (p *printer) data(r *Result) {
	if len(r.DamagedRanks) == 0 && len(r.Problems) == 0 {
		return
	}
	p.line("")
	whose := ""
	if len(r.DamagedRanks) > 0 {
		whose = " of " + ranks(model.NewRankSet(r.DamagedRanks...).String())
	}
	p.line("Missing or damaged data%s; the rest was used:", whose)
	p.list(len(r.Problems), maxLines, "problems", func(i int) { p.line("  %s", cut(r.Problems[i])) })
}

// next names the command to type next.
func (p *printer) next(r *Result) {
	if n := nextStep(r); n.Command != "" {
		p.line("")
		p.line("Next%s: %s%s%s", n.When, n.before(), n.Command, n.Also)
	}
}

func (p *printer) groups(r *Result) {
	if len(r.Groups) == 0 {
		return
	}
	p.line("")
	if r.LeastProgressed == nil {
		p.line("Groups:")
	} else {
		p.line("Groups (* least progressed):")
	}
	for _, g := range r.Groups {
		mark := " "
		if g.Least {
			mark = "*"
		}
		p.line(" %s%3d  %s: %s", mark, g.ID, ranks(g.Ranks), stateText(g.State))
	}
}

// otherWaits writes the edges that were not part of the answer.
func (p *printer) otherWaits(r *Result) {
	if len(p.said) == len(r.Edges) {
		return
	}
	p.line("")
	if len(p.said) == 0 {
		p.line("Waits:")
	} else {
		p.line("Other waits:")
	}
	for i := range r.Edges {
		if !p.said[i] {
			p.wait(r, i)
		}
	}
}

func (p *printer) order(r *Result) {
	if len(r.ProgressOrder) < 2 {
		return
	}
	parts := make([]string, len(r.ProgressOrder))
	for i, ids := range r.ProgressOrder {
		sets := make([]string, len(ids))
		for k, id := range ids {
			sets[k] = shorten(r.Groups[id].Ranks)
		}
		parts[i] = strings.Join(sets, " = ")
	}
	p.line("")
	p.line("Progress, least first: %s", strings.Join(parts, " < "))
}
