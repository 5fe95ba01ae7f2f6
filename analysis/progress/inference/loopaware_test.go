package inference

import (
	"testing"

	"laggard/analysis/progress/facts"
	"laggard/internal/checktest"
	"laggard/model"
)

// TestWorldClocks: collectives on MPI_COMM_WORLD order the ranks of one world only, and only if they are known of all.
func TestWorldClocks(t *testing.T) {
	world := func(id uint64, n uint64, ranks ...int) facts.Comm {
		return facts.Comm{ID: id, World: true, Counts: []facts.Count{{N: n, Ranks: model.NewRankSet(ranks...)}}}
	}
	fact := func(rank int) facts.Fact { return facts.Fact{Rank: rank, Phase: model.Running} }
	for _, c := range []struct {
		name  string
		comms []facts.Comm
		want  []uint64
	}{
		{"one world", []facts.Comm{world(1, 5, 0, 1, 2)}, []uint64{5, 5, 5}},
		{"rank 2 was spawned", []facts.Comm{world(1, 5, 0, 1), world(2, 0, 2)}, []uint64{0, 0, 0}},
		{"nothing is known of rank 2", []facts.Comm{world(1, 5, 0, 1)}, []uint64{0, 0, 0}},
	} {
		sum := &facts.Summary{Comms: c.comms, Facts: []facts.Fact{fact(0), fact(1), fact(2)}}
		checktest.Equal(t, c.want, worldClocks(sum), c.name)
	}
}
