package facts

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
)

// TestFailedLately: an error after which the thread has made many calls was not returned lately, unless it polls.
func TestFailedLately(t *testing.T) {
	states := []*model.State{{Call: "MPI_File_delete"}, {Call: "MPI_Recv"}, {Call: "MPI_Iprobe"}}
	for name, c := range map[string]struct {
		calls uint64
		in    int
		want  string
	}{
		"just now":          {10, 1, "3"},
		"long ago":          {10 + lately + 1, 1, ""},
		"polls for a while": {1000, 2, "3"},
	} {
		b := newBuilder()
		b.addFailed(&model.Rank{Rank: 3, Threads: []*model.Thread{{
			Calls: c.calls, Op: model.Op{InMPI: true, State: c.in}, Model: model.Model{States: states},
			Failed: []model.Failed{{Count: 1, Calls: 10}},
		}}})
		checktest.Equal(t, c.want, b.sum.Failed[0].Lately.String(), name)
	}
}
