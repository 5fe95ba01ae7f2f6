package progress

import (
	"bytes"
	"cmp"
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// crossed takes deadlocks whose ranks wait in collectives of several communicators:
// they made them in different orders, or some left one out.
func (f *Finding) crossed() bool {
	if f.deadlock == nil || !f.deadlock.Certain {
		return false
	}
	for _, core := range f.certainGraph().Cores() {
		if d := f.crossing(core); d != nil {
			f.takeOdd(d)
			f.diverged = slices.Insert(f.diverged, 0, *d)
			return true
		}
	}
	return false
}

// standing is the collective that some ranks are in.
type standing struct {
	ranks model.RankSet
	state model.StateID
	comm  uint64
	call  divergence.Call
}

// crossing compares the collectives that the ranks of a deadlock are in; nil: not all
// are in one, or all in the same.
func (f *Finding) crossing(core model.RankSet) *divergence.Divergence {
	var all []standing
	for _, rank := range core.Slice() {
		s, ok := f.standing(rank)
		if !ok {
			return nil
		}
		all = append(all, s)
	}
	all = append(all, f.beside(all, core)...)
	byComm := func(a, b standing) int { return cmp.Compare(a.comm, b.comm) }
	if len(joined(all, byComm)) < 2 {
		return nil
	}
	if d := f.witnessed(core, all); d != nil {
		return d
	}
	// The way that led there tells ranks apart, but not those that are in one
	// communicator: some may be behind there. If all is one then, as in a loop over
	// communicators, these do.
	sides := oneSide(joined(all, func(a, b standing) int { return bytes.Compare(a.state[:], b.state[:]) }), all)
	if len(sides) < 2 {
		sides = joined(all, byComm)
	}
	slices.SortStableFunc(sides, func(a, b standing) int {
		return cmp.Or(cmp.Compare(b.ranks.Len(), a.ranks.Len()), cmp.Compare(b.ranks.Min(), a.ranks.Min()))
	})
	many := sides[0]
	d := &divergence.Divergence{
		Comm: sides[1].comm, Kind: f.scene.CommKind(sides[1].comm), Agree: many.ranks,
		Majority: 2*many.ranks.Len() > total(sides),
	}
	d.Common.Ranks = many.ranks
	for _, side := range sides[1:] {
		own, theirs := f.missed(many.ranks.Min(), side), f.missed(side.ranks.Min(), many)
		d.Odd = append(d.Odd, divergence.Odd{
			Parting: divergence.Parting{
				Kind: divergence.Order, Number: own.Number, After: own.Number - 1,
				Calls: []divergence.Call{own}, Theirs: []divergence.Call{theirs}, Other: many.comm,
			},
			Line: divergence.Line{Ranks: side.ranks},
		})
	}
	if len(d.Odd) == 1 { // who is no member of the one communicator says nothing of it
		members := many.ranks.Intersect(f.scene.Members(d.Comm))
		if members.Len() > 0 && members.Len() <= sides[1].ranks.Len() {
			d.Agree, d.Majority = members, false
		}
	}
	if len(d.Odd) > 1 || !d.Majority {
		return d
	}
	p, comm := divergence.Crossed(f.opts.Begun, d.Odd[0].Ranks.Min(), many.ranks.Min())
	if p != nil {
		d.Odd[0].Parting, d.Comm, d.Kind = *p, comm, f.scene.CommKind(comm)
	}
	d.Odd[0].Shared = divergence.Shared(f.opts.Begun, d.Odd[0].Ranks.Min(), many.ranks.Min())
	return d
}

// missed is the first call that one side has begun on its communicator, and a rank has
// not; the one that the side is in, where that is not kept.
func (f *Finding) missed(rank int, side standing) divergence.Call {
	next := f.scene.Begun(side.comm, rank) + 1
	if c := divergence.CallOf(f.opts.Begun, side.comm, side.ranks.Min(), next); c != nil {
		return *c
	}
	return side.call
}

// beside are the other ranks that stand in a collective that some of a deadlock are in. A
// deadlock is as small as it can be, and no measure of who the many are.
func (f *Finding) beside(some []standing, core model.RankSet) []standing {
	var out []standing
	f.scene.Present.Minus(core).Each(func(rank int) {
		s, ok := f.standing(rank)
		if ok && slices.ContainsFunc(some, func(o standing) bool {
			return o.state == s.state && o.comm == s.comm && o.call.Number == s.call.Number
		}) {
			out = append(out, s)
		}
	})
	return out
}

func total(all []standing) int {
	n := 0
	for _, s := range all {
		n += s.ranks.Len()
	}
	return n
}

// standing is the collective that a rank waits in, if it is one alone.
func (f *Finding) standing(rank int) (standing, bool) {
	fact := f.scene.Facts[rank]
	main := slices.IndexFunc(fact.Waits, func(w facts.Wait) bool { return !w.Side })
	if main < 0 || !fact.At.InMPI {
		return standing{}, false
	}
	wants := fact.Waits[main].Wants
	if len(wants) != 1 || wants[0].Kind != model.Collective {
		return standing{}, false
	}
	call := f.callAt(fact)
	call.Number = wants[0].Seq
	return standing{model.NewRankSet(rank), fact.At.State, wants[0].Comm, *call}, true
}

// oneSide joins sides that have members in one communicator; all are the members.
func oneSide(sides, all []standing) []standing {
	comms := func(s standing) map[uint64]bool {
		out := map[uint64]bool{}
		for _, one := range all {
			if s.ranks.Contains(one.ranks.Min()) {
				out[one.comm] = true
			}
		}
		return out
	}
	for i := 0; i < len(sides); i++ {
		for k := i + 1; k < len(sides); k++ {
			mine := comms(sides[i])
			for comm := range comms(sides[k]) {
				if mine[comm] {
					sides[i].ranks = sides[i].ranks.Union(sides[k].ranks)
					sides, k = slices.Delete(sides, k, k+1), i // what joined may join others now
					break
				}
			}
		}
	}
	return sides
}

// joined puts those together that are equal.
func joined(all []standing, compare func(a, b standing) int) []standing {
	all = slices.Clone(all)
	slices.SortStableFunc(all, compare)
	var out []standing
	for _, s := range all {
		if n := len(out); n > 0 && compare(out[n-1], s) == 0 {
			out[n-1].ranks = out[n-1].ranks.Union(s.ranks)
			continue
		}
		out = append(out, s)
	}
	return out
}
