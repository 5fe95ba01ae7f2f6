package unsent

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// Message is a message that a rank waits for, or in whose receive MPI reported an error.
type Message struct {
	Wait
	// By is the call that sends such messages, and Callers are the ranks that do by it; nil: it is not known. It is the sender's own
	// if that has sent some.
	By      *model.State
	Callers model.RankSet
	Never   bool // the sender has not made the call By
	// Earlier is the call by which the sender sent the messages of the kind before, where By is another one, in the round of the rank
	// that waits; else nil.
	Earlier *model.State
	At      *model.State // the call that the sender is in, or was in last; nil unknown
	InMPI   bool
	Others  []Other // messages of the sender that lie unreceived
	// Unanswered are messages that the rank which waits has sent to the sender, and that lie unreceived: the sender may have gone on
	// before it received what it should have answered.
	Unanswered []Other
	// Unmatched is what several ranks, the sender among them, sent the rank that waits, which has received none of it; nil: there is none.
	Unmatched *Unmatched
	Beside    *Beside // nil: there are none
	Rounds    Rounds  // how often it made the call By, if it is its own
	Omission  *Omission
}

// Omission is a call by which a sender sent messages of the kind that a rank waits for to all others that it sent any to, and none or
// fewer to that rank.
type Omission struct {
	By   *model.State
	To   model.RankSet
	Each uint64 // how many to each of them; 0: not as many to all, or not known
	Own  uint64 // how many to the rank that waits; else 0
}

// Rounds says how often a sender made the call that sends the messages of a wait.
type Rounds struct {
	Only bool   // it sent all messages of that channel by it
	Each uint64 // how many by that call to each other rank, if to all as many; 0: not so
	All  uint64 // how many by that call
	// Told: the rank that waits received messages of the sender on another channel which may have told it what comes; not if these were as
	// many as it had of the ones that it waits for.
	Told bool
}

// Other is messages that lie unreceived, and that are not those which a rank waits for.
type Other struct {
	From  int // a rank of MPI_COMM_WORLD
	To    int // likewise
	Comm  uint64
	Tag   int
	Count uint64
	By    *model.State // the call that sends them; nil unknown
	Usual bool         // the rank has received such messages before: this one may be under way
}

// maxUnreceived bounds the messages that are told of one wait.
const maxUnreceived = 2

// Find puts together what is known of each wait.
func (v *View) Find(waits []Wait) []Message {
	var out []Message
	for _, w := range waits {
		sender := v.Rank(w.Peer)
		if sender == nil {
			continue
		}
		if w.Wild {
			w.Sent = sender.sentFor(w)
			w.Number = w.Sent + 1
		}
		m := Message{Wait: w, At: v.States[sender.At], InMPI: sender.InMPI}
		m.By, m.Callers = v.callOf(w)
		if by := v.callOfRound(w, sender, m.By); by != nil {
			m.Earlier, m.By, m.Callers = m.By, v.States[by.id], by.callers
		}
		m.Never = m.By != nil && !slices.Contains(sender.Called, m.By.ID)
		if !w.Failed {
			m.Others, m.Rounds = v.unreceived(w, sender), v.roundsOf(w, sender, m.By)
			m.Unanswered = v.unanswered(w, sender)
		}
		if m.By != nil { // what another call sends as ever is of a later round, unless the sender is still in it
			m.Others = slices.DeleteFunc(m.Others, func(o Other) bool {
				return o.Usual && o.By != nil && o.By.ID != m.By.ID && !(sender.InMPI && o.By.ID == sender.At)
			})
		}
		if w.IsOwed() {
			m.Omission = v.omission(w, sender)
		}
		m.Unmatched, m.Beside = v.unmatched(w, sender), v.beside(&m, sender)
		if w.AnySource {
			m.Others = slices.DeleteFunc(m.Others, func(o Other) bool { return o.Usual || o.differences(w) != 1 })
		}
		out = append(out, m)
	}
	return out
}

// candidate is a call that may be the one that sends the messages of a wait.
type candidate struct {
	id      model.StateID
	callers model.RankSet
	alike   int // channels to a rank as far away as that which waits is from its sender
}

// callOf is the call that sends the messages of a wait: by which its sender has sent some, else by which other ranks send messages of the
// communicator and tag to others than the sender. Of several it is the one that sends in the same direction, then that of most ranks. Of a
// message that was sent it is known only where no other call sent on the channel before.
func (v *View) callOf(w Wait) (*model.State, model.RankSet) {
	found := map[model.StateID]*candidate{}
	for _, r := range v.Ranks {
		for _, c := range r.Sent {
			switch own := r.Rank == w.Peer && c.Peer == w.Rank; {
			case w.AnyTag() || c.Tag != w.Tag || c.Comm != w.Comm && !r.isAlike(w, c) || c.By == (model.StateID{}):
			case own && w.Failed && c.First != 1 && c.First != w.Number:
				return nil, model.RankSet{}
			case own:
				return v.States[c.By], model.NewRankSet(r.Rank)
			case !w.Failed && c.Peer != w.Peer: // what others send to the sender is not what it sends
				if found[c.By] == nil {
					found[c.By] = &candidate{id: c.By}
				}
				found[c.By].add(r.Rank, c.Peer-r.Rank == w.Rank-w.Peer)
			}
		}
	}
	if len(found) == 0 {
		return nil, model.RankSet{}
	}
	best := slices.MinFunc(slices.Collect(maps.Values(found)), func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.alike, a.alike), cmp.Compare(b.callers.Len(), a.callers.Len()), bytes.Compare(a.id[:], b.id[:]))
	})
	return v.States[best.id], best.callers
}

// callOfRound finds, for a message of a sender that sent those before by a call, another call which the sender never made: by it the rank
// that waits, and all others of whom that is known, sent their messages of the same number, from where that rank waits. nil: there is none.
// An exchange that several callers share is such a call for each of them.
func (v *View) callOfRound(w Wait, sender *rankView, earlier *model.State) *candidate {
	waiting := v.Rank(w.Rank)
	if earlier == nil || w.Failed || w.AnyTag() || w.Sent == 0 || waiting == nil {
		return nil
	}
	var found *candidate
	at := v.States[waiting.At]
	for _, r := range v.Ranks {
		for _, c := range r.Sent {
			if r.Rank == w.Peer || c.Peer == w.Peer || c.Comm != w.Comm || c.Tag != w.Tag || c.Count < w.Number {
				continue
			}
			if found == nil {
				found = &candidate{id: c.By}
			}
			if c.First > w.Number || c.By != found.id {
				return nil
			}
			found.add(r.Rank, true)
		}
	}
	if found == nil || !found.callers.Contains(w.Rank) || slices.Contains(sender.Called, found.id) ||
		!haveSameCallers(v.States[found.id], at) || haveSameCallers(earlier, at) {
		return nil
	}
	return found
}

// haveSameCallers reports whether two calls were made in a function that was called from the same places.
func haveSameCallers(a, b *model.State) bool {
	return a != nil && b != nil && len(a.Stack) > 1 && len(b.Stack) > 1 && facts.CompareFrames(a.Stack[1:], b.Stack[1:]) == 0
}

func (c *candidate) add(rank int, alike bool) {
	c.callers.Add(rank)
	if alike {
		c.alike++
	}
}

// roundsOf is how often a sender made a call that sends the messages of a wait.
func (v *View) roundsOf(w Wait, sender *rankView, by *model.State) (out Rounds) {
	alike := true
	for _, c := range sender.Sent {
		if by == nil || c.By != by.ID {
			continue
		}
		out.All += c.Count
		switch {
		case c.Peer == w.Rank && c.Comm == w.Comm && c.Tag == w.Tag:
			out.Only = c.First == 1
		default:
			alike = alike && c.First == 1 && (out.Each == 0 || out.Each == c.Count)
			out.Each = c.Count
		}
	}
	if !alike {
		out.Each = 0
	}
	if to := v.Rank(w.Rank); to != nil {
		out.Told = slices.ContainsFunc(to.Received, func(c channel) bool {
			return c.Peer == w.Peer && (c.Comm != w.Comm || c.Tag != w.Tag) && c.Count != w.Sent
		})
	}
	return out
}

// unreceived are messages of a sender that the rank they went to has not begun to receive: those to the rank that waits, with another
// tag or on another communicator; and those to ranks that never received one of the kind, with the tag that is awaited. Such a rank may
// be one that has the same number in another communicator.
func (v *View) unreceived(w Wait, sender *rankView) []Other {
	var out []Other
	for _, c := range sender.Sent {
		to := v.Rank(c.Peer)
		here := c.Peer == w.Rank
		awaited := here && c.Comm == w.Comm && (w.AnyTag() || c.Tag == w.Tag)
		if to == nil || awaited || !here && c.Tag != w.Tag {
			continue
		}
		received := to.receivedFrom(sender.Rank, c)
		left := to.unreceivedOf(sender.Rank, c)
		if left == 0 || !here && (received > 0 || w.Sent > 0) {
			continue
		}
		out = append(out, Other{
			From: sender.Rank, To: c.Peer, Comm: c.Comm, Tag: c.Tag, Count: left, By: v.States[c.By], Usual: received > 0,
		})
	}
	slices.SortStableFunc(out, func(a, b Other) int { // those of a kind that was received before come last, as traffic under way
		return cmp.Or(facts.CompareBools(a.Usual, b.Usual), cmp.Compare(a.differences(w), b.differences(w)), cmp.Compare(a.To, b.To),
			cmp.Compare(a.Tag, b.Tag))
	})
	return out[:min(len(out), maxUnreceived)]
}

// unanswered are messages that a rank has sent to the one which it waits for, and that this one has not begun to receive.
func (v *View) unanswered(w Wait, sender *rankView) (out []Other) {
	waiting := v.Rank(w.Rank)
	if waiting == nil {
		return nil
	}
	for _, c := range waiting.Sent {
		left := sender.unreceivedOf(w.Rank, c)
		if c.Peer != w.Peer || left == 0 || len(out) == maxUnreceived {
			continue
		}
		out = append(out, Other{
			From: w.Rank, To: w.Peer, Comm: c.Comm, Tag: c.Tag, Count: left, By: v.States[c.By], Usual: sender.receivedFrom(w.Rank, c) > 0,
		})
	}
	return out
}

// differences is by how much messages differ from the one that is awaited.
func (o *Other) differences(w Wait) (n int) {
	for _, differs := range []bool{o.To != w.Rank, o.Comm != w.Comm, !w.AnyTag() && o.Tag != w.Tag} {
		if differs {
			n++
		}
	}
	return n
}

// unreceivedOf counts the messages of a channel from another rank that the rank has certainly not begun to receive.
func (r *rankView) unreceivedOf(rank int, c channel) uint64 {
	return c.Count - min(c.Count, r.receivedFrom(rank, c)+facts.CountTaking(r.Wildcards, c.Comm, rank, c.Tag))
}

func (r *rankView) receivedFrom(rank int, c channel) (n uint64) {
	for _, in := range r.Received {
		if in.Peer == rank && in.Comm == c.Comm && in.Tag == c.Tag {
			n += in.Count
		}
	}
	return n
}
