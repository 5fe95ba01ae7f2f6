package evidence

import (
	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
)

// Where a record was made by looking at the ranks, there are no counts that say what was
// sent, received or begun. But a rank that has stood in a call for all of the looks is
// in want of something: its call would have returned. What was sent before would have
// come, and a collective that all have begun would be over. So, of a rank that stands
// still, the call and the places of the others prove as much as counts do.

// judgeUncounted judges a message. Where the peer is in the other half of it, neither
// waits for the other to come.
func (s judge) judgeUncounted(l Link, id wantID, w *facts.Want) (Link, outcome) {
	if s.mayMeetPeer(id.rank, w) {
		return s.judgeMatched(l, id.rank, w.Peer)
	}
	wait := &s.Facts[id.rank].Waits[id.wait]
	certain := wait.Kind == w.Kind || w.Kind != model.Send || w.Function().HasTrait(mpi.Synchronous) || completes(wait.Function())
	if ofWindow(w) {
		certain = s.countUnmet(id.rank, wait) == 1
	}
	l.Weak = l.Weak || !s.stoodStill(id.rank) || !certain
	return l, linked
}

// completes reports whether a call waits for requests: of those, a record has the ones that were not
// complete when the rank was looked at.
func completes(f *mpi.Function) bool { return f != nil && f.Class.WaitsForRequests() }

// countUnmet counts what a rank may still wait for: of several ranks that may have posted, or
// completed, before they went on, none is certain to be the one that did not.
func (s judge) countUnmet(rank int, wait *facts.Wait) (n int) {
	for i := range wait.Wants {
		if !s.mayMeetPeer(rank, &wait.Wants[i]) {
			n++
		}
	}
	return n
}

// stoodStill reports whether a rank was in one place in all looks.
func (s judge) stoodStill(rank int) bool { return s.Facts[rank].Quiet }

// mayMeetPeer reports whether the peer of a message is in its other half, or may be as far as
// the record tells its arguments.
func (s judge) mayMeetPeer(rank int, w *facts.Want) bool {
	peer := s.Facts[w.Peer]
	switch {
	case peer == nil:
		return false
	case ofWindow(w):
		return meetsOnWindow(peer, rank, w)
	}
	for _, wait := range peer.Waits {
		if wait.Unlisted && w.Kind == model.Recv {
			return false // a request may be the message, or not: it is waited for as well
		}
		for i := range wait.Wants {
			p := &wait.Wants[i]
			opposite := (p.Kind == model.Send) != (w.Kind == model.Send) && facts.PointToPoint(p.Kind)
			comm := p.Lost || p.Comm == w.Comm
			from := p.Peer == rank || p.Peer == model.Any || p.Peer == -1
			tag := p.Tag == w.Tag || anyTag(p.Tag) || anyTag(w.Tag)
			if opposite && comm && from && tag {
				return true
			}
		}
	}
	return false
}

// ofWindow reports whether a message is of the synchronisation of a window.
func ofWindow(w *facts.Want) bool { return w.Tag == model.TagPost || w.Tag == model.TagComplete }

// meetsOnWindow reports whether a peer has posted, or is about to complete: who waits for a
// complete has posted. One whose group is not known may have.
func meetsOnWindow(peer *facts.Fact, rank int, w *facts.Want) bool {
	return anyWant(peer, func(p *facts.Want) bool {
		switch {
		case !p.Lost && p.Comm != w.Comm:
			return false
		case p.Kind == model.RMA:
			return synchronises(p) && !isPassiveSync(p)
		case p.Peer != rank:
			return false
		case w.Tag == model.TagPost:
			return p.Tag == model.TagComplete
		}
		return p.Tag == model.TagPost && p.Function().InClass(mpi.ClassWinComplete)
	})
}

func anyTag(tag int) bool { return tag == model.Any || tag == model.None }

// judgeUnnumbered judges a collective whose number is not known: a rank in it waits for
// the members that are in no such call on the communicator. Of one that some members
// may leave before the others come, that is no proof. A rank whose communicator is not known
// may be in it.
func (s judge) judgeUnnumbered(id wantID, w *facts.Want, c *facts.Comm) (Link, outcome) {
	name := matchName(w)
	here := s.RanksWhere(func(f *facts.Fact) bool {
		for _, wait := range f.Waits {
			for i := range wait.Wants {
				v := &wait.Wants[i]
				if v.Kind == model.Collective && (v.Lost || v.Comm == w.Comm) && matchName(v) == name {
					return true
				}
			}
		}
		return false
	})
	away := s.membersOf(c).Minus(here)
	if away.Len() == 0 {
		return Link{}, satisfied
	}
	l := s.linkTo(&Target{Ranks: away}, Collective, id)
	l.Weak = l.Weak || !s.stoodStill(id.rank) || !leavesTogether(w.Function())
	return l, linked
}

// leavesTogether reports whether no member leaves such a call before all have come.
func leavesTogether(f *mpi.Function) bool {
	return f.HasTrait(mpi.Synchronises) && f.InClass(mpi.ClassColl, mpi.ClassNewcomm, mpi.ClassNewcommGroups)
}
