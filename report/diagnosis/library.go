package diagnosis

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"laggard/analysis/known"
	"laggard/analysis/progress"
	"laggard/model"
	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
)

// Library is what is seen inside the MPI library, where all calls match and nothing
// moves.
type Library struct {
	MPI       string        `json:"mpi"`       // the version, from MPI_Get_library_version; "" unknown
	Transport []string      `json:"transport"` // components and libraries that ranks are in
	Stacks    []InsideStack `json:"stacks"`    // where ranks are inside the library, most ranks first
	Known     []KnownIssue  `json:"known"`     // public issues that resemble this hang
	hang      known.Hang    // what these are looked up by
}

// InsideStack is where ranks are inside the library, innermost first.
type InsideStack struct {
	Ranks  string         `json:"ranks"`  // the ranks
	Frames []report.Frame `json:"frames"` // frames inside the library, innermost first
	count  int            // of ranks
}

// KnownIssue is a public issue that resembles the hang.
type KnownIssue struct {
	Title      string   `json:"title"`      // title of the issue
	Reference  string   `json:"reference"`  // its address
	Workaround string   `json:"workaround"` // what helps
	Why        []string `json:"why"`        // what it has in common with the hang
}

// newLibrary describes a hang that the library may be at fault for; nil: it is another.
func (s Source) newLibrary() *Library {
	l := s.Diagnosis.LeastProgressed
	if l == nil || l.Cause != progress.CauseLibrary {
		return nil
	}
	out := &Library{Transport: []string{}, Stacks: []InsideStack{}, Known: []KnownIssue{}}
	hang := s.foldStacks(out)
	for _, lib := range s.Inside.Libraries {
		out.MPI = words.Printable(lib.Version)
		hang.Family = lib.Family
		if v := known.VersionIn(lib.Version); v != "" {
			hang.Versions = appendUnique(hang.Versions, v)
		}
	}
	for _, g := range s.Groups {
		if g.Least && !slices.Contains(hang.Calls, g.Call) {
			hang.Calls = append(hang.Calls, g.Call)
		}
	}
	out.hang = hang
	return out
}

// AddKnownIssues adds the issues of a table that a hang of the MPI library looks like.
func AddKnownIssues(r *Result, table known.Table) {
	if r.Library == nil {
		return
	}
	for _, m := range table.Matches(r.Library.hang) {
		r.Library.Known = append(r.Library.Known,
			KnownIssue{m.Title, m.Reference, m.Workaround, words.AllPrintable(m.Why)})
	}
}

// foldStacks joins the stacks that go through the same functions, and returns what a
// known issue may tell of them.
func (s Source) foldStacks(out *Library) known.Hang {
	var hang known.Hang
	at, ranks := map[string]int{}, []model.RankSet{}
	for _, stack := range s.Inside.Stacks {
		levels := s.Resolver.ResolveStack(stack.Frames, true)
		key := ""
		for _, l := range levels {
			frame := report.Frames([]symbol.Location{l})[0]
			name := cmp.Or(frame.Function, frame.Code())
			key += name + "\n"
			hang.Frames, hang.Modules = appendUnique(hang.Frames, name), appendUnique(hang.Modules, l.Module)
		}
		i, is := at[key]
		if !is {
			i = len(ranks)
			at[key], ranks = i, append(ranks, model.RankSet{})
			out.Stacks = append(out.Stacks, InsideStack{Frames: report.Frames(levels)})
		}
		ranks[i] = ranks[i].Union(stack.Ranks)
		out.Stacks[i].Ranks, out.Stacks[i].count = ranks[i].String(), ranks[i].Len()
	}
	slices.SortStableFunc(out.Stacks, func(a, b InsideStack) int { return b.count - a.count })
	for _, m := range hang.Modules {
		if symbol.IsTransport(m) {
			out.Transport = appendUnique(out.Transport, words.Printable(path.Base(m)))
		}
	}
	slices.Sort(out.Transport)
	return hang
}

func appendUnique(list []string, one string) []string {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// The first screen shows where most ranks are, from the innermost function out.
const (
	maxInside       = 4
	maxInsideFrames = 8
)

// libraryStacks shows what the ranks do inside the library.
func (p *printer) libraryStacks(r *Result) {
	l := r.Library
	if l == nil || len(l.Stacks) == 0 && libraryText(l) == "" {
		return
	}
	p.Line("")
	p.Line("Inside the library%s:", libraryText(l))
	p.List(len(l.Stacks), maxInside, "stacks", func(i int) {
		p.Line("  %s: %s", words.Ranks(l.Stacks[i].Ranks), strings.Join(l.Stacks[i].frameNames(), " < "))
	})
}

// knownIssues shows the issues that the hang looks like.
func (p *printer) knownIssues(r *Result) {
	if r.Library == nil || len(r.Library.Known) == 0 {
		return
	}
	p.Line("")
	for _, k := range r.Library.Known {
		p.Line("This looks like a known issue (%s):", strings.Join(k.Why, "; "))
		p.Line("  %s", words.Cut(k.Title))
		p.Line("  %s", k.Reference)
		if k.Workaround != "" {
			p.Line("  Try: %s", words.Cut(k.Workaround))
		}
	}
}

// libraryText names the library and its transports, as far as they are known.
func libraryText(l *Library) string {
	text := ""
	if l.MPI != "" {
		name, _, _ := strings.Cut(l.MPI, ",")
		text = " (" + name + ")"
	}
	if len(l.Transport) > 0 {
		text += ", over " + strings.Join(l.Transport, ", ")
	}
	return text
}

// frameNames are those of the frames, without inlined ones.
func (s InsideStack) frameNames() []string {
	var out []string
	for _, f := range s.Frames {
		switch {
		case len(out) == maxInsideFrames:
			return append(out, "…")
		case f.Inlined:
		case f.Function == "":
			out = append(out, f.Code())
		default:
			out = append(out, f.Function)
		}
	}
	return out
}

// pageLibrary is a Library in words.
type pageLibrary struct {
	Title  string       `json:"title"`
	Stacks []pageInside `json:"stacks"`
	Left   int          `json:"left"` // stacks that are not shown
	Known  []KnownIssue `json:"known"`
}

type pageInside struct {
	Ranks string   `json:"ranks"`
	Names []string `json:"names"` // of functions, innermost first
}

func pageLibraryOf(r *Result) *pageLibrary {
	if r.Library == nil {
		return nil
	}
	out := &pageLibrary{Title: pageText("Inside the library" + libraryText(r.Library)), Known: []KnownIssue{}}
	for _, s := range r.Library.Stacks[:min(len(r.Library.Stacks), maxPageDivergences)] {
		out.Stacks = append(out.Stacks, pageInside{s.Ranks, words.AllPrintable(s.frameNames())})
	}
	for _, k := range r.Library.Known {
		out.Known = append(out.Known, KnownIssue{pageText(k.Title), pageText(k.Reference), pageText(k.Workaround),
			words.AllPrintable(k.Why)})
	}
	out.Left = len(r.Library.Stacks) - len(out.Stacks)
	return out
}
