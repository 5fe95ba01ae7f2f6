package epochs

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/rankviews"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/reduce"
)

// Wait is that of a rank for another one to open an epoch of exposure to it, or to close one of access.
type Wait struct {
	Rank     int    `json:"rank"` // that waits
	Peer     int    `json:"peer"` // a rank of MPI_COMM_WORLD too
	Win      uint64 `json:"win"`
	Exposure bool   `json:"exposure"` // it waits for an exposure, as in MPI_Win_start; else for the end of an access, as in MPI_Win_wait
	Number   uint64 `json:"number"`   // of the epoch between both, from 1
}

// View is what some ranks say about their epochs.
type View struct{ rankviews.Views[rankView] }

// rankView is what one rank says.
type rankView struct {
	Rank   int     `json:"rank"`
	Opened []epoch `json:"opened,omitempty"`
	// Starts is the call by which it opens accesses; zero: none, or several.
	Starts model.StateID `json:"starts,omitzero"`
}

// RankOf is the rank that tells.
func (r rankView) RankOf() int { return r.Rank }

// epoch is how often a rank opened one to another rank.
type epoch struct {
	Win       uint64        `json:"win"`
	Peer      int           `json:"peer"` // a rank of MPI_COMM_WORLD
	Accesses  uint64        `json:"accesses"`
	Exposures uint64        `json:"exposures"`
	Posts     model.StateID `json:"posts,omitzero"` // the call that opened the latest exposure; zero unknown
}

// Views reduces the views of analysis ranks.
var Views = reduce.JSONMonoid(Merge)

// Merge joins two views.
func Merge(a, b View) View { return View{rankviews.Merge(a.Views, b.Views)} }

// ViewOf is what one rank says about the windows of waits. A rank whose channels are not all known says nothing.
func ViewOf(r *model.Rank, waits []Wait) View {
	v := View{rankviews.Views[rankView]{States: map[model.StateID]*model.State{}}}
	if r.Evicted > 0 || r.Off {
		return v
	}
	one := rankView{Rank: r.Rank, Starts: v.onlyStart(r)}
	for _, ch := range r.Channels {
		if ch.Tag != model.TagPost || ch.Comm < 0 || ch.Comm >= len(r.Comms) {
			continue
		}
		c := r.Comms[ch.Comm]
		peer := facts.WorldPeer(r, c, ch.Peer)
		if peer < 0 || !slices.ContainsFunc(waits, func(w Wait) bool { return w.Win == c.ID }) {
			continue
		}
		e := epoch{Win: c.ID, Peer: peer, Accesses: ch.Received, Exposures: ch.Sent}
		for _, o := range r.Origins {
			if o.Comm == ch.Comm && o.Peer == ch.Peer && o.Tag == ch.Tag {
				e.Posts = v.Keep(r.Threads[o.Thread], o.State)
			}
		}
		one.Opened = append(one.Opened, e)
	}
	v.Ranks = []rankView{one}
	return v
}

// onlyStart is the call by which a rank opens accesses; zero: none, or several.
func (v *View) onlyStart(r *model.Rank) (found model.StateID) {
	for _, t := range r.Threads {
		for i, s := range t.Model.States {
			switch {
			case !mpi.FunctionOf(s.Call).InClass(mpi.ClassWinStart):
			case found != model.StateID{} && found != s.ID:
				return model.StateID{}
			default:
				found = v.Keep(t, i)
			}
		}
	}
	return found
}
