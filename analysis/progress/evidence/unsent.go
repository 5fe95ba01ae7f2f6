package evidence

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/unsent"
	"laggard/model"
	"laggard/model/mpi"
)

// maxUnsent bounds the waits that are asked about.
const maxUnsent = 8

// Unsent returns the receives in which MPI reported an error; if there are none, the waits for messages that were certainly not sent.
// Of these, waits for a rank that waits for a message itself are left out where there are others: the chain of waits ends elsewhere.
func (s *Scene) Unsent() []unsent.Wait {
	var failed, ends, chain []unsent.Wait
	if s.known.Uncounted {
		return nil // that there is no count proves nothing
	}
	for i := range s.Sum.Facts {
		fact := &s.Sum.Facts[i]
		if w, ok := s.failedReceive(fact); ok {
			failed = append(failed, w)
		}
		if n := s.Needs[fact.Rank]; n.Standing != Waiting || n.Weak {
			continue
		}
		for _, l := range slices.Concat(s.Needs[fact.Rank].Alts...) {
			w, ok := s.unsentBy(l)
			strays := slices.ContainsFunc(s.answers[l.source], func(a facts.Answer) bool { return len(a.Strays) > 0 })
			switch {
			case !ok:
			case strays || !s.waitsForMessage(w.Peer):
				ends = append(ends, w)
			default:
				chain = append(chain, w)
			}
		}
	}
	for _, some := range [][]unsent.Wait{failed, ends, chain} {
		if len(some) > 0 {
			return some[:min(len(some), maxUnsent)]
		}
	}
	return nil
}

// FailedToSend are the ranks to which MPI returned an error in a call that sends.
func (s *Scene) FailedToSend() (out model.RankSet) {
	for i := range s.Sum.Failed {
		if f := mpi.FunctionOf(s.Sum.Failed[i].Call); f != nil && f.Class.SendsMessage() {
			out = out.Union(s.Sum.Failed[i].Ranks)
		}
	}
	return out
}

// unsentBy is the wait that a link comes from, if it is for a message that was certainly not sent.
func (s *Scene) unsentBy(l Link) (unsent.Wait, bool) {
	if l.Weak || l.Kind != PointToPoint || l.source.want < 0 {
		return unsent.Wait{}, false
	}
	w, ok := receiveOf(l.source.rank, &s.Facts[l.source.rank].Waits[l.source.wait].Wants[l.source.want])
	w.Sent = s.answerCount(l.source)
	return w, ok
}

// failedReceive is the receive of a message of a known channel in which MPI reported an error to a rank.
func (s *Scene) failedReceive(fact *facts.Fact) (unsent.Wait, bool) {
	if !fact.Erred || len(fact.Waits) != 1 || len(fact.Waits[0].Wants) != 1 {
		return unsent.Wait{}, false
	}
	w, ok := receiveOf(fact.Rank, &fact.Waits[0].Wants[0])
	w.Failed = true
	return w, ok && w.Number > 0
}

// receiveOf is the receive of a message of a known channel that a rank waits in; false: it is none.
func receiveOf(rank int, w *facts.Want) (unsent.Wait, bool) {
	if w.Kind != model.Recv && w.Kind != model.Probe || w.Wild() || w.Lost || w.Peer < 0 || !facts.IsMessageTag(w.Tag) {
		return unsent.Wait{}, false
	}
	return unsent.Wait{Rank: rank, Peer: w.Peer, Comm: w.Comm, Tag: w.Tag, Number: w.Number()}, true
}

// waitsForMessage reports whether a rank waits for a message of another one.
func (s *Scene) waitsForMessage(rank int) bool {
	n := s.Needs[rank]
	return n.Standing == Waiting && slices.ContainsFunc(slices.Concat(n.Alts...), func(l Link) bool { return l.Kind == PointToPoint })
}
