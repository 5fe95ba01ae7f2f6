package divergence

import (
	"math/rand/v2"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/reduce/reducetest"
)

// TestCensusLaws: any tree over the shares gives the same census.
func TestCensusLaws(t *testing.T) {
	build := func() []Census {
		r := rand.New(rand.NewPCG(3, 4))
		var out []Census
		for i := range 9 {
			c := NewCounter()
			for k := range 5 {
				c.Add(randomMember(r, 5*i+k))
			}
			out = append(out, c.Census())
		}
		return out
	}
	checktest.ErrorIs(t, nil, reducetest.Laws(Censuses, build, 20, rand.New(rand.NewPCG(1, 2))))
}

// randomMember is a rank in three communicators of all, in one of which all agree,
// and in one of its own.
func randomMember(r *rand.Rand, rank int) *model.Rank {
	out := &model.Rank{Rank: rank}
	for id := range uint64(4) {
		h := uint64(7)
		if id > 0 {
			h = r.Uint64N(3)
		}
		b := model.Begun{Mark: model.Mark{Number: 1 + h, Calls: h * 5, Sites: r.Uint64N(2)}}
		if id == 0 {
			b.Sites = 1
		}
		out.Comms = append(out.Comms,
			&model.Comm{ID: id + 1, Size: 45, History: &model.History{Latest: []model.Begun{b}}})
	}
	out.Comms[3].ID, out.Comms[3].Size = uint64(100+rank), 1
	return out
}

// FuzzCensus: any census that another analysis rank may have sent merges with ours, and suspects are found in it.
func FuzzCensus(f *testing.F) {
	c := NewCounter()
	for rank := range 5 {
		c.Add(randomMember(rand.New(rand.NewPCG(uint64(rank), 1)), rank))
	}
	ours := c.Census()
	encoded := musttest.Get(Censuses.Encode(ours))(f)
	f.Add(encoded)
	f.Add([]byte(`{"comms":[{"id":2,"size":-1,"lines":null},{"id":1,"lines":[{"ranks":""},{"ranks":"3"}]}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		theirs, err := Censuses.Decode(data)
		if err != nil {
			return
		}
		merged := MergeCensuses(ours, theirs)
		for _, t := range merged.suspectComms() {
			for _, line := range t.Lines {
				line.Ranks.Min()
			}
		}
	})
}

func TestSettledCommunicatorsAreLeftOut(t *testing.T) {
	c := NewCounter()
	for rank := range 45 {
		c.Add(randomMember(rand.New(rand.NewPCG(uint64(rank), 1)), rank))
	}
	if got := c.Census(); len(got.Comms) != 2 {
		t.Errorf("%d communicators, not the two that differ", len(got.Comms))
	}
}

// TestHistoriesLaws: any tree over the shares gathers the same histories.
func TestHistoriesLaws(t *testing.T) {
	build := func() []histories {
		r := rand.New(rand.NewPCG(5, 6))
		var out []histories
		for rank := range 9 {
			h := histories{States: map[model.StateID]*model.State{}}
			m := &model.Module{BuildID: "ab", Path: "/bin/x"}
			s := &model.State{ID: model.StateID{byte(r.IntN(3))}, Call: "MPI_Bcast",
				Stack: []model.Frame{{Module: m, Offset: 7}}}
			member := randomMember(r, rank)
			member.Threads = []*model.Thread{{Model: model.Model{States: []*model.State{s}}}}
			h.add(member, []uint64{1, 2, 3})
			out = append(out, h)
		}
		return out
	}
	checktest.ErrorIs(t, nil, reducetest.Laws(gathered, build, 20, rand.New(rand.NewPCG(1, 2))))
}
