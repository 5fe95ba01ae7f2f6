package progress

import (
	"laggard/analysis/divergence"
	"laggard/model"
)

// byRankInBoth compares ranks of a deadlock that are in collectives of two communicators with one that has begun both:
// those in the one that it came to first agree with it, and those that are in the other with it left the first
// one out. nil: there is no such rank.
func (c crossing) byRankInBoth() *divergence.Divergence {
	for _, in := range c.all {
		if !c.core.Contains(in.ranks.Min()) {
			continue
		}
		made, out, instead := c.sidesOf(in)
		if out.Len() == 0 {
			continue
		}
		call := in.call
		if began := divergence.CallOf(c.opts.Begun, in.comm, in.ranks.Min(), call.Number); began != nil {
			call = *began
		}
		d := &divergence.Divergence{
			Comm: in.comm, Kind: c.scene.Comm(in.comm).Kind, Agree: made, Majority: made.Len() > out.Len(),
			Odd: []divergence.Odd{{Deviation: divergence.Deviation{
				Kind: divergence.Skipped, Number: call.Number, After: call.Number - 1,
				Calls: []divergence.Call{call}, Fewer: true, Theirs: []divergence.Call{call}, Instead: &instead,
			}, Line: divergence.Line{Ranks: out}}},
		}
		d.Common.Ranks = made
		return d
	}
	return nil
}

// sidesOf are the members of a communicator that have made the collective which one of them is in, and those that
// have not, and are in another one, as is one of those that have: what they are in instead. out is empty where no
// rank has begun both.
func (c crossing) sidesOf(in standing) (made, out model.RankSet, instead divergence.Call) {
	type place struct{ comm, number uint64 }
	members, both := c.scene.Members(in.comm), map[place]bool{}
	for _, s := range c.all {
		rank := s.ranks.Min()
		if members.Contains(rank) && c.scene.Begun(in.comm, rank) >= in.call.Number {
			made.Add(rank)
			both[place{s.comm, s.call.Number}] = s.comm != in.comm
		}
	}
	for _, s := range c.all {
		rank := s.ranks.Min()
		if members.Contains(rank) && !made.Contains(rank) && both[place{s.comm, s.call.Number}] {
			out.Add(rank)
			instead = s.call
		}
	}
	return made, out, instead
}
