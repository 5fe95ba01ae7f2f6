package progress

import (
	"cmp"
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/loops"
	"laggard/model"
	"laggard/model/mpi"
)

// preferFailedSender: where nothing decides between ranks, those are left to which MPI has just returned an error in a call that sends, if
// another rank waits for a message of theirs that was not sent: they may have gone on as if it had been.
func preferFailedSender(j *job, v Verdict) Verdict {
	if !j.hang || v.Confidence > guess || v.Ranks.Len() < 2 {
		return v
	}
	var these, waiting model.RankSet
	var errors []facts.Failed
	for _, w := range j.scene.Unsent() {
		if !w.IsOwed() || w.Wild || !v.Ranks.Contains(w.Peer) {
			continue
		}
		if failed := j.scene.FailedToSend(w.Peer); len(failed) > 0 {
			these.Add(w.Peer)
			waiting.Add(w.Rank)
			errors = failed
		}
	}
	if these.Len() == 0 || these.Equal(v.Ranks) {
		return v
	}
	v.Ranks, v.Confidence = these, j.scaleByKnown(likely)
	reason := Reason{Kind: FailedToSend, Ranks: these, Others: waiting}
	if these.Len() == 1 && len(errors) == 1 {
		reason.At = &model.State{ID: errors[0].State, Call: errors[0].Call, Stack: errors[0].Stack}
	}
	v.Reasons = []Reason{reason}
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

// preferTaker: in a deadlock those are left that took a message with any tag, while they now wait for one like that: it may have been
// meant for where they are. It is one of several that are named, or all that wait for a message of those.
func preferTaker(j *job, v Verdict) Verdict {
	if !j.hang || v.Cause != CauseDeadlock {
		return v
	}
	takers, waiting := takersOf(j), j.scene.WaitingFor(v.Ranks).Minus(v.Ranks)
	switch named := takers.Intersect(v.Ranks); {
	case v.Ranks.Len() > 1 && named.Len() == 1:
		v.Ranks = named
	case named.Len() == 0 && waiting.Len() > 0 && waiting.Minus(takers).Len() == 0:
		v.Ranks = waiting
	default:
		return v
	}
	v.Confidence = min(v.Confidence, j.scaleByKnown(leftMany))
	return v
}

// takersOf are the ranks that took a message with any tag, of whose kind they now wait for another one.
func takersOf(j *job) (out model.RankSet) {
	for _, t := range j.scene.Taken() {
		if t.AnyTag && !t.Pending {
			out.Add(t.Rank)
		}
	}
	return out
}

// usualVisits is how often, on average, ranks must have been at a place for it to be one to which they come again and again.
const usualVisits = 4

// familiarity is how often ranks have been at the places of the program.
type familiarity map[model.StateID]loops.Spread

// familiarityOf returns it; nil: a rank has places of its own to which it comes again and again, as a master would, or there are two ranks
// only, so that a place at which nobody else has been says nothing.
func familiarityOf(j *job) familiarity {
	if j.scene.Present.Len() < 3 {
		return nil
	}
	out := familiarity{}
	for _, site := range j.scene.Sum.Flow.Sites {
		if out[site.ID] = site.Visits; site.Visits.Ranks == 1 && site.Visits.Sum > 1 {
			return nil
		}
	}
	return out
}

// isNew reports whether one rank alone has been at a place, once; isUsual whether ranks come there again and again.
func (f familiarity) isNew(place model.StateID) bool { return f[place].Ranks == 1 }
func (f familiarity) isUsual(place model.StateID) bool {
	return f[place].Ranks > 1 && f[place].Sum >= usualVisits*f[place].Ranks
}

// preferStranger: of ranks in a deadlock one is left that is where no rank has been before, if all others are where ranks come again and
// again: it left what they do.
func preferStranger(j *job, v Verdict) Verdict {
	if !j.hang || v.Cause != CauseDeadlock || v.Ranks.Len() < 2 {
		return v
	}
	known := familiarityOf(j)
	var strangers model.RankSet
	for _, rank := range v.Ranks.Slice() {
		switch at := j.scene.Facts[rank].At; {
		case at.InMPI && known.isNew(at.State):
			strangers.Add(rank)
		case !at.InMPI || !known.isUsual(at.State):
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

// nameStranger turns a divergence of which neither side is the many so that the rank is odd which made its call where no rank had been
// before, if the other side made its own where ranks come again and again.
func nameStranger(j *job, d *divergence.Divergence) {
	o := &d.Odd[0]
	own := o.Own()
	if d.Majority || d.BetweenGroups || len(d.Odd) > 1 || o.Other != 0 || own == nil || own.State == nil || len(o.Theirs) == 0 ||
		o.Theirs[0].State == nil {
		return
	}
	known := familiarityOf(j)
	mine, theirs := own.State.ID, o.Theirs[0].State.ID
	switch {
	case known.isNew(mine) && known.isUsual(theirs):
		d.Majority = true
	case known.isNew(theirs) && known.isUsual(mine):
		d.Turn()
	}
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

// connecting are the ranks that wait for other processes to connect, as far as it is known.
func connecting(j *job) model.RankSet {
	return j.scene.RanksWhere(func(fact *facts.Fact) bool {
		in := mpi.FindFunction(j.scene.Sum.PlaceAt(fact.At).Call)
		return fact.At.InMPI && in.AwaitsConnection() && j.scene.Needs[fact.Rank].Standing != evidence.Waiting
	}).Minus(j.scene.Lost)
}

// noteConnecting says of ranks that are named that they wait for a connection: who should ask for it is not known.
func noteConnecting(j *job, v Verdict) Verdict {
	these := v.Ranks.Intersect(connecting(j))
	if these.Len() == 0 || v.Ranks.Minus(these).Len() > 0 {
		return v
	}
	call := j.scene.Sum.PlaceAt(j.scene.Facts[these.Min()].At).Call
	v.Confidence, v.Cause = min(v.Confidence, j.scaleByKnown(guess)), cmp.Or(v.Cause, CauseUnknown)
	v.Reasons = append([]Reason{{Kind: AwaitConnection, Ranks: these, Call: call}}, withAwaiting(j, v.Reasons)...)
	return v
}

// notePollingMemory says of ranks that are named that they look for what another rank writes to memory: they may be well.
func notePollingMemory(j *job, v Verdict) Verdict {
	these := j.scene.RanksWhere(func(fact *facts.Fact) bool { return fact.PollsMemory && v.Ranks.Contains(fact.Rank) })
	if these.Len() == 0 || v.Ranks.Minus(these).Len() > 0 {
		return v
	}
	call := j.scene.Sum.PlaceAt(j.scene.Facts[these.Min()].At).Call
	v.Confidence = min(v.Confidence, j.scaleByKnown(guess))
	v.Reasons = slices.Insert(slices.Clone(v.Reasons), 0, Reason{Kind: PollMemory, Ranks: these, Call: call})
	if v.Cause == "" {
		v.Cause = CauseUnknown
	}
	return v
}
