package progress

import (
	"testing"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/inactive"
	"laggard/internal/musttest"
	"laggard/model"
)

// TestPreferWaiting: rank 3 waits for rank 0 to take its message, so that it alone came to no collective. If rank 0 has waited
// for its receive without having started it, rank 0 is named; if not, or if rank 0 is not concerned, all stays as it was.
func TestPreferWaiting(t *testing.T) {
	const input = `
rank 0-2 at=MPI_Barrier kind=coll pend=coll:world:none:none:3 coll=world:3
rank 3 at=MPI_Wait kind=wait pend=send:world:0:7:1:MPI_Ssend_init coll=world:2 ch=world:0:7:1:0
`
	for name, c := range map[string]struct {
		request inactive.Request
		want    model.RankSet
		level   float64
		parted  int // divergences that are left
	}{
		"waited for": {inactive.Request{Wait: inactive.Wait{Rank: 3, Peer: 0}, Waited: true}, model.NewRankSet(0), likely, 0},
		"not":        {inactive.Request{Wait: inactive.Wait{Rank: 3, Peer: 0}}, model.NewRankSet(3), 0.90, 1},
		"of others":  {inactive.Request{Wait: inactive.Wait{Rank: 1, Peer: 2}, Waited: true}, model.NewRankSet(3), 0.90, 1},
	} {
		ranks, call := parseScript(input).buildRanks(), divergence.CallIn(&model.State{Call: "MPI_Barrier"})
		call.Number = 3
		opts := Options{Diverged: []divergence.Divergence{{
			Comm: 1, Kind: model.World, Agree: model.NewRankSet(0, 1, 2), Majority: true,
			Odd: []divergence.Odd{{
				Deviation: divergence.Deviation{Kind: divergence.Skipped, Number: 3, After: 2, Calls: []divergence.Call{call},
					Theirs: []divergence.Call{call}},
				Line: divergence.Line{Ranks: model.NewRankSet(3)},
			}},
		}}}
		sum, part := analyseBlocks(t, [][]*model.Rank{ranks}, opts, nil)
		f := musttest.Get(FindLP(sum, part, opts))(t)
		f.preferWaiting([]Inactive{{Request: c.request}})
		if !f.Ranks.Equal(c.want) || f.Confidence != c.level || len(f.Diverged) != c.parted {
			t.Errorf("%s: ranks %s, %.2f, %d divergences", name, f.Ranks, f.Confidence, len(f.Diverged))
		}
	}
}
