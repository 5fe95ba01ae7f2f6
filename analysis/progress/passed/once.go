package passed

import (
	"slices"

	"laggard/model"
	"laggard/model/mpi"
)

// habit is how often a rank must have made a call before it is told that it left it out.
const habit = 2

// LeftOut reports whether a rank, once only, went past the call that sends the messages for one of which another rank waits: on a way that
// neither it nor another rank had gone before, from where it made the call until then, to a call to which it came on other ways
// before. Or, where one call sends to several ranks in turn, whether it sent as many messages to each other one as it had rounds, which are
// over, and one less to this one.
func (v *View) LeftOut(a Awaited) bool {
	r := v.Rank(a.Sender)
	if r == nil {
		return false
	}
	a.By = v.joined(a.By)
	ways := slices.DeleteFunc(v.candidates(r, []Awaited{a}), func(c candidate) bool {
		return c.weight != expected || c.Count != 1 || r.count(c.From, c.call) < habit || !r.cameTo(c.To, c.From)
	})
	return len(ways) == 1 || len(ways) == 0 && r.leftOutOfRound(a)
}

// leftOutOfRound reports whether a rank sent with a call to some ranks in each round, and to one in each but one.
func (r *rankView) leftOutOfRound(a Awaited) bool {
	rounds, all := uint64(0), uint64(0)
	for _, p := range r.Passages {
		if p.To != a.By {
			continue
		}
		if all += p.Count; p.From != a.By {
			rounds += p.Count
		}
	}
	return r.At != a.By && rounds > habit && a.Others == rounds && a.Sent+1 == rounds && a.All == all
}

// Departs reports whether a rank went on, once, as neither it nor another rank did else: behind a call where it makes other ones as well,
// to one that it comes to otherwise, too.
func (v *View) Departs(rank int) bool {
	r := v.Rank(rank)
	return r != nil && slices.ContainsFunc(r.Passages, func(p passage) bool {
		behind := slices.ContainsFunc(r.Passages, func(o passage) bool { return o.From == p.From && o.To != p.To })
		alone := !slices.ContainsFunc(v.Ranks, func(o rankView) bool { return o.Rank != rank && o.has(p.From, p.To) })
		return p.Count == 1 && behind && alone && r.cameTo(p.To, p.From)
	})
}

// MayKnow reports whether a rank that waits for another message of a kind, of which it had some, may have been told since that none comes:
// by a collective that tells of single members, or by memory that others may write. What it called before the first of these messages, or
// as often as these came, tells it nothing.
func (v *View) MayKnow(rank int, had uint64) bool {
	r := v.Rank(rank)
	if r == nil {
		return true
	}
	calls := map[model.StateID]uint64{}
	for _, p := range r.Passages {
		calls[p.To] += p.Count
	}
	for id := range r.since(r.At) {
		if f := mpi.FunctionOf(v.States[id].Call); calls[id] != had && (f.TellsOfMembers() || f.OnWindow()) {
			return true
		}
	}
	return false
}

// since are the calls to which the passages of a rank lead from one: what is not among them it did before that one only.
func (r *rankView) since(call model.StateID) map[model.StateID]bool {
	found := map[model.StateID]bool{}
	for open := []model.StateID{call}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, p := range r.Passages {
			if p.From == at && !found[p.To] {
				found[p.To] = true
				open = append(open, p.To)
			}
		}
	}
	return found
}
