package progress

import (
	"strings"

	"laggard/model"
)

// judgeCollective: the rank has begun collective number Seq on a communicator
// and waits for every member that has begun fewer (PDI §2.1). In one that
// sends data out from a root, a root that is not there is all that is waited
// for. If all have begun it, a member that has left it and computes may still
// hold data of others, which the library sends on only inside MPI.
func (s *scene) judgeCollective(id wantID, w *Want) (link, outcome) {
	c := s.comms[w.Comm]
	if w.Lost || w.Self || w.Seq == 0 || c == nil || s.members(c).Len() == 0 {
		return link{}, open
	}
	late := s.target(targetKey{what: lateFor, comm: w.Comm, seq: w.Seq})
	switch {
	case late.ranks.Len() == 0:
		idle := s.target(targetKey{what: leftIdle, comm: w.Comm})
		if idle.ranks.Len() == 0 {
			return link{}, satisfied
		}
		return link{to: idle, weak: true, kind: EdgeCollective, source: id}, linked
	case sendsOut(w.Call) && w.Peer != id.rank && late.ranks.Contains(w.Peer):
		late = s.one(w.Peer)
	}
	return s.linkTo(late, EdgeCollective, id), linked
}

// members returns both groups of a communicator.
func (s *scene) members(c *Comm) model.RankSet {
	if c.Groups[1].Len() == 0 {
		return s.group(c, 0)
	}
	return c.Groups[0].Union(c.Groups[1])
}

// group returns one group of a communicator.
func (s *scene) group(c *Comm, side int) model.RankSet {
	if c.World {
		return s.all
	}
	return c.Groups[side]
}

// lateFor returns the members that have begun fewer than seq collectives. Who
// does not know the communicator yet has begun none.
func (s *scene) lateFor(comm, seq uint64) model.RankSet {
	c := s.comms[comm]
	late := s.members(c)
	for _, n := range c.Counts {
		if n.N >= seq {
			late = late.Minus(n.Ranks)
		}
	}
	return late
}

// sendsOut tells whether the call is a collective that sends data from its
// root to the others.
func sendsOut(call string) bool {
	name := strings.ToLower(strings.TrimPrefix(call, "MPI_"))
	name = strings.TrimSuffix(strings.TrimPrefix(name, "i"), "_c")
	switch strings.TrimSuffix(name, "_init") {
	case "bcast", "scatter", "scatterv":
		return true
	}
	return false
}

// judgeWindow: synchronisation of a window has no number. It may wait for its
// peer, or for the members that are not at such a call.
func (s *scene) judgeWindow(id wantID, w *Want) (link, outcome) {
	if w.Lost || w.Self || s.comms[w.Comm] == nil {
		return link{}, open
	}
	t := s.target(targetKey{what: outsideWindow, comm: w.Comm})
	if w.Peer >= 0 {
		t = s.one(w.Peer)
	}
	if t.ranks.Len() == 0 {
		return link{}, open
	}
	return link{to: t, weak: true, kind: EdgeCollective, source: id}, linked
}

// outsideWindow returns the members that are in no RMA synchronisation on the
// communicator.
func (s *scene) outsideWindow(comm uint64) model.RankSet {
	out := s.members(s.comms[comm]).Clone()
	var inside []int
	for _, f := range s.sum.Facts {
		for _, w := range f.Waits {
			for _, want := range w.Wants {
				if want.Kind == model.RMA && want.Comm == comm {
					inside = append(inside, f.Rank)
				}
			}
		}
	}
	return out.Minus(model.NewRankSet(inside...))
}
