package wording

import (
	"fmt"

	"laggard/model"
	"laggard/report"
)

// Inactive is a persistent request for the message that a rank waits for, which its peer did not start often enough.
type Inactive struct {
	Rank, Peer         int
	Sends, Partitioned bool        // it is for a send, else for a receive; it is partitioned
	Freed              bool        // it was freed
	Waited             bool        // since then the peer has waited for it
	MadeBy             report.Site // where it was made
	Started            uint64
	More               model.RankSet // who started requests that were made there more often
	Most               uint64        // and how often, at most
}

// Text says how often the request was started, and how often others were.
func (q *Inactive) Text() string {
	what, started := "receive from", "never started it"
	if q.Sends {
		what = "send to"
	}
	if q.Partitioned {
		what = "partitioned " + what
	}
	switch {
	case q.Started > 0:
		started = "started it " + times(q.Started)
	case q.Freed:
		started = "freed it without starting it"
	}
	text := fmt.Sprintf("rank %d created the %s rank %d%s and %s", q.Peer, what, q.Rank, q.MadeBy.InParentheses(), started)
	if q.Waited {
		text += ", but waited for it"
	}
	others := q.More.Minus(model.NewRankSet(q.Peer))
	switch {
	case q.Most == 0:
		return text
	case others.Len() == 0:
		return fmt.Sprintf("%s, and another one from there %s", text, times(q.Most))
	}
	return fmt.Sprintf("%s, while %s started those from there up to %s", text, others.Phrase(), times(q.Most))
}
