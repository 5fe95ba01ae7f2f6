package evidence

import (
	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
)

// posted judges what receives with a wildcard that are not complete may have taken.
type posted struct{ *Scene }

// turnOf counts the receives before one in its wait that take the same messages, so that there has to be a message for each of them, too.
// A receive without a wildcard has its number for this.
func (s posted) turnOf(id wantID) (n uint64) {
	wait := &s.Facts[id.rank].Waits[id.wait]
	if oneWillDo(wait) {
		return 0
	}
	for i := range wait.Wants[:id.want] {
		if areAlike(&wait.Wants[i], &wait.Wants[id.want]) {
			n++
		}
	}
	return n
}

// areAlike reports whether two wants are receives with a wildcard that take the same messages.
func areAlike(a, b *facts.Want) bool {
	return isWildReceive(a) && isWildReceive(b) && a.Comm == b.Comm && a.Peer == b.Peer && a.Tag == b.Tag
}

func isWildReceive(w *facts.Want) bool { return w.Kind == model.Recv && w.Wild() && !w.Lost }

// rivalsOf counts the other receives with a wildcard of the rank that may have taken the message which a want waits for. Of those in the
// same wait, the ones that take turns with it do not count (turnOf), and none if it does not matter which of them has the message.
func (s posted) rivalsOf(id wantID) uint64 {
	f := s.Facts[id.rank]
	wait := &f.Waits[id.wait]
	w := &wait.Wants[id.want]
	n := facts.CountTaking(f.Wildcards, w.Comm, w.Peer, w.Tag)
	for i := range wait.Wants {
		v := &wait.Wants[i]
		overlap := facts.Wildcard{Comm: v.Comm, Peer: v.Peer, Tag: v.Tag}
		own := areAlike(v, w) || oneWillDo(wait) && isWildReceive(v) && overlap.MayTake(w.Comm, w.Peer, w.Tag)
		if n > 0 && own && namesRequests(wait) {
			n--
		}
	}
	return n + w.Overtaken
}

// namesRequests reports whether a call waits for what was begun before it, and does not receive itself.
func namesRequests(w *facts.Wait) bool {
	return w.Kind != model.Recv && !w.Function().InClass(mpi.ClassSendrecv)
}

// takerOf is a receive with a wildcard, not complete, of the waiting rank that may have taken the message of a receive, or of the
// destination of a send that may have taken that; nil: there is none.
func (s posted) takerOf(id wantID) *facts.Wildcard {
	w := &s.Facts[id.rank].Waits[id.wait].Wants[id.want]
	receiver, peer := s.Facts[id.rank], w.Peer
	if w.Kind == model.Send {
		receiver, peer = s.Facts[w.Peer], id.rank
	}
	if receiver == nil {
		return nil
	}
	for i := range receiver.Wildcards {
		if one := &receiver.Wildcards[i]; one.MayTake(w.Comm, peer, w.Tag) {
			return one
		}
	}
	return nil
}

// mayReceive counts the receives with a wildcard of its destination that may have taken a send.
func (s posted) mayReceive(id wantID) uint64 {
	w := &s.Facts[id.rank].Waits[id.wait].Wants[id.want]
	dest := s.Facts[w.Peer]
	if dest == nil {
		return 0
	}
	return facts.CountTaking(dest.Wildcards, w.Comm, id.rank, w.Tag)
}
