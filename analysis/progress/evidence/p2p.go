package evidence

import (
	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
)

// judge tells what a want comes to, given the answers of its peers (PDI §2.1,
// point-to-point operations).
func (s judge) judgeWant(f *facts.Fact, id wantID) (Link, outcome) {
	w := &f.Waits[id.wait].Wants[id.want]
	switch {
	case w.Peer == model.ProcNull:
		return Link{}, satisfied
	case w.Kind == model.Collective:
		return s.judgeCollective(id, w)
	case w.Kind == model.RMA:
		return s.judgeWindow(id, w)
	case !facts.PointToPoint(w.Kind) || w.Lost:
		return Link{}, open
	case w.Kind != model.Send && w.Peer == model.Any:
		return s.judgeFromAny(id, w)
	case w.Peer < 0:
		return Link{}, open
	case w.Kind == model.Send && w.Function().HasTrait(mpi.Buffered):
		return Link{}, satisfied
	case w.Kind == model.Send:
		return s.judgeSend(f, id, w)
	}
	return s.judgeReceive(id, w)
}

// judgeReceive: a receive or probe with number k on its channel has its message
// once the source has begun k sends there; one with any tag, once the source
// has sent more with some tag than was received. Receives with a wildcard that are
// not complete may have taken these.
func (s judge) judgeReceive(id wantID, w *facts.Want) (Link, outcome) {
	number := w.Number() + posted(s).turnOf(id)
	l := s.linkTo(s.singleTarget(w.Peer), PointToPoint, id)
	if s.known.Uncounted {
		return s.judgeUncounted(l, id, w)
	}
	switch sent := s.answerCount(id); {
	case number == 0 || sent < number:
	case sent < number+posted(s).rivalsOf(id):
		l.Weak, l.taken = true, true
		return l, linked
	default:
		return s.judgeMatched(l, id.rank, w.Peer)
	}
	l.Weak = l.Weak || number == 0 || !s.countersComplete(w.Peer) || !s.countersComplete(id.rank)
	return l, linked
}

// judgeSend: a send with number k on its channel has been taken once the
// destination has begun k receives there. Otherwise a blocking send that has
// not returned is certain to wait, and so is a synchronous one; any other may
// lie in a buffer. A receive with a wildcard that is not complete may have taken it.
func (s judge) judgeSend(f *facts.Fact, id wantID, w *facts.Want) (Link, outcome) {
	l := s.linkTo(s.singleTarget(w.Peer), PointToPoint, id)
	if s.known.Uncounted {
		return s.judgeUncounted(l, id, w)
	}
	if w.Seq > 0 && s.answerCount(id) >= w.Seq || !w.Function().HasTrait(mpi.Synchronous) && s.isProbedFor(id.rank, w) {
		return s.judgeMatched(l, id.rank, w.Peer)
	}
	if w.Seq > 0 && s.answerCount(id)+posted(s).mayReceive(id) >= w.Seq {
		l.Weak, l.taken = true, true
		return l, linked
	}
	standing := f.Waits[id.wait].Kind == model.Send || w.Function().HasTrait(mpi.Synchronous)
	l.Weak = l.Weak || w.Seq == 0 || !s.countersComplete(w.Peer) || !s.countersComplete(id.rank)
	if !l.Weak && !standing {
		l.Weak, l.lax = true, true
	}
	return l, linked
}

// isProbedFor reports whether the destination of a send looks for the message with a
// probe: it will receive it as soon as it sees it. A synchronous send is not complete
// before that.
func (s judge) isProbedFor(from int, w *facts.Want) bool {
	dest, known := s.Facts[w.Peer]
	if !known {
		return false
	}
	for _, wait := range dest.Waits {
		for i := range wait.Wants {
			p := &wait.Wants[i]
			if p.Kind == model.Probe && p.Comm == w.Comm && p.Matches(from, w.Tag) {
				return true
			}
		}
	}
	return false
}

// judgeMatched: both sides have begun the message, which completes by itself while
// the peer is inside MPI. If it is not, the library may need it to move on.
// With counters that are not complete the match itself is a guess.
func (s judge) judgeMatched(l Link, rank, peer int) (Link, outcome) {
	if s.drivesMessages(peer) && s.countersComplete(rank) && s.countersComplete(peer) {
		return Link{}, satisfied
	}
	l.Weak = true
	return l, linked
}

// judgeFromAny: a receive from any source waits for whichever member of the
// group may still send, unless there is a message for it already: one that the
// receives before it in the wait, and others that are not complete, leave to it.
func (s judge) judgeFromAny(id wantID, w *facts.Want) (Link, outcome) {
	var idle model.RankSet // outside MPI, so that their messages may not move
	sent, driven, turn := s.answerCount(id), uint64(0), posted(s).turnOf(id)
	for _, a := range s.answers[id] {
		switch {
		case a.Count == 0: // it tells of other channels
		case s.drivesMessages(a.From):
			driven += a.Count
		default:
			idle.Add(a.From)
		}
	}
	there := sent > turn
	if there && driven > turn+posted(s).rivalsOf(id) {
		return Link{}, satisfied
	}
	if there && idle.Len() > 0 {
		t := &Target{Ranks: idle, Any: true}
		return Link{To: t, Weak: true, Kind: PointToPoint, source: id}, linked
	}
	t := &Target{Any: true}
	if !w.Self {
		c := s.comms[w.Comm]
		if c == nil || s.groupOf(c, 0).Len() == 0 {
			return Link{}, open
		}
		group := s.sharedTarget(targetKey{what: anyoneOn, comm: w.Comm, rank: otherSide(c, id.rank)})
		if group.Ranks.Minus(model.NewRankSet(id.rank)).Len() > 0 {
			t = group
		}
	}
	l := s.linkTo(t, PointToPoint, id)
	l.Weak = l.Weak || there || t.Ranks.Intersect(s.Off).Len() > 0 || !s.countersComplete(id.rank)
	l.taken = there
	return l, linked
}

// otherSide returns which group of the communicator sends to the rank.
func otherSide(c *facts.Comm, rank int) int {
	if c.Groups[1].Len() > 0 && c.Groups[0].Contains(rank) {
		return 1
	}
	return 0
}

// answerCount sums the answers to a want.
func (s judge) answerCount(id wantID) uint64 {
	var sum uint64
	for _, a := range s.answers[id] {
		sum += a.Count
	}
	return sum
}
