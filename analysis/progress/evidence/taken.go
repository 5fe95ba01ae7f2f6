package evidence

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// Taken is a message that a rank took by a receive with a wildcard, and of whose channel it
// now waits for another one that was not sent. It may have been meant for the receive that
// waits.
type Taken struct {
	Rank, Peer, Tag int
	On              model.CommRef
	Sent            uint64 // messages of that channel, all of which were received
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
			w := &s.Facts[l.source.rank].Waits[l.source.wait].Wants[l.source.want]
			if w.Taken.Number > 0 {
				out = append(out, Taken{fact.Rank, w.Peer, w.Tag, s.commOf(w), s.answerCount(l.source), w.Taken})
			}
		}
	}
	return out
}
