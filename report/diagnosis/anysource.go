package diagnosis

import (
	"fmt"
	"slices"

	"laggard/analysis/progress"
	"laggard/model"
	"laggard/report/diagnosis/wording"
	"laggard/report/words"
)

// AnySourceWait is a rank that waits, in one call, for several messages from any source, of which some did not come.
type AnySourceWait struct {
	Rank         int    `json:"rank"`           // the rank that waits
	MPI          string `json:"mpi"`            // the call that it is in
	Tag          int    `json:"tag"`            // tag of the messages; -1: any
	Communicator string `json:"communicator"`   // their communicator, in words
	Wanted       uint64 `json:"wanted"`         // how many it waits for
	Came         uint64 `json:"came"`           // how many were sent
	From         string `json:"from"`           // the ranks that sent them
	None         string `json:"none,omitempty"` // the ranks that could have sent one and sent none; absent: none, or unknown
}

func newAnySourceWait(a progress.AnySourceWait, names wording.Names) AnySourceWait {
	out := AnySourceWait{Rank: a.Rank, MPI: words.Printable(a.Call), Tag: a.Tag, Communicator: names.Comm(a.On), Wanted: a.Wanted,
		Came: a.Came, From: a.From.String(), None: a.None.String()}
	if a.Tag == model.Any {
		out.Tag = anyTag
	}
	return out
}

// anySourceLines say how many messages came of those that ranks wait for from any source, and who sent none.
func anySourceLines(r *Result) []string {
	var lines []string
	for i := range r.AnySourceWaits {
		lines = append(lines, words.Upper(r.AnySourceWaits[i].text())+".")
	}
	return lines
}

// anySourceReason says so for the reason, of the first of the named ranks.
func (r *Result) anySourceReason() string {
	i := slices.IndexFunc(r.AnySourceWaits, func(a AnySourceWait) bool { return slices.Contains(r.LeastProgressed.Ranks, a.Rank) })
	if i < 0 {
		return ""
	}
	return "; " + r.AnySourceWaits[i].text()
}

func (a *AnySourceWait) text() string {
	tag := fmt.Sprintf("tag %d", a.Tag)
	if a.Tag == anyTag {
		tag = "any tag"
	}
	came := "none came"
	if a.Came > 0 {
		came = fmt.Sprintf("only %d came, from %s", a.Came, words.Ranks(a.From))
	}
	text := fmt.Sprintf("rank %d waits for %d messages from any source with %s on %s, and %s", a.Rank, a.Wanted, tag, a.Communicator, came)
	if a.None != "" && a.Came > 0 {
		text += ", but none from " + words.Ranks(a.None)
	}
	return text
}
