package unsent

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"laggard/model"
	"laggard/model/mpi"
)

// Unmatched is messages that several ranks, the one that should send among them, sent alike to a rank that waits for another message. That
// rank has received none of them, nor any with their tags, so its receive is likely to be the wrong one.
type Unmatched struct {
	By      *model.State // the call that sent them; of several the one that sent most
	Senders model.RankSet
	Each    uint64 // how many each of Senders sent by it
}

// unmatched finds them; nil: there are none, or the senders did not all send the same, so that the one that should send may have left a
// message out.
func (v *View) unmatched(w Wait, sender *rankView) *Unmatched {
	waiting := v.Rank(w.Rank)
	if waiting == nil || w.Sent > 0 || w.Wild || !w.IsOwed() {
		return nil
	}
	own, ok := sender.sentInVain(waiting, w)
	if !ok || len(own) == 0 {
		return nil
	}
	senders := model.NewRankSet(sender.Rank)
	for i := range v.Ranks {
		r := &v.Ranks[i]
		if r.Rank == w.Rank || r.Rank == sender.Rank {
			continue
		}
		switch other, ok := r.sentInVain(waiting, w); {
		case !ok || len(other) > 0 && !maps.Equal(other, own):
			return nil
		case len(other) > 0:
			senders.Add(r.Rank)
		}
	}
	if senders.Len() < 2 {
		return nil
	}
	by := slices.MaxFunc(slices.Collect(maps.Keys(own)), func(a, b model.StateID) int {
		return cmp.Or(cmp.Compare(own[a], own[b]), bytes.Compare(b[:], a[:]))
	})
	return &Unmatched{By: v.States[by], Senders: senders, Each: own[by]}
}

// sentInVain counts, by call, the messages that a rank has sent to the one that waits, on the communicator of the wait, with tags of which
// it has received none. false: of one tag it has received some only, or they are such as it waits for, or it is not known what sent them.
func (r *rankView) sentInVain(waiting *rankView, w Wait) (map[model.StateID]uint64, bool) {
	out := map[model.StateID]uint64{}
	for _, c := range r.Sent {
		if c.Peer != w.Rank || c.Comm != w.Comm {
			continue
		}
		switch left := waiting.unreceivedOf(r.Rank, c); {
		case c.Tag != w.Tag && left == 0:
		case c.Tag == w.Tag || c.First != 1 || left < c.Count:
			return nil, false
		default:
			out[c.By] += c.Count
		}
	}
	return out, true
}

// Beside is messages of the kind that a rank waits for, from another rank than the awaited one. They lie unreceived.
type Beside struct {
	Other
	// GoneOn: both senders are in the same call, which is for no message, so that the rank would have to receive the message before it
	// comes there, too.
	GoneOn bool
}

// beside is messages of such a kind that another rank sent, by the same call, to the rank that waits: it may wait for the wrong rank. They
// come from the first such rank. The rank waits for all of several requests, and has received none with the tag from either, or both have
// gone on; nil: there are none. A rank that receives one message after another may receive it next.
func (v *View) beside(m *Message, sender *rankView) *Beside {
	waiting := v.Rank(m.Rank)
	if waiting == nil || m.By == nil || m.Wild || !m.IsOwed() || !v.waitsForSeveral(waiting) {
		return nil
	}
	for i := range v.Ranks {
		r := &v.Ranks[i]
		if r.Rank == m.Rank || r.Rank == m.Peer {
			continue
		}
		goneOn := r.InMPI && r.At == sender.At && v.isForNoMessage(r.At)
		for _, c := range r.Sent {
			if c.Peer != m.Rank || c.Comm != m.Comm || c.Tag != m.Tag || c.By != m.By.ID {
				continue
			}
			if left := waiting.unreceivedOf(r.Rank, c); left > 0 && (goneOn || left == c.Count && m.Sent == 0) {
				return &Beside{Other{From: r.Rank, To: m.Rank, Comm: c.Comm, Tag: c.Tag, Count: left, By: m.By}, goneOn}
			}
		}
	}
	return nil
}

// waitsForSeveral reports whether a rank is in a call that waits for all of several requests.
func (v *View) waitsForSeveral(r *rankView) bool {
	f := v.functionAt(r.At)
	return r.InMPI && f != nil && f.Class == mpi.ClassWaitall
}

// isForNoMessage reports whether a state is of a call that neither sends nor receives messages, nor waits for some.
func (v *View) isForNoMessage(at model.StateID) bool {
	f := v.functionAt(at)
	return f != nil && !f.Class.IsForMessage()
}

// functionAt is the function that a state is a call of; nil: it is not known.
func (v *View) functionAt(at model.StateID) *mpi.Function {
	if s := v.States[at]; s != nil {
		return mpi.FunctionOf(s.Call)
	}
	return nil
}
