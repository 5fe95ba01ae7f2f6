package diagnosis

import (
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
	MPI       string   `json:"mpi"`       // as MPI_Get_library_version says; "" unknown
	Transport []string `json:"transport"` // the components and libraries that ranks are in
	// Stacks are folded by functions; most ranks first.
	Stacks []InsideStack `json:"stacks"`
	Known  []KnownIssue  `json:"known"` // public issues that look like it
}

// InsideStack is where ranks are inside the library, innermost first.
type InsideStack struct {
	Ranks  string         `json:"ranks"`
	Frames []report.Frame `json:"frames"`
	count  int            // of ranks
}

// KnownIssue is a public issue that the hang looks like.
type KnownIssue struct {
	Title      string   `json:"title"`
	Reference  string   `json:"reference"`
	Workaround string   `json:"workaround"`
	Why        []string `json:"why"` // what it has in common with the hang
}

// library describes a hang that the library may be at fault for; nil: it is another.
func (s Source) library() *Library {
	l := s.Diagnosis.LeastProgressed
	if l == nil || l.Cause != progress.CauseLibrary {
		return nil
	}
	out := &Library{Transport: []string{}, Stacks: []InsideStack{}, Known: []KnownIssue{}}
	hang := s.folded(out)
	for _, lib := range s.Inside.Libraries {
		out.MPI = words.Printable(lib.Version)
		hang.Family = lib.Family
		if v := known.VersionIn(lib.Version); v != "" {
			hang.Versions = add(hang.Versions, v)
		}
	}
	for _, g := range s.Groups {
		if g.Least && !slices.Contains(hang.Calls, g.Call) {
			hang.Calls = append(hang.Calls, g.Call)
		}
	}
	for _, m := range s.Known.Matches(hang) {
		out.Known = append(out.Known, KnownIssue{m.Title, m.Reference, m.Workaround, words.AllPrintable(m.Why)})
	}
	return out
}

// folded joins the stacks that go through the same functions, and returns what a
// known issue may tell of them.
func (s Source) folded(out *Library) known.Hang {
	var hang known.Hang
	at, ranks := map[string]int{}, []model.RankSet{}
	for _, stack := range s.Inside.Stacks {
		levels := s.Resolver.Stack(stack.Frames, true)
		key := ""
		for _, l := range levels {
			frame := report.Frames([]symbol.Location{l})[0]
			name := frame.Function
			if name == "" {
				name = frame.Code()
			}
			key += name + "\n"
			hang.Frames, hang.Modules = add(hang.Frames, name), add(hang.Modules, l.Module)
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
		if symbol.Transport(m) {
			out.Transport = add(out.Transport, words.Printable(path.Base(m)))
		}
	}
	slices.Sort(out.Transport)
	return hang
}

func add(list []string, one string) []string {
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

// library shows what the ranks do inside the library, and what that looks like.
func (p *printer) library(r *Result) {
	l := r.Library
	if l == nil {
		return
	}
	p.Line("")
	p.Line("Inside the library%s:", libraryText(l))
	p.List(len(l.Stacks), maxInside, "stacks", func(i int) {
		p.Line("  %s: %s", words.Ranks(l.Stacks[i].Ranks), strings.Join(l.Stacks[i].names(), " < "))
	})
	for _, k := range l.Known {
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

// names are those of the frames, without inlined ones.
func (s InsideStack) names() []string {
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
	for _, s := range r.Library.Stacks[:min(len(r.Library.Stacks), maxPagePartings)] {
		out.Stacks = append(out.Stacks, pageInside{s.Ranks, words.AllPrintable(s.names())})
	}
	for _, k := range r.Library.Known {
		out.Known = append(out.Known, KnownIssue{pageText(k.Title), pageText(k.Reference), pageText(k.Workaround),
			words.AllPrintable(k.Why)})
	}
	out.Left = len(r.Library.Stacks) - len(out.Stacks)
	return out
}
