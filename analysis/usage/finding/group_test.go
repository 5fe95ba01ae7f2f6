package finding

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"laggard/analysis/usage/recorded"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/reduce"
	"laggard/reduce/reducetest"
)

var groups = reduce.Monoid[*Group]{Codec: reduce.Codec[*Group]{Encode: EncodeGroup, Decode: DecodeGroup},
	Merge: MergeGroups}

// randomFindings are those of a rank: of few kinds, so that ranks have them in common.
func randomFindings(rng *rand.Rand, rank int) *Group {
	module := &model.Module{BuildID: "aa", Path: "a.out"}
	g := NewGroup()
	for range rng.IntN(12) {
		stack := []model.Frame{{Module: module, Offset: uint64(rng.IntN(3))}, {Offset: 9}}
		place := Place{Rank: rank, Call: "MPI_Send", Role: "call", Site: recorded.Site{Stack: stack}}
		g.Add(New(Classes[rng.IntN(3)].Name, fmt.Sprintf("count is %d", rng.IntN(100)), place))
	}
	return g
}

// The ranks' findings come to the same bytes in any order and tree.
func TestGroupsMergeInAnyOrder(t *testing.T) {
	for seed := range uint64(20) {
		build := func() []*Group {
			rng := rand.New(rand.NewPCG(seed, 2))
			var out []*Group
			for r := range 1 + rng.IntN(9) {
				out = append(out, randomFindings(rng, r))
			}
			return out
		}
		checktest.ErrorIs(t, nil, reducetest.Laws(groups, build, 10, rand.New(rand.NewPCG(seed, 3))))
	}
}

// What is alike is one: counted, with all ranks, the first as the example.
func TestAlikeIsOne(t *testing.T) {
	place := func(rank int) Place { return Place{Rank: rank, Call: "MPI_Send"} }
	a := NewGroup(New("leak", "count is 7", place(4)), New("leak", "count is 8", place(4)))
	a.Merge(NewGroup(New("leak", "count is 9", place(2)), New("leak", "tag is 9", place(2)),
		New("deadlock", "tag is 9", place(9))))
	var got []string
	for _, f := range a.WorstFirst() {
		got = append(got, fmt.Sprintf("%s %s %s %d", f.Class, f.Message, f.Ranks, f.Count))
	}
	want := []string{"deadlock tag is 9 9 1", "leak count is 9 2,4 3", "leak tag is 9 2 1"}
	checktest.Equal(t, want, got)
}

func FuzzDecodeGroup(f *testing.F) {
	b := musttest.Get(EncodeGroup(randomFindings(rand.New(rand.NewPCG(1, 2)), 3)))(f)
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Add(append([]byte{9}, b[1:]...)) // more findings than there are
	f.Fuzz(func(t *testing.T, data []byte) {
		if g, err := DecodeGroup(data); err != nil && g != nil {
			t.Error("an error with a result")
		} else if err == nil {
			g.WorstFirst()
		}
	})
}
