package unposted

import (
	"slices"

	"laggard/analysis/progress/inactive"
	"laggard/model"
	"laggard/model/mpi"
)

// Receive is the receive that ranks wait for in sends.
type Receive struct {
	Peer    int           // that should make it, a rank of MPI_COMM_WORLD
	Waiting model.RankSet // for it
	By      *model.State  // the call by which other ranks receive such messages
	Callers model.RankSet // these ranks
	At      *model.State  // the call that the peer is in
}

// Find returns the receives that peers left out: of those ranks that have received messages with the tag, all do so by one call, and the
// peer, which has gone on to a call that is for no message, never made it. Waits for one peer with one call are one.
func (v *View) Find(waits []inactive.Wait) (out []Receive) {
	for i, w := range waits {
		peer := v.Rank(w.Peer)
		if w.Sends || peer == nil || !v.hasGoneOn(peer) {
			continue
		}
		by, callers := v.receiveOf(i, peer)
		if by == nil {
			continue
		}
		one := slices.IndexFunc(out, func(r Receive) bool { return r.Peer == w.Peer && r.By.ID == by.ID })
		if one < 0 {
			one = len(out)
			out = append(out, Receive{Peer: w.Peer, By: by, Callers: callers, At: v.States[peer.At]})
		}
		out[one].Waiting.Add(w.Rank)
	}
	return out
}

// receiveOf is the only call that receives messages in all ranks that have received any such as a wait is for, and that the peer never
// made, with these ranks; nil: there is none, or are several, or the peer has received such messages.
func (v *View) receiveOf(wait int, peer *rankView) (*model.State, model.RankSet) {
	var calls []model.StateID
	var callers model.RankSet
	for _, r := range v.Ranks {
		if !slices.Contains(r.Received, wait) {
			continue
		}
		if r.Rank == peer.Rank {
			return nil, model.RankSet{}
		}
		if callers.Len() == 0 {
			calls = slices.Clone(r.Calls)
		}
		calls = slices.DeleteFunc(calls, func(id model.StateID) bool { return !slices.Contains(r.Calls, id) })
		callers.Add(r.Rank)
	}
	calls = slices.DeleteFunc(calls, func(id model.StateID) bool { return slices.Contains(peer.Calls, id) })
	if len(calls) != 1 {
		return nil, model.RankSet{}
	}
	return v.States[calls[0]], callers
}

// hasGoneOn reports whether a rank is in a call that is for no message.
func (v *View) hasGoneOn(r *rankView) bool {
	at := v.States[r.At]
	if at == nil {
		return false
	}
	f := mpi.FunctionOf(at.Call)
	return f != nil && !f.Class.IsForMessage()
}
