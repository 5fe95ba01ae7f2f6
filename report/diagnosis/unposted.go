package diagnosis

import (
	"fmt"
	"slices"

	"laggard/analysis/progress"
	"laggard/analysis/progress/unposted"
	"laggard/model"
	"laggard/report/words"
)

// Unposted is a receive that a rank never made, for which others wait in sends.
type Unposted struct {
	Rank       int       `json:"rank"`        // the rank that should make it
	Waiting    string    `json:"waiting"`     // the ranks that wait for it
	ReceivedBy *MadeCall `json:"received_by"` // the call by which other ranks receive such messages
	Callers    string    `json:"callers"`     // these ranks
}

func newUnposted(s Source, r *unposted.Receive) Unposted {
	return Unposted{Rank: r.Peer, Waiting: r.Waiting.String(), ReceivedBy: s.newMadeCall(r.By), Callers: r.Callers.String()}
}

// unpostedReason says for the reason which receive a rank that is named never made.
func (r *Result) unpostedReason() string {
	i := slices.IndexFunc(r.Unposted, func(u Unposted) bool { return slices.Contains(r.LeastProgressed.Ranks, u.Rank) })
	if i < 0 || r.LeastProgressed.Rule == progress.RuleLostProcess { // who died receives nothing any more
		return ""
	}
	u := &r.Unposted[i]
	callers, _ := model.ParseRankSet(u.Callers)
	return fmt.Sprintf("; rank %d never called %s%s, by which %s %s such messages", u.Rank, u.ReceivedBy.MPI,
		u.ReceivedBy.site().InParentheses(), callers.Phrase(), words.Verb(u.Callers, "receives", "receive"))
}
