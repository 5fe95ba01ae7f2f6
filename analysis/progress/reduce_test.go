package progress

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/reduce/reducetest"
)

func TestMergeOverviews(t *testing.T) {
	a, b := newOverview(nil), newOverview(nil)
	a.Moving, b.Moving, b.Alive = []int{3}, []int{1}, true
	ab := mergeOverviews(a, b)
	if want := []int{1, 3}; !cmp.Equal(ab.Moving, want) || !ab.Alive {
		t.Errorf("merged %+v", ab)
	}
}

// TestOverviewLaws: any tree over the shares gives the same overview.
func TestOverviewLaws(t *testing.T) {
	build := func() []overview {
		var out []overview
		for i := range 9 {
			f := newOverview([]model.Problem{{File: "n", Rank: i,
				Err: &model.FormatError{File: "n", Rank: i, Section: "chunk", Err: model.ErrCorrupt}}})
			f.Moving = []int{i}
			out = append(out, f)
		}
		return out
	}
	checktest.ErrorIs(t, nil, reducetest.Laws(overviews, build, 20, rand.New(rand.NewPCG(1, 2))))
}
