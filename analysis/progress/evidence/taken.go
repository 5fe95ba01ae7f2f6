package evidence

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// Taken is a message that a rank took by a receive with a wildcard, and of whose channel, or of
// whose tag, it now waits for another one that was not sent. It may have been meant for the receive that
// waits.
type Taken struct {
	Rank, Tag int
	On        model.CommRef
	Sent      uint64 // messages of that channel, all of which were received, or may have been
	// Pending: the receive with a wildcard is not complete. It may have taken the message that the rank waits for, or not.
	Pending bool
	facts.Taken
}

// Taken returns these, by rank.
func (s *Scene) Taken() []Taken {
	var out []Taken
	for _, fact := range s.Sum.Facts {
		n := s.Needs[fact.Rank]
		if n.Standing != Waiting {
			continue
		}
		for _, l := range slices.Concat(n.Alts...) {
			w := s.wantOf(l)
			if (n.Weak || l.Weak) && !l.taken || l.Kind != PointToPoint || w == nil || w.Kind == model.Send {
				continue
			}
			t, ok := posted{s}.takenOf(l, w)
			if ok && !slices.ContainsFunc(out, func(t Taken) bool { return t.Rank == fact.Rank && t.Tag == w.Tag }) {
				out = append(out, t)
			}
		}
	}
	return out
}

// takenOf is the message that a receive with a wildcard took, or may have taken, while a rank waits for one like it.
func (s posted) takenOf(l Link, w *facts.Want) (Taken, bool) {
	out := Taken{Rank: l.source.rank, Tag: w.Tag, On: s.commOf(w), Sent: judge(s).answerCount(l.source), Taken: w.Taken}
	taker := s.takerOf(l.source)
	switch {
	case l.taken && taker != nil:
		out.Pending = true
		out.Taken = facts.Taken{Peer: w.Peer, Number: w.Number(), AnySource: taker.Peer == model.Any, AnyTag: taker.Tag == model.Any,
			Call: taker.Call, Stack: taker.Stack}
		return out, !w.Wild()
	case w.Wild():
		out.Sent = w.CountFor(w.Taken.Peer, w.Tag)
	case l.taken: // it was counted behind a receive that was begun later
		out.Number = min(out.Number, out.Sent)
	}
	return out, w.Taken.Number > 0
}
