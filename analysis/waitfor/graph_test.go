package waitfor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"laggard/internal/musttest"
	"laggard/model"
)

// randomGraph makes ranks and operations of which each needs all or any of some
// random nodes, or nothing.
func randomGraph(rng *rand.Rand) *Graph {
	g, n := New(0), 2+rng.IntN(9)
	ranks := rng.Perm(n)
	for i := range n {
		if kind := Kind(rng.IntN(2) == 0); i < 2 || rng.IntN(3) > 0 {
			g.Rank(ranks[i], kind)
		} else {
			g.Operation(kind)
		}
	}
	for i := range n {
		for range min(rng.IntN(5), 3) {
			g.Need(i, rng.IntN(n))
		}
	}
	return g
}

// eachRandom runs a test on many random graphs.
func eachRandom(f func(rng *rand.Rand, g *Graph)) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 3000 {
		f(rng, randomGraph(rng))
	}
}

// naiveStuck releases nodes one after the other by the definition.
func naiveStuck(g *Graph, set []int) []int {
	left := slices.Clone(set)
	free := func(y int) bool { return !slices.Contains(left, y) }
	for {
		before := len(left)
		left = slices.DeleteFunc(left, func(x int) bool {
			if g.kinds[x] == Any {
				return slices.ContainsFunc(g.needs[x], free)
			}
			return !slices.ContainsFunc(g.needs[x], func(y int) bool { return !free(y) })
		})
		if len(left) == before {
			return left
		}
	}
}

// randomSet takes some nodes, in any order.
func randomSet(rng *rand.Rand, g *Graph) []int {
	nodes := rng.Perm(len(g.needs))
	return nodes[:rng.IntN(len(nodes)+1)]
}

// What is stuck is the greatest fixed point: what is left when whatever can be
// released is, one node at a time.
func TestStuckAgainstDefinition(t *testing.T) {
	eachRandom(func(rng *rand.Rand, g *Graph) {
		set := randomSet(rng, g)
		got, want := g.Stuck(set), naiveStuck(g, slices.Clone(set))
		if !slices.Equal(sortedNodes(got), sortedNodes(want)) {
			t.Fatalf("%v of %v: %v, want %v", g.needs, set, got, want)
		}
		if again := g.Stuck(got); !slices.Equal(again, got) {
			t.Fatalf("of what is stuck, %v, only %v is", got, again)
		}
	})
}

func sortedNodes(nodes []int) []int { return slices.Sorted(slices.Values(nodes)) }

// To release one node more never makes another one stuck.
func TestReleaseIsMonotone(t *testing.T) {
	eachRandom(func(rng *rand.Rand, g *Graph) {
		set := randomSet(rng, g)
		if len(set) == 0 {
			return
		}
		before, after := g.Stuck(set), g.Stuck(set[1:])
		for _, x := range after {
			if !slices.Contains(before, x) {
				t.Fatalf("%v: %d is stuck once %d is released", g.needs, x, set[0])
			}
		}
	})
}

// connected reports whether each of some nodes leads to every other, and a single
// one to itself.
func connected(g *Graph, set []int) bool {
	for _, x := range set {
		seen := map[int]bool{}
		for queue := []int{x}; len(queue) > 0; queue = queue[1:] {
			for _, y := range g.needs[queue[0]] {
				if !seen[y] && slices.Contains(set, y) {
					seen[y] = true
					queue = append(queue, y)
				}
			}
		}
		if len(seen) < len(set) {
			return false
		}
	}
	return true
}

// Cores against the definition: of all sets of nodes that wait for each other and
// are stuck by themselves, those that lie in no other such set.
func TestCoresAgainstDefinition(t *testing.T) {
	found := 0
	eachRandom(func(_ *rand.Rand, g *Graph) {
		var largest [][]int
		for bits := 1; bits < 1<<len(g.needs); bits++ {
			var set []int
			for x := range g.needs {
				if bits>>x&1 == 1 {
					set = append(set, x)
				}
			}
			if len(g.Stuck(set)) < len(set) || !connected(g, set) {
				continue
			}
			largest = slices.DeleteFunc(largest, func(s []int) bool { return contains(set, s) })
			if !slices.ContainsFunc(largest, func(s []int) bool { return contains(s, set) }) {
				largest = append(largest, set)
			}
		}
		var want []string
		for _, set := range sortBySmallestRank(ranksOf(g, largest)) {
			want = append(want, set.String())
		}
		musttest.Equal(t, want, setTexts(g.Cores()), g.needs)
		found += len(want)
	})
	if found < 300 {
		t.Fatalf("only %d cores in the random graphs", found)
	}
}

func contains(set, part []int) bool {
	return !slices.ContainsFunc(part, func(x int) bool { return !slices.Contains(set, x) })
}

// ranksOf returns the ranks of sets of nodes that have any.
func ranksOf(g *Graph, sets [][]int) []model.RankSet {
	var out []model.RankSet
	for _, set := range sets {
		if ranks := g.Ranks(set); ranks.Len() > 0 {
			out = append(out, ranks)
		}
	}
	return out
}

func setTexts(sets []model.RankSet) []string {
	var out []string
	for _, s := range sets {
		out = append(out, s.String())
	}
	return out
}

// Knots against the definition: the ranks that a rank of a knot leads to are the
// knot, and from whatever else is stuck a way leads into a knot.
func TestKnotsAgainstDefinition(t *testing.T) {
	found := 0
	eachRandom(func(_ *rand.Rand, g *Graph) {
		stuck := g.Stuck(g.Nodes())
		waits := slices.DeleteFunc(slices.Clone(stuck), func(x int) bool { return len(g.needs[x]) == 0 })
		reached := func(rank int) model.RankSet {
			part := New(0) // the graph of what is stuck
			part.needs, part.ranks = make([][]int, len(g.needs)), g.ranks
			for _, x := range waits {
				part.needs[x] = slices.DeleteFunc(slices.Clone(g.needs[x]),
					func(y int) bool { return !slices.Contains(waits, y) })
			}
			node, _ := g.Node(rank)
			return g.Ranks(append(part.Reached([]int{node}), node))
		}
		var all model.RankSet
		for _, knot := range g.Knots(stuck) {
			found++
			if knot.Intersect(all).Len() > 0 {
				t.Fatalf("%v: knots are not disjoint", g.needs)
			}
			all = all.Union(knot)
			knot.Each(func(rank int) {
				if to := reached(rank); !to.Equal(knot) {
					t.Fatalf("%v: rank %d of knot %v leads to %v", g.needs, rank, knot, to)
				}
			})
		}
		g.Ranks(waits).Each(func(rank int) {
			if reached(rank).Intersect(all).Len() == 0 {
				t.Fatalf("%v: stuck rank %d leads to no knot", g.needs, rank)
			}
		})
	})
	if found < 300 {
		t.Fatalf("only %d knots in the random graphs", found)
	}
}

// A cycle leads through waits, from each rank to the next; no other is shorter, or
// as short and by smaller ranks.
func TestCycleAgainstDefinition(t *testing.T) {
	found := 0
	eachRandom(func(rng *rand.Rand, g *Graph) {
		left := map[int]bool{}
		for _, x := range randomSet(rng, g) {
			left[x] = rng.IntN(3) == 0
		}
		inside := func(node int) bool { return !left[node] }
		for _, rank := range g.Ranks(g.Nodes()).Slice() {
			got, want := g.Cycle(rank, inside), naiveCycle(g, rank, inside)
			if !slices.Equal(got, want) {
				t.Fatalf("%v without %v: %v, want %v", g.needs, left, got, want)
			}
			found += b2i(len(got) > 1)
		}
	})
	if found < 300 {
		t.Fatalf("only %d cycles in the random graphs", found)
	}
}

// naiveCycle tries all ways of ranks, the short ones first.
func naiveCycle(g *Graph, rank int, inside func(int) bool) []int {
	ways := [][]int{{rank}}
	for range g.Ranks(g.Nodes()).Len() {
		var longer [][]int
		for _, way := range ways {
			for _, to := range g.awaitedWithin(way[len(way)-1], inside, map[int]bool{}).Slice() {
				if to == rank {
					return way
				}
				if !slices.Contains(way, to) {
					longer = append(longer, append(slices.Clone(way), to))
				}
			}
		}
		ways = longer
	}
	return nil
}

// To give ranks other numbers gives the answers those numbers.
func TestRenaming(t *testing.T) {
	eachRandom(func(rng *rand.Rand, g *Graph) {
		names, other := rng.Perm(len(g.needs)), New(0)
		for x, rank := range g.ranks {
			if rank == operation {
				other.Operation(g.kinds[x])
			} else {
				other.Rank(names[rank], g.kinds[x])
			}
		}
		for x, needs := range g.needs {
			for _, y := range rng.Perm(len(needs)) {
				other.Need(x, needs[y])
			}
		}
		renamed := func(sets []model.RankSet) []string {
			for i, s := range sets {
				var out model.RankSet
				s.Each(func(r int) { out.Add(names[r]) })
				sets[i] = out
			}
			return setTexts(sortBySmallestRank(sets))
		}
		stuck := g.Stuck(g.Nodes())
		musttest.Equal(t, stuck, other.Stuck(other.Nodes()))
		musttest.Equal(t, renamed(g.Cores()), setTexts(other.Cores()))
		musttest.Equal(t, renamed(g.Knots(stuck)), setTexts(other.Knots(stuck)))
		musttest.Equal(t, g.Heights(), other.Heights())
	})
}

// Components are those of gonum, and each comes after those it leads to; one
// Tarjan serves for many graphs.
func TestComponents(t *testing.T) {
	var tarjan Tarjan
	eachRandom(func(rng *rand.Rand, g *Graph) {
		nodes, d := randomSet(rng, g), simple.NewDirectedGraph()
		for _, x := range nodes {
			d.AddNode(simple.Node(x))
		}
		for _, x := range nodes {
			for _, y := range g.needs[x] {
				if x != y && slices.Contains(nodes, y) {
					d.SetEdge(simple.Edge{F: simple.Node(x), T: simple.Node(y)})
				}
			}
		}
		got := tarjan.Components(nodes, g.next)
		place := map[int]int{}
		for i, part := range got {
			for _, x := range part {
				place[x] = i
			}
		}
		for x, i := range place {
			for _, y := range g.needs[x] {
				if k, in := place[y]; in && k > i {
					t.Fatalf("%d leads to %d, which comes later: %v", x, y, got)
				}
			}
		}
		var want [][]int
		for _, c := range topo.TarjanSCC(d) {
			var part []int
			for _, x := range c {
				part = append(part, int(x.ID()))
			}
			want = append(want, sortedNodes(part))
		}
		slices.SortFunc(want, slices.Compare)
		slices.SortFunc(got, slices.Compare)
		musttest.Equal(t, want, got)
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
