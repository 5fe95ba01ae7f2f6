package diagnosis

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"laggard/model"
	"laggard/report"
	"laggard/report/slice"
	"laggard/report/words"
)

// The first screen must hold the answer, so its lists are cut in the text form;
// the JSON form has all of them.
const (
	maxPlaces     = 4
	maxFrames     = 10
	maxWaits      = 6
	maxSliceLines = 8
)

// Text writes the result for a person. First the answer: which rank, where,
// since when, who waits for it, what is lost or damaged, and what to do next;
// below it all groups and the other waits. It does not contain the Analysis, so
// equal runs give equal text.
func Text(w io.Writer, r *Result) error {
	p := &printer{said: map[int]bool{}}
	p.explained(r)
	p.headline(r)
	p.partings(r)
	p.library(r)
	if r.LeastProgressed != nil {
		p.locations(r.LeastProgressed)
		p.exceptions(r)
		p.differences(r)
		p.waiting(r)
	}
	p.cycles(r)
	p.section(takenLines(r), "messages")
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
	words.Printer
	said map[int]bool // edges, by index, that have been written
}

func (p *printer) headline(r *Result) {
	l := r.LeastProgressed
	if l == nil {
		p.Line("%s.", Headline(r))
	} else {
		p.Line("%s (confidence %.2f, by %s)", Headline(r), l.Confidence, l.Method)
		if l.Reason != "" {
			p.Line("  because: %s", words.Cut(l.Reason))
		}
	}
	for _, n := range r.Notes {
		p.Line("Note: %s", n)
	}
}

// locations writes each place once, with the process of its first rank.
func (p *printer) locations(l *LeastProgressed) {
	list := places(l)
	p.List(len(list), maxPlaces, "places", func(i int) {
		at := list[i]
		p.Line("")
		p.Line("  %s %s", words.Ranks(at.Ranks), doing(at))
		if text := process(at); text != "" {
			p.Line("      %s", text)
		}
		p.stack(at.Stack)
	})
}

func (p *printer) stack(frames []report.Frame) {
	p.List(len(frames), maxFrames, "frames", func(i int) { p.Line("      %s", frames[i].String()) })
	var notes []string
	for _, f := range frames[:min(len(frames), maxFrames)] {
		if f.Note != "" && !slices.Contains(notes, f.Note) {
			notes = append(notes, f.Note)
			p.Line("      (symbols: %s)", words.Cut(f.Note))
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
	p.Line("")
	for _, i := range direct[:min(len(direct), maxWaits)] {
		p.wait(r, i)
	}
}

func (p *printer) wait(r *Result, i int) {
	p.said[i] = true
	p.Line("  %s", edgeText(r, r.Edges[i]))
}

func (p *printer) cycles(r *Result) { p.section(cycleLines(r), "cycles") }

func (p *printer) section(lines []string, what string) {
	if len(lines) > 0 {
		p.Line("")
	}
	p.List(len(lines), words.MaxLines, what, func(i int) { p.Line("%s", lines[i]) })
}

func (p *printer) losses(r *Result) { p.section(lossLines(r), "losses") }

func (p *printer) data(r *Result) {
	if len(r.DamagedRanks) == 0 && len(r.Problems) == 0 {
		return
	}
	p.Line("")
	whose := ""
	if len(r.DamagedRanks) > 0 {
		whose = " of " + words.Ranks(model.NewRankSet(r.DamagedRanks...).String())
	}
	p.Line("Missing or damaged data%s; the rest was used:", whose)
	p.List(len(r.Problems), words.MaxLines, "problems", func(i int) { p.Line("  %s", words.Cut(r.Problems[i])) })
}

// sliced shows the first lines of the first slice.
func (p *printer) sliced(r *Result) {
	if len(r.Slices) == 0 || len(r.Slices[0].Lines) == 0 {
		return
	}
	s := r.Slices[0]
	p.Line("")
	of := fmt.Sprintf("of %d lines", len(s.Lines))
	if s.Truncated {
		of = fmt.Sprintf("of the first %d lines, which were found before the search was cut short", len(s.Lines))
	}
	shown, held := s.Lines[:min(len(s.Lines), maxSliceLines)], ""
	if slice.Valued(shown) {
		held = fmt.Sprintf("; <- what names held in rank %d", s.Criterion.Rank)
	}
	p.Line("Code that may have led there, likeliest first, %s (laggard slice shows all%s):", of, held)
	for _, l := range shown {
		text := fmt.Sprintf("      %s:%d  %s  %s%s", path.Base(l.File), l.Line.Line, l.Function, s.Text(l), l.Now())
		p.Line("%s", strings.TrimRight(text, " "))
	}
}

// next names the command to type next.
func (p *printer) next(r *Result) {
	if n := nextStep(r); n.Command != "" {
		p.Line("")
		p.Line("Next%s: %s%s%s", n.When, n.before(), n.Command, n.Also)
	}
}

func (p *printer) groups(r *Result) {
	if len(r.Groups) == 0 {
		return
	}
	p.Line("")
	if r.LeastProgressed == nil {
		p.Line("Groups:")
	} else {
		p.Line("Groups (* least progressed):")
	}
	for _, g := range r.Groups {
		mark := " "
		if g.Least {
			mark = "*"
		}
		p.Line(" %s%3d  %s: %s", mark, g.ID, words.Ranks(g.Ranks), stateText(g.State))
	}
}

// otherWaits writes the edges that were not part of the answer.
func (p *printer) otherWaits(r *Result) {
	if len(p.said) == len(r.Edges) {
		return
	}
	p.Line("")
	if len(p.said) == 0 {
		p.Line("Waits:")
	} else {
		p.Line("Other waits:")
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
			sets[k] = words.Set(r.Groups[id].Ranks)
		}
		parts[i] = strings.Join(sets, " = ")
	}
	p.Line("")
	p.Line("Progress, least first: %s", strings.Join(parts, " < "))
}
