package progress

import (
	"slices"

	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
	"laggard/model/mpi"
)

// awaitedRule names the ranks that the waiting ranks wait for in the end. A rank
// that has all it waits for, or whose record stopped, is named only if there
// is no other.
func awaitedRule(j *job) (Verdict, bool) {
	graph := j.graph
	first, second, alone := j.findSinks(graph)
	if first.Len() == 0 && second.Len() == 0 {
		graph = evidence.NewGraph(j.scene, func(evidence.Need) bool { return true }, true)
		first, second, alone = j.findSinks(graph)
	}
	v := Verdict{
		Ranks: first, Confidence: j.scaleByKnown(j.directness()), Diverged: j.divergences(),
		Reasons: []Reason{{Kind: AwaitedBy, Ranks: j.waitingRanks()}},
	}
	switch {
	case first.Len() == 0:
		v.Ranks, v.Confidence = second, j.scaleByKnown(guess)
		v.Reasons = []Reason{j.blockedReason(second)}
	case alone.Len() > 0:
		v.Confidence = j.scaleByKnown(guess) // one of those who left may have owed it, and of two lists either may be wrong
		v.Reasons = j.aloneReasons(alone)
	case j.opts.Uncounted && (second.Len() > 0 || j.certainlyAwaited().Intersect(first).Len() == 0):
		v.Confidence = j.scaleByKnown(guess) // it may be one of those whose waits are not known
	}
	v = j.narrowByOrder(v)
	if still, ok := j.stillInCall(v.Ranks, v.Ranks); ok {
		v.Ranks, v.Confidence, v.Reasons = still.Ranks, still.Confidence, still.Reasons
	}
	v = j.withStalledBehind(v)
	return v, v.Ranks.Len() > 0
}

// blockedReason says of ranks for which others wait what may hold them: where each is in a call of which something is not recorded, that,
// and where one thread of each is in a call and another one waits outside MPI, these two.
func (j *job) blockedReason(ranks model.RankSet) Reason {
	callBeside := func(rank int) string {
		if f := j.scene.Facts[rank]; f != nil {
			return f.Holder.Call
		}
		return ""
	}
	all := ranks.Slice()
	if len(all) == 0 {
		return Reason{Kind: BlockedUnknown}
	}
	uncompared := func(rank int) bool { // neighbours may have left the call before its data are there
		call := ""
		if j.scene.Facts[rank] != nil {
			call = notCompared(j, model.NewRankSet(rank))
		}
		return call != "" && !mpi.FunctionOf(call).HasTrait(mpi.Neighbours)
	}
	if !slices.ContainsFunc(all, func(rank int) bool { return !uncompared(rank) }) {
		return Reason{Kind: NotCompared, Call: notCompared(j, ranks), Others: j.waitingRanks()}
	}
	call := callBeside(all[0])
	if call == "" || slices.ContainsFunc(all, func(rank int) bool { return callBeside(rank) != call }) {
		return Reason{Kind: BlockedUnknown}
	}
	return Reason{Kind: ThreadsBlocked, Ranks: ranks, Call: call}
}

// aloneReasons says of ranks that wait, alone, for what no rank can send why nobody does.
func (j *job) aloneReasons(alone model.RankSet) (out []Reason) {
	unlisted := Reason{Kind: NotListed, OneSided: j.scene.OneSided(alone)}
	for _, edge := range unlisted.OneSided {
		unlisted.Ranks.Add(edge.Rank)
		unlisted.Others = unlisted.Others.Union(edge.Peers)
	}
	if unlisted.Ranks.Len() > 0 {
		out = append(out, unlisted)
	}
	if others := alone.Minus(unlisted.Ranks); others.Len() > 0 {
		out = append(out, Reason{Kind: AwaitNoSender, Ranks: others})
	}
	return out
}

// stillInCallRule names, where nothing certain tells the unfinished ranks apart, those that
// stand still inside their call while others go on looking for messages.
func stillInCallRule(j *job) (Verdict, bool) {
	return j.stillInCall(j.scene.Unfinished(), model.RankSet{})
}

// stillInCall does so among some ranks, unless those are named already.
func (j *job) stillInCall(among, named model.RankSet) (Verdict, bool) {
	s := j.scene
	certain := func(r int) bool { n := s.Needs[r]; return n.Standing == evidence.Waiting && !n.Weak }
	still := s.RanksWhere(func(fact *facts.Fact) bool {
		return fact.Still && among.Contains(fact.Rank) && !certain(fact.Rank)
	}).Minus(connecting(j)) // who has to move for these is not known
	looking := s.RanksWhere(func(fact *facts.Fact) bool { return fact.Looking })
	if still.Len() == 0 || still.Equal(named) || still.Len() > looking.Len() {
		return Verdict{}, false
	}
	level := likely
	if still.Intersect(s.RanksWhere(func(fact *facts.Fact) bool { return fact.Outward })).Len() > 0 {
		level = guess
	}
	return Verdict{
		Ranks: still, Confidence: j.scaleByKnown(level), Diverged: j.divergences(),
		Reasons: []Reason{{Kind: IdleInCall, Ranks: still}},
	}, true
}

// narrowByOrder asks the algorithm about ranks that are only perhaps waited for, if
// there are others: those ahead of the lowest are left out.
func (j *job) narrowByOrder(v Verdict) Verdict {
	if v.Ranks.Len() < 2 {
		return v
	}
	maybe := v.Ranks.Minus(j.certainlyAwaited())
	lowest, layers := v.Ranks.Min(), j.layerOf()
	v.Ranks.Each(func(r int) {
		if layers.of(r) < layers.of(lowest) {
			lowest = r
		}
	})
	var ahead []int
	maybe.Each(func(r int) {
		if code, _ := j.order.Relate(r, lowest); code == inference.Forward {
			ahead = append(ahead, r)
		}
	})
	if len(ahead) > 0 {
		left := model.NewRankSet(ahead...)
		v.Ranks = v.Ranks.Minus(left)
		v.Reasons = append(v.Reasons, Reason{Kind: FurtherByHistory, Ranks: left})
	}
	return v
}

// findSinks returns the ranks reached from waiting ranks that do not wait
// themselves, and those that wait, alone, for what no remaining rank can send.
// Second come those of which nothing is known to hold them, or nothing certain.
func (j *job) findSinks(g *evidence.Graph) (first, second, alone model.RankSet) {
	alone = j.ranksWithNeed(func(n evidence.Need) bool { return n.Alone })
	first = alone.Clone()
	g.AwaitedBy(j.waitingRanks()).Each(func(rank int) {
		n := j.scene.Needs[rank]
		switch {
		case n.Standing == evidence.Waiting && !n.Computes:
		case n.Computes || n.Standing == evidence.Ready || j.scene.Off.Contains(rank),
			j.scene.Facts[rank] != nil && j.scene.Facts[rank].PollsMemory,
			n.Standing == evidence.Opaque && evidence.AsksForLock(j.scene.Facts[rank]), // which another rank may have
			j.opts.Uncounted && (n.Standing == evidence.Opaque || j.scene.Facts[rank].MayPoll || j.mayJoinThread(rank)):
			second.Add(rank)
		default:
			first.Add(rank)
		}
	})
	return first, second, alone
}

// mayJoinThread reports whether a rank is outside MPI while another of its threads is inside, for which
// it may wait.
func (j *job) mayJoinThread(rank int) bool {
	fact := j.scene.Facts[rank]
	return fact.Driving && !fact.At.InMPI
}
