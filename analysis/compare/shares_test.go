package compare

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/symbol"
)

// sharesRuns are runs of two places, whose samples are given: computing and waiting at the first, then at the second.
func sharesRuns(samples ...[4]uint64) (*places, []*runRead) {
	p := &places{last: len(samples) - 1}
	for _, call := range []string{"MPI_Waitall", "MPI_Allreduce"} {
		p.list = append(p.list, callSite{call: call, stacks: make([][]symbol.Location, len(samples))})
	}
	var runs []*runRead
	for _, n := range samples {
		p.number = append(p.number, []int{0, 1})
		r := newRunRead()
		r.Times = []placeTime{{0, n[0], n[1]}, {1, n[2], n[3]}}
		runs = append(runs, r)
	}
	return p, runs
}

// TestShares: what differs from every good run by more than equal runs do, the largest change first.
func TestShares(t *testing.T) {
	type line struct {
		call      string
		waiting   bool
		bad, good float64
	}
	for name, c := range map[string]struct {
		samples [][4]uint64
		want    []line
	}{
		"equal":            {[][4]uint64{{100, 100, 100, 100}, {200, 200, 200, 200}}, nil},
		"within the noise": {[][4]uint64{{100, 100, 100, 100}, {160, 100, 100, 40}}, nil},
		"waits": {[][4]uint64{{250, 250, 250, 250}, {100, 700, 100, 100}},
			[]line{{"MPI_Waitall", true, 0.7, 0.25}}},
		"as one of two good runs": {[][4]uint64{{250, 250, 250, 250}, {100, 700, 100, 100}, {100, 700, 100, 100}}, nil},
		"mean of good runs": {[][4]uint64{{500, 500, 0, 0}, {700, 300, 0, 0}, {1000, 0, 0, 0}},
			[]line{{"MPI_Waitall", false, 1, 0.6}, {"MPI_Waitall", true, 0, 0.4}}},
		"few samples of the bad run": {[][4]uint64{{250, 250, 250, 250}, {0, 199, 0, 0}}, nil},
		"no samples of the good run": {[][4]uint64{{}, {100, 700, 100, 100}}, nil},
	} {
		var got []line
		for _, s := range findShares(sharesRuns(c.samples...)) {
			got = append(got, line{s.At.Call, s.Waiting, s.Bad, s.Good})
		}
		checktest.EqualList(t, c.want, got, name)
	}
}

// TestTimesMerge: the samples of all ranks of a run are added up, whichever analysis rank read them.
func TestTimesMerge(t *testing.T) {
	wait, sum := &model.State{ID: model.StateID{1}, Call: "MPI_Waitall"}, &model.State{ID: model.StateID{2}, Call: "MPI_Allreduce"}
	rank := func(number int, states []*model.State, samples ...model.Samples) *model.Rank {
		m := model.Model{States: states, Visits: make([]uint64, len(states)), Samples: samples}
		return &model.Rank{Rank: number, Size: 2, Threads: []*model.Thread{{Model: m}}}
	}
	a, b := newRunRead(), newRunRead()
	a.addRanks([]*model.Rank{rank(0, []*model.State{sum, wait}, model.Samples{Computing: 1}, model.Samples{Waiting: 20})})
	b.addRanks([]*model.Rank{rank(1, []*model.State{wait, sum}, model.Samples{Computing: 300}, model.Samples{})})
	want := []placeTime{{0, 300, 20}, {1, 1, 0}}
	checktest.EqualList(t, want, a.mergeFrom(b).Times)
}
