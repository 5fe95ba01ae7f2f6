package evidence

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
)

// judgeCollective: the rank has begun collective number Seq on a communicator
// and waits for members that are late: that have begun fewer (PDI §2.1), or are in another
// function as that number, which none of them can leave. If all have begun it, a
// member that has left it and computes may still hold data of others, which the
// library sends on only inside MPI.
func (s judge) judgeCollective(id wantID, w *facts.Want) (Link, outcome) {
	c := s.comms[w.Comm]
	if w.Lost || w.Self || c == nil || s.membersOf(c).Len() == 0 {
		return Link{}, open
	}
	if s.known.Uncounted && w.Seq == 0 {
		return s.judgeUnnumbered(id, w, c)
	}
	if w.Seq == 0 {
		return Link{}, open
	}
	late := s.sharedTarget(targetKey{what: lateFor, comm: w.Comm, seq: w.Seq, call: matchName(w)})
	switch {
	case w.Neighbourhood:
		return s.judgeNeighbours(id, w, late.Ranks)
	case late.Ranks.Len() == 0 && s.leavesMeetingToLeader(id):
		if leader := s.sharedTarget(targetKey{what: leaderOf, comm: w.Comm, seq: w.Seq}); leader.Ranks.Len() > 0 {
			return s.linkTo(leader, Collective, id), linked
		}
		return Link{}, satisfied
	case late.Ranks.Len() == 0:
		idle := s.sharedTarget(targetKey{what: leftIdle, comm: w.Comm})
		if idle.Ranks.Len() == 0 {
			return Link{}, satisfied
		}
		return Link{To: idle, Weak: true, Kind: Collective, source: id}, linked
	}
	l := s.linkToLate(id, w, late)
	if someMembers(w) {
		l.Weak, l.lax = true, false
	}
	return l, linked
}

// linkToLate tells for which members that are late a rank waits in a collective. It is certain of those without whose data, or
// whose coming, the call cannot be over. Where there are none, the rank waits for one or more of those that are late: by which way
// the library sends the data is not known. That is certain if the call has nothing else to wait for, and if no member has left it and
// computes, which may hold such data.
func (s judge) linkToLate(id wantID, w *facts.Want, late *Target) Link {
	if needed := s.neededLate(id.rank, w, late); needed != nil {
		return s.linkTo(needed, Collective, id)
	}
	l := s.linkTo(s.sharedTarget(targetKey{what: someLate, comm: w.Comm, seq: w.Seq, call: matchName(w)}), Collective, id)
	if idle := s.sharedTarget(targetKey{what: leftIdle, comm: w.Comm}); !l.Weak {
		l.Weak, l.lax = true, idle.Ranks.Minus(late.Ranks).Len() == 0
	}
	return l
}

// neededLate are the late members that a collective needs for sure; nil: none of them. A root that gathers blocks of different sizes
// may skip those that are empty.
func (s judge) neededLate(rank int, w *facts.Want, late *Target) *Target {
	switch f := w.Function(); {
	case f == nil, f.HasTrait(mpi.Synchronises), f.HasTrait(mpi.ToRoot) && f.HasTrait(mpi.AlikeSent) && w.Peer == rank:
		return late
	case f.HasTrait(mpi.FromRoot) && w.Peer != rank && late.Ranks.Contains(w.Peer):
		return s.singleTarget(w.Peer)
	case f.NeedsLower:
		return s.lateBelow(rank, w, late)
	}
	return nil
}

// mostBelow bounds the late members that a rank is seen to wait for, the lowest ones, so that what is drawn stays linear in the ranks.
const mostBelow = 256

// lateBelow are the late members below a rank of the communicator; nil: there are none.
func (s judge) lateBelow(rank int, w *facts.Want, late *Target) *Target {
	at := placesOn(s.Scene, w.Comm)
	if late.first == nil {
		ranks := late.Ranks.Slice()
		slices.SortStableFunc(ranks, func(a, b int) int { return at(a) - at(b) })
		late.first = ranks[:min(len(ranks), mostBelow)]
	}
	n, _ := slices.BinarySearchFunc(late.first, at(rank), func(late, place int) int { return at(late) - place })
	if n == 0 {
		return nil
	}
	key := targetKey{what: lowerLate, comm: w.Comm, seq: w.Seq, call: matchName(w), rank: n}
	if s.targets[key] == nil {
		s.targets[key] = &Target{Ranks: model.NewRankSet(late.first[:n]...)}
	}
	return s.targets[key]
}

// placesOn gives the place of a member of a communicator among its members.
func placesOn(s *Scene, comm uint64) func(rank int) int {
	c := s.comms[comm]
	if len(c.Order) == 0 {
		return func(rank int) int { return rank }
	}
	if s.places[comm] == nil {
		s.places[comm] = make(map[int]int, len(c.Order))
		for place, rank := range c.Order {
			s.places[comm][rank] = place
		}
	}
	return func(rank int) int { return s.places[comm][rank] }
}

// judgeNeighbours: a collective among neighbours waits for the sources that have
// begun fewer. What it sends to the others may lie in buffers, unless that is the
// last thing missing. If nothing is missing but what neighbours exchange that do not
// list the rank, it never comes.
func (s judge) judgeNeighbours(id wantID, w *facts.Want, late model.RankSet) (Link, outcome) {
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
	notDest, notSource := s.unlisting(id)
	partners := w.Sources.Minus(notDest).Union(w.Dests.Minus(notSource))
	idle := s.sharedTarget(targetKey{what: leftIdle, comm: w.Comm}).Ranks.Intersect(partners)
	switch {
	case idle.Len() > 0:
	case notDest.Len() > 0, notSource.Len() > 0:
		return s.linkTo(&Target{Any: true}, Collective, id), linked
	default:
		return Link{}, satisfied
	}
	l := toward(idle)
	l.Weak = true
	return l, linked
}

// intercommLeaders returns the leader of the group that makes an intercommunicator by
// collective seq on comm: besides that it wants to meet the other group's leader.
func (s judge) intercommLeaders(comm, seq uint64) model.RankSet {
	return s.RanksWhere(func(f *facts.Fact) bool {
		return slices.ContainsFunc(f.Waits, func(w facts.Wait) bool {
			return makesIntercomm(&w) && len(w.Wants) == 2 && w.Wants[0].Comm == comm && w.Wants[0].Seq == seq
		})
	})
}

// leavesMeetingToLeader reports whether a rank that makes an intercommunicator leaves it to a leader
// to meet the other group.
func (s judge) leavesMeetingToLeader(id wantID) bool {
	wait := &s.Facts[id.rank].Waits[id.wait]
	return makesIntercomm(wait) && len(wait.Wants) == 1
}

func makesIntercomm(w *facts.Wait) bool { return w.Function().InClass(mpi.ClassNewcommLeaders) }

// someMembers reports whether the call may wait for some members only, and the
// record does not say which: a collective among neighbours that are too many to
// be listed, or one of an older record, in which what was started from a
// persistent request has no kind either.
func someMembers(w *facts.Want) bool {
	f := w.Function()
	return f.HasTrait(mpi.Neighbours) || f != nil && f.Class.StartsRequests()
}

// membersOf returns both groups of a communicator.
func (s *Scene) membersOf(c *facts.Comm) model.RankSet {
	if c.Groups[1].Len() == 0 {
		return s.groupOf(c, 0)
	}
	return c.Groups[0].Union(c.Groups[1])
}

// Members returns the ranks of a communicator, none if it is not known.
func (s *Scene) Members(comm uint64) model.RankSet {
	if c := s.comms[comm]; c != nil {
		return s.membersOf(c)
	}
	return model.RankSet{}
}

// groupOf returns one group of a communicator.
func (s *Scene) groupOf(c *facts.Comm, side int) model.RankSet {
	if c.World && len(s.known.Worlds) == 0 {
		return s.All
	}
	return c.Groups[side]
}

// lateFor returns the members that have begun fewer than seq collectives, or called
// another function as number seq and are in it. Who does not know the communicator
// yet has begun none.
func (s judge) lateFor(comm, seq uint64, function string) model.RankSet {
	c := s.comms[comm]
	late := s.membersOf(c)
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
			if name := matchName(w); name != "" {
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
	eachWant(f, func(w *facts.Want) {
		if w.Kind == model.Collective && !w.Lost && !w.Self && w.Seq > 0 {
			do(w)
		}
	})
}

// eachWant gives do all of a rank's wants.
func eachWant(f *facts.Fact, do func(w *facts.Want)) {
	for i := range f.Waits {
		for j := range f.Waits[i].Wants {
			do(&f.Waits[i].Wants[j])
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

// matchName returns the name by which calls of members match, whatever the language
// and the type of the counts. It is "" where the record does not tell it, and for
// persistent collectives, which members may start in different orders.
func matchName(w *facts.Want) string {
	switch f := w.Function(); {
	case f == nil:
		return w.Call
	case f.Class.StartsRequests(), f.Class.IsPersistent():
		return ""
	default:
		return f.Narrow.Name
	}
}
