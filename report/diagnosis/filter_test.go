package diagnosis

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

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
				if g.ID != i {
					t.Errorf("group %d has id %d", i, g.ID)
				}
			}
			for _, e := range r.Edges {
				edges = append(edges, [2]int{e.From, e.To})
			}
			if d := cmp.Diff(c.groups, groups) + cmp.Diff(c.edges, edges) +
				cmp.Diff(c.order, r.ProgressOrder); d != "" {
				t.Error(d)
			}
			want := New(source)
			if d := cmp.Diff(want.LeastProgressed, r.LeastProgressed) + cmp.Diff(want.Deadlock, r.Deadlock); d != "" {
				t.Errorf("the answer itself was filtered:\n%s", d)
			}
			for form := range forms {
				writeForm(t, form, r)
			}
		})
	}
}

func TestFilterBadSet(t *testing.T) {
	r := &Result{Groups: []Group{{Ranks: "three"}}}
	if err := Filter(r, set(3)); !errors.Is(err, model.ErrRankSet) {
		t.Errorf("error %v, want %v", err, model.ErrRankSet)
	}
}
