package inactive

import (
	"slices"

	"laggard/model"
)

// Request is a persistent request for the message that a rank waits for, and that the peer did not start often enough.
type Request struct {
	Wait
	By          *model.State // the call that made it
	Partitioned bool
	Freed       bool   // it is gone
	Started     uint64 // how often the peer started it
	Waited      bool   // since then it has waited for it, without having started it again
	// More are the ranks that started requests of the same call more often, the peer among them if it did so for other messages; Most is
	// how often, at most. Empty, 0: none of those that were asked did.
	More model.RankSet
	Most uint64
}

// Find returns the waits for which the peer has such a request that it never started, or has waited for without having started it again,
// or started less often than others: requests of the same call, and of its own. A rank that is only behind has started all of its
// requests less often.
func (v *View) Find(waits []Wait) (out []Request) {
	for _, w := range waits {
		peer := v.Rank(w.Peer)
		if peer == nil {
			continue
		}
		q := peer.requestFor(w)
		if q == nil {
			continue
		}
		r := Request{Wait: w, By: v.States[q.By], Partitioned: q.Parts, Freed: q.Freed, Started: q.Started, Waited: q.Idle > 0}
		for _, other := range v.Ranks {
			for _, o := range other.Made {
				if o.By == q.By && o.Sends == q.Sends && o.Started > q.Started {
					r.More.Add(other.Rank)
					r.Most = max(r.Most, o.Started)
				}
			}
		}
		own := slices.ContainsFunc(peer.Made, func(o request) bool { return o.Started > q.Started })
		if r.Started == 0 || r.Waited || r.Most > 0 && own {
			out = append(out, r)
		}
	}
	return out
}

// requestFor is the only request of a rank for the messages of a wait, if these come by no other call; nil: there is none such.
func (r *rankView) requestFor(w Wait) (found *request) {
	for i := range r.Made {
		q := &r.Made[i]
		if q.Comm != w.Comm || q.Tag != w.Tag || q.Peer != w.Rank || q.Sends != w.Sends {
			continue
		}
		if found != nil {
			return nil
		}
		found = q
	}
	if found == nil || found.By == (model.StateID{}) || found.Started != found.Begun || found.Begun >= w.Number {
		return nil
	}
	return found
}
