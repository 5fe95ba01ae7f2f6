package evidence

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
)

// Root is what a deadlock comes down to: the ranks whose release would let all
// others move, as few as there can be.
type Root struct {
	Ranks model.RankSet
	// Cycle shows who waits for whom: all ranks of a deadlock that comes down to
	// itself, as the ranks wait, if each waits for one other, else ascending; else
	// a shortest cycle through the root.
	Cycle []int
	Kind  RootKind
	// Asking are those of Ranks that ask for the lock of a window, of Sides.
	Asking model.RankSet
}

// RootKind says why the ranks are the root.
type RootKind uint8

// The kinds of root.
const (
	Whole  RootKind = iota // all of them alike: any one would release the others
	Sides                  // the same, but some wait in a collective, or for a lock, and others for a message
	Hub                    // only they would release the others
	Wild                   // the others wait for them, and they for a message of anybody
	Unlike                 // the same, and some of them have a message for the others that these do not take
	Late                   // any would release the others, and these have begun fewer collectives
)

// Roots returns the roots of the deadlocks among the needs that use accepts, by
// their smallest rank.
//
// A rank that waits for a message from any source waits for no rank in particular: no
// other rank is known to owe it one. So a deadlock of those who wait for somebody
// comes first, and without one the ranks that wait for anybody are what all others
// wait for.
func (s *Scene) Roots(use func(n Need) bool) []Root { return deadlocks{s}.findRoots(use) }

// deadlocks finds ranks that wait for each other, and the roots of that.
type deadlocks struct{ *Scene }

func (s deadlocks) findRoots(use func(n Need) bool) []Root {
	var out []Root
	for _, core := range NewGraph(s.Scene, use, true).Cores() {
		out = append(out, s.rootsOf(core)...)
	}
	slices.SortFunc(out, func(a, b Root) int { return a.Cycle[0] - b.Cycle[0] })
	return out
}

func (s deadlocks) rootsOf(core model.RankSet) []Root {
	var wild model.RankSet
	named := s.graphWithin(core, func(rank int) [][]Link {
		n := s.Needs[rank]
		alts := inParticular(n.allAlternatives())
		if alts == nil {
			wild.Add(rank)
		}
		return alts
	})
	var out []Root
	for _, part := range named.Cores() {
		out = append(out, s.rootOf(named, part))
	}
	if out != nil {
		return out
	}
	ranks := s.leastBegun(wild)
	cycle := s.cycleOf(core, ranks.Min())
	if senders := s.sendersTo(ranks).Intersect(core); senders.Len() > 0 {
		return []Root{{Ranks: ranks.Union(senders), Cycle: cycle, Kind: Unlike}}
	}
	return []Root{{Ranks: ranks, Cycle: cycle, Kind: Wild}}
}

// sendersTo returns the ranks that wait for some to take a message of theirs.
func (s deadlocks) sendersTo(ranks model.RankSet) model.RankSet {
	var out model.RankSet
	s.eachMessage(s.Present.Minus(ranks), func(rank int, l Link) {
		if w := s.wantOf(l); w != nil && w.Kind == model.Send && !l.Weak && ranks.Contains(w.Peer) {
			out.Add(rank)
		}
	})
	return out
}

// graphWithin builds the graph of some ranks; the others wait for nothing.
func (s deadlocks) graphWithin(core model.RankSet, alternatives func(rank int) [][]Link) *Graph {
	return newGraph(s.Scene, func(rank int) [][]Link {
		if !core.Contains(rank) {
			return nil
		}
		return alternatives(rank)
	}, nil)
}

// inParticular leaves out what waits for anybody; nil if that alone would do. Where some of several ranks are
// needed, all of them are looked at, as each may be one of these.
func inParticular(alts [][]Link) [][]Link {
	out := filterLinks(alts, func(l Link) bool { return !l.To.Any })
	for _, links := range out {
		for i := range links {
			links[i].To = links[i].To.asWhole()
		}
	}
	return out
}

// filterLinks leaves of each alternative the links that keep accepts; nil if that
// leaves nothing of one.
func filterLinks(alts [][]Link, keep func(l Link) bool) [][]Link {
	var out [][]Link
	for _, alt := range alts {
		links := slices.DeleteFunc(slices.Clone(alt), func(l Link) bool { return !keep(l) })
		if len(links) == 0 {
			return nil
		}
		out = append(out, links)
	}
	return out
}

// rootOf returns the root of ranks of which each waits for others in particular.
func (s deadlocks) rootOf(g *Graph, core model.RankSet) Root {
	cycle := func(ranks model.RankSet) []int {
		return g.Cycle(ranks.Min(), func(int) bool { return true })
	}
	if hub := g.hubRanks(core); hub.Len() < core.Len() {
		return Root{Ranks: hub, Cycle: cycle(hub), Kind: Hub}
	}
	if s.hasMixedWaits(core) {
		return Root{Ranks: core, Cycle: g.Ring(core), Kind: Sides, Asking: core.Intersect(s.RanksWhere(AsksForLock))}
	}
	if late := s.leastBegun(core); late.Len() < core.Len() {
		return Root{Ranks: late, Cycle: cycle(late), Kind: Late}
	}
	return Root{Ranks: core, Cycle: g.Ring(core), Kind: Whole}
}

// manyRanks bounds the deadlocks in which each rank is tried on its own.
const manyRanks = 256

// hubRanks returns the ranks of a deadlock of which each, alone, would release all others;
// all of them if none would, or if they are too many to be tried.
func (g *Graph) hubRanks(core model.RankSet) model.RankSet {
	if core.Len() > manyRanks {
		return core
	}
	var out model.RankSet
	nodes := g.Nodes()
	core.Each(func(rank int) {
		node := g.rankNode(rank)
		others := slices.DeleteFunc(slices.Clone(nodes), func(x int) bool { return x == node })
		if g.Ranks(g.Stuck(others)).Intersect(core).Len() == 0 {
			out.Add(rank)
		}
	})
	if out.Len() == 0 {
		return core
	}
	return out
}

// hasMixedWaits reports whether some of the ranks wait in a collective, and others for a
// message.
func (s deadlocks) hasMixedWaits(ranks model.RankSet) bool {
	var inMPI model.RankSet
	ranks.Each(func(rank int) {
		if f := s.Facts[rank]; f == nil || !awaitsProcess(f) {
			inMPI.Add(rank)
		}
	})
	collective := s.inCollective(inMPI)
	return collective.Len() > 0 && collective.Len() < inMPI.Len()
}

// inCollective returns those ranks that wait for others to come to a collective, or
// for a lock of a window.
func (s deadlocks) inCollective(ranks model.RankSet) model.RankSet {
	var out model.RankSet
	ranks.Each(func(rank int) {
		n := s.Needs[rank]
		for _, alt := range n.allAlternatives() {
			if slices.ContainsFunc(alt, func(l Link) bool { return l.Kind == Collective }) {
				out.Add(rank)
			}
		}
	})
	return out
}

// leastBegun leaves out the ranks that have begun more collectives than another of
// them on a communicator of both, besides those that they are in.
func (s deadlocks) leastBegun(ranks model.RankSet) model.RankSet {
	var ahead model.RankSet
	for i := range s.Sum.Comms {
		c := &s.Sum.Comms[i]
		done := map[int]uint64{}
		least := uint64(0)
		for _, n := range c.Counts {
			n.Ranks.Intersect(ranks).Each(func(rank int) {
				k := n.N
				if s.isIn(rank, c.ID, k) {
					k--
				}
				if len(done) == 0 || k < least {
					least = k
				}
				done[rank] = k
			})
		}
		for rank, k := range done {
			if k > least {
				ahead.Add(rank)
			}
		}
	}
	if out := ranks.Minus(ahead); out.Len() > 0 {
		return out
	}
	return ranks
}

// isIn reports whether a rank waits in collective number seq on a communicator.
func (s *Scene) isIn(rank int, comm, seq uint64) bool {
	return s.callIn(rank, comm, seq) != ""
}

// cycleOf returns a shortest cycle through a rank of a deadlock: by messages alone,
// if there is one.
func (s deadlocks) cycleOf(core model.RankSet, rank int) []int {
	all := func(rank int) [][]Link {
		n := s.Needs[rank]
		return withoutSender(rank, n.allAlternatives())
	}
	messages := func(rank int) [][]Link {
		return filterLinks(all(rank), func(l Link) bool { return l.Kind == PointToPoint })
	}
	for _, alternatives := range []func(rank int) [][]Link{messages, all} {
		g := s.graphWithin(core, alternatives)
		if cycle := g.Cycle(rank, func(int) bool { return true }); cycle != nil {
			return cycle
		}
	}
	return core.Slice()
}

// withoutSender leaves a rank out of those that may send it a message.
func withoutSender(rank int, alts [][]Link) [][]Link {
	out := make([][]Link, len(alts))
	for i, alt := range alts {
		out[i] = slices.Clone(alt)
		for k, l := range alt {
			if l.To.Any {
				out[i][k].To = &Target{Ranks: l.To.Ranks.Minus(model.NewRankSet(rank)), Any: true}
			}
		}
	}
	return out
}

// Owing returns, of some ranks, those that others wait for by a message, also as one
// of any who could send it.
func (s *Scene) Owing(waiting, some model.RankSet) model.RankSet {
	var out model.RankSet
	s.eachMessage(waiting, func(_ int, l Link) {
		from := l.To.Ranks
		if w := s.wantOf(l); w != nil && w.Peer == model.Any && s.comms[w.Comm] != nil {
			c := s.comms[w.Comm]
			from = s.groupOf(c, otherSide(c, l.source.rank))
		}
		out = out.Union(from.Intersect(some))
	})
	return out
}

// WaitingFor returns the ranks that wait, with certainty, for a message of some in
// particular.
func (s *Scene) WaitingFor(some model.RankSet) model.RankSet {
	var out model.RankSet
	s.eachMessage(s.Present, func(rank int, l Link) {
		if !l.Weak && !l.To.Any && l.To.Ranks.Intersect(some).Len() > 0 {
			out.Add(rank)
		}
	})
	return out
}

// eachMessage gives do the links of some ranks that are messages.
func (s *Scene) eachMessage(ranks model.RankSet, do func(rank int, l Link)) {
	ranks.Each(func(rank int) {
		n := s.Needs[rank]
		for _, alt := range n.allAlternatives() {
			for _, l := range alt {
				if l.Kind == PointToPoint {
					do(rank, l)
				}
			}
		}
	})
}

// wantOf returns the want that a link comes from, nil if it is the call itself.
func (s *Scene) wantOf(l Link) *facts.Want {
	if l.source.want < 0 {
		return nil
	}
	return &s.Facts[l.source.rank].Waits[l.source.wait].Wants[l.source.want]
}

// CollectivesOf returns the communicators on which some ranks wait in a collective,
// each once, rising.
func (s *Scene) CollectivesOf(ranks model.RankSet) []uint64 {
	var out []uint64
	ranks.Each(func(rank int) {
		if f := s.Facts[rank]; f != nil {
			eachCollective(f, func(w *facts.Want) { out = append(out, w.Comm) })
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// BehindRoot returns, of some ranks, those that have begun fewer collectives than a
// late root of the same communicator: those who wait for the root there wait for
// nobody else.
func (s *Scene) BehindRoot(some, roots model.RankSet) model.RankSet {
	var out model.RankSet
	seen := map[collective]bool{}
	for i := range s.Sum.Facts {
		eachCollective(&s.Sum.Facts[i], func(w *facts.Want) {
			key := collective{w.Comm, w.Seq}
			if c := s.comms[w.Comm]; c != nil && !seen[key] && w.Function().HasTrait(mpi.FromRoot) && roots.Contains(w.Peer) {
				seen[key] = true
				out = out.Union(begunFewer(c, s.Begun(w.Comm, w.Peer)).Intersect(some))
			}
		})
	}
	return out
}

// begunFewer returns the members that have begun fewer than n collectives.
func begunFewer(c *facts.Comm, n uint64) model.RankSet {
	var out model.RankSet
	for _, count := range c.Counts {
		if count.N < n {
			out = out.Union(count.Ranks)
		}
	}
	return out
}
