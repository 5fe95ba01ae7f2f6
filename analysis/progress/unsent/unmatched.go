package unsent

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"laggard/model"
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

// besides is messages, such as a rank waits for, that another rank than the awaited one sent to it by the same call, and of which it has
// received none: it may wait for the wrong rank. They come from the first such rank; nil: there is none.
func (v *View) besides(m *Message) *Other {
	waiting := v.Rank(m.Rank)
	if waiting == nil || m.By == nil || m.Sent > 0 || m.Wild || !m.IsOwed() {
		return nil
	}
	for _, r := range v.Ranks {
		if r.Rank == m.Rank || r.Rank == m.Peer {
			continue
		}
		for _, c := range r.Sent {
			alike := c.Peer == m.Rank && c.Comm == m.Comm && c.Tag == m.Tag && c.By == m.By.ID
			if alike && waiting.unreceivedOf(r.Rank, c) == c.Count {
				return &Other{From: r.Rank, To: m.Rank, Comm: c.Comm, Tag: c.Tag, Count: c.Count, By: m.By}
			}
		}
	}
	return nil
}
