package diagnosis

import (
	"fmt"

	"laggard/analysis/progress"
	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
)

// Taken is a message that a receive with a wildcard took, while the rank now waits in vain for
// another one of the same sender and tag. It may have been meant for the receive that waits.
type Taken struct {
	Rank         int    `json:"rank"`
	From         int    `json:"from"` // its sender
	Tag          int    `json:"tag"`
	Communicator string `json:"communicator"`
	Number       uint64 `json:"number"` // of the messages from there with that tag, from 1
	Sent         uint64 `json:"sent"`   // how many of them there were; all are received
	AnySource    bool   `json:"any_source"`
	AnyTag       bool   `json:"any_tag"`
	MPI          string `json:"mpi"` // the receive, or what began it
	report.Site
	Stack []report.Frame `json:"stack"`
}

func (s Source) taken(t progress.Taken) Taken {
	stack := symbol.Trim(s.Resolver.Stack(t.Stack, false))
	return Taken{
		Rank: t.Rank, From: t.Peer, Tag: t.Tag, Communicator: words.Printable(t.Comm), Number: t.Number, Sent: t.Sent,
		AnySource: t.AnySource, AnyTag: t.AnyTag, MPI: words.Printable(t.Call), Site: report.NewSite(stack),
		Stack: report.Frames(stack),
	}
}

// takenLines say which message went to another receive, perhaps by mistake.
func takenLines(r *Result) []string {
	var lines []string
	for _, t := range r.Taken {
		open := "any source"
		switch {
		case t.AnySource && t.AnyTag:
			open = "any source and tag"
		case t.AnyTag:
			open = "any tag"
		}
		lines = append(lines, fmt.Sprintf("Message %d of %d from rank %d to rank %d with tag %d went to %s with %s "+
			"in %s: it may have been meant for where rank %d is.", t.Number, t.Sent, t.From, t.Rank, t.Tag, t.MPI, open,
			t.Site, t.Rank))
	}
	return lines
}
