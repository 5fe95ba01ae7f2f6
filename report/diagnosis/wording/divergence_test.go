package wording

import (
	"testing"

	"laggard/analysis/divergence"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/report"
)

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
