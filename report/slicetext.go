package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// sliceJSON is the JSON form of laggard slice: the slice of where it starts,
// which is of all least-progressed ranks together, and the steps it is made in.
type sliceJSON struct {
	SchemaVersion int `json:"schema_version"`
	SliceHead
	Lines []SliceLine `json:"lines"`
	Steps []Slice     `json:"steps"` // the first one included
}

// SliceJSON writes the slices of a result in their JSON form.
func SliceJSON(w io.Writer, r *Result) error {
	out := sliceJSON{SchemaVersion: SchemaVersion, Lines: []SliceLine{}, Steps: []Slice{}}
	out.Notes = []string{}
	if len(r.Slices) > 0 {
		out.SliceHead, out.Steps = r.Slices[0].SliceHead, r.Slices
		for _, s := range r.Slices {
			if !s.Criterion.Waiting {
				out.Lines = append(out.Lines, newLines(s)...)
				out.Truncated = out.Truncated || s.Truncated
			}
		}
		slices.SortStableFunc(out.Lines, func(a, b SliceLine) int { return cmp.Compare(a.Distance, b.Distance) })
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// newLines are those that no earlier slice has.
func newLines(s Slice) []SliceLine {
	return slices.DeleteFunc(slices.Clone(s.Lines), func(l SliceLine) bool { return !l.New })
}

// SliceText writes the slices of a result for a person: for each group the
// source with the lines that it adds, marked and with their distance.
func SliceText(w io.Writer, r *Result) error {
	p := &printer{said: map[int]bool{}}
	p.line("%s.", headline(r))
	for i, s := range r.Slices {
		p.line("")
		p.slice(i, s)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *printer) slice(n int, s Slice) {
	added := len(newLines(s))
	what := fmt.Sprintf("%d lines", len(s.Lines))
	if n > 0 {
		what = fmt.Sprintf("%d lines, %d of them new", len(s.Lines), added)
	}
	p.line("%d. %s: %s (%s)", n+1, s.Criterion.Text, what, s.Backend)
	for _, note := range s.Notes {
		p.line("   Note: %s", cut(note))
	}
	if added > 0 {
		p.line("")
		p.source(s)
		p.without(s)
	}
}

// source shows the source by file; a line that the slice adds has its distance
// and its kind beside it, one that an earlier slice has a "=".
func (p *printer) source(s Slice) {
	at := map[string]map[int]SliceLine{}
	for _, l := range s.Lines {
		if at[l.File] == nil {
			at[l.File] = map[int]SliceLine{}
		}
		at[l.File][l.Line.Line] = l
	}
	file := ""
	for _, e := range s.Excerpts {
		if !slices.ContainsFunc(s.Lines, func(l SliceLine) bool { return l.New && e.has(l) }) {
			continue
		}
		if e.File != file {
			file = e.File
			p.line("   %s", file)
		} else {
			p.line("                 …")
		}
		for i, text := range e.Text {
			p.sourceLine(at[e.File][e.First+i], e.First+i, text)
		}
	}
}

func (p *printer) sourceLine(l SliceLine, n int, text string) {
	mark := ""
	switch {
	case l.New:
		mark = fmt.Sprintf("%3d %s", l.Distance, brief(string(l.Kind)))
	case l.Line.Line > 0:
		mark = "  ="
	}
	p.line("%s", strings.TrimRight(fmt.Sprintf("   %-11s %5d  %s", mark, n, text), " "))
}

// without lists the new lines of which the source was not found.
func (p *printer) without(s Slice) {
	for _, l := range s.Lines {
		if l.New && !slices.ContainsFunc(s.Excerpts, func(e Excerpt) bool { return e.has(l) }) {
			p.line("   %3d %-7s  %s  %s:%d", l.Distance, brief(string(l.Kind)), l.Function, l.File, l.Line.Line)
		}
	}
}

func (e Excerpt) has(l SliceLine) bool {
	return e.File == l.File && l.Line.Line >= e.First && l.Line.Line < e.First+len(e.Text)
}

// brief names a kind of dependence in the margin.
func brief(kind string) string {
	if kind == "communication" {
		return "comm"
	}
	return kind
}

// maxSliceLines bounds the lines of the slice on the first screen.
const maxSliceLines = 8

// sliced shows the nearest lines of the first slice.
func (p *printer) sliced(r *Result) {
	if len(r.Slices) == 0 || len(r.Slices[0].Lines) == 0 {
		return
	}
	s := r.Slices[0]
	p.line("")
	p.line("Code that may have led there, nearest first, of %d lines (laggard slice shows all):", len(s.Lines))
	for _, l := range s.Lines[:min(len(s.Lines), maxSliceLines)] {
		p.line("      %s:%d  %s%s", path.Base(l.File), l.Line.Line, l.Function, s.text(l))
	}
}

// text is the source of a line, "" if it was not found.
func (s Slice) text(l SliceLine) string {
	for _, e := range s.Excerpts {
		if e.has(l) {
			return "  " + strings.TrimSpace(e.Text[l.Line.Line-e.First])
		}
	}
	return ""
}
