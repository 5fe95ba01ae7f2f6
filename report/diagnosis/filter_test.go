package diagnosis

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		name   string
		only   model.RankSet
		groups []string // their ranks
		edges  [][2]int
		order  [][]int
	}{
		{"all", rankRange(0, 7), []string{"0", "1", "2", "3-7"}, [][2]int{{0, 2}, {1, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}},
			[][]int{{0, 1, 2}, {3}}},
		{"one of a group keeps the group", set(5), []string{"3-7"}, [][2]int{}, [][]int{{0}}},
		{"both ends of an edge", set(1, 2), []string{"1", "2"}, [][2]int{{1, 0}}, [][]int{{0, 1}}},
		{"over the levels", set(2, 4), []string{"2", "3-7"}, [][2]int{{1, 0}}, [][]int{{0}, {1}}},
		{"none", model.RankSet{}, []string{}, [][2]int{}, [][]int{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := deadlockSource()
			source.Resolver = testResolver(t)
			r := New(source)
			musttest.Succeed(t, Filter(r, c.only))
			groups, edges := []string{}, [][2]int{}
			for i, g := range r.Groups {
				groups = append(groups, g.Ranks)
				checktest.Equal(t, i, g.ID, "group", "has id")
			}
			for _, e := range r.Edges {
				edges = append(edges, [2]int{e.From, e.To})
			}
			checktest.Equal(t, c.groups, groups)
			checktest.Equal(t, c.edges, edges)
			checktest.Equal(t, c.order, r.ProgressOrder)
			want := New(source)
			checktest.Equal(t, want.LeastProgressed, r.LeastProgressed, "the answer itself was filtered")
			checktest.Equal(t, want.Deadlock, r.Deadlock, "the answer itself was filtered")
			for form := range forms {
				writeForm(t, form, r)
			}
		})
	}
}

func TestFilterBadSet(t *testing.T) {
	r := &Result{Groups: []Group{{Ranks: "three"}}}
	checktest.ErrorIs(t, model.ErrRankSet, Filter(r, set(3)), "error")
}
