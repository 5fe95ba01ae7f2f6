package replay_test

import (
	"slices"
	"testing"

	"laggard/analysis/usage/replay"
	"laggard/analysis/usage/usagetest"
	"laggard/internal/musttest"
)

// TestOutsideWorld: members outside MPI_COMM_WORLD are chosen by their places; which of two
// groups they are in is not known.
func TestOutsideWorld(t *testing.T) {
	traces, err := usagetest.Parse(`win w 0-3
0-3: MPI_Init()
0: MPI_Win_get_group(win=w) -> group=all
0: MPI_Group_incl(group=all, n=2, ranks=[3,0]) -> newgroup=some
0: MPI_Group_difference(group1=all, group2=some) -> newgroup=others
0: MPI_Group_union(group1=all, group2=some) -> newgroup=both
0: MPI_Win_start(group=some, win=w)
0: MPI_Win_start(group=others, win=w)
0: MPI_Win_start(group=both, win=w)`)
	musttest.Succeed(t, err)
	traces[0].Comms[0].Members = []int{0, 1, -1, -1}
	epochs := replay.Run(traces[0], new(follower)).Epochs
	for i, want := range [][]int{{-1, 0}, nil, nil} {
		if got := epochs[i].Group; !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("group %d is %v, want %v", i, got, want)
		}
	}
}
