package evidence

import (
	"testing"

	"laggard/analysis/progress/facts"
	"laggard/internal/checktest"
	"laggard/model"
)

// TestAreGroups: members are those of the two groups of an intercommunicator only if none is on the side of the others.
func TestAreGroups(t *testing.T) {
	const inter, intra, unknown = 2, 3, 4
	sum := &facts.Summary{Comms: []facts.Comm{
		{ID: inter, Groups: [2]model.RankSet{model.NewRankSet(0), model.NewRankSet(1, 2)}},
		{ID: intra, Groups: [2]model.RankSet{model.NewRankSet(0, 1, 2)}},
	}}
	s := NewScene(sum, nil, Observed{Size: 3})
	for _, c := range []struct {
		name         string
		comm         uint64
		some, others []int
		want         bool
	}{
		{"both groups", inter, []int{0}, []int{1, 2}, true},
		{"the other way round", inter, []int{1, 2}, []int{0}, true},
		{"part of a group", inter, []int{1}, []int{0}, true},
		{"one is on the other side", inter, []int{2}, []int{0, 1}, false},
		{"no groups", intra, []int{0}, []int{1, 2}, false},
		{"not known", unknown, []int{0}, []int{1, 2}, false},
	} {
		checktest.Equal(t, c.want, AreGroups(s, c.comm, model.NewRankSet(c.some...), model.NewRankSet(c.others...)), c.name)
	}
}
