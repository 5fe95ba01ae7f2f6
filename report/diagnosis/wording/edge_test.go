package wording

import (
	"testing"

	"laggard/analysis/progress"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/internal/checktest"
	"laggard/model"
)

// TestEdgeOfUnknown: a call whose name is damaged, and a rank without a record, are told as that.
func TestEdgeOfUnknown(t *testing.T) {
	x := evidence.Explanation{Kind: evidence.NotBegun, Rank: 0, Peer: 2, Wait: &facts.Wait{}, Counted: true,
		Want: &facts.Want{Kind: model.Collective, Seq: 1}, On: model.CommRef{ID: 1, Known: true, Kind: model.World}}
	text := func() string { return Names{}.Edge(&progress.Edge{Example: &x}) }
	checktest.Equal(t, "rank 0 is in an MPI call that is not known 1 on MPI_COMM_WORLD, rank 2 has begun 0", text())
	x.Kind, x.Wait.Call = evidence.LeftNoRecord, "MPI_Bcast"
	checktest.Equal(t, "rank 0 is in MPI_Bcast 1 on MPI_COMM_WORLD; nothing is known of rank 2", text())
	x.Counted = false
	checktest.Equal(t, "rank 0 is in MPI_Bcast on MPI_COMM_WORLD; nothing is known of rank 2", text())
}
