package progress

import (
	"cmp"

	"laggard/model"
)

// Diagnosis lays the finding out.
func (f *Finding) Diagnosis() Diagnosis {
	groups := f.groupByRole()
	levels := f.rankLevels()
	edges := f.drawEdges(groups) // it may add a note
	r := Diagnosis{
		Algorithm:     f.algorithm.Name(),
		Size:          f.scene.All.Len(),
		Hang:          f.hang,
		Certain:       f.hang && f.isCertainHang(),
		Deadlock:      f.Deadlock,
		Lost:          f.scene.Losses,
		Failures:      f.scene.Failures,
		Ended:         f.scene.Ended,
		Unfinished:    f.unfinished(),
		Groups:        groups,
		Edges:         edges,
		ProgressOrder: f.groupOrder(groups, levels),
		RankOrder:     f.rankOrder(levels),
		Notes:         f.notes,
		Diverged:      f.Diverged,
		Raised:        f.raised,
	}
	if f.hang {
		r.Taken = f.scene.Taken()
	}
	if f.Ranks.Len() > 0 {
		r.LeastProgressed = &LeastProgressed{
			Ranks: f.Ranks, Rule: f.Rule, Method: f.Method, Confidence: f.Confidence,
			Reason: f.Reason, Cause: cmp.Or(f.Cause, f.causeFromPlaces()), Locations: f.leastLocations(),
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
