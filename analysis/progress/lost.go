package progress

import (
	"cmp"
	"slices"
	"time"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// lostRule names ranks whose process is known to be gone or stopped, or how they left the others before
// that.
func lostRule(j *job) (Verdict, bool) {
	var lost model.RankSet
	causes := evidence.Causes(j.scene)
	for _, l := range causes {
		lost = lost.Union(l.Ranks)
	}
	if lost.Len() == 0 {
		return Verdict{}, false
	}
	diverged := j.diverged
	if lost.Minus(j.scene.Erred).Len() == 0 || allExited(j.scene, lost) || j.crashedBehind(lost) {
		if v, ok := divergedRule(j); ok { // that is how the ways parted
			v.Reasons = append(v.Reasons, lossReasons(causes)...)
			if oddRanks(&v.Diverged[0]).Equal(lost) {
				v.Ranks, v.Confidence = lost, j.scaleByKnown(certainty) // however few came as far
			}
			return v, true
		}
		diverged = j.divergences()
	}
	if v, ok := j.erredSitesVerdict(lost.Intersect(j.scene.Erred), diverged); ok {
		v.Reasons = append(v.Reasons, lossReasons(causes)...)
		return v, true
	}
	if d := j.crashMismatch(lost.Intersect(j.scene.Crashed())); d != nil {
		diverged = slices.Insert(slices.Clone(diverged), 0, *d)
	}
	level := certainty
	for _, l := range causes {
		level = min(level, leads[l.Lead])
	}
	return Verdict{
		Ranks: lost, Confidence: j.scaleByKnown(level), Reasons: lossReasons(causes),
		Cause: lossKind(causes), Diverged: diverged,
	}, true
}

// noRecordRule names the ranks without a record, where no other rank is known to be waited for.
func noRecordRule(j *job) (Verdict, bool) {
	ranks := j.scene.Unrecorded
	return Verdict{Ranks: ranks, Confidence: j.scaleByKnown(guess), Diverged: j.divergences()}, ranks.Len() > 0
}

// noteUnrecorded says of ranks that are named that they left no record: they may be well, and in the calls that others wait for.
func noteUnrecorded(j *job, v Verdict) Verdict {
	if v.Ranks.Intersect(j.scene.Unrecorded).Len() == 0 {
		return v
	}
	v.Ranks = v.Ranks.Union(j.graph.AbsentAwaitedBy(j.waitingRanks()).Intersect(j.scene.Unrecorded)) // nothing tells these apart
	v.Confidence = min(v.Confidence, j.scaleByKnown(guess))
	var reasons []Reason
	for i := range j.scene.Losses {
		if l := &j.scene.Losses[i]; l.Lead == evidence.MayLive {
			reasons = append(reasons, Reason{Kind: RanksLost, Loss: l})
		}
	}
	v.Reasons = append(reasons, withAwaiting(j, v.Reasons)...)
	return v
}

// withAwaiting returns the reasons, with who waits for the named ranks in place of that it is unknown what blocks them.
func withAwaiting(j *job, reasons []Reason) (out []Reason) {
	for _, r := range reasons {
		if r.Kind == BlockedUnknown {
			r = Reason{Kind: AwaitedBy, Ranks: j.waitingRanks()}
		}
		out = append(out, r)
	}
	return out
}

// leads are the levels of lost ranks, by how sure it is that they were the first.
var leads = [...]float64{
	evidence.Ahead: certainty, evidence.Close: awaitedBy, evidence.TooClose: guess, evidence.ByClocks: guess,
	evidence.AllEnded:  guess,
	evidence.AllFailed: guess, evidence.AllStarting: guess, evidence.MayFollow: guess,
}

// survived is how long others must have made progress after a rank was lost for the loss to be no cause by itself.
const survived = time.Minute

// markOutlived finds the losses that the job survived, as programs with ULFM do: others made progress long after, and no rank waits for
// those that were lost.
func markOutlived(j *job) {
	awaited := j.graph.AwaitedBy(j.waitingRanks())
	for i := range j.scene.Losses {
		l := &j.scene.Losses[i]
		if l.Kind == evidence.SeenStopped || !l.Cause || awaited.Intersect(l.Ranks).Len() > 0 {
			continue
		}
		var last int64
		for _, rank := range l.Ranks.Slice() {
			if fact := j.scene.Facts[rank]; fact != nil {
				last = max(last, cmp.Or(fact.Gone, fact.EndTime, fact.Heartbeat))
			}
		}
		if last > 0 && j.opts.LastProgress.Sub(time.Unix(0, last)) > survived {
			l.Lead, l.Cause = evidence.Outlived, false
		}
	}
}

// outlivedRule names ranks whose loss the job survived, where nothing else tells why it hangs now.
func outlivedRule(j *job) (Verdict, bool) {
	var lost model.RankSet
	var reasons []Reason
	for i := range j.scene.Losses {
		if l := &j.scene.Losses[i]; l.Lead == evidence.Outlived {
			lost = lost.Union(l.Ranks)
			reasons = append(reasons, Reason{Kind: RanksLost, Loss: l})
		}
	}
	return Verdict{
		Ranks: lost, Confidence: j.scaleByKnown(guess), Reasons: reasons, Cause: CauseLost, Diverged: j.divergences(),
	}, lost.Len() > 0
}

// allExited reports whether some ranks ended by themselves.
func allExited(s *evidence.Scene, ranks model.RankSet) bool {
	return ranks.Minus(s.RanksWhere(func(fact *facts.Fact) bool {
		return fact.End == model.Exited || fact.End == model.Aborted
	})).Len() == 0
}

// crashedBehind reports whether ranks crashed after they had come to the collective at which
// others had left the common sequence: since then calls were matched that do not belong
// together, and data came that were not meant.
func (j *job) crashedBehind(ranks model.RankSet) bool {
	i := slices.IndexFunc(j.diverged, j.explainsHang)
	if i < 0 || j.diverged[i].Odd[0].Kind == divergence.ErrorPath {
		return false
	}
	came := j.diverged[i].Agree.Union(oddRanks(&j.diverged[i]))
	return ranks.Minus(came).Len() == 0 && ranks.Minus(j.scene.Crashed()).Len() == 0
}

// lossKind is that of the lost ranks that are named.
func lossKind(losses []evidence.Loss) CauseKind {
	for _, l := range losses {
		if l.Kind != evidence.SeenStopped {
			return CauseLost
		}
	}
	return CauseStopped
}

// lossReasons names the losses that may be the cause.
func lossReasons(losses []evidence.Loss) (out []Reason) {
	for i := range losses {
		out = append(out, Reason{Kind: RanksLost, Loss: &losses[i]})
	}
	return out
}
