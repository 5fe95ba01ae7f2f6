package diagnosis

import (
	"fmt"
	"slices"

	"laggard/analysis/progress"
	"laggard/report"
	"laggard/report/diagnosis/wording"
	"laggard/report/words"
)

// Taken is a message that a wildcard receive took, while the rank now waits for another message of the same sender and
// tag. The message may have been meant for the receive that waits.
type Taken struct {
	Rank         int    `json:"rank"`         // the rank that waits
	From         int    `json:"from"`         // rank that sent the message
	Tag          int    `json:"tag"`          // tag of the message
	Communicator string `json:"communicator"` // the communicator, hexadecimal
	Number       uint64 `json:"number"`       // which of the messages from that rank with that tag, from 1
	Sent         uint64 `json:"sent"`         // how many of them were sent; all were received, or may have been
	// the receive is not complete: it may have taken the message that the rank waits for
	Pending   bool   `json:"pending,omitempty"`
	AnySource bool   `json:"any_source"` // the receive was with MPI_ANY_SOURCE
	AnyTag    bool   `json:"any_tag"`    // the receive was with MPI_ANY_TAG
	MPI       string `json:"mpi"`        // the receive, or the call that began it
	report.Site
	Stack []report.Frame `json:"stack"` // its call stack, innermost frame first
}

func (s Source) newTaken(t progress.Taken, names wording.Names) Taken {
	stack := s.Resolver.ResolveProgramStack(t.Stack, false)
	return Taken{
		Rank: t.Rank, From: t.Peer, Tag: t.Tag, Communicator: names.Comm(t.On), Number: t.Number, Sent: t.Sent,
		Pending: t.Pending, AnySource: t.AnySource, AnyTag: t.AnyTag, MPI: words.Printable(t.Call), Site: report.NewSite(stack),
		Stack: report.Frames(stack),
	}
}

// takenLines say which message went to another receive, perhaps by mistake.
func takenLines(r *Result) []string {
	var lines []string
	for _, t := range r.Taken {
		lines = append(lines, fmt.Sprintf("Message %d of %d from rank %d to rank %d with tag %d %s %s with %s "+
			"in %s%s: it may have been meant for where rank %d is.", t.Number, t.Sent, t.From, t.Rank, t.Tag, t.went(), t.MPI,
			wording.Wildcards(t.AnySource, t.AnyTag), t.Site, t.open(), t.Rank))
	}
	return lines
}

// reason says of the reason that the message went elsewhere.
func (t *Taken) reason() string {
	return fmt.Sprintf("; message %d from rank %d to rank %d with tag %d %s %s with %s%s%s, "+
		"and may have been meant for where rank %d is",
		t.Number, t.From, t.Rank, t.Tag, t.went(), t.MPI, wording.Wildcards(t.AnySource, t.AnyTag), t.Site.InParentheses(), t.open(),
		t.Rank)
}

// went says how sure it is that the receive took the message.
func (t *Taken) went() string {
	if t.Pending {
		return "may have gone to"
	}
	return "went to"
}

// open says of a receive that is not complete that it is so.
func (t *Taken) open() string {
	if t.Pending {
		return ", which is not complete"
	}
	return ""
}

// takenByNamed is the message that one of the named ranks took by a wildcard, while it waits for another one like it; nil: there is none.
func (r *Result) takenByNamed() *Taken {
	i := slices.IndexFunc(r.Taken, func(t Taken) bool { return slices.Contains(r.LeastProgressed.Ranks, t.Rank) })
	if i < 0 {
		return nil
	}
	return &r.Taken[i]
}

// takenInstead is the message that another receive took, while a rank waits for that one of the same sender and tag; nil: there is none.
func (r *Result) takenInstead(m *Unsent) *Taken {
	i := slices.IndexFunc(r.Taken, func(t Taken) bool {
		return t.Rank == m.Rank && t.From == m.From && t.Tag == m.Tag && t.Communicator == m.Communicator
	})
	if i < 0 {
		return nil
	}
	return &r.Taken[i]
}
