package progress

import (
	"slices"
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
	case w.Near:
		return s.judgeNeighbours(id, w, late.ranks)
	case late.ranks.Len() == 0 && s.led(id):
		if leader := s.target(targetKey{what: leaderOf, comm: w.Comm, seq: w.Seq}); leader.ranks.Len() > 0 {
			return s.linkTo(leader, EdgeCollective, id), linked
		}
		return link{}, satisfied
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

// judgeNeighbours: a collective among neighbours waits for the sources that have
// begun fewer. What it sends to the others may lie in buffers, unless that is the
// last thing missing.
func (s *scene) judgeNeighbours(id wantID, w *Want, late model.RankSet) (link, outcome) {
	toward := func(ranks model.RankSet) link {
		return s.linkTo(&target{ranks: ranks}, EdgeCollective, id)
	}
	if sources := late.Intersect(w.Sources); sources.Len() > 0 {
		return toward(sources), linked
	}
	if dests := late.Intersect(w.Dests); dests.Len() > 0 {
		l := toward(dests)
		l.lax = !l.weak
		l.weak = true
		return l, linked
	}
	idle := s.target(targetKey{what: leftIdle, comm: w.Comm}).ranks.Intersect(w.Sources.Union(w.Dests))
	if idle.Len() == 0 {
		return link{}, satisfied
	}
	l := toward(idle)
	l.weak = true
	return l, linked
}

// leaders returns the leader of the group that makes an intercommunicator by
// collective seq on comm: besides that it wants to meet the other group's leader.
func (s *scene) leaders(comm, seq uint64) model.RankSet {
	return s.factsWhere(func(f *Fact) bool {
		return slices.ContainsFunc(f.Waits, func(w Wait) bool {
			return makesIntercomm(&w) && len(w.Wants) == 2 && w.Wants[0].Comm == comm && w.Wants[0].Seq == seq
		})
	})
}

// led tells whether a rank that makes an intercommunicator leaves it to a leader
// to meet the other group.
func (s *scene) led(id wantID) bool {
	wait := &s.facts[id.rank].Waits[id.wait]
	return makesIntercomm(wait) && len(wait.Wants) == 1
}

func makesIntercomm(w *Wait) bool { return strings.EqualFold(w.Call, "MPI_Intercomm_create") }

// someMembers tells whether the call may wait for some members only, and the
// record does not say which: a collective among neighbours that are too many to
// be listed, or one of an older record, in which what was started from a
// persistent request has no kind either.
func someMembers(call string) bool {
	return neighbourly(call) || strings.HasPrefix(strings.ToLower(call), "mpi_start")
}

// neighbourly tells whether the call is a collective among neighbours.
func neighbourly(call string) bool { return strings.Contains(strings.ToLower(call), "neighbor") }

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
