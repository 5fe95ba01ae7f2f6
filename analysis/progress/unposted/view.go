package unposted

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inactive"
	"laggard/analysis/progress/rankviews"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/reduce"
)

// View is what some ranks say about waits for them to receive.
type View struct{ rankviews.Views[rankView] }

// rankView is what one rank says.
type rankView struct {
	Rank     int             `json:"rank"`
	At       model.StateID   `json:"at"`                 // the call that it is in; zero: it is in none
	Calls    []model.StateID `json:"calls,omitempty"`    // by which it receives messages
	Received []int           `json:"received,omitempty"` // the waits, by number, for messages such as it has begun to receive, whoever sent them
}

// RankOf is the rank that tells.
func (r rankView) RankOf() int { return r.Rank }

// Views reduces the views of analysis ranks.
var Views = reduce.JSONMonoid(Merge)

// Merge joins two views.
func Merge(a, b View) View { return View{rankviews.Merge(a.Views, b.Views)} }

// ViewOf is what one rank says about waits.
func ViewOf(r *model.Rank, waits []inactive.Wait) View {
	v := View{rankviews.Views[rankView]{States: map[model.StateID]*model.State{}}}
	one := rankView{Rank: r.Rank}
	if t := facts.Representative(r); t != nil && t.Op.InMPI {
		one.At = v.Keep(t, t.Op.State)
	}
	for _, t := range r.Threads {
		for i, s := range t.Model.States {
			if f := mpi.FunctionOf(s.Call); f != nil && (f.Class.ReceivesMessage() || f.Class.IsProbe() || f.Class.StartsRequests()) {
				one.Calls = append(one.Calls, v.Keep(t, i))
			}
		}
	}
	for i, w := range waits {
		if slices.ContainsFunc(r.Channels, func(ch model.Channel) bool {
			return ch.Received > 0 && ch.Tag == w.Tag && ch.Comm >= 0 && ch.Comm < len(r.Comms) && r.Comms[ch.Comm].ID == w.Comm
		}) {
			one.Received = append(one.Received, i)
		}
	}
	v.Ranks = []rankView{one}
	return v
}
