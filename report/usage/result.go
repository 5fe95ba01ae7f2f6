package usage

import (
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/report"
	"laggard/report/source"
	"laggard/report/words"
	"laggard/symbol"
)

// Result is the wrong use of MPI that was found in a run.
type Result struct {
	SchemaVersion int        `json:"schema_version"` // version of this JSON form
	Run           report.Run `json:"run"`            // the run that was analysed
	Ranks         int        `json:"ranks"`          // size of MPI_COMM_WORLD; 0: unknown
	Findings      []Finding  `json:"findings"`       // the findings, worst first
	Ignored       int        `json:"ignored"`        // number of findings that were suppressed
	// number of findings of calls that returned an error to the program by MPI_ERRORS_RETURN; without --refused they are
	// not among the findings
	Returned   int      `json:"returned"`
	Complete   bool     `json:"complete"`   // every rank recorded all of its calls and reached MPI_Finalize
	Incomplete []string `json:"incomplete"` // what is missing and why, see docs/reference/notes.md#wrong-use-of-mpi
}

// Finding is one kind of wrong use at one set of places.
type Finding struct {
	Class    string `json:"class"`    // class, see docs/manual/usage.md#classes
	Severity string `json:"severity"` // error or warning
	Ranks    string `json:"ranks"`    // the ranks involved
	Count    int    `json:"count"`    // number of occurrences on all ranks
	Message  string `json:"message"`  // what is wrong, in one sentence
	Change   string `json:"change"`   // what to change
	Standard string `json:"standard"` // section of the MPI standard
	// the calls involved in the first occurrence, the wrong one first
	Locations []Location       `json:"locations"`
	Excerpts  []source.Excerpt `json:"-"`
	Ways      []string         `json:"-"` // callers, if several ways lead to what is shown as one
	found     finding.Finding
}

// Location is a call that takes part in a finding.
type Location struct {
	Rank int    `json:"rank"` // the rank that made the call
	Role string `json:"role"` // part the call plays, such as send, receive or creation
	MPI  string `json:"mpi"`  // the MPI function
	report.Site
	Stack []report.Frame `json:"stack"` // the call stack, innermost frame first
}

// Source is what a Result is made from.
type Source struct {
	Run        report.Run
	Ranks      int
	Findings   []finding.Finding // worst first
	Ignore     []finding.Ignore
	Refused    bool // include findings of calls that returned an error by MPI_ERRORS_RETURN
	Incomplete []string
	Resolver   *symbol.Resolver
	Finder     *source.Finder // nil: no excerpts are wanted
	Around     int            // source lines on each side of a call
}

// New puts names to findings and leaves out those that are to be ignored.
func New(s Source) *Result {
	u := &Result{
		SchemaVersion: report.SchemaVersion, Run: s.Run, Ranks: s.Ranks, Findings: []Finding{},
		Complete: len(s.Incomplete) == 0, Incomplete: words.AllPrintable(s.Incomplete),
	}
	for _, f := range s.Findings {
		one := s.newFinding(f)
		if one.ofBinding() {
			continue
		}
		if s.isIgnored(one) {
			u.Ignored++
			continue
		}
		if f.Returned {
			u.Returned++
		}
		if f.Returned && !s.Refused {
			continue
		}
		one.addExcerpts(s.Finder, s.Around)
		u.Findings = append(u.Findings, one)
	}
	return u
}

func (s Source) newFinding(f finding.Finding) Finding {
	out := Finding{
		Class: f.Class, Severity: f.Severity, Ranks: f.Ranks.String(), Count: f.Count, found: f,
		Message: words.Printable(f.Message), Change: words.Printable(f.Change), Standard: words.Printable(f.Standard),
		Locations: []Location{},
	}
	for _, p := range f.Places {
		stack := s.Resolver.ResolveProgramStack(p.Site.Stack, false)
		out.Locations = append(out.Locations, Location{
			Rank: p.Rank, Role: words.Printable(p.Role), MPI: words.Printable(p.Call),
			Site: report.NewSite(stack), Stack: report.Frames(stack),
		})
	}
	return out
}

// ofBinding reports whether a finding is of an object that mpi4py makes once and keeps, such as the attribute key by
// which it finds its locks again: the program asked for a message of Python's objects, by a method with a small first
// letter. Methods that have the functions of MPI begin with a capital.
func (f Finding) ofBinding() bool {
	if f.Class != "leak" || len(f.Locations) == 0 {
		return false
	}
	made := f.Locations[0]
	if made.Through == "" || made.Stack[report.Place(made.Stack)].Language != symbol.Python {
		return false
	}
	method := made.Through[strings.LastIndexByte(made.Through, '.')+1:]
	return method != "" && method[0] >= 'a' && method[0] <= 'z'
}

// isIgnored reports whether one of the ignores covers a finding: by any of its calls.
func (s Source) isIgnored(f Finding) bool {
	places := make([]finding.SourcePlace, len(f.Locations))
	for i, l := range f.Locations {
		places[i] = finding.SourcePlace{Function: l.Function, File: l.File, Line: l.Line}
	}
	return slices.ContainsFunc(s.Ignore, func(i finding.Ignore) bool { return i.Covers(f.Class, places) })
}

// addExcerpts finds the source around the calls.
func (f *Finding) addExcerpts(finder *source.Finder, around int) {
	if finder == nil {
		return
	}
	var files []string
	lines := map[string][]int{}
	for _, l := range f.Locations {
		if l.Line == 0 {
			continue
		}
		if lines[l.File] == nil {
			files = append(files, l.File)
		}
		lines[l.File] = append(lines[l.File], l.Line)
	}
	for _, file := range files {
		found, _ := finder.Excerpts(file, lines[file], around)
		f.Excerpts = append(f.Excerpts, found...)
	}
}
