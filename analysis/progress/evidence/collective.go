package evidence

import (
	"slices"
	"strings"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// judgeCollective: the rank has begun collective number Seq on a communicator
// and waits for every member that has begun fewer (PDI §2.1), or that is in another
// function as that number, which none of them can leave. In one that
// sends data out from a root, a root that is not there is all that is waited
// for. If all have begun it, a member that has left it and computes may still
// hold data of others, which the library sends on only inside MPI.
func (s *Scene) judgeCollective(id wantID, w *facts.Want) (Link, outcome) {
	c := s.comms[w.Comm]
	if w.Lost || w.Self || c == nil || s.members(c).Len() == 0 {
		return Link{}, open
	}
	if s.known.Uncounted && w.Seq == 0 {
		return s.judgeUnnumbered(id, w, c)
	}
	if w.Seq == 0 {
		return Link{}, open
	}
	late := s.target(targetKey{what: lateFor, comm: w.Comm, seq: w.Seq, call: functionOf(w.Call)})
	switch {
	case w.Near:
		return s.judgeNeighbours(id, w, late.Ranks)
	case late.Ranks.Len() == 0 && s.led(id):
		if leader := s.target(targetKey{what: leaderOf, comm: w.Comm, seq: w.Seq}); leader.Ranks.Len() > 0 {
			return s.linkTo(leader, Collective, id), linked
		}
		return Link{}, satisfied
	case late.Ranks.Len() == 0:
		idle := s.target(targetKey{what: leftIdle, comm: w.Comm})
		if idle.Ranks.Len() == 0 {
			return Link{}, satisfied
		}
		return Link{To: idle, Weak: true, Kind: Collective, source: id}, linked
	case sendsOut(w.Call) && w.Peer != id.rank && late.Ranks.Contains(w.Peer):
		late = s.one(w.Peer)
	}
	l := s.linkTo(late, Collective, id)
	l.Weak = l.Weak || someMembers(w.Call)
	return l, linked
}

// judgeNeighbours: a collective among neighbours waits for the sources that have
// begun fewer. What it sends to the others may lie in buffers, unless that is the
// last thing missing.
func (s *Scene) judgeNeighbours(id wantID, w *facts.Want, late model.RankSet) (Link, outcome) {
	toward := func(ranks model.RankSet) Link {
		return s.linkTo(&Target{Ranks: ranks}, Collective, id)
	}
	if sources := late.Intersect(w.Sources); sources.Len() > 0 {
		return toward(sources), linked
	}
	if dests := late.Intersect(w.Dests); dests.Len() > 0 {
		l := toward(dests)
		l.lax = !l.Weak
		l.Weak = true
		return l, linked
	}
	idle := s.target(targetKey{what: leftIdle, comm: w.Comm}).Ranks.Intersect(w.Sources.Union(w.Dests))
	if idle.Len() == 0 {
		return Link{}, satisfied
	}
	l := toward(idle)
	l.Weak = true
	return l, linked
}

// leaders returns the leader of the group that makes an intercommunicator by
// collective seq on comm: besides that it wants to meet the other group's leader.
func (s *Scene) leaders(comm, seq uint64) model.RankSet {
	return s.RanksWhere(func(f *facts.Fact) bool {
		return slices.ContainsFunc(f.Waits, func(w facts.Wait) bool {
			return makesIntercomm(&w) && len(w.Wants) == 2 && w.Wants[0].Comm == comm && w.Wants[0].Seq == seq
		})
	})
}

// led tells whether a rank that makes an intercommunicator leaves it to a leader
// to meet the other group.
func (s *Scene) led(id wantID) bool {
	wait := &s.Facts[id.rank].Waits[id.wait]
	return makesIntercomm(wait) && len(wait.Wants) == 1
}

func makesIntercomm(w *facts.Wait) bool { return strings.EqualFold(w.Call, "MPI_Intercomm_create") }

// someMembers tells whether the call may wait for some members only, and the
// record does not say which: a collective among neighbours that are too many to
// be listed, or one of an older record, in which what was started from a
// persistent request has no kind either.
func someMembers(call string) bool {
	return facts.Neighbourly(call) || started(strings.ToLower(call))
}

// members returns both groups of a communicator.
func (s *Scene) members(c *facts.Comm) model.RankSet {
	if c.Groups[1].Len() == 0 {
		return s.group(c, 0)
	}
	return c.Groups[0].Union(c.Groups[1])
}

// Members returns the ranks of a communicator, none if it is not known.
func (s *Scene) Members(comm uint64) model.RankSet {
	if c := s.comms[comm]; c != nil {
		return s.members(c)
	}
	return model.RankSet{}
}

// group returns one group of a communicator.
func (s *Scene) group(c *facts.Comm, side int) model.RankSet {
	if c.World {
		return s.All
	}
	return c.Groups[side]
}

// lateFor returns the members that have begun fewer than seq collectives, or called
// another function as number seq and are in it. Who does not know the communicator
// yet has begun none.
func (s *Scene) lateFor(comm, seq uint64, function string) model.RankSet {
	c := s.comms[comm]
	late := s.members(c)
	for _, n := range c.Counts {
		if n.N >= seq {
			late = late.Minus(n.Ranks)
		}
	}
	for other, ranks := range s.inside[collective{comm, seq}] {
		if function != "" && other != function {
			late = late.Union(ranks)
		}
	}
	return late
}

// collective is one that members of a communicator begin, by its number there.
type collective struct{ comm, seq uint64 }

// findInside notes which ranks are in which function of which collective.
func (s *Scene) findInside() {
	type call struct {
		collective
		function string
	}
	ranks := map[call][]int{}
	for _, f := range s.Sum.Facts {
		eachCollective(&f, func(w *facts.Want) {
			if name := functionOf(w.Call); name != "" {
				key := call{collective{w.Comm, w.Seq}, name}
				ranks[key] = append(ranks[key], f.Rank)
			}
		})
	}
	s.inside = map[collective]map[string]model.RankSet{}
	for key, list := range ranks {
		if s.inside[key.collective] == nil {
			s.inside[key.collective] = map[string]model.RankSet{}
		}
		s.inside[key.collective][key.function] = model.NewRankSet(list...)
	}
}

// WaitingFrom returns the ranks that wait in collective number seq of a
// communicator, or in a later one.
func (s *Scene) WaitingFrom(comm, seq uint64) model.RankSet {
	var out model.RankSet
	for c, functions := range s.inside {
		if c.comm != comm || c.seq < seq {
			continue
		}
		for _, ranks := range functions {
			out = out.Union(ranks)
		}
	}
	return out
}

// eachCollective gives do the collectives that a rank waits for.
func eachCollective(f *facts.Fact, do func(w *facts.Want)) {
	for i := range f.Waits {
		for j := range f.Waits[i].Wants {
			if w := &f.Waits[i].Wants[j]; w.Kind == model.Collective && !w.Lost && !w.Self && w.Seq > 0 {
				do(w)
			}
		}
	}
}

// callIn returns the function of a collective that a rank waits in, "" if it does
// not wait in that.
func (s *Scene) callIn(rank int, comm, seq uint64) string {
	call := ""
	if f := s.Facts[rank]; f != nil {
		eachCollective(f, func(w *facts.Want) {
			if w.Comm == comm && w.Seq == seq {
				call = w.Call
			}
		})
	}
	return call
}

// functionOf returns the name by which calls of members match, whatever the language
// and the type of the counts. It is "" where the record does not tell it, and for
// persistent collectives, which members may start in different orders.
func functionOf(call string) string {
	name := strings.TrimSuffix(strings.ToLower(call), "_c")
	if started(name) || strings.HasSuffix(name, "_init") {
		return ""
	}
	return name
}

// started tells whether a persistent request is known by its start only.
func started(name string) bool { return strings.HasPrefix(name, "mpi_start") }

// sendsOut tells whether the call is a collective that sends data from its
// root to the others.
func sendsOut(call string) bool {
	name := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(call, "MPI_"), "MPIX_"))
	name = strings.TrimSuffix(strings.TrimPrefix(name, "i"), "_c")
	switch strings.TrimSuffix(name, "_init") {
	case "bcast", "scatter", "scatterv":
		return true
	}
	return false
}
