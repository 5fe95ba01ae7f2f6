package progress

import (
	"testing"

	"laggard/analysis/divergence"
	"laggard/internal/checktest"
	"laggard/model"
)

// TestCrossingOfMembers: ranks 0 and 1 are no members of the communicator of which rank 2 left the loop, so they say nothing of which
// collective of it rank 3 made and rank 2 did not.
func TestCrossingOfMembers(t *testing.T) {
	ranks := parseScript(`comm c members=2-3
		rank 0-2 at=MPI_Allreduce kind=coll pend=coll:world:none:none:2 coll=world:2
		rank 2 at=MPI_Allreduce kind=coll pend=coll:world:none:none:2 coll=world:2 coll=c:15
		rank 3 at=MPI_Bcast kind=coll pend=coll:c:0:none:17 coll=world:1 coll=c:17`).buildRanks()
	line := divergence.Line{Ranks: model.NewRankSet(3)}
	for n := range uint64(17) {
		begun := model.Begun{Mark: model.Mark{Number: n + 1}}
		line.Latest = append(line.Latest, divergence.Call{Begun: begun, State: &model.State{Call: "MPI_Reduce"}})
	}
	opts := Options{Begun: []divergence.Comm{{ID: ranks[3].Comms[len(ranks[3].Comms)-1].ID, Lines: []divergence.Line{line}}}}
	sum, part := analyseBlocks(t, [][]*model.Rank{ranks}, opts, nil)
	f, err := FindLP(sum, part, opts)
	if err != nil || len(f.Diverged) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	d := f.Diverged[0]
	checktest.Equal(t, uint64(16), d.Odd[0].Number, "the first collective that rank 2 did not make")
	checktest.Equal(t, "2", d.Agree.String(), "the other side")
}
