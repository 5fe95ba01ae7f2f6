package wording

import (
	"testing"

	"laggard/analysis/divergence"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/report"
)

// TestOtherCallers: of a function that calls itself, ranks make their calls from one place.
func TestOtherCallers(t *testing.T) {
	own, theirs := &model.State{ID: model.StateID{1}, Call: "MPI_Allreduce"}, &model.State{ID: model.StateID{2}, Call: "MPI_Allreduce"}
	odd := divergence.Odd{Deviation: divergence.Deviation{Kind: divergence.Mismatch, Number: 4,
		Calls: []divergence.Call{{State: own}}, Theirs: []divergence.Call{{State: theirs}}}}
	odd.Ranks, odd.Theirs[0].Number = model.NewRankSet(1), 4
	d := divergence.Divergence{On: model.CommRef{Kind: model.World, Known: true}, Odd: []divergence.Odd{odd}}
	d.Agree = model.NewRankSet(0, 2)
	for line, want := range map[int]string{6: "it through other callers", 9: "it from a different place"} {
		names := NewNames(nil, func(s *model.State) report.Site {
			site := report.Site{Function: "solve", File: "w.c", Line: 6}
			if s == theirs {
				site.Line = line
			}
			return site
		})
		checktest.Equal(t, "rank 1 called MPI_Allreduce as collective 4 on MPI_COMM_WORLD, ranks 0,2 called "+want, names.deviation(&d))
	}
}

// TestLoopCount: by how many iterations ranks differ is not known while the others are in theirs.
func TestLoopCount(t *testing.T) {
	names := NewNames(nil, func(*model.State) report.Site { return report.Site{} })
	call := divergence.Call{State: &model.State{Call: "MPI_Allreduce"}}
	call.Number = 2
	odd := divergence.Odd{Deviation: divergence.Deviation{Kind: divergence.LoopCount, Number: 2, Fewer: true,
		Calls: []divergence.Call{call}, Theirs: []divergence.Call{call}}}
	odd.Ranks = model.NewRankSet(3)
	d := divergence.Divergence{On: model.CommRef{Kind: model.World, Known: true}, Odd: []divergence.Odd{odd}}
	d.Agree = model.NewRankSet(0, 1, 2)
	const behind = " iterations of the loop of MPI_Allreduce than ranks 0-2, from collective 2 on MPI_COMM_WORLD on"
	checktest.Equal(t, "rank 3 executed fewer"+behind, names.deviation(&d))
	d.Odd[0].Fewer = false
	checktest.Equal(t, "rank 3 executed more"+behind, names.deviation(&d))
}
