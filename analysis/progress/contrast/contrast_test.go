package contrast

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/reduce/reducetest"
)

// testRank is a rank with so many visits to the states a, b, c …; 0: it has not the
// state at all.
func testRank(rank int, visits ...uint64) *model.Rank {
	t := &model.Thread{}
	for i, n := range visits {
		if n > 0 {
			s := &model.State{ID: model.StateID{byte(i + 1)}, Call: "MPI_" + string(rune('a'+i))}
			t.Model.States, t.Model.Visits = append(t.Model.States, s), append(t.Model.Visits, n)
		}
	}
	world := &model.Comm{ID: 1, Kind: model.World, Members: []int{0, 1, 2, 3, 4, 5}}
	return &model.Rank{Rank: rank, Threads: []*model.Thread{t}, Comms: []*model.Comm{world}}
}

// mergePlaces makes the state b one of the place of a.
func mergePlaces(r *model.Rank) *model.Rank {
	for _, s := range r.Threads[0].Model.States {
		s.Call = "MPI_a"
	}
	return r
}

func formatDifferences(ranks ...*model.Rank) string {
	all := model.RankSet{}
	for _, r := range ranks {
		all.Add(r.Rank)
	}
	c := NewCounter(all)
	for _, r := range ranks {
		c.Add(r)
	}
	var lines []string
	for _, d := range Differences(c.Tally(), func(s *model.State) string { return s.Call }) {
		line := string(d.What)
		if d.State != nil {
			line += " " + d.State.Call
		}
		for _, class := range d.Classes {
			line += fmt.Sprintf(" %d:%v", class.Value, class.Ranks)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestDifferences(t *testing.T) {
	quiet := func(r *model.Rank, second int64) *model.Rank {
		r.QuietSince = time.Unix(second, 0)
		return r
	}
	peer := func(r *model.Rank, peers ...int) *model.Rank {
		for _, p := range peers {
			r.Channels = append(r.Channels, model.Channel{Peer: p, Sent: 1})
		}
		return r
	}
	for name, c := range map[string]struct {
		ranks []*model.Rank
		want  string
	}{
		"alike":     {[]*model.Rank{testRank(0, 5, 5), testRank(1, 5, 5), testRank(2, 5, 5)}, ""},
		"never":     {[]*model.Rank{testRank(0, 5, 1), testRank(1, 5), testRank(2, 5, 1)}, "path MPI_b 0:1 1:0,2"},
		"how often": {[]*model.Rank{testRank(0, 5), testRank(1, 5), testRank(2, 6)}, "calls MPI_a 5:0-1 6:2"},
		"the few first": {[]*model.Rank{testRank(0, 5, 1), testRank(1, 5, 2), testRank(2, 6, 3)},
			"calls MPI_a 5:0-1 6:2\ncalls MPI_b 1:0 2:1 3:2"},
		"two calls of one place": {
			[]*model.Rank{mergePlaces(testRank(0, 5, 1)), mergePlaces(testRank(1, 4, 2)), mergePlaces(testRank(2, 6))}, ""},
		"peers": {[]*model.Rank{peer(testRank(0, 5), 1, 2), peer(testRank(1, 5), 0, 2), peer(testRank(2, 5), 0)},
			"peers 1:2 2:0-1"},
		"times that tell nothing": {[]*model.Rank{quiet(testRank(0, 5), 100), quiet(testRank(1, 5), 104)}, ""},
		"one that paused before the others": {
			[]*model.Rank{quiet(testRank(0, 5), 100), quiet(testRank(1, 5), 60), quiet(testRank(2, 5), 101)},
			"pause 60:1 100:0,2"},
		"no more than two of a kind": {
			[]*model.Rank{testRank(0, 5, 5, 5, 5), testRank(1, 5, 5, 5, 5), testRank(2, 6, 6, 6, 6)},
			"calls MPI_a 5:0-1 6:2\ncalls MPI_b 5:0-1 6:2"},
	} {
		checktest.Equal(t, c.want, formatDifferences(c.ranks...), name)
	}
}

// TestManyValues: a count that differs at all ranks says nothing.
func TestManyValues(t *testing.T) {
	var ranks []*model.Rank
	for rank := range maxClasses + 1 {
		ranks = append(ranks, testRank(rank, uint64(rank+1)))
	}
	checktest.Equal(t, "", formatDifferences(ranks...), "told")
}

// TestLaws: any tree over the shares gives the same tally.
func TestLaws(t *testing.T) {
	build := func() []Tally {
		r := rand.New(rand.NewPCG(7, 8))
		all := model.RankSet{}
		all.AddRange(0, 44)
		var out []Tally
		for i := range 9 {
			c := NewCounter(all)
			for k := range 5 {
				c.Add(testRank(5*i+k, r.Uint64N(3), r.Uint64N(14), 1))
			}
			out = append(out, c.Tally())
		}
		return out
	}
	checktest.ErrorIs(t, nil, reducetest.Laws(Tallies, build, 20, rand.New(rand.NewPCG(1, 2))))
}
