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
	Sent      uint64 // messages of that channel, all of which were received
	facts.Taken
}

// Taken returns these, by rank.
func (s *Scene) Taken() []Taken {
	var out []Taken
	for _, fact := range s.Sum.Facts {
		n := s.Needs[fact.Rank]
		if n.Standing != Waiting || n.Weak {
			continue
		}
		for _, l := range slices.Concat(n.Alts...) {
			if l.Weak || l.Kind != PointToPoint || l.source.want < 0 {
				continue
			}
			w := s.wantOf(l)
			if w.Taken.Number == 0 || slices.ContainsFunc(out, func(t Taken) bool { return t.Rank == fact.Rank && t.Tag == w.Tag }) {
				continue
			}
			sent := judge{s}.answerCount(l.source)
			if w.Wild() {
				sent = w.CountFor(w.Taken.Peer, w.Tag)
			}
			out = append(out, Taken{fact.Rank, w.Tag, s.commOf(w), sent, w.Taken})
		}
	}
	return out
}
