package progress

import (
	"slices"
	"time"

	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// isCertainHang reports whether the job can never go on, if ranks do nothing but wait for what they wait for now.
func (j *job) isCertainHang() bool { return isStranded(j, func(evidence.Need) bool { return true }) }

// canNeverGoOn reports whether the job can never go on, whatever the program may do: a rank that polls may do something else next.
func canNeverGoOn(j *job) bool { return isStranded(j, func(n evidence.Need) bool { return !n.Polls }) }

// isStranded reports whether ranks wait for what can never come, as far as needs that use accepts tell.
func isStranded(j *job, use func(n evidence.Need) bool) bool {
	alone := j.ranksWithNeed(func(n evidence.Need) bool { return n.Alone && !n.Weak && use(n) })
	return alone.Len() > 0 || evidence.Stranded(j.scene, use).Len() > 0
}

// workingRanks are the ranks at work inside a call that lasts.
func (j *job) workingRanks() model.RankSet {
	return j.scene.RanksWhere(func(fact *facts.Fact) bool { return fact.Working != "" })
}

// discountWorking lowers the confidence while ranks are at work inside a call, unless a process is gone or ranks can
// never move: what the others wait for may be on its way.
func discountWorking(j *job, v Verdict) Verdict {
	working := j.workingRanks()
	if working.Len() == 0 || v.Ranks.Len() == 0 || v.Cause == CauseLost || v.Cause == CauseDeadlock && j.isCertainHang() {
		return v
	}
	first := j.scene.Facts[working.Min()]
	v.Confidence = min(v.Confidence, guess)
	works := Work{first.Rank, j.scene.Sum.PlaceAt(first.At).Call, time.Duration(first.Lasting), first.Working}
	v.Reasons = slices.Insert(v.Reasons, 0, Reason{Kind: AtWork, Work: works})
	return v
}
