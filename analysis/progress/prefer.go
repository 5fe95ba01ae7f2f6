package progress

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/loops"
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

// usualVisits is how often, on average, ranks must have been at a place for it to be one to which they come again and again.
const usualVisits = 4

// preferStranger: of ranks in a deadlock one is left that is where no rank has been before, if all others are where ranks come again and
// again, and no rank has such a place of its own, as a master would: it left what they do.
func preferStranger(j *job, v Verdict) Verdict {
	if !j.hang || v.Cause != CauseDeadlock || v.Ranks.Len() < 2 || j.scene.Present.Len() < 3 {
		return v
	}
	visits := map[model.StateID]loops.Spread{}
	for _, site := range j.scene.Sum.Flow.Sites {
		if visits[site.ID] = site.Visits; site.Visits.Ranks == 1 && site.Visits.Sum > 1 {
			return v
		}
	}
	var strangers model.RankSet
	for _, rank := range v.Ranks.Slice() {
		at := j.scene.Facts[rank].At
		n := visits[at.State]
		switch {
		case !at.InMPI || n.Ranks == 0:
			return v
		case n.Ranks == 1:
			strangers.Add(rank)
		case n.Sum < usualVisits*n.Ranks:
			return v
		}
	}
	if strangers.Len() != 1 {
		return v
	}
	v.Ranks, v.Confidence = strangers, min(v.Confidence, j.scaleByKnown(leftMany))
	v.Reasons = append(v.Reasons, Reason{Kind: NewlyThere, Ranks: strangers})
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
