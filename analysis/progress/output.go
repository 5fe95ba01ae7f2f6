package progress

import (
	"cmp"

	"laggard/model"
)

// Diagnosis lays the finding out.
func (f *Finding) Diagnosis() Diagnosis {
	groups := f.groups()
	levels := f.levels()
	edges := f.edges(groups) // it may add a note
	r := Diagnosis{
		Algorithm:     f.algorithm.Name(),
		Size:          f.scene.All.Len(),
		Hang:          f.hang,
		Deadlock:      f.deadlock,
		Lost:          f.scene.Losses,
		Unfinished:    f.unfinished(),
		Groups:        groups,
		Edges:         edges,
		ProgressOrder: f.groupOrder(groups, levels),
		RankOrder:     f.rankOrder(levels),
		Notes:         f.notes,
		Diverged:      f.diverged,
		Raised:        f.raised,
	}
	if f.hang {
		r.Taken = f.scene.Taken()
	}
	if f.least.Len() > 0 {
		r.LeastProgressed = &LeastProgressed{
			Ranks: f.least, Method: f.method, Confidence: f.confidence,
			Reason: f.reason, Cause: cmp.Or(f.cause, f.standsIn()), Locations: f.locations(),
		}
	}
	return r
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
