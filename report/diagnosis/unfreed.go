package diagnosis

import (
	"fmt"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/report"
	"laggard/report/diagnosis/wording"
	"laggard/report/words"
	"laggard/symbol"
)

// Unfreed is the communicators, windows or files that one call of the program made and nothing freed.
type Unfreed struct {
	What  string `json:"what"`  // communicator, window or file
	Least int    `json:"least"` // how many in a rank at least
	Most  int    `json:"most"`  // and at most
	Ranks string `json:"ranks"` // the ranks that made them
	MPI   string `json:"mpi"`   // the MPI function that made them
	report.Site
	Stack []report.Frame `json:"stack"` // the call stack, innermost frame first
}

// NewUnfreed finds out where the calls are in the program.
func NewUnfreed(list []facts.Unfreed, resolver *symbol.Resolver) []Unfreed {
	var out []Unfreed
	for _, u := range list {
		stack := resolver.ResolveProgramStack(u.Stack, false)
		out = append(out, Unfreed{
			What: wording.CommKind(u.Kind), Least: u.Least, Most: u.Most, Ranks: u.Ranks.String(), MPI: words.Printable(u.Call),
			Site: report.NewSite(stack), Stack: report.Frames(stack),
		})
	}
	return out
}

// UnfreedText says what was never freed: "3 communicators created by MPI_Comm_dup in solve (solver.c:88) were never freed by ranks 0-3".
func UnfreedText(u *Unfreed) string {
	number := words.Count(u.Most, u.What, u.What+"s")
	if u.Least < u.Most {
		number = fmt.Sprintf("%d to %s", u.Least, number)
	}
	made, freed := "created", "freed"
	if u.What == wording.CommKind(model.File) {
		made, freed = "opened", "closed"
	}
	was := "were"
	if u.Most == 1 {
		was = "was"
	}
	return fmt.Sprintf("%s %s by %s %s never %s by %s", number, made, (&MadeCall{MPI: u.MPI, Site: u.Site}).text(), was, freed,
		words.Ranks(u.Ranks))
}

func unfreedLines(r *Result) []string {
	var lines []string
	for i := range r.Unfreed {
		lines = append(lines, words.Cut(UnfreedText(&r.Unfreed[i])))
	}
	return lines
}
