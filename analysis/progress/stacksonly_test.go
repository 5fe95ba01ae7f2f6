package progress

import (
	"testing"

	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/inference"
	"laggard/internal/musttest"
	"laggard/model"
)

// stackOnly is a rank with a stack only: in a call, or in computation.
func stackOnly(rank int, call string) *model.Rank {
	states := []*model.State{{ID: model.StateID{1}, Call: "MPI_Barrier"}, {ID: model.StateID{2}}}
	t := &model.Thread{Model: model.Model{States: states, Visits: []uint64{1, 1}}}
	t.Op = model.Op{State: 1, Kind: model.Local}
	if call != "" {
		t.Op = model.Op{State: 0, InMPI: true, Kind: model.Other}
	}
	return &model.Rank{Rank: rank, Size: 4, Phase: model.Running, EndDetail: -1, Threads: []*model.Thread{t}}
}

// TestOutside: of stacks alone, a rank outside MPI is taken before those inside;
// a rank of which nothing was imported is neither that nor lost.
func TestOutside(t *testing.T) {
	ranks := []*model.Rank{stackOnly(0, "MPI_Barrier"), stackOnly(1, "MPI_Barrier"), stackOnly(3, "")}
	for _, c := range []struct {
		options Options
		method  string
		lost    int
	}{
		{Options{Algorithm: inference.PDI, StacksOnly: true,
			Observed: evidence.Observed{Damaged: model.NewRankSet(2)}}, MethodEvidence, 0},
		{Options{Algorithm: inference.PDI, Observed: evidence.Observed{Damaged: model.NewRankSet(2)}},
			inference.PDI, 0},
	} {
		sum := musttest.Get(summarise(ranks))(t)
		part := musttest.Get(localPartial(ranks, &sum, c.options))(t)
		r := musttest.Get(concludeDiagnosis(sum, part, c.options))(t)
		l := r.LeastProgressed
		if l == nil || l.Method != c.method || len(r.Lost) != c.lost {
			t.Errorf("%+v: %+v, lost %v", c.options, l, r.Lost)
		} else if c.method == MethodEvidence && l.Ranks.String() != "3" {
			t.Errorf("least progressed: %s", l.Ranks)
		}
	}
}
