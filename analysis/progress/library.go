package progress

import (
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inside"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/reduce"
)

// matchingCallsRule: every rank that has not finished is in a call for which
// nothing is missing: what others owe it has begun, and all of them are inside MPI,
// so the library or the network has to move them. It is certain of nothing where
// the record of a rank has gaps, or a rank is at work; all other evidence comes before it.
func matchingCallsRule(j *job) (Verdict, bool) {
	s, stuck := j.scene, j.scene.Unfinished()
	ready := j.ranksWithNeed(func(n evidence.Need) bool { return n.Standing == evidence.Ready })
	gaps := s.RanksWhere(func(fact *facts.Fact) bool { return fact.Evicted || fact.Off || !fact.At.InMPI || fact.Working != "" })
	switch {
	case stuck.Len() < 2 || !ready.Equal(stuck), s.Lost.Len() > 0 || len(j.divergences()) > 0,
		s.Present.Len() < s.All.Len(), gaps.Union(connecting(j)).Intersect(stuck).Len() > 0, !collectivesMatch(s.Sum, stuck):
		return Verdict{}, false
	}
	level := undecided
	looking := s.RanksWhere(func(fact *facts.Fact) bool { return fact.Looking })
	if stuck.Minus(looking).Len() == 0 {
		level = guess // they were seen to look for messages, all of them
	}
	v := Verdict{Ranks: stuck, Cause: CauseLibrary, Confidence: j.scaleByKnown(level), Reasons: []Reason{{Kind: CallsMatch}}}
	if call := notCompared(j, stuck); call != "" {
		v.Cause, v.Confidence, v.Reasons = CauseUnknown, j.scaleByKnown(undecided), []Reason{{Kind: NotCompared, Call: call}}
	}
	return v, true
}

// notCompared is the first function that ranks are in of which something is not recorded that may be missing: what the single members of a
// collective send each other, by which tag they meet, or which partitions of a message are ready; "": there is none.
func notCompared(j *job, stuck model.RankSet) string {
	for _, rank := range stuck.Slice() {
		for _, wait := range j.scene.Facts[rank].Waits {
			for i := range wait.Wants {
				w := &wait.Wants[i]
				f := w.Function()
				between := w.Kind == model.Collective && f.HasTrait(mpi.Sends) && j.scene.Comm(w.Comm).Kind == model.Inter
				if f.HasOwnCounts() || f.HasPartitions() || f.MatchesByTag() || between {
					return w.Call
				}
			}
		}
	}
	return ""
}

// collectivesMatch reports whether ranks that are in the same collective of a communicator
// called the same function: persistent ones are numbered as they are started, so that
// others may have taken part in the same one.
func collectivesMatch(sum *facts.Summary, stuck model.RankSet) bool {
	type collective struct{ comm, seq uint64 }
	called := map[collective]string{}
	for i := range sum.Facts {
		fact := &sum.Facts[i]
		if !stuck.Contains(fact.Rank) {
			continue
		}
		for _, w := range fact.Waits {
			for _, want := range w.Wants {
				key := collective{want.Comm, want.Seq}
				if want.Kind != model.Collective {
					continue
				}
				if other, known := called[key]; known && other != want.Call {
					return false
				}
				called[key] = want.Call
			}
		}
	}
	return true
}

// collectInside collects what is seen inside the library of ranks that it may hold, all
// analysis ranks together; the answer is at rank 0. Their records are decoded once
// more.
func (l *looker) collectInside(least model.RankSet, failed error) (inside.View, error) {
	least, err := reduce.Broadcast(l.Tree, rankSets, least, failed)
	if err != nil || least.Len() == 0 {
		return inside.View{}, err
	}
	var view inside.View
	l.Index.EachBatchBriefly(func(run *model.Run) {
		for _, r := range run.Ranks {
			if least.Contains(r.Rank) {
				view = inside.Merge(view, inside.ViewOf(r))
			}
		}
	})
	return reduce.Reduce(l.Tree, inside.Views, view, nil)
}
