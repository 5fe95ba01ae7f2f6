package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"laggard/analysis/usage/replay"
	"laggard/symbol"
)

// Usage is what was found of wrong use of MPI in a run.
type Usage struct {
	SchemaVersion int            `json:"schema_version"`
	Run           Run            `json:"run"`
	Ranks         int            `json:"ranks"`
	Findings      []UsageFinding `json:"findings"` // worst first
	// Ignored counts the findings that were suppressed.
	Ignored int `json:"ignored"`
	// Complete: all ranks recorded all their calls. Else Incomplete says of which
	// something is missing, and why.
	Complete   bool     `json:"complete"`
	Incomplete []string `json:"incomplete"`
}

// UsageFinding is one kind of wrong use at one set of places.
type UsageFinding struct {
	Class    string `json:"class"`
	Severity string `json:"severity"` // error, warning
	Ranks    string `json:"ranks"`
	Count    int    `json:"count"` // how often, in all ranks
	Message  string `json:"message"`
	Change   string `json:"change"` // what to change
	Standard string `json:"standard"`
	// Locations are the calls involved, the wrong one first; they are those of the
	// first time that it happened.
	Locations []UsageLocation `json:"locations"`
	Excerpts  []Excerpt       `json:"-"`
}

// UsageLocation is a call that takes part in a finding.
type UsageLocation struct {
	Rank     int     `json:"rank"`
	Role     string  `json:"role"` // such as send, receive, creation
	MPI      string  `json:"mpi"`
	Function string  `json:"function"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Stack    []Frame `json:"stack"`
}

// UsageSource is what a Usage is made from.
type UsageSource struct {
	Run        Run
	Ranks      int
	Findings   []usage.Finding // worst first
	Ignore     []usage.Ignore
	Incomplete []string
	Resolver   *symbol.Resolver
	Finder     *SourceFinder // nil: no excerpts are wanted
	Around     int           // source lines on each side of a call
}

// NewUsage puts names to findings and leaves out those that are to be ignored.
func NewUsage(s UsageSource) *Usage {
	s.Run.Command, s.Run.Job = clean(s.Run.Command), Printable(s.Run.Job)
	u := &Usage{
		SchemaVersion: SchemaVersion, Run: s.Run, Ranks: s.Ranks, Findings: []UsageFinding{},
		Complete: len(s.Incomplete) == 0, Incomplete: clean(s.Incomplete),
	}
	for _, f := range s.Findings {
		one := s.finding(f)
		if s.ignored(one) {
			u.Ignored++
			continue
		}
		one.excerpts(s.Finder, s.Around)
		u.Findings = append(u.Findings, one)
	}
	return u
}

func (s UsageSource) finding(f usage.Finding) UsageFinding {
	out := UsageFinding{
		Class: f.Class, Severity: f.Severity, Ranks: f.Ranks.String(), Count: f.Count,
		Message: Printable(f.Message), Change: Printable(f.Change), Standard: Printable(f.Standard), Locations: []UsageLocation{},
	}
	for _, p := range f.Places {
		stack := symbol.Trim(s.Resolver.Stack(p.Site.Stack, false))
		l := UsageLocation{Rank: p.Rank, Role: Printable(p.Role), MPI: Printable(p.Call), Stack: frames(stack)}
		if i := symbol.AppFrame(stack); i >= 0 {
			c := stack[i].Call
			l.Function, l.File, l.Line = Printable(c.Function), Printable(c.File), c.Line
		}
		out.Locations = append(out.Locations, l)
	}
	return out
}

// ignored reports whether one of the ignores covers a finding: by any of its calls.
func (s UsageSource) ignored(f UsageFinding) bool {
	places := make([]usage.SourcePlace, len(f.Locations))
	for i, l := range f.Locations {
		places[i] = usage.SourcePlace{Function: l.Function, File: l.File, Line: l.Line}
	}
	for _, i := range s.Ignore {
		if i.Covers(f.Class, places) {
			return true
		}
	}
	return false
}

// excerpts finds the source around the calls.
func (f *UsageFinding) excerpts(finder *SourceFinder, around int) {
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

// UsageJSON writes the findings in their JSON form.
func UsageJSON(w io.Writer, u *Usage) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(u)
}

// maxIncomplete bounds the lines about missing data in the text form.
const maxIncomplete = 8

// UsageText writes the findings for a person: worst first, each with its ranks,
// its calls, the section of the standard, and what to change.
func UsageText(w io.Writer, u *Usage) error {
	p := &printer{}
	p.line("%s", usageHeadline(u))
	for i, f := range u.Findings {
		p.line("")
		p.usageFinding(i+1, f)
	}
	if len(u.Findings) > 0 {
		p.line("")
	}
	p.usageEnd(u)
	_, err := io.WriteString(w, p.String())
	return err
}

// usageHeadline sums up.
func usageHeadline(u *Usage) string {
	of := "of " + size(u.Ranks)
	switch errors, warnings := severities(u); {
	case errors+warnings == 0 && u.Complete:
		return "No wrong use of MPI was found, " + of + "."
	case errors+warnings == 0:
		return "No wrong use of MPI was found in what was recorded, " + of + "."
	case warnings == 0:
		return fmt.Sprintf("%s in the use of MPI, %s.", count(errors, "error"), of)
	case errors == 0:
		return fmt.Sprintf("%s in the use of MPI, %s.", count(warnings, "warning"), of)
	default:
		return fmt.Sprintf("%s and %s in the use of MPI, %s.", count(errors, "error"), count(warnings, "warning"), of)
	}
}

func severities(u *Usage) (errors, warnings int) {
	for _, f := range u.Findings {
		if f.Severity == usage.Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (p *printer) usageFinding(n int, f UsageFinding) {
	p.line("%d. %s: %s", n, f.Class, cut(f.Message))
	p.line("   %s, %s%s, %s", f.Severity, ranks(f.Ranks), times(f), f.Standard)
	for _, l := range f.Locations {
		p.line("   %s", usageLocation(l))
	}
	p.line("   Change: %s", f.Change)
}

func times(f UsageFinding) string {
	if f.Count <= 1 {
		return ""
	}
	return fmt.Sprintf(", %d times", f.Count)
}

// usageLocation says which call takes part: «send: rank 0 in MPI_Send, called by main (a.c:12)».
func usageLocation(l UsageLocation) string {
	role := l.Role
	if role == "" {
		role = "call"
	}
	if l.MPI == "" {
		return fmt.Sprintf("%-12s rank %d", role+":", l.Rank)
	}
	return fmt.Sprintf("%-12s rank %d, %s, called by %s", role+":", l.Rank, l.MPI, usagePlace(l))
}

// usagePlace is where the call stands; without a name, its address.
func usagePlace(l UsageLocation) string {
	if l.Function == "" && l.File == "" && len(l.Stack) > 0 {
		return frameText(l.Stack[0])
	}
	return placeText(Location{Function: l.Function, File: l.File, Line: l.Line})
}

// usageEnd says what is missing and how to go on.
func (p *printer) usageEnd(u *Usage) {
	if u.Ignored > 0 {
		p.line("%s ignored, as asked.", count(u.Ignored, "finding"))
	}
	if !u.Complete {
		p.line("The record is not complete, so leaks and lost requests of these ranks are not judged, and more may be wrong:")
		p.list(len(u.Incomplete), maxIncomplete, "lines", func(i int) { p.line("  %s", cut(u.Incomplete[i])) })
	}
	if len(u.Findings) > 0 {
		f := u.Findings[0]
		p.line("A finding that is known is ignored by --ignore %s.", ignoreOf(f))
	}
}

// ignoreOf is what would ignore a finding.
func ignoreOf(f UsageFinding) string {
	if len(f.Locations) == 0 || f.Locations[0].Line == 0 {
		return f.Class
	}
	l := f.Locations[0]
	return fmt.Sprintf("%s@%s:%d", f.Class, l.File[strings.LastIndexByte(l.File, '/')+1:], l.Line)
}
