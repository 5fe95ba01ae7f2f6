package diagnosis

import (
	"fmt"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
)

// Unfreed is what one call of the program made and nothing freed, closed or completed.
type Unfreed struct {
	What  string `json:"what"`  // communicator, window, file, request, persistent request or datatype
	Least int    `json:"least"` // how many in a rank at least
	Most  int    `json:"most"`  // and at most
	Ranks string `json:"ranks"` // the ranks that made them
	MPI   string `json:"mpi"`   // the MPI function that made them
	report.Site
	Stack []report.Frame `json:"stack"` // the call stack, innermost frame first
}

type unfreedWord struct{ what, made, freed string }

// unfreedWords are the words for each kind.
var unfreedWords = []unfreedWord{
	facts.UnfreedComm:       {"communicator", "created", "freed"},
	facts.UnfreedWindow:     {"window", "created", "freed"},
	facts.UnfreedFile:       {"file", "opened", "closed"},
	facts.UnfreedRequest:    {"request", "begun", "completed"},
	facts.UnfreedPersistent: {"persistent request", "created", "freed"},
	facts.UnfreedDatatype:   {"datatype", "created", "freed"},
}

// NewUnfreed finds out where the calls are in the program.
func NewUnfreed(list []facts.Unfreed, resolver *symbol.Resolver) []Unfreed {
	var out []Unfreed
	for _, u := range list {
		stack := resolver.ResolveProgramStack(u.Stack, false)
		out = append(out, Unfreed{
			What: unfreedWords[u.Kind].what, Least: u.Least, Most: u.Most, Ranks: u.Ranks.String(), MPI: words.Printable(u.Call),
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
	i := slices.IndexFunc(unfreedWords, func(w unfreedWord) bool { return w.what == u.What })
	made, freed := unfreedWords[i].made, unfreedWords[i].freed
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
