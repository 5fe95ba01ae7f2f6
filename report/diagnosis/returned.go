package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"laggard/model"
	"laggard/report"
	"laggard/report/words"
)

// ReturnedError is errors of one class that MPI returned to a call of the program, which may have ignored them.
type ReturnedError struct {
	Ranks string `json:"ranks"` // the ranks that got it
	MPI   string `json:"mpi"`   // the MPI function
	report.Site
	Class int            `json:"class"` // error class, as the MPI library numbers it
	Text  string         `json:"text"`  // what MPI says of one of them; "" unknown
	Count uint64         `json:"count"` // how many, in all ranks
	Stack []report.Frame `json:"stack"` // the call stack, innermost frame first
	// those of the ranks that have made few calls since, or poll
	Lately string `json:"lately,omitempty"`
}

func (s Source) returnedErrors() []ReturnedError {
	var out []ReturnedError
	for _, f := range s.ReturnedErrors {
		stack := s.Resolver.ResolveProgramStack(f.Stack, false)
		out = append(out, ReturnedError{
			Ranks: f.Ranks.String(), MPI: words.Printable(f.Call), Site: report.NewSite(stack), Class: f.Class,
			Text: words.Printable(f.Text), Count: f.Count, Stack: report.Frames(stack), Lately: f.Lately.String(),
		})
	}
	return out
}

// returnedErrorLines say which errors MPI returned.
func returnedErrorLines(r *Result) []string {
	var lines []string
	for i := range r.ReturnedErrors {
		e := &r.ReturnedErrors[i]
		lines = append(lines, words.Cut(fmt.Sprintf("MPI returned %s to %s in %s: %s", words.Count(int(e.Count), "error", "errors"),
			words.Ranks(e.Ranks), e.call(), e.Text)))
	}
	return lines
}

// call names the call and its place.
func (e *ReturnedError) call() string {
	return (&MadeCall{MPI: e.MPI, Site: e.Site}).text()
}

// returnedErrorReason says for the reason which errors MPI returned lately to the named ranks, or to others from the call that these are
// in, and not to all.
func (r *Result) returnedErrorReason() string {
	named := model.NewRankSet(r.LeastProgressed.Ranks...)
	var parts []string
	for i := range r.ReturnedErrors {
		e := &r.ReturnedErrors[i]
		ranks, err := model.ParseRankSet(e.Ranks)
		lately, bad := model.ParseRankSet(e.Lately)
		in := func(l Location) bool { return l.InMPI != nil && *l.InMPI == e.MPI }
		if err != nil || bad != nil || ranks.Len() == r.Ranks || lately.Len() == 0 {
			continue
		}
		if some := lately.Intersect(named); some.Len() > 0 {
			part := fmt.Sprintf("; MPI had returned an error to %s in %s", some.Phrase(), e.MPI)
			if !slices.Contains(parts, part) { // of another line with the same call
				parts = append(parts, part)
			}
		} else if slices.ContainsFunc(r.LeastProgressed.Locations, in) {
			parts = append(parts, fmt.Sprintf("; %s had left %s with an error", lately.Phrase(), e.MPI))
		}
	}
	return strings.Join(parts[:min(len(parts), maxReasons)], "")
}
