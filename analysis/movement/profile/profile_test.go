package profile

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/chain/chaintest"
)

var exactly = cmp.AllowUnexported(chain.Group{})

// Merging runs in any order gives the same profile, and merging with nothing
// changes none.
func TestLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		var list []Profile
		for range 4 {
			tables := chaintest.PlayScript(t, chaintest.RandomScript(rng))
			list = append(list, New(chain.Resolve(chaintest.MustMerge(t, tables, nil))))
		}
		want := Merge(Merge(Merge(list[0], list[1]), list[2]), list[3])
		got := Merge(Merge(list[2], list[0]), Merge(list[3], list[1]))
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("in another order:\n%s", cmp.Diff(want, got, exactly))
		}
		for _, m := range []Profile{Merge(want, Profile{}), Merge(Profile{}, want)} {
			if !reflect.DeepEqual(want, m) {
				t.Errorf("merging with nothing changes it:\n%s", cmp.Diff(want, m, exactly))
			}
		}
	}
}
