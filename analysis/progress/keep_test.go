package progress

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/internal/musttest"
	"laggard/model"
)

// TestKeeper: Local says the same of ranks that were kept, asked only the
// question, as of the ranks themselves and the summary.
func TestKeeper(t *testing.T) {
	for _, algorithm := range []string{inference.LoopAware, inference.PDI} {
		ranks := spmdJob(200, 24, 7)
		ranks[5].Threads[0].Model.Edges[3].Count += 1000                 // iterations of its own
		ranks[6].Channels = []model.Channel{{Peer: 5, Tag: 1, Sent: 49}} // what rank 5 asks for
		ranks[8].Comms = []*model.Comm{graphComm(8, 9)}
		ranks[9].Comms = []*model.Comm{graphComm(9, 10)}
		neighbours := &model.State{Call: "MPI_Neighbor_allgather"}
		waiting := ranks[8].Threads[0]
		waiting.Model.States = append(slices.Clone(waiting.Model.States), neighbours)
		waiting.Op = model.Op{State: len(waiting.Model.States) - 1, InMPI: true, Kind: model.Collective, Pending: []model.Pending{
			{Kind: model.Collective, Peer: model.None, Tag: model.None, Seq: 1, State: len(waiting.Model.States) - 1}}}
		sum := musttest.Get(summarise(ranks))(t)
		opts := Options{Algorithm: algorithm}
		want := musttest.Get(localPartial(ranks, &sum, opts))(t)
		k := facts.NewKeeper(0)
		for _, r := range ranks {
			k.Keep(r)
		}
		question := sum.Question()
		local := musttest.Get(NewLocaliser(&question, opts))(t)
		k.Each(local.Add)
		got := local.Partial()
		if !slices.ContainsFunc(want.Answers, func(a facts.Answer) bool { return a.NotDest && a.Rank == 8 && a.From == 9 }) {
			t.Errorf("%s: rank 9 is not asked about its neighbours: %+v", algorithm, want.Answers)
		}
		if len(want.Answers) == 0 || len(want.Edges)+len(want.Stations) == 0 {
			t.Fatalf("%s: nothing to compare: %+v", algorithm, want)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(model.RankSet.Equal)); diff != "" {
			t.Errorf("%s: %s", algorithm, diff)
		}
		if len(question.Facts) >= len(sum.Facts) {
			t.Errorf("%d facts of %d in the question", len(question.Facts), len(sum.Facts))
		}
	}
}

// graphComm is a communicator in which a rank exchanges with one other.
func graphComm(rank, other int) *model.Comm {
	c := &model.Comm{ID: 77, Rank: rank, Neighbours: &model.Neighbours{Sources: []int{other}, Dests: []int{other}}, State: -1}
	for r := range 200 {
		c.Members = append(c.Members, r)
	}
	return c
}
