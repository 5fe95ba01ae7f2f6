package progress

import (
	"laggard/analysis/divergence"
	"laggard/model"
)

// witnessed compares ranks of a deadlock that are in collectives of two communicators with one that has begun both:
// those in the one that it came to first agree with it, and those that are in the other with it left the first
// one out. nil: there is no such rank.
func (f *Finding) witnessed(core model.RankSet, all []standing) *divergence.Divergence {
	for _, in := range all {
		if !core.Contains(in.ranks.Min()) {
			continue
		}
		made, out, instead := f.sidesOf(in, all)
		if out.Len() == 0 {
			continue
		}
		call := in.call
		if c := divergence.CallOf(f.opts.Begun, in.comm, in.ranks.Min(), call.Number); c != nil {
			call = *c
		}
		d := &divergence.Divergence{
			Comm: in.comm, Kind: f.scene.CommKind(in.comm), Agree: made, Majority: made.Len() > out.Len(),
			Odd: []divergence.Odd{{Parting: divergence.Parting{
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
func (f *Finding) sidesOf(in standing, all []standing) (made, out model.RankSet, instead divergence.Call) {
	type place struct{ comm, number uint64 }
	members, both := f.scene.Members(in.comm), map[place]bool{}
	for _, s := range all {
		rank := s.ranks.Min()
		if members.Contains(rank) && f.scene.Begun(in.comm, rank) >= in.call.Number {
			made.Add(rank)
			both[place{s.comm, s.call.Number}] = s.comm != in.comm
		}
	}
	for _, s := range all {
		rank := s.ranks.Min()
		if members.Contains(rank) && !made.Contains(rank) && both[place{s.comm, s.call.Number}] {
			out.Add(rank)
			instead = s.call
		}
	}
	return made, out, instead
}
