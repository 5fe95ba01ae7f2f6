package progress

import (
	"cmp"
	"slices"

	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
)

// Diagnosis lays the finding out.
func (f *Finding) Diagnosis() Diagnosis {
	groups := f.groupByRole()
	levels := f.rankLevels()
	r := Diagnosis{
		Algorithm:     f.algorithm.Name(),
		Size:          f.scene.All.Len(),
		Hang:          f.hang,
		Certain:       f.hang && canNeverGoOn(f.job),
		Deadlock:      f.Deadlock,
		Lost:          f.scene.Losses,
		Failures:      f.scene.Failures,
		Ended:         f.scene.Ended,
		Launched:      evidence.LauncherStatus(f.scene),
		Unfinished:    f.unfinished(),
		Off:           f.scene.RanksWhere(func(fact *facts.Fact) bool { return fact.Off && fact.Phase < model.Finalized }),
		Groups:        groups,
		Edges:         f.drawEdges(groups),
		OnlyNearest:   len(groups) > manyGroups,
		Unrecorded:    f.scene.Present.Len() == 0,
		LeftOut:       f.scene.Sum.Outside,
		Unordered:     f.Unordered,
		ProgressOrder: f.groupOrder(groups, levels),
		RankOrder:     f.rankOrder(levels),
		Diverged:      f.Diverged,
		Raised:        f.raised,
	}
	if f.hang {
		r.Taken, r.AnySource = f.scene.Taken(), evidence.AnySourceWaits(f.scene)
		r.HeldLocks, r.FileLocks = heldLocks(f.scene), evidence.FileLocks(f.scene)
	}
	if f.hang || f.hasFailed() {
		r.Concurrent, r.AboveLevel = concurrentCalls(f.scene), ranksAboveLevel(f.scene)
	}
	r.ReturnedErrors, r.Unfreed = f.returnedErrors(), f.unfreed()
	if f.Ranks.Len() > 0 {
		r.LeastProgressed = &LeastProgressed{
			Ranks: f.Ranks, Rule: f.Rule, Method: f.Method, Confidence: f.Confidence,
			Reasons: f.Reasons, Cause: cmp.Or(f.Cause, f.causeFromPlaces()), Locations: f.leastLocations(),
			working: f.workingRanks().Len() > 0,
		}
	}
	return r
}

// mayBePause reports whether nothing but that no rank moves says that the job hangs: no rank is told apart from the others,
// and what they wait for may still come.
func (f *Finding) mayBePause() bool {
	return f.undecided(f.Ranks) && f.Deadlock == nil && !f.isCertainHang()
}

// unfinished returns the ranks that never came to MPI_Finalize although others
// did.
func (f *Finding) unfinished() model.RankSet {
	late := f.scene.NotFinalizing()
	if late.Equal(f.scene.All) {
		return model.RankSet{}
	}
	return late.Intersect(f.scene.Present.Union(f.scene.Lost))
}

// exhausting is how many things of one call may be what a library had no more of: MPICH has some 2,000 communicators for all calls.
// Requests may be in use: a program that waits for all at once has a few for each rank.
const (
	exhausting         = 256
	exhaustingRequests = 10_000
	requestsForRank    = 4
)

func (f *Finding) unfreed() []facts.Unfreed {
	if !f.hang && f.scene.Unfinished().Len() == 0 && f.scene.Lost.Len() == 0 {
		return f.scene.Sum.Unfreed
	}
	few := func(u facts.Unfreed) bool {
		if u.Kind == facts.UnfreedRequest {
			return !f.hasFailed() || u.Most < max(exhaustingRequests, requestsForRank*f.scene.All.Len())
		}
		return u.Most < exhausting
	}
	return slices.DeleteFunc(slices.Clone(f.scene.Sum.Unfreed), few)
}

// hasFailed reports whether ranks are gone, or the job failed although nothing hung.
func (f *Finding) hasFailed() bool { return len(f.scene.Failures) > 0 || f.scene.Lost.Len() > 0 }

// returnedErrors are the calls to which MPI returned errors, if the job hangs or failed, those of the named ranks first. While it hangs, an
// error that all ranks got tells none apart, and programs may expect one.
func (f *Finding) returnedErrors() []facts.Failed {
	failed := f.hasFailed()
	if !f.hang && !failed {
		return nil
	}
	var named, others []facts.Failed
	for _, x := range f.scene.Sum.Failed {
		switch {
		case !failed && x.Ranks.Equal(f.scene.Present):
		case x.Ranks.Intersect(f.Ranks).Len() > 0:
			named = append(named, x)
		default:
			others = append(others, x)
		}
	}
	return append(named, others...)
}

// IsNamed reports whether a rank is one of the named ones.
func (d *Diagnosis) IsNamed(rank int) bool {
	return d.LeastProgressed != nil && d.LeastProgressed.Ranks.Contains(rank)
}

// MayBeSkipped reports whether the sender of a message may have left out the call that sends it: nothing else explains that the message
// was not sent. Neither lies another of its messages there, or one of another rank, nor did another receive take one, nor did MPI return
// an error to the sender in a call that sends. Of a message of the rank itself it is not known which call sends it: one that sends to
// others need not.
func (d *Diagnosis) MayBeSkipped(m *Unsent) bool {
	taken := func(t Taken) bool {
		return t.Rank == m.Rank && t.Peer == m.Peer && t.Tag == m.Tag && t.On.ID == m.On.ID
	}
	failed := func(f facts.Failed) bool {
		call := mpi.FunctionOf(f.Call)
		return call != nil && f.Ranks.Contains(m.Peer) && (call.Class.SendsMessage() || call.Class.StartsRequests())
	}
	return m.Peer != m.Rank && m.IsOwed() && !m.Wild && len(m.Others) == 0 && m.Beside == nil && m.By != nil && m.At != nil &&
		!slices.ContainsFunc(d.Taken, taken) && !slices.ContainsFunc(d.ReturnedErrors, failed)
}
