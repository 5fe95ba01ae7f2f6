package progress

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
)

// TestKeeper: Local says the same of ranks that were kept, asked only the
// question, as of the ranks themselves and the summary.
func TestKeeper(t *testing.T) {
	for _, algorithm := range []string{inference.LoopAware, inference.PDI} {
		ranks := spmdJob(200, 24, 7)
		ranks[5].Threads[0].Model.Edges[3].Count += 1000                 // iterations of its own
		ranks[6].Channels = []model.Channel{{Peer: 5, Tag: 1, Sent: 49}} // what rank 5 asks for
		sum, err := summarise(ranks)
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Algorithm: algorithm}
		want, err := localPartial(ranks, &sum, opts)
		if err != nil {
			t.Fatal(err)
		}
		k := facts.NewKeeper(0)
		for _, r := range ranks {
			k.Keep(r)
		}
		var back []*model.Rank
		k.Each(func(r *model.Rank) { back = append(back, r) })
		question := sum.Question()
		got, err := localPartial(back, &question, opts)
		if err != nil {
			t.Fatal(err)
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
