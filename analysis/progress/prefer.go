package progress

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// preferFailedSender: where nothing decides between ranks, those are left to which MPI returned an error in a call that sends, if another
// rank waits for a message of theirs that was not sent: they went on as if it had been.
func preferFailedSender(j *job, v Verdict) Verdict {
	if !j.hang || v.Confidence > guess || v.Ranks.Len() < 2 {
		return v
	}
	failed := j.scene.FailedToSend()
	var these, waiting model.RankSet
	for _, w := range j.scene.Unsent() {
		if w.IsOwed() && !w.Wild && failed.Contains(w.Peer) && v.Ranks.Contains(w.Peer) {
			these.Add(w.Peer)
			waiting.Add(w.Rank)
		}
	}
	if these.Len() == 0 || these.Equal(v.Ranks) {
		return v
	}
	v.Ranks, v.Confidence = these, j.scaleByKnown(likely)
	v.Reasons = []Reason{{Kind: FailedToSend, Ranks: these, Others: waiting}}
	return v
}

// preferLockHolder: of ranks in a deadlock those are left that are in a collective, with a lock which others ask for, and that ask for
// none: they came to it without giving the lock up. One that waits for a message may wait for what the lock is for.
func preferLockHolder(j *job, v Verdict) Verdict {
	if !j.hang || v.Cause != CauseDeadlock {
		return v
	}
	holders, asking := j.scene.LockHolders(v.Ranks)
	if holders.Len() == 0 || slices.ContainsFunc(holders.Slice(), func(rank int) bool { return !j.inCollective(rank) }) {
		return v
	}
	v.Ranks, v.Confidence = holders, j.scaleByKnown(likely)
	v.Reasons = []Reason{{Kind: HoldLock, Ranks: holders, Others: asking}}
	return v
}

// noteTestingNothing adds why ranks that are named go on for ever in a loop around MPI_Testany or MPI_Testsome.
func noteTestingNothing(j *job, v Verdict) Verdict {
	these := j.scene.RanksWhere(func(fact *facts.Fact) bool { return fact.NoneActive && v.Ranks.Contains(fact.Rank) })
	if !j.hang || these.Len() == 0 {
		return v
	}
	call := j.scene.Sum.PlaceAt(j.scene.Facts[these.Min()].At).Call
	v.Reasons = slices.Insert(slices.Clone(v.Reasons), 0, Reason{Kind: TestNothing, Ranks: these, Call: call})
	return v
}
