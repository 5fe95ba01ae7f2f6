package provoke

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMinimize: whatever set a failure takes, it is what is left.
func TestMinimize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		all := make([]int, 1+r.IntN(60))
		for i := range all {
			all[i] = i
		}
		needed := map[int]bool{}
		for range 1 + r.IntN(4) {
			needed[r.IntN(len(all))] = true
		}
		asked := 0
		got := Minimize(all, func(some []int) bool {
			asked++
			n := 0
			for _, x := range some {
				if needed[x] {
					n++
				}
			}
			return n == len(needed)
		})
		if len(got) != len(needed) || slices.ContainsFunc(got, func(x int) bool { return !needed[x] }) {
			t.Fatalf("of %d: %v is left, want %v", len(all), got, needed)
		}
		k, n := float64(len(needed)), float64(len(all))
		if most := 2*k*math.Ceil(math.Log2(n/k)) + 2*k; float64(asked) > most {
			t.Errorf("of %d: asked %d times, more than %.0f", len(all), asked, most)
		}
	}
}

// TestMinimizeAny: of a failure with several causes one is left, and no part of it can be left out.
func TestMinimizeAny(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		all := make([]int, 2+r.IntN(40))
		for i := range all {
			all[i] = i
		}
		pairs := [][2]int{}
		for range 3 {
			pairs = append(pairs, [2]int{r.IntN(len(all)), r.IntN(len(all))})
		}
		fails := func(some []int) bool {
			return slices.ContainsFunc(pairs, func(p [2]int) bool { return slices.Contains(some, p[0]) && slices.Contains(some, p[1]) })
		}
		got := Minimize(all, fails)
		for i := range got {
			if !fails(got) || len(got) > 1 && fails(slices.Concat(got[:i], got[i+1:])) {
				t.Fatalf("%v is left of %d, pairs %v", got, len(all), pairs)
			}
		}
	}
}
