package slice

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"laggard/report"
	"laggard/report/source"
	"laggard/report/words"
	"laggard/slicing"
	"laggard/slicing/since"
)

// printer writes the text form.
type printer struct{ words.Printer }

// Document is the answer of laggard slice. The fields of the first slice, that of the least-progressed ranks, are
// repeated at the top.
type Document struct {
	SchemaVersion int `json:"schema_version"` // version of this JSON form
	Head
	Lines []StepLine `json:"lines"` // lines of all slices; a line is listed with the first slice that has it
	Steps []Slice    `json:"steps"` // all slices, the first included
}

// StepLine is a line, and the slice that adds it.
type StepLine struct {
	Line
	Step int `json:"step"` // index into steps; distance is counted from where that slice starts
}

// JSON writes slices in their JSON form: the lines of the least-progressed ranks come
// first, then what those add that wait.
func JSON(w io.Writer, steps []Slice) error {
	out := Document{SchemaVersion: report.SchemaVersion, Lines: []StepLine{}, Steps: []Slice{}}
	out.Notes = []string{}
	if len(steps) > 0 {
		out.Head, out.Steps = steps[0].Head, steps
		for n, s := range steps {
			for _, l := range newLines(s) {
				out.Lines = append(out.Lines, StepLine{l, n})
			}
			out.Truncated = out.Truncated || s.Truncated
		}
	}
	return report.JSON(w, out)
}

// newLines are those that no earlier slice has.
func newLines(s Slice) []Line {
	return slices.DeleteFunc(slices.Clone(s.Lines), func(l Line) bool { return !l.New })
}

// Text writes slices for a person, below the headline of the diagnosis: for each
// group the source with the lines that it adds, marked and with their distance.
func Text(w io.Writer, headline string, steps []Slice) error {
	p := &printer{}
	p.Line("%s.", headline)
	for i, s := range steps {
		p.Line("")
		p.slice(i, s)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *printer) slice(n int, s Slice) {
	added := len(newLines(s))
	what := countLines(s.Lines)
	if n > 0 {
		what = fmt.Sprintf("%s, %d of them new", what, added)
	}
	p.Line("%d. %s: %s (%s)", n+1, s.Criterion.Text, what, s.Backend)
	for _, note := range s.Notes {
		p.Line("   Note: %s", words.Cut(note))
	}
	if added > 0 {
		if Valued(s.Lines) {
			p.Line("   <- shows values in rank %d when it was examined.", s.Criterion.Rank)
		}
		p.Line("")
		p.sourceByFile(s)
		p.linesWithoutSource(s)
	}
}

// maxNearest bounds the lines that Nearest names.
const maxNearest = 4

// Nearest names the nearest lines of a slice whose search goes on, and the functions without line information: "halo.c:40, solve
// and 7 more".
func Nearest(found slicing.Slice) string {
	lines := slices.Clone(found.Lines)
	slices.SortStableFunc(lines, func(a, b slicing.Line) int { return cmp.Compare(a.Distance, b.Distance) })
	var names []string
	for _, l := range lines[:min(len(lines), maxNearest)] {
		name := words.Printable(l.Function)
		if l.Line > 0 {
			name = fmt.Sprintf("%s:%d", words.Printable(path.Base(l.File)), l.Line)
		}
		names = append(names, words.Cut(name))
	}
	switch more := len(lines) - len(names); {
	case len(names) == 0:
		return "none"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}

// countLines counts the lines of a slice, and its functions without line information.
func countLines(lines []Line) string {
	functions := 0
	for _, l := range lines {
		if l.Line.Line == 0 {
			functions++
		}
	}
	switch {
	case functions == 0:
		return fmt.Sprintf("%d lines", len(lines))
	case functions == len(lines):
		return fmt.Sprintf("%d functions without line information", functions)
	}
	return fmt.Sprintf("%d lines and %d functions without line information", len(lines)-functions, functions)
}

// sourceByFile shows the source by file; a line that the slice adds has its distance
// and its kind beside it, one that an earlier slice has a "=".
func (p *printer) sourceByFile(s Slice) {
	at := map[string]map[int]Line{}
	for _, l := range s.Lines {
		if at[l.File] == nil {
			at[l.File] = map[int]Line{}
		}
		at[l.File][l.Line.Line] = l
	}
	file := ""
	for _, e := range s.Excerpts {
		if !slices.ContainsFunc(s.Lines, func(l Line) bool { return l.New && showsLine(e, l) }) {
			continue
		}
		if e.File != file {
			file = e.File
			p.Line("   %s", file)
		} else {
			p.Line("                 …")
		}
		for i, text := range e.Text {
			p.sourceLine(at[e.File][e.First+i], e.First+i, text)
		}
	}
}

func (p *printer) sourceLine(l Line, n int, text string) {
	mark := ""
	switch {
	case l.New:
		mark = fmt.Sprintf("%3d %s", l.Distance, shortKind(string(l.Kind)))
	case l.Line.Line > 0:
		mark = "  ="
	}
	p.Line("%s", strings.TrimRight(fmt.Sprintf("   %-11s %5d  %s%s", mark, n, text, l.Now()), " "))
}

// Valued reports whether of any line it is known what its names held.
func Valued(lines []Line) bool {
	return slices.ContainsFunc(lines, func(l Line) bool { return len(l.Values) > 0 })
}

// Now is what the names in the line stood for, as it stands behind the line in text: "   <- n = 0; now: left = 3". What
// may have changed since the line ran comes behind the others.
func (l Line) Now() string { return valuesText(l.Values) }

func valuesText(list []Value) string {
	var parts []string
	for _, changed := range []bool{false, true} {
		var each []string
		for _, v := range list {
			if (v.Since != since.None) == changed {
				each = append(each, v.Name+" = "+v.Value)
			}
		}
		if text := strings.Join(each, ", "); text != "" && changed {
			parts = append(parts, "now: "+text)
		} else if text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "   <- " + strings.Join(parts, "; ")
}

// linesWithoutSource lists the new lines of which the source was not found.
func (p *printer) linesWithoutSource(s Slice) {
	for _, l := range s.Lines {
		if l.New && !slices.ContainsFunc(s.Excerpts, func(e source.Excerpt) bool { return showsLine(e, l) }) {
			where := fmt.Sprintf("%s:%d", l.File, l.Line.Line)
			if l.Line.Line == 0 {
				where = "in " + path.Base(l.File)
			}
			p.Line("   %3d %-7s  %s  %s", l.Distance, shortKind(string(l.Kind)), l.Function, where)
		}
	}
}

// showsLine reports whether an excerpt shows a line.
func showsLine(e source.Excerpt, l Line) bool {
	return e.File == l.File && l.Line.Line >= e.First && l.Line.Line < e.First+len(e.Text)
}

// shortKind names a kind of dependence in the margin.
func shortKind(kind string) string {
	if kind == "communication" {
		return "comm"
	}
	return kind
}

// Text is the source of a line, "" if it was not found.
func (s Slice) Text(l Line) string {
	for _, e := range s.Excerpts {
		if showsLine(e, l) {
			return strings.TrimSpace(e.Text[l.Line.Line-e.First])
		}
	}
	return ""
}
