package slice

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"laggard/analysis/progress"
	"laggard/analysis/slice"
	"laggard/model/values"
	"laggard/report"
	"laggard/report/source"
	"laggard/report/words"
	"laggard/slicing"
	"laggard/slicing/since"
	"laggard/symbol"
)

// Slice is the slice of one group of ranks: the source lines that could have
// brought it to where it is (PDI §2.2, §4.4). A diagnosis lists slices in the
// order of the progress dependence graph, the least-progressed group first, then
// those that wait for it, so that a reader can go from one to the next.
type Slice struct {
	Head
	Lines []Line `json:"lines"` // the source lines, likeliest first
	// source text around the lines, by file and line, as far as the files were found
	Excerpts []source.Excerpt `json:"excerpts,omitempty"`
}

// Head says what a slice is of, and how much it can be trusted.
type Head struct {
	Criterion Criterion `json:"criterion"` // the state that the slice starts from
	Backend   string    `json:"backend"`   // native or dyninst
	Truncated bool      `json:"truncated"` // a limit ended the search; notes say which
	Notes     []string  `json:"notes"`     // what is missing and why, see docs/reference/notes.md#slices
}

// Criterion is the state that a slice starts from.
type Criterion struct {
	Group   int     `json:"group"`            // ID of the group in the diagnosis, -1 none
	Branch  bool    `json:"branch,omitempty"` // it starts at the branch by which ranks diverged
	Waiting bool    `json:"waiting"`          // the group waits for a rank of an earlier slice
	Ranks   string  `json:"ranks"`            // ranks of the group
	Rank    int     `json:"rank"`             // the rank whose state it is
	MPI     *string `json:"mpi"`              // MPI function it is in; null: it computes
	report.Site
	Text  string         `json:"text"`  // the same in words
	Stack []report.Frame `json:"stack"` // the call stack, innermost frame first
}

// Line is a line of a slice.
type Line struct {
	slicing.Line
	New bool `json:"new"` // no earlier slice has the line
	// what the names in the line held when the rank was observed, which is after the line ran; none where the stack has the function twice
	Values []Value `json:"values,omitempty"`
}

// Value is what a name in a line held when the rank was observed.
type Value struct {
	Name  string `json:"name"`  // as the source writes it: "n", "grid.n", "mesh->part"; in Fortran "grid%n"
	Value string `json:"value"` // the value, as text
	// Since says how it may have changed since the line ran: "call", a call may have written it; "write", a line writes it, or it is not
	// known which lines ran since; absent: not at all, as far as the text of the file tells.
	Since since.Change `json:"since,omitempty"`
}

// Source is what a Slice is made from.
type Source struct {
	Step     slice.Step
	Resolver *symbol.Resolver
	Finder   source.Finder
	Around   int    // source lines to show on each side of one in the slice
	Note     string // about the backend
	Values   []values.Rank
}

// New makes the slice of one group.
func New(s Source) Slice {
	step := s.Step
	out := Slice{
		Head: Head{
			Criterion: s.criterion(), Backend: step.Slice.Backend, Truncated: step.Slice.Truncated, Notes: []string{},
		},
		Lines: []Line{},
	}
	notes := append([]string{}, step.Slice.Notes...)
	if step.Err != nil {
		notes = append(notes, step.Err.Error())
	}
	for _, n := range append(notes, s.Note) {
		if n != "" {
			out.Notes = append(out.Notes, words.Printable(n))
		}
	}
	wanted := map[string][]int{}
	seen, texts := map[slicing.LineID]bool{}, source.Texts{Finder: s.Finder}
	for i, l := range step.Slice.Lines {
		if l.Kind == slicing.Control {
			l.Line = texts.BranchLine(l.File, l.Line)
		}
		if seen[l.ID()] {
			continue
		}
		seen[l.ID()] = true
		if l.Line > 0 {
			wanted[l.File] = append(wanted[l.File], l.Line)
		}
		l.File, l.Function = words.Printable(l.File), words.Printable(l.Function)
		out.Lines = append(out.Lines, Line{Line: l, New: step.New[i]})
	}
	s.addExcerpts(&out, wanted)
	s.addValues(&out, &texts)
	return out
}

func (s Source) addExcerpts(out *Slice, wanted map[string][]int) {
	for _, file := range slices.Sorted(maps.Keys(wanted)) {
		found, changed := s.Finder.Excerpts(file, wanted[file], s.Around)
		for _, e := range found {
			e.File = words.Printable(e.File)
			out.Excerpts = append(out.Excerpts, e)
		}
		switch {
		case changed:
			out.Notes = append(out.Notes,
				words.Printable(file)+" was changed after the run began; its text may not be what was compiled")
		case len(found) == 0:
			out.Notes = append(out.Notes, "source not found: "+words.Printable(file)+" (--root DIR)")
		}
	}
}

// addValues adds what the rank's variables held.
func (s Source) addValues(out *Slice, texts *source.Texts) {
	i := slices.IndexFunc(s.Values, func(r values.Rank) bool { return r.Rank == s.Step.Criterion.Rank })
	if i < 0 {
		return
	}
	held := &s.Values[i]
	for n, l := range out.Lines {
		frame := held.FrameOf(l.Function, l.File)
		if frame == nil {
			continue
		}
		found := held.ValuesInLine(frame, out.Text(l))
		if len(found) == 0 {
			continue
		}
		way := since.NewWay(l.File, texts.Text(l.File), l.Line.Line, frame.Line)
		for _, v := range found {
			if change := way.Change(v.Name, v.Shared); change != since.Other {
				out.Lines[n].Values = append(out.Lines[n].Values, Value{words.Printable(v.Name), words.Printable(v.Value), change})
			}
		}
	}
}

func (s Source) criterion() Criterion {
	c := s.Step.Criterion
	stack := s.Resolver.ResolveProgramStack(c.Stack, c.Exact)
	out := Criterion{
		Group: s.Step.Group.ID, Waiting: s.Step.Waiting, Branch: s.Step.Branch,
		Ranks: s.Step.Group.Ranks.String(), Rank: c.Rank,
		Site: report.NewSite(stack), Stack: report.Frames(stack),
	}
	doing := "computing"
	if s.Step.Branch {
		doing = "parted"
	}
	if c.Call != "" && s.Step.Group.Kind != progress.Computation {
		call := words.Printable(c.Call)
		out.MPI, doing = &call, "in "+call
	}
	out.Text = fmt.Sprintf("%s %s", words.Ranks(out.Ranks), doing)
	if out.Function != "" {
		out.Text += ", " + out.Function
	}
	if out.Line > 0 {
		out.Text += fmt.Sprintf(" (%s:%d)", path.Base(out.File), out.Line)
	}
	return out
}
