package evidence

import (
	"slices"

	"laggard/analysis/progress/epochs"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inactive"
	"laggard/analysis/progress/unsent"
	"laggard/model"
	"laggard/model/mpi"
)

// maxUnsent bounds the waits that are asked about.
const maxUnsent = 8

// Unsent returns the receives in which MPI reported an error; if there are none, the waits for messages that were certainly not sent.
// Of these, waits for a rank that waits for a message itself are left out where there are others: the chain of waits ends elsewhere, as it
// does at a receive from any source beside which another message lies.
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
			if other, lies := s.otherMessage(l); lies {
				ends = append(ends, other)
				continue
			}
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

// EpochWaits returns the certain waits for ranks to open an epoch of a window, or to close one; at most as many as are asked about.
func (s *Scene) EpochWaits() (out []epochs.Wait) {
	if s.known.Uncounted {
		return nil
	}
	s.eachMessage(s.Present, func(_ int, l Link) {
		w := s.wantOf(l)
		if w == nil || l.Weak || facts.IsMessageTag(w.Tag) || w.Seq == 0 || len(out) == maxUnsent {
			return
		}
		out = append(out, epochs.Wait{Rank: l.source.rank, Peer: w.Peer, Win: w.Comm, Exposure: w.Tag == model.TagPost, Number: w.Seq})
	})
	return out
}

// MessageWaits returns the certain waits for ranks to begin their part of a message of a known channel; at most as many as are asked about.
func (s *Scene) MessageWaits() (out []inactive.Wait) {
	if s.known.Uncounted {
		return nil
	}
	s.eachMessage(s.Present, func(rank int, l Link) {
		w := s.wantOf(l)
		if w == nil || l.Weak || w.Wild() || w.Peer < 0 || !facts.IsMessageTag(w.Tag) || len(out) == maxUnsent {
			return
		}
		out = append(out, inactive.Wait{
			Rank: rank, Peer: w.Peer, Comm: w.Comm, Tag: w.Tag, Sends: w.Kind != model.Send, Number: w.Number(),
		})
	})
	return out
}

// FailedToSend returns the errors that MPI has lately returned to a rank in calls that send. What a rank has dealt with long ago, as when
// it tried something out, is no reason for a message that it does not send now.
func (s *Scene) FailedToSend(rank int) (out []facts.Failed) {
	for i := range s.Sum.Failed {
		failed := &s.Sum.Failed[i]
		if f := mpi.FunctionOf(failed.Call); f != nil && f.Class.SendsMessage() && failed.Lately.Contains(rank) {
			out = append(out, *failed)
		}
	}
	return out
}

// unsentBy is the wait that a link comes from, if it is for a message that was certainly not sent.
func (s *Scene) unsentBy(l Link) (unsent.Wait, bool) {
	if l.Weak || l.Kind != PointToPoint || l.source.want < 0 {
		return unsent.Wait{}, false
	}
	w, ok := receiveOf(l.source.rank, s.wantOf(l), s.onlySender(l))
	w.Sent = judge{s}.answerCount(l.source)
	return w, ok
}

// onlySender is the rank whose message a receive waits for: of one from any source on an intercommunicator with a single process on
// the other side, that one. Else it is as the receive says.
func (s *Scene) onlySender(l Link) int {
	w := s.wantOf(l)
	if w.Peer == model.Any && s.IsIntercomm(w.Comm) {
		c := s.comms[w.Comm]
		if from := s.groupOf(c, otherSide(c, l.source.rank)); from.Len() == 1 {
			return from.Min()
		}
	}
	return w.Peer
}

// otherMessage is the receive from any source that a link comes from, if exactly one kind of message lies unreceived at its rank which
// differs in tag or communicator only, with the first rank that sent one. Messages with another tag may be for later, so
// they count only if their sender waits for an answer.
func (s *Scene) otherMessage(l Link) (out unsent.Wait, lies bool) {
	w := s.wantOf(l)
	if l.Weak || l.Kind != PointToPoint || w == nil || w.Peer != model.Any {
		return out, false
	}
	var kind facts.ChannelTotal
	for _, a := range s.answers[l.source] {
		for _, m := range a.Strays {
			if kind.Count > 0 && (m.Comm != kind.Comm || m.Tag != kind.Tag) || !(judge{s}).countersComplete(a.From) ||
				m.Tag != w.Tag && !s.WaitingFor(model.NewRankSet(l.source.rank)).Contains(a.From) {
				return out, false
			}
			if kind.Count == 0 {
				kind, out = m, unsent.Wait{Rank: l.source.rank, Peer: a.From, Comm: w.Comm, Tag: w.Tag, AnySource: true}
			}
		}
	}
	return out, kind.Count > 0
}

// failedReceive is the receive of a message of a known channel in which MPI reported an error to a rank.
func (s *Scene) failedReceive(fact *facts.Fact) (unsent.Wait, bool) {
	if !fact.Erred || len(fact.Waits) != 1 || len(fact.Waits[0].Wants) != 1 {
		return unsent.Wait{}, false
	}
	w := &fact.Waits[0].Wants[0]
	out, ok := receiveOf(fact.Rank, w, w.Peer)
	out.Failed = true
	return out, ok && !w.Wild() && out.Number > 0
}

// receiveOf is the receive, of a message of one rank, that a rank waits in; false: it is none.
func receiveOf(rank int, w *facts.Want, from int) (unsent.Wait, bool) {
	if w.Kind != model.Recv && w.Kind != model.Probe || w.Lost || from < 0 || !facts.IsMessageTag(w.Tag) {
		return unsent.Wait{}, false
	}
	return unsent.Wait{Rank: rank, Peer: from, Comm: w.Comm, Tag: w.Tag, Number: w.Number(), Wild: w.Wild()}, true
}

// IsIntercomm reports whether a communicator is known to connect two groups.
func (s *Scene) IsIntercomm(id uint64) bool {
	return s.comms[id] != nil && s.comms[id].Groups[1].Len() > 0
}

// waitsForMessage reports whether a rank waits for a message of another one.
func (s *Scene) waitsForMessage(rank int) bool {
	n := s.Needs[rank]
	return n.Standing == Waiting && slices.ContainsFunc(slices.Concat(n.Alts...), func(l Link) bool { return l.Kind == PointToPoint })
}

// WaitsForParticular reports whether a rank waits, and for ranks in particular only.
func (s *Scene) WaitsForParticular(rank int) bool {
	n := s.Needs[rank]
	return n.Standing == Waiting && !slices.ContainsFunc(slices.Concat(n.allAlternatives()...), func(l Link) bool { return l.To.Any })
}
