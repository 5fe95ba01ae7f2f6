package waitfor

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// millionNeeds makes a stuck graph of 250,000 ranks with a million needs: half of the
// ranks wait for any of a few others, half for all of them, and the rings of eight
// that they make hold them together.
func millionNeeds() *Graph {
	const ranks = 250_000
	rng, g := rand.New(rand.NewPCG(1, 2)), New(0)
	for rank := range ranks {
		g.Rank(rank, Kind(rank%2 == 0), rank/8*8+(rank+1)%8)
	}
	for rank := range ranks {
		for range 3 {
			to := rng.IntN(ranks)
			if rank%2 == 0 { // to a later rank one way only, so that there are many components
				to = rank + rng.IntN(ranks-rank)
			}
			g.Need(rank, to)
		}
	}
	return g
}

// BenchmarkMillion times each question about a million needs:
//
//	go test -run x -bench Million ./analysis/waitfor
func BenchmarkMillion(b *testing.B) {
	g := millionNeeds()
	stuck := g.Stuck(g.Nodes())
	for _, q := range []struct {
		name string
		ask  func()
	}{
		{"Stuck", func() { g.Need(0); g.Stuck(g.Nodes()) }}, // with the reversal of needs
		{"Cores", func() { g.Cores() }},
		{"Knots", func() { g.Knots(stuck) }},
		{"Cycle", func() { g.Cycle(0, func(int) bool { return true }) }},
		{"Reached", func() { g.Reached([]int{0}) }},
		{"Heights", func() { g.Heights() }},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				q.ask()
			}
		})
	}
}

// BenchmarkComponents compares the components of a million needs with gonum's:
//
//	go test -run x -bench Components -benchtime 1x ./analysis/waitfor
func BenchmarkComponents(b *testing.B) {
	g := millionNeeds()
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			new(Tarjan).Components(g.Nodes(), g.next)
		}
	})
	b.Run("gonum", func(b *testing.B) {
		for b.Loop() {
			d := simple.NewDirectedGraph()
			for x, needs := range g.needs {
				for _, y := range needs {
					if x != y {
						d.SetEdge(simple.Edge{F: simple.Node(x), T: simple.Node(y)})
					}
				}
			}
			topo.TarjanSCC(d)
		}
	})
}
