package facts

import (
	"errors"
	"strings"
	"testing"

	"laggard/analysis/progress/loops"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/wire"
)

// TestBadSummaries: a summary that can be written and not be right is refused.
func TestBadSummaries(t *testing.T) {
	far := model.NewRankSet(0, model.MaxRanks)
	one := model.NewRankSet(1)
	site := model.StateID{1}
	for name, c := range map[string]struct {
		summary Summary
		says    string
	}{
		"rank of a fact":        {Summary{Facts: []Fact{{Rank: model.MaxRanks}}}, "8388608 of 8388608"},
		"ranks of a size":       {Summary{Sizes: []Count{{N: 9, Ranks: far}}}, "rank 8388608"},
		"ranks of a stack":      {Summary{Stacks: []Stack{{Ranks: far}}}, "rank 8388608"},
		"ranks of an exception": {Summary{Raised: []Raised{{Ranks: far}}}, "rank 8388608"},
		"ranks of a group":      {Summary{Comms: []Comm{{Groups: [2]model.RankSet{far}}}}, "rank 8388608"},
		"ranks of a lock":       {Summary{Comms: []Comm{{Locks: []Hold{{Ranks: far}}}}}, "rank 8388608"},
		"facts out of order":    {Summary{Facts: []Fact{{Rank: 2}, {Rank: 1}}}, "value 1 is out of order"},
		"a fact twice":          {Summary{Facts: []Fact{{Rank: 2}, {Rank: 2}}}, "value 1 is out of order"},
		"sizes out of order":    {Summary{Sizes: []Count{{N: 2}, {N: 1}}}, "value 1 is out of order"},
		"places out of order":   {Summary{Places: []Place{{Call: "b"}, {Call: "a"}}}, "value 1 is out of order"},
		"stacks out of order":   {Summary{Stacks: []Stack{{Fatal: true}, {}}}, "value 1 is out of order"},
		"locks out of order": {Summary{Comms: []Comm{{Locks: []Hold{
			{Target: 1, Type: model.Exclusive, Ranks: one}, {Target: 0, Type: model.Exclusive, Ranks: one}}}}},
			"value 1 is out of order"},
		"arc to no site": {Summary{Flow: loops.Flow{
			Sites: []loops.Site{{ID: site}}, Arcs: []loops.Arc{{From: site, To: model.StateID{2}}}}},
			"arc 0 leads to no site"},
		"arc from no site": {Summary{Flow: loops.Flow{
			Sites: []loops.Site{{ID: site}}, Arcs: []loops.Arc{{From: model.StateID{2}, To: site}}}},
			"arc 0 leads to no site"},
	} {
		data := musttest.Get(EncodeSummary(c.summary))(t, name)
		expectRefused(t, name, data, c.says)
	}
}

// TestNoSuchModule: a frame that names a module which was not written.
func TestNoSuchModule(t *testing.T) {
	data := musttest.Get(wire.Encode(func(c *wire.Coder) {
		// No size, nobody outside, no fact, no place; one stack with one frame; its
		// module is the fourth that was written, its offset 1.
		for _, n := range []int{0, 0, 0, 0, 1, 1, 4, 1} {
			wire.Uint(c, &n)
		}
	}))(t)
	expectRefused(t, "module", data, "value 4 of 0")
}

func expectRefused(t *testing.T, name string, data []byte, says string) {
	t.Helper()
	_, err := DecodeSummary(data)
	if !errors.Is(err, ErrEncoding) || !errors.Is(err, wire.ErrDamaged) || !strings.HasSuffix(err.Error(), says) {
		t.Errorf("%s: %v, want %s", name, err, says)
	}
}

// TestSizeOfNoJob: what a rank says of a job that is too large to be one counts for
// nothing, so that a few bytes do not stand for millions of missing ranks.
func TestSizeOfNoJob(t *testing.T) {
	b := NewSummariser(0)
	for rank := range 3 {
		size := 1<<31 - 1
		if rank == 0 {
			size = 5
		}
		b.Add(&model.Rank{Rank: rank, Size: size, Threads: []*model.Thread{{}}})
	}
	s := musttest.Get(b.Summary())(t)
	if size := s.Size(0); size != 5 {
		t.Errorf("size %d, want 5", size)
	}
}
