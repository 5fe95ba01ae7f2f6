package progress

import (
	"bytes"
	"cmp"
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// crossedRule names the ranks of deadlocks that wait in collectives of several
// communicators: they made them in different orders, or some left one out. Where others of a deadlock
// wait for messages, the ranks that it comes down to are looked at.
func crossedRule(j *job) (Verdict, bool) {
	if j.deadlock == nil {
		return Verdict{}, false
	}
	for _, core := range j.certainGraph().Cores() {
		if d := j.compareStandings(core); d != nil {
			v := j.divergenceVerdict(d, j.divergences())
			if !d.Majority {
				c := crossing{job: j}
				v.Ranks = c.awaitedAmong(c.untilEachWaits(v.Ranks))
			}
			return v, true
		}
	}
	for _, root := range j.roots {
		d := j.compareStandings(root.Ranks)
		if d == nil {
			continue
		}
		v := j.divergenceVerdict(d, j.divergences())
		if !d.Majority { // those who wait for messages may have their part in it
			v.Confidence = min(v.Confidence, j.scaleByKnown(leftSides))
		}
		return v, true
	}
	return Verdict{}, false
}

// untilEachWaits adds to ranks in collectives those that they wait for, until each waits for one of them.
func (c crossing) untilEachWaits(ranks model.RankSet) model.RankSet {
	next := ranks.Slice()
	for len(next) > 0 {
		rank := next[0]
		next = next[1:]
		s, ok := c.standingOf(rank)
		if missing := c.missingFrom(s); ok && missing.Intersect(ranks).Len() == 0 {
			ranks = ranks.Union(missing)
			next = append(next, missing.Slice()...)
		}
	}
	return ranks
}

// awaitedAmong leaves of ranks in collectives those for which others of them wait: who is no member of both communicators, and only waits
// in one of them, made nothing in another order. If there are none it leaves all.
func (c crossing) awaitedAmong(ranks model.RankSet) model.RankSet {
	var awaited model.RankSet
	ranks.Each(func(rank int) {
		if s, ok := c.standingOf(rank); ok {
			awaited = awaited.Union(c.missingFrom(s).Intersect(ranks))
		}
	})
	if awaited.Len() == 0 {
		return ranks
	}
	return awaited
}

// missingFrom are the members of a communicator that have not come to the collective which others of it are in.
func (c crossing) missingFrom(s standing) (out model.RankSet) {
	c.scene.Members(s.comm).Each(func(rank int) {
		if c.scene.Begun(s.comm, rank) < s.call.Number {
			out.Add(rank)
		}
	})
	return out
}

// standing is the collective that some ranks are in.
type standing struct {
	ranks model.RankSet
	state model.StateID
	comm  uint64
	call  divergence.Call
}

// crossing is a deadlock of ranks that are in collectives of several communicators.
type crossing struct {
	*job
	core model.RankSet
	all  []standing // of core, and of those beside them
}

// compareStandings compares the collectives that the ranks of a deadlock are in; nil: not all
// are in one, or all in the same.
func (j *job) compareStandings(core model.RankSet) *divergence.Divergence {
	var all []standing
	for _, rank := range core.Slice() {
		s, ok := j.standingOf(rank)
		if !ok {
			return nil
		}
		all = append(all, s)
	}
	c := crossing{j, core, all}
	c.all = append(c.all, c.othersInCollectives()...)
	c.all = append(c.all, c.othersOfOneOrder()...)
	if len(mergeEqual(c.all, byComm)) < 2 {
		return nil
	}
	if d := c.byRankInBoth(); d != nil {
		return d
	}
	return c.bySides()
}

func byComm(a, b standing) int { return cmp.Compare(a.comm, b.comm) }

// bySides compares the side that most ranks are on with the others.
func (c crossing) bySides() *divergence.Divergence {
	all := c.all
	// The way that led there tells ranks apart, but not those that are in one
	// communicator: some may be behind there. If all is one then, as in a loop over
	// communicators, these do.
	sides := oneSide(mergeEqual(all, func(a, b standing) int { return bytes.Compare(a.state[:], b.state[:]) }), all)
	if len(sides) < 2 {
		sides = mergeEqual(all, byComm)
	}
	slices.SortStableFunc(sides, func(a, b standing) int {
		return cmp.Or(cmp.Compare(b.ranks.Len(), a.ranks.Len()), cmp.Compare(b.ranks.Min(), a.ranks.Min()))
	})
	sides = c.twoThatWait(sides)
	many := sides[0]
	d := &divergence.Divergence{
		Comm: sides[1].comm, Kind: c.scene.Comm(sides[1].comm).Kind, Agree: many.ranks,
		Majority: 2*many.ranks.Len() > totalRanks(sides),
	}
	d.Common.Ranks = many.ranks
	for _, side := range sides[1:] {
		own, theirs := c.firstMissedCall(many.ranks, side), c.firstMissedCall(side.ranks, many)
		d.Odd = append(d.Odd, divergence.Odd{
			Deviation: divergence.Deviation{
				Kind: divergence.Order, Number: own.Number, After: own.Number - 1,
				Calls: []divergence.Call{own}, Theirs: []divergence.Call{theirs}, Other: many.comm,
			},
			Line: divergence.Line{Ranks: side.ranks},
		})
	}
	if len(d.Odd) == 1 { // who is no member of the one communicator says nothing of it
		members := many.ranks.Intersect(c.scene.Members(d.Comm))
		if members.Len() > 0 && members.Len() <= sides[1].ranks.Len() {
			d.Agree, d.Majority = members, false
		}
		// Those who made their call on another communicator of the kind, as of another row, are not told to have made it on this one.
		if own := d.Odd[0].Ranks.Intersect(c.scene.Members(sides[1].comm)); !d.Majority && own.Len() > 0 {
			d.Odd[0].Ranks = own
		}
		if agree := d.Agree.Intersect(c.scene.Members(many.comm)); !d.Majority && agree.Len() > 0 {
			d.Agree = agree
		}
	}
	if len(d.Odd) > 1 {
		return d
	}
	d.Odd[0].Shared = divergence.LastSharedCall(c.opts.Begun, d.Odd[0].Ranks.Min(), d.Agree.Min())
	if !d.Majority {
		return d
	}
	p, comm := divergence.CompareAcrossComms(c.opts.Begun, d.Odd[0].Ranks.Min(), many.ranks.Min())
	if p != nil {
		p.Shared = d.Odd[0].Shared
		d.Odd[0].Deviation, d.Comm, d.Kind = *p, comm, c.scene.Comm(comm).Kind
	}
	return d
}

// twoThatWait leaves of several sides the first two of which each waits for the other: those that wait for these go on when they do. If
// there are none it leaves all.
func (c crossing) twoThatWait(sides []standing) []standing {
	waits := func(a, b standing) bool { return c.missingFrom(a).Intersect(b.ranks).Len() > 0 }
	for i, a := range sides {
		for _, b := range sides[i+1:] {
			if waits(a, b) && waits(b, a) {
				return []standing{a, b}
			}
		}
	}
	return sides
}

// firstMissedCall is the first call that one side has begun on its communicator, and others, as far as they are members, have
// not; the one that the side is in, where that is not kept.
func (c crossing) firstMissedCall(others model.RankSet, side standing) divergence.Call {
	members := others.Intersect(c.scene.Members(side.comm))
	if members.Len() == 0 {
		return side.call
	}
	next := c.scene.Begun(side.comm, members.Min()) + 1
	if began := divergence.CallOf(c.opts.Begun, side.comm, side.ranks.Min(), next); began != nil {
		return *began
	}
	return side.call
}

// othersInCollectives are the other ranks that stand in a collective that some of a deadlock are in. A
// deadlock is as small as it can be, and no measure of who the many are.
func (c crossing) othersInCollectives() []standing {
	var out []standing
	c.scene.Present.Minus(c.core).Each(func(rank int) {
		s, ok := c.standingOf(rank)
		if ok && slices.ContainsFunc(c.all, func(o standing) bool {
			return o.state == s.state && o.comm == s.comm && o.call.Number == s.call.Number
		}) {
			out = append(out, s)
		}
	})
	return out
}

// othersOfOneOrder are the other ranks that have begun one of two collectives that some of a deadlock are in, and not the other one,
// which they take part in too: wherever they are now, they made the two in that order.
func (c crossing) othersOfOneOrder() []standing {
	two := mergeEqual(c.all, func(a, b standing) int { return cmp.Or(byComm(a, b), cmp.Compare(a.call.Number, b.call.Number)) })
	if len(two) != 2 || two[0].comm == two[1].comm {
		return nil
	}
	var out []standing
	members := c.scene.Members(two[0].comm).Intersect(c.scene.Members(two[1].comm))
	members.Minus(two[0].ranks.Union(two[1].ranks)).Each(func(rank int) {
		begun := func(s standing) bool { return c.scene.Begun(s.comm, rank) >= s.call.Number }
		for i, s := range two {
			if begun(s) && !begun(two[1-i]) {
				s.ranks = model.NewRankSet(rank)
				out = append(out, s)
			}
		}
	})
	return out
}

func totalRanks(all []standing) int {
	n := 0
	for _, s := range all {
		n += s.ranks.Len()
	}
	return n
}

// standingOf is the collective that a rank waits in, if it is one alone.
func (j *job) standingOf(rank int) (standing, bool) {
	fact := j.scene.Facts[rank]
	main := slices.IndexFunc(fact.Waits, func(w facts.Wait) bool { return !w.Side })
	if main < 0 || !fact.At.InMPI {
		return standing{}, false
	}
	wants := fact.Waits[main].Wants
	if len(wants) != 1 || wants[0].Kind != model.Collective {
		return standing{}, false
	}
	call := j.callAt(fact)
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

// mergeEqual puts those together that are equal.
func mergeEqual(all []standing, compare func(a, b standing) int) []standing {
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
