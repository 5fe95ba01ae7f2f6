package wording

import (
	"testing"

	"laggard/analysis/progress"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/report"
)

// TestNotListed: a neighbour that does not list the rank which waits for it is named with the place of the call.
func TestNotListed(t *testing.T) {
	in := &model.State{Call: "MPI_Neighbor_alltoall"}
	names := NewNames(nil, func(*model.State) report.Site { return report.Site{File: "/src/mesh.c", Line: 120} })
	wait := facts.Wait{Call: in.Call, Wants: []facts.Want{{Call: in.Call}}}
	edge := evidence.OneSided{Rank: 2, Peers: model.NewRankSet(5), On: model.CommRef{Kind: model.World, Known: true}, Wait: &wait,
		Want: &wait.Wants[0], In: in}
	itself, sends := edge, edge
	itself.Peers, itself.In = model.NewRankSet(2), nil
	sends.Sends, sends.Peers = true, model.NewRankSet(5, 6)
	for want, edge := range map[string]evidence.OneSided{
		"rank 2 waits for data from rank 5 in MPI_Neighbor_alltoall (mesh.c:120), " +
			"but rank 5 does not list rank 2 as a destination of MPI_COMM_WORLD": edge,
		"rank 2 waits for data from rank 2 in MPI_Neighbor_alltoall, " +
			"but rank 2 does not list itself as a destination of MPI_COMM_WORLD": itself,
		"rank 2 sends data to ranks 5-6 in MPI_Neighbor_alltoall (mesh.c:120), " +
			"but ranks 5-6 do not list rank 2 as a source of MPI_COMM_WORLD": sends,
	} {
		l := progress.LeastProgressed{Reasons: []progress.Reason{{Kind: progress.NotListed, OneSided: []evidence.OneSided{edge}}}}
		checktest.Equal(t, want, names.Reason(&l, ""))
	}
}
