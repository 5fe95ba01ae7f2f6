package unsent

import "laggard/model"

// tellingRanks is how many other ranks a call has to reach for it to tell something where the rank that waits got no message of the kind
// at all: of a sender with two neighbours, which it serves by two calls, none was left out.
const tellingRanks = 2

// omission finds a call by which a sender sent messages of the kind of a wait to all other ranks that it sent such to, and none or fewer to
// the one that waits; nil: there is none, or several. Of several, if that one got nothing at all, it is the one that sent most.
func (v *View) omission(w Wait, sender *rankView) (found *Omission) {
	s := servedRanks{calls: map[model.StateID]*reached{}}
	for _, c := range sender.Sent {
		if !sender.isAlike(w, c) || c.Peer == w.Peer {
			continue
		}
		if c.By == (model.StateID{}) || c.Peer == w.Rank && c.First != 1 {
			return nil // what sent them, or the first of them, is not known
		}
		s.add(w.Rank, c)
	}
	most, several := uint64(0), false
	for id, r := range s.calls {
		to := r.ranksBut(w.Rank)
		if s.others.Len() == 0 || !to.Equal(s.others) {
			continue
		}
		one := &Omission{By: v.States[id], To: to, Each: r.each(w.Rank), Own: r.count[w.Rank]}
		switch {
		case one.Own > 0 && (len(s.calls) > 1 || one.Each <= one.Own):
			continue // another one may send the rest
		case one.Own == 0 && !s.tells(r) && (s.some || w.AnyTag() && len(sender.Alike[w.Comm]) == 0 || s.others.Len() < tellingRanks):
			continue // with any tag, without any message, the one awaited may be another than those that the others got
		case found == nil || !s.some && r.total() > most:
			found, most, several = one, r.total(), false
		case s.some || r.total() == most:
			several = true
		}
	}
	if several {
		return nil
	}
	return found
}

// servedRanks is whom a sender sent messages of a kind to.
type servedRanks struct {
	calls  map[model.StateID]*reached
	others model.RankSet // all but the rank that waits
	some   bool          // that one got messages, too
	both   bool          // and by a call that reached another rank
}

// reached is what ranks a call sent to, and how much.
type reached struct {
	count map[int]uint64
	exact bool // the counts are those of this call alone
	later bool // other calls had sent to each of the ranks before
}

func (s *servedRanks) add(waits int, c channel) {
	r := s.calls[c.By]
	if r == nil {
		r = &reached{count: map[int]uint64{}, exact: true, later: true}
		s.calls[c.By] = r
	}
	n := c.Count - min(c.First-1, c.Count)
	r.count[c.Peer] += n
	r.exact = r.exact && (c.First == 1 || n == 1) // of the later ones another call may have sent some
	r.later = r.later && c.First > 1
	if c.Peer != waits {
		s.others.Add(c.Peer)
	}
	s.some = s.some || c.Peer == waits
	s.both = s.both || r.count[waits] > 0 && len(r.count) > 1
}

// tells reports whether the sender treats the rank that waits like the others, so that a call which did not reach it left it out: another
// call reached both, or all got messages by other calls before.
func (s *servedRanks) tells(r *reached) bool { return s.both || s.some && r.later }

// ranksBut are the ranks that it reached but one.
func (r *reached) ranksBut(one int) (out model.RankSet) {
	for rank := range r.count {
		if rank != one {
			out.Add(rank)
		}
	}
	return out
}

// total is how many messages it sent.
func (r *reached) total() (n uint64) {
	for _, k := range r.count {
		n += k
	}
	return n
}

// each is how many messages went to each rank but one; 0: not as many to all, or not known.
func (r *reached) each(one int) (n uint64) {
	for rank, k := range r.count {
		if rank == one {
			continue
		}
		if !r.exact || n > 0 && k != n {
			return 0
		}
		n = k
	}
	return n
}

// sentFor is how many messages a rank sent that a receive could take.
func (r *rankView) sentFor(w Wait) (n uint64) {
	for _, c := range r.Sent {
		if c.Comm == w.Comm && c.Peer == w.Rank && (w.AnyTag() || c.Tag == w.Tag) {
			n += c.Count
		}
	}
	return n
}
