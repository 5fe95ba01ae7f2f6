package usage

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/report/words"
)

// printer writes the text form.
type printer struct{ words.Printer }

// Text writes the findings for a person: worst first, each with its ranks,
// its calls, the section of the standard, and what to change.
func Text(w io.Writer, u *Result) error {
	p := &printer{}
	findings := u.mergedFindings()
	p.Line("%s", headline(u, findings))
	for i, f := range findings {
		p.Line("")
		p.finding(i+1, f)
	}
	if len(u.Findings) > 0 {
		p.Line("")
	}
	p.closingNotes(u)
	_, err := io.WriteString(w, p.String())
	return err
}

// headline sums up.
func headline(u *Result, shown []Finding) string {
	of := "of " + words.Size(u.Ranks)
	errors, warnings := severities(shown)
	switch {
	case errors+warnings == 0 && u.Complete:
		return "No wrong use of MPI was found, " + of + "."
	case errors+warnings == 0:
		return "No wrong use of MPI was found in what was recorded, " + of + "."
	case warnings == 0:
		return fmt.Sprintf("%s in the use of MPI, %s.", words.Count(errors, "error", "errors"), of)
	case errors == 0:
		return fmt.Sprintf("%s in the use of MPI, %s.", words.Count(warnings, "warning", "warnings"), of)
	}
	return fmt.Sprintf("%s and %s in the use of MPI, %s.",
		words.Count(errors, "error", "errors"), words.Count(warnings, "warning", "warnings"), of)
}

func severities(shown []Finding) (errors, warnings int) {
	for _, f := range shown {
		if f.Severity == finding.Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}

func (p *printer) finding(n int, f Finding) {
	lines := f.Lines()
	p.Line("%d. %s", n, lines[0])
	for _, l := range lines[1:] {
		p.Line("   %s", l)
	}
}

// Lines are what the text form says of a finding: what is wrong, whose fault it is,
// the calls, and what to change.
func (f Finding) Lines() []string {
	lines := []string{
		fmt.Sprintf("%s: %s", f.Class, words.Cut(f.Message)),
		fmt.Sprintf("%s, %s%s, %s", f.Severity, words.Ranks(f.Ranks), timesText(f), f.Standard),
	}
	for _, l := range f.Locations {
		lines = append(lines, locationText(l))
	}
	if len(f.Ways) > 0 {
		lines = append(lines, fmt.Sprintf("%-12s from %s", "reached:", waysText(f)))
	}
	return append(lines, "Change: "+f.Change)
}

func timesText(f Finding) string {
	if f.Count <= 1 {
		return ""
	}
	return fmt.Sprintf(", %d times", f.Count)
}

// locationText says which call takes part: "send: rank 0, MPI_Send,
// called by main (a.c:12)"; or where the program did something itself: "read: rank 0, in main (a.c:14)".
func locationText(l Location) string {
	role := cmp.Or(l.Role, "call")
	switch {
	case l.MPI == "" && len(l.Stack) > 0:
		return fmt.Sprintf("%-12s rank %d, in %s", role+":", l.Rank, placeText(l))
	case l.MPI == "":
		return fmt.Sprintf("%-12s rank %d", role+":", l.Rank)
	}
	return fmt.Sprintf("%-12s rank %d, %s, called by %s", role+":", l.Rank, l.MPI, placeText(l))
}

// placeText is where the call stands; without a name, its address.
func placeText(l Location) string {
	if l.Function == "" && l.File == "" && len(l.Stack) > 0 {
		return l.Stack[0].String()
	}
	return l.Site.String()
}

// closingNotes says what is missing and how to go on.
func (p *printer) closingNotes(u *Result) {
	if u.Ignored > 0 {
		p.Line("%s suppressed.", words.Count(u.Ignored, "finding", "findings"))
	}
	if shown := slices.ContainsFunc(u.Findings, func(f Finding) bool { return f.found.Returned }); u.Returned > 0 && !shown {
		p.Line("MPI returned errors to the program, which asked for that with MPI_ERRORS_RETURN, at %s: --refused lists them.",
			words.Count(u.Returned, "place", "places"))
	}
	if !u.Complete {
		p.Line("The recording is incomplete, so leaks and lost requests of these ranks are not checked, and more " +
			"may be wrong:")
		p.List(len(u.Incomplete), words.MaxLines, "lines", func(i int) { p.Line("  %s", words.Cut(u.Incomplete[i])) })
	}
	if len(u.Findings) > 0 {
		f := u.Findings[0]
		p.Line("To suppress a known finding: --ignore %s", ignoreOf(f))
	}
}

// ignoreOf is what would ignore a finding.
func ignoreOf(f Finding) string {
	if len(f.Locations) == 0 || f.Locations[0].Line == 0 {
		return f.Class
	}
	l := f.Locations[0]
	return fmt.Sprintf("%s@%s:%d", f.Class, path.Base(l.File), l.Line)
}
