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
	l := s.linkTo(late, EdgeCollective, id)
	l.weak = l.weak || someMembers(w.Call)
	return l, linked
}

// someMembers tells whether the call may wait for some members only, of which
// the record does not say which: a collective among neighbours of a topology,
// or one that was started from a persistent request, of whatever kind.
func someMembers(call string) bool {
	name := strings.ToLower(call)
	return strings.Contains(name, "neighbor") || strings.HasPrefix(name, "mpi_start")
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

// judgeWindow: synchronisation of a window other than a fence has no number.
// Between a start and a post, or a complete and a wait, it waits for members
// that are at no such call. A lock, an unlock or a flush waits for its target
// while that computes, since the library may need it to move on; else for
// whoever holds the lock, which the record does not tell, so for the members
// that compute.
func (s *scene) judgeWindow(id wantID, w *Want) (link, outcome) {
	if w.Lost || w.Self || s.comms[w.Comm] == nil {
		return link{}, open
	}
	t := s.target(targetKey{what: outsideWindow, comm: w.Comm})
	switch {
	case w.Peer >= 0 && !s.driving(w.Peer):
		t = s.one(w.Peer)
	case passive(w.Call):
		t = s.target(targetKey{what: leftIdle, comm: w.Comm})
	}
	if t.ranks.Len() == 0 {
		return link{}, open
	}
	return link{to: t, weak: true, kind: EdgeCollective, source: id}, linked
}

// passive tells whether the call synchronises a window without a call of the
// target.
func passive(call string) bool {
	name := strings.ToLower(call)
	return strings.Contains(name, "lock") || strings.Contains(name, "flush")
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
