package progress

import (
	"strings"

	"laggard/model"
)

// judge tells what a want comes to, given the answers of its peers (PDI §2.1,
// point-to-point operations).
func (s *scene) judge(f *Fact, id wantID) (link, outcome) {
	w := &f.Waits[id.wait].Wants[id.want]
	switch {
	case w.Peer == model.ProcNull:
		return link{}, satisfied
	case w.Kind == model.Collective:
		return s.judgeCollective(id, w)
	case w.Kind == model.RMA:
		return s.judgeWindow(id, w)
	case !pointToPoint(w.Kind) || w.Lost:
		return link{}, open
	case w.Kind != model.Send && w.Peer == model.Any:
		return s.judgeFromAny(id, w)
	case w.Peer < 0:
		return link{}, open
	case w.Kind == model.Send && buffered(w.Call):
		return link{}, satisfied
	case w.Kind == model.Send:
		return s.judgeSend(f, id, w)
	}
	return s.judgeReceive(id, w)
}

// judgeReceive: a receive or probe with number k on its channel has its message
// once the source has begun k sends there; one with any tag, once the source
// has sent more with some tag than was received.
func (s *scene) judgeReceive(id wantID, w *Want) (link, outcome) {
	number := w.number()
	l := s.linkTo(s.one(w.Peer), EdgePointToPoint, id)
	if number > 0 && s.answered(id) >= number {
		return s.matched(l, id.rank, w.Peer)
	}
	l.weak = l.weak || number == 0 || !s.counted(w.Peer) || !s.counted(id.rank)
	return l, linked
}

// number returns which message of its channel a receive or a probe needs, 0 if
// that is not known. A probe looks for the one after those that were received.
func (w *Want) number() uint64 {
	switch {
	case w.wild():
		return 1 // the answer counts only what was sent beyond
	case w.Seq > 0:
		return w.Seq
	case w.Kind == model.Probe:
		return w.had(w.Peer, w.Tag) + 1
	}
	return w.had(w.Peer, w.Tag)
}

// judgeSend: a send with number k on its channel has been taken once the
// destination has begun k receives there. Otherwise a blocking send that has
// not returned is certain to wait, and so is a synchronous one; any other may
// lie in a buffer.
func (s *scene) judgeSend(f *Fact, id wantID, w *Want) (link, outcome) {
	l := s.linkTo(s.one(w.Peer), EdgePointToPoint, id)
	if w.Seq > 0 && s.answered(id) >= w.Seq || s.sought(id.rank, w) {
		return s.matched(l, id.rank, w.Peer)
	}
	standing := f.Waits[id.wait].Kind == model.Send || synchronous(w.Call)
	l.weak = l.weak || w.Seq == 0 || !s.counted(w.Peer) || !s.counted(id.rank)
	if !l.weak && !standing {
		l.weak, l.lax = true, true
	}
	return l, linked
}

// sought tells whether the destination of a send looks for the message with a
// probe: it will receive it as soon as it sees it.
func (s *scene) sought(from int, w *Want) bool {
	dest, known := s.facts[w.Peer]
	if !known {
		return false
	}
	for _, wait := range dest.Waits {
		for i := range wait.Wants {
			p := &wait.Wants[i]
			if p.Kind == model.Probe && p.Comm == w.Comm && p.matches(from, w.Tag) {
				return true
			}
		}
	}
	return false
}

// matched: both sides have begun the message, which completes by itself while
// the peer is inside MPI. If it is not, the library may need it to move on.
// With counters that are not complete the match itself is a guess.
func (s *scene) matched(l link, rank, peer int) (link, outcome) {
	if s.driving(peer) && s.counted(rank) && s.counted(peer) {
		return link{}, satisfied
	}
	l.weak = true
	return l, linked
}

// judgeFromAny: a receive from any source waits for whichever member of the
// group may still send, unless one has sent already.
func (s *scene) judgeFromAny(id wantID, w *Want) (link, outcome) {
	var sent model.RankSet
	for _, a := range s.answers[id] {
		if s.driving(a.From) {
			return link{}, satisfied
		}
		sent.Add(a.From)
	}
	if sent.Len() > 0 {
		t := &target{ranks: sent, any: true}
		return link{to: t, weak: true, kind: EdgePointToPoint, source: id}, linked
	}
	t := &target{any: true}
	if !w.Self {
		c := s.comms[w.Comm]
		if c == nil || s.group(c, 0).Len() == 0 {
			return link{}, open
		}
		group := s.target(targetKey{what: anyoneOn, comm: w.Comm, rank: otherSide(c, id.rank)})
		if group.ranks.Minus(model.NewRankSet(id.rank)).Len() > 0 {
			t = group
		}
	}
	l := s.linkTo(t, EdgePointToPoint, id)
	l.weak = l.weak || t.ranks.Intersect(s.off).Len() > 0 || !s.counted(id.rank)
	return l, linked
}

// otherSide returns which group of the communicator sends to the rank.
func otherSide(c *Comm, rank int) int {
	if c.Groups[1].Len() > 0 && c.Groups[0].Contains(rank) {
		return 1
	}
	return 0
}

// answered sums the answers to a want.
func (s *scene) answered(id wantID) uint64 {
	var sum uint64
	for _, a := range s.answers[id] {
		sum += a.Count
	}
	return sum
}

// buffered tells whether the call starts a send that completes whether or not
// it is ever received.
func buffered(call string) bool { return strings.Contains(strings.ToLower(call), "bsend") }

// synchronous tells whether the call starts a send that completes only once
// it is received.
func synchronous(call string) bool { return strings.Contains(strings.ToLower(call), "ssend") }
