package progress

import (
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// deadlockOf describes deadlocks by their roots; nil if there are none.
func deadlockOf(roots []evidence.Root, certain bool) *Deadlock {
	if len(roots) == 0 {
		return nil
	}
	d := &Deadlock{Certain: certain}
	for _, r := range roots {
		d.Cycles = append(d.Cycles, r.Cycle)
	}
	return d
}

// deadlockRule names the roots of deadlocks of certain waits.
func deadlockRule(j *job) (Verdict, bool) { return j.rootsOf(j.roots, j.deadlock) }

// rootsOf names the roots of deadlocks.
func (j *job) rootsOf(roots []evidence.Root, d *Deadlock) (Verdict, bool) {
	if d == nil {
		return Verdict{}, false
	}
	v := Verdict{
		Cause: CauseDeadlock, Deadlock: d, Diverged: j.divergences(), Reasons: []Reason{{Kind: InDeadlock, Roots: roots}},
	}
	level := certainty
	for _, r := range roots {
		v.Ranks = v.Ranks.Union(r.Ranks)
		if r.Kind != evidence.Whole {
			level = guess // who waits is known, and not who should have come or sent
		}
	}
	v.Confidence = j.scaleByKnown(level)
	return v, true
}

// possibleDeadlockRule: ranks wait, but for each other only, and the certain waits
// alone make no deadlock.
func possibleDeadlockRule(j *job) (Verdict, bool) {
	roots := j.scene.Roots(func(evidence.Need) bool { return true })
	v, ok := j.rootsOf(roots, deadlockOf(roots, false))
	if !ok {
		return v, false
	}
	level := likely
	if j.opts.Uncounted {
		level = guess
	}
	v.Confidence = min(v.Confidence, j.scaleByKnown(level))
	v.Reasons = append(v.Reasons, Reason{Kind: MayBeSatisfied})
	return v, true
}

// stuckIn returns the ranks of certain deadlocks, also those that only wait for a
// root, and those that wait for a message that no remaining rank can send.
func (j *job) stuckIn() model.RankSet {
	stuck := j.ranksWithNeed(func(n evidence.Need) bool { return n.Alone })
	if j.deadlock == nil {
		return stuck
	}
	for _, core := range j.certainGraph().Cores() {
		stuck = stuck.Union(core)
	}
	return stuck
}

func (j *job) certainGraph() *evidence.Graph {
	return evidence.NewGraph(j.scene, func(n evidence.Need) bool { return !n.Weak }, true)
}

// leftForFinalizeRule names the ranks that went to MPI_Finalize, or beyond, while ranks that
// can never move wait for a message of theirs, or of anybody. If as many stay as
// went, both may be wrong; if more went, those that stay are looked at.
func leftForFinalizeRule(j *job) (Verdict, bool) {
	gone := j.scene.RanksWhere(func(fact *facts.Fact) bool { return fact.Phase >= model.Finalizing })
	if gone.Len() == 0 || !j.hang {
		return Verdict{}, false
	}
	stuck := j.stuckIn().Minus(gone)
	owing := j.scene.Owing(stuck, gone)
	stay := j.scene.Unfinished().Minus(gone)
	if owing.Len() == 0 || owing.Len() > stay.Len() {
		return Verdict{}, false
	}
	v := Verdict{
		Ranks: owing, Confidence: j.scaleByKnown(leftMany), Cause: CauseKind(divergence.ErrorPath),
		Reasons: []Reason{{Kind: WentToFinalize, Ranks: owing, Others: stuck}}, Diverged: j.divergences(),
	}
	if 2*owing.Len() > stay.Len() {
		v.Ranks, v.Confidence = owing.Union(stuck), j.scaleByKnown(guess)
	}
	if d := j.leftMessageWaiters(owing, stuck); d != nil && !slices.ContainsFunc(v.Diverged, j.explainsHang) {
		v.Diverged = slices.Insert(slices.Clone(v.Diverged), 0, *d)
	}
	return v, true
}

// leftMessageWaiters says how ranks that are beyond the last collective left those that wait for a
// message of theirs; nil: that is not known.
func (j *job) leftMessageWaiters(gone, stuck model.RankSet) *divergence.Divergence {
	owed := j.scene.WaitingFor(gone).Intersect(stuck)
	left := j.scene.Facts[gone.Min()]
	if owed.Len() == 0 || !left.At.InMPI {
		return nil
	}
	world, begun := j.scene.World(left.Rank)
	d := divergence.LeftMessageWaiters(
		world,
		model.World,
		begun,
		gone,
		stuck,
		*j.callAt(left),
		*j.callAt(j.scene.Facts[owed.Min()]),
	)
	j.lookUpComms(&d)
	visits{j}.noteNever(&d.Odd[0])
	return &d
}

// extraCollectiveRule names a rank in a collective for which several others do not come, since
// they wait for a message of it: it made a collective more than they, or skipped
// what they wait for.
func extraCollectiveRule(j *job) (Verdict, bool) {
	if len(j.roots) != 1 || j.roots[0].Kind != evidence.Hub || !j.hang {
		return Verdict{}, false
	}
	hub := j.roots[0].Ranks
	comms := j.scene.CollectivesOf(hub)
	owed := j.scene.WaitingFor(hub)
	if hub.Len() != 1 || len(comms) != 1 || owed.Len() < 2*hub.Len() {
		return Verdict{}, false
	}
	if owed.Intersect(takersOf(j)).Len() > 0 { // it may have sent what they wait for
		return Verdict{}, false
	}
	h := hubRank{j, hub, comms[0]}
	d := h.extraByCounts()
	if d == nil {
		d = h.extraByPlace(owed)
	}
	if d == nil {
		return Verdict{}, false
	}
	j.lookUpComms(d)
	return Verdict{
		Ranks: hub, Confidence: j.scaleByKnown(leftMany), Cause: CauseKind(divergence.Extra),
		Reasons:  []Reason{{Kind: LeftSequence, Divergence: d}, {Kind: OweMessage, Ranks: hub, Others: owed}},
		Diverged: slices.Insert(slices.Clone(j.divergences()), 0, *d),
	}, true
}

// hubRank is a rank in a collective that others do not come to, since they wait for a message of it.
type hubRank struct {
	*job
	ranks model.RankSet // it alone
	comm  uint64        // of the collective
}

// extraByCounts: all that can never move have begun fewer collectives than the hub.
func (h hubRank) extraByCounts() *divergence.Divergence {
	stuck := h.stuckIn().Minus(h.ranks)
	inMessage := func(rank int, _, _ uint64) *divergence.Elsewhere {
		if !stuck.Contains(rank) {
			return nil
		}
		return &divergence.Elsewhere{Kind: divergence.Skipped, Call: *h.callAt(h.scene.Facts[rank])}
	}
	for _, d := range divergence.FindEarlyLeavers(h.opts.Begun, inMessage) {
		if d.Comm == h.comm && d.Odd[0].Kind == divergence.Extra && oddRanks(&d).Equal(h.ranks) {
			return &d
		}
	}
	return nil
}

// extraByPlace: all others are further in the program than the hub, and some of them
// have begun fewer collectives.
func (h hubRank) extraByPlace(owed model.RankSet) *divergence.Divergence {
	rank := h.ranks.Min()
	begun := h.scene.Begun(h.comm, rank)
	others := h.scene.Members(h.comm).Minus(h.ranks)
	fewer := others.Intersect(h.scene.RanksWhere(func(fact *facts.Fact) bool {
		return h.scene.Begun(h.comm, fact.Rank) < begun
	}))
	if fewer.Len() == 0 || !h.isBehindAll(rank, others) {
		return nil
	}
	in := h.callAt(h.scene.Facts[rank])
	in.Number = begun
	d := divergence.LeftMessageWaiters(
		h.comm,
		h.scene.Comm(h.comm).Kind,
		begun-1,
		h.ranks,
		others,
		*in,
		*h.callAt(h.scene.Facts[owed.Min()]),
	)
	d.Odd[0].Kind, d.Odd[0].Calls, d.Odd[0].Fewer = divergence.Extra, []divergence.Call{*in}, false
	return &d
}

// callAt is the call that a rank is in, for comparison with what others began.
func (j *job) callAt(fact *facts.Fact) *divergence.Call {
	place := j.scene.Sum.PlaceAt(fact.At)
	state := &model.State{ID: fact.At.State, Call: place.Call, Stack: place.Stack}
	call := divergence.CallIn(state)
	return &call
}

// withStalledBehind adds ranks that compute and have begun fewer collectives than a root
// that is named: those in its broadcast wait for no other rank, but these ranks stand
// still on their own.
func (j *job) withStalledBehind(v Verdict) Verdict {
	if !j.hang || v.Ranks.Len() == 0 {
		return v
	}
	computing := j.scene.RanksWhere(func(fact *facts.Fact) bool {
		return j.scene.Needs[fact.Rank].Standing == evidence.Running && fact.Phase == model.Running && !fact.Off
	})
	behind := j.scene.BehindRoot(computing.Minus(v.Ranks).Minus(j.scene.Lost), v.Ranks)
	if behind.Len() > 0 {
		v.Reasons = append(v.Reasons, Reason{Kind: StalledBehind, Ranks: behind})
		v.Ranks = v.Ranks.Union(behind)
	}
	return v
}
