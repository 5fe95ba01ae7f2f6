package inactive

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/rankviews"
	"laggard/model"
	"laggard/reduce"
)

// Wait is that of a rank for another one to begin its part of a message of a known channel.
type Wait struct {
	Rank   int    `json:"rank"` // that waits
	Peer   int    `json:"peer"` // a rank of MPI_COMM_WORLD too
	Comm   uint64 `json:"comm"`
	Tag    int    `json:"tag"`
	Sends  bool   `json:"sends"`  // the peer has to send the message; else to receive it
	Number uint64 `json:"number"` // of the message on its channel, from 1
}

// View is what some ranks say about their persistent requests.
type View struct{ rankviews.Views[rankView] }

// rankView is what one rank says.
type rankView struct {
	Rank int       `json:"rank"`
	Made []request `json:"made,omitempty"`
}

// RankOf is the rank that tells.
func (r rankView) RankOf() int { return r.Rank }

// request is persistent requests of one channel and direction that a call made.
type request struct {
	Comm    uint64        `json:"comm"`
	Peer    int           `json:"peer"` // a rank of MPI_COMM_WORLD, or model.Any
	Tag     int           `json:"tag"`
	Sends   bool          `json:"sends"`
	Parts   bool          `json:"parts,omitempty"` // they are partitioned
	By      model.StateID `json:"by"`              // the call
	Freed   bool          `json:"freed,omitempty"` // none is left
	Started uint64        `json:"started"`
	Idle    uint32        `json:"idle,omitempty"` // waits for it since it was started last
	Begun   uint64        `json:"begun"`          // messages of the channel in that direction, by whatever call
}

// Asked are the ranks that are asked about waits, besides some others: what makes the requests of a kind is mostly the same call in all.
func Asked(waits []Wait, others model.RankSet) model.RankSet {
	out := others.Clone()
	for _, w := range waits {
		out.Add(w.Rank)
		out.Add(w.Peer)
	}
	return out
}

// Views reduces the views of analysis ranks.
var Views = reduce.JSONMonoid(Merge)

// Merge joins two views.
func Merge(a, b View) View { return View{rankviews.Merge(a.Views, b.Views)} }

// ViewOf is what one rank says about its persistent requests. Of waits it knows nothing: it tells of all.
func ViewOf(r *model.Rank) View {
	v := View{rankviews.Views[rankView]{States: map[model.StateID]*model.State{}}}
	one := rankView{Rank: r.Rank}
	for _, p := range r.Persistent {
		if p.Comm < 0 || p.Comm >= len(r.Comms) {
			continue
		}
		c := r.Comms[p.Comm]
		q := request{Comm: c.ID, Peer: facts.WorldPeer(r, c, p.Peer), Tag: p.Tag, Sends: p.Sends, Parts: p.Partitioned,
			By: v.Keep(r.Threads[p.Thread], p.State), Freed: p.Freed >= p.Made, Started: p.Started, Idle: p.Idle}
		if i := slices.IndexFunc(r.Channels, func(ch model.Channel) bool {
			return ch.Comm == p.Comm && ch.Peer == p.Peer && ch.Tag == p.Tag
		}); i >= 0 {
			q.Begun = r.Channels[i].Received
			if p.Sends {
				q.Begun = r.Channels[i].Sent
			}
		}
		one.Made = append(one.Made, q)
	}
	v.Ranks = []rankView{one}
	return v
}
