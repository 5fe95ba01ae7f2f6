package evidence

import (
	"math/rand/v2"
	"slices"
	"testing"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// randomScene makes ranks that wait for random ranks, all or any, or not at all.
func randomScene(rng *rand.Rand, n int) *Scene {
	s := &Scene{Sum: &facts.Summary{}, Needs: map[int]Need{}}
	pick := func() *Target {
		t := &Target{Any: rng.IntN(2) == 0}
		more := rng.IntN(3)
		if !t.Any {
			more++
		}
		for range more {
			t.Ranks.Add(rng.IntN(n))
		}
		return t
	}
	for r := range n {
		s.Sum.Facts = append(s.Sum.Facts, facts.Fact{Rank: r})
		s.Present.Add(r)
		d := Need{}
		if rng.IntN(5) > 0 {
			d.Standing = Waiting
			for range 1 + rng.IntN(2) {
				var alt []Link
				for range 1 + rng.IntN(2) {
					alt = append(alt, Link{To: pick()})
				}
				d.Alts = append(d.Alts, alt)
			}
		}
		s.Needs[r] = d
	}
	return s
}

// naiveStuck releases ranks one after the other by the definition.
func naiveStuck(s *Scene, outside func(rank int) bool) model.RankSet {
	free := map[int]bool{}
	released := func(t *Target) bool {
		ranks := t.Ranks.Slice()
		is := func(r int) bool { return free[r] || outside(r) }
		if t.Any {
			return slices.ContainsFunc(ranks, is)
		}
		return !slices.ContainsFunc(ranks, func(r int) bool { return !is(r) })
	}
	for changed := true; changed; {
		changed = false
		for r, n := range s.Needs {
			can := n.Standing != Waiting
			for _, alt := range n.Alts {
				can = can || !slices.ContainsFunc(alt, func(l Link) bool { return !released(l.To) })
			}
			if can && !free[r] {
				free[r], changed = true, true
			}
		}
	}
	var stuck model.RankSet
	for r := range s.Needs {
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
		g := NewGraph(s, func(Need) bool { return true }, true)
		all := g.Stuck(g.Nodes())
		want := naiveStuck(s, func(int) bool { return false })
		if got := g.Ranks(all); !got.Equal(want) {
			t.Fatalf("stuck %v, want %v", got, want)
		}
		for _, core := range g.Cores() {
			cycle := g.Ring(core)
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
		for _, n := range s.Needs {
			for _, alt := range n.Alts {
				empty = empty || slices.ContainsFunc(alt,
					func(l Link) bool { return l.To.Any && l.To.Ranks.Len() == 0 })
			}
		}
		g := NewGraph(s, func(Need) bool { return true }, true)
		if stuck := g.Stuck(g.Nodes()); len(stuck) > 0 && !empty && len(g.Cores()) == 0 {
			t.Fatalf("%v are stuck, and no deadlock is named", g.Ranks(stuck))
		}
	}
}
