package progress

import (
	"math/rand/v2"
	"slices"
	"testing"

	"laggard/model"
)

// randomScene makes ranks that wait for random ranks, all or any, or not at all.
func randomScene(rng *rand.Rand, n int) *scene {
	s := &scene{sum: &Summary{}, needs: map[int]need{}}
	pick := func() *target {
		t := &target{any: rng.IntN(2) == 0}
		for range rng.IntN(3) + b2i(!t.any) {
			t.ranks.Add(rng.IntN(n))
		}
		return t
	}
	for r := range n {
		s.sum.Facts = append(s.sum.Facts, Fact{Rank: r})
		s.present.Add(r)
		d := need{}
		if rng.IntN(5) > 0 {
			d.standing = waiting
			for range 1 + rng.IntN(2) {
				var alt []link
				for range 1 + rng.IntN(2) {
					alt = append(alt, link{to: pick()})
				}
				d.alts = append(d.alts, alt)
			}
		}
		s.needs[r] = d
	}
	return s
}

// naiveStuck releases ranks one after the other by the definition.
func naiveStuck(s *scene, outside func(rank int) bool) model.RankSet {
	free := map[int]bool{}
	released := func(t *target) bool {
		ranks := t.ranks.Slice()
		is := func(r int) bool { return free[r] || outside(r) }
		if t.any {
			return slices.ContainsFunc(ranks, is)
		}
		return !slices.ContainsFunc(ranks, func(r int) bool { return !is(r) })
	}
	for changed := true; changed; {
		changed = false
		for r, n := range s.needs {
			can := n.standing != waiting
			for _, alt := range n.alts {
				can = can || !slices.ContainsFunc(alt, func(l link) bool { return !released(l.to) })
			}
			if can && !free[r] {
				free[r], changed = true, true
			}
		}
	}
	var stuck model.RankSet
	for r := range s.needs {
		if !free[r] && !outside(r) {
			stuck.Add(r)
		}
	}
	return stuck
}

func TestStuckAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	found := 0
	for range 2000 {
		s := randomScene(rng, 2+rng.IntN(7))
		g := newWaitGraph(s, func(need) bool { return true }, true)
		all := g.stuck(g.all())
		want := naiveStuck(s, func(int) bool { return false })
		if got := g.ranks(all); !got.Equal(want) {
			t.Fatalf("stuck %v, want %v", got, want)
		}
		for _, cycle := range g.deadlocks() {
			found++
			inside := model.NewRankSet(cycle...)
			if inside.Len() != len(cycle) || cycle[0] != inside.Min() {
				t.Fatalf("cycle %v does not start with its smallest rank, or repeats one", cycle)
			}
			alone := naiveStuck(s, func(r int) bool { return !inside.Contains(r) })
			if !alone.Equal(inside) {
				t.Fatalf("of cycle %v only %v stay stuck when all others move", cycle, alone)
			}
		}
	}
	if found < 100 {
		t.Fatalf("only %d deadlocks among the random graphs", found)
	}
}

// A deadlock of certain waits that no rank outside can dissolve is found when
// anything is stuck, unless what is stuck waits for nobody.
func TestStuckMeansDeadlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 1000 {
		s := randomScene(rng, 2+rng.IntN(6))
		empty := false
		for _, n := range s.needs {
			for _, alt := range n.alts {
				empty = empty || slices.ContainsFunc(alt, func(l link) bool { return l.to.any && l.to.ranks.Len() == 0 })
			}
		}
		g := newWaitGraph(s, func(need) bool { return true }, true)
		if stuck := g.stuck(g.all()); len(stuck) > 0 && !empty && len(g.deadlocks()) == 0 {
			t.Fatalf("%v are stuck, and no deadlock is named", g.ranks(stuck))
		}
	}
}
