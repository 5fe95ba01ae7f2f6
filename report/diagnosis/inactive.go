package diagnosis

import (
	"slices"

	"laggard/analysis/progress"
	"laggard/model"
	"laggard/report/diagnosis/wording"
)

// Inactive is a persistent or partitioned request for the message that a rank waits for, which another rank did not start often enough.
type Inactive struct {
	Rank         int       `json:"rank"`                  // the rank that waits
	Peer         int       `json:"peer"`                  // the rank that has the request
	Communicator string    `json:"communicator"`          // the communicator, in words
	Tag          int       `json:"tag"`                   // the tag of the message
	Number       uint64    `json:"number"`                // which of the messages of that communicator and tag, from 1
	Sends        bool      `json:"sends"`                 // the request is for a send; else for a receive
	Partitioned  bool      `json:"partitioned,omitempty"` // it is partitioned
	MadeBy       *MadeCall `json:"made_by"`               // the call that made the request
	Started      uint64    `json:"started"`               // how often it was started
	Waited       bool      `json:"waited,omitempty"`      // the rank has waited for it since, without having started it again
	Freed        bool      `json:"freed,omitempty"`       // it was freed
	More         string    `json:"more"`                  // ranks that started requests of the same call more often
	Most         uint64    `json:"most"`                  // how often they did, at most; 0: none did
}

func (s Source) newInactive(q progress.Inactive, names wording.Names) Inactive {
	return Inactive{Rank: q.Rank, Peer: q.Peer, Communicator: names.Comm(q.On), Tag: q.Tag, Number: q.Number, Sends: q.Sends,
		Partitioned: q.Partitioned, MadeBy: s.newMadeCall(q.By), Started: q.Started, Waited: q.Waited,
		Freed: q.Freed, More: q.More.String(), Most: q.Most}
}

// inactiveReason says for the reason which request was not started, if its rank is named, or if the one that waits is and no divergence
// explains that.
func (r *Result) inactiveReason(diverged bool) string {
	named := model.NewRankSet(r.LeastProgressed.Ranks...)
	i := slices.IndexFunc(r.Inactive, func(q Inactive) bool {
		return named.Contains(q.Peer) || !diverged && named.Contains(q.Rank)
	})
	if i < 0 || r.LeastProgressed.Rule == progress.RuleLostProcess { // who died starts nothing any more
		return ""
	}
	q := &r.Inactive[i]
	more, _ := model.ParseRankSet(q.More)
	return "; " + (&wording.Inactive{Rank: q.Rank, Peer: q.Peer, Sends: q.Sends, Partitioned: q.Partitioned, MadeBy: q.MadeBy.site(),
		Started: q.Started, Waited: q.Waited, Freed: q.Freed, More: more, Most: q.Most}).Text()
}
