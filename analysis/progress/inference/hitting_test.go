package inference

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"laggard/analysis/progress/facts"
	"laggard/internal/checktest"
	"laggard/model"
)

// modelOf makes a model of n states.
func modelOf(n int, edges ...model.Edge) model.Model {
	m := model.Model{Edges: edges}
	for i := range n {
		m.States = append(m.States, &model.State{ID: model.StateID{byte(i), byte(i >> 8), 1}, Call: "MPI_Send"})
	}
	return m
}

// inCall is the position inside the call of a state.
func inCall(m *model.Model, state int) facts.Position {
	return facts.Position{State: m.States[state].ID, Begun: true, InMPI: true}
}

// randomModel makes a sparse model with loops, branches and dead ends.
func randomModel(rng *rand.Rand, n int) model.Model {
	m := modelOf(n)
	for i := range n {
		for range rng.IntN(4) {
			to := i + 1
			if rng.IntN(2) == 0 {
				to = rng.IntN(n)
			}
			m.Edges = append(m.Edges, model.Edge{From: i, To: to % n, Count: 1 + rng.Uint64N(20)})
		}
	}
	return m
}

// denseHit solves for the hitting probabilities as one dense system over the
// states that can reach the target at all.
func denseHit(c *Chain, target int) []float64 {
	n := len(c.next)
	can := c.backwardReachable([]int{target}, -1)
	a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		a.Set(i, i, 1)
		if i == target {
			b.SetVec(i, 1)
		} else if can[i] {
			for _, arc := range c.next[i] {
				a.Set(i, arc.to, a.At(i, arc.to)-arc.p)
			}
		}
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		panic(err)
	}
	return x.RawVector().Data
}

func TestHitAgainstDenseSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		m := randomModel(rng, 2+rng.IntN(30))
		c := NewChain(&m)
		target := rng.IntN(len(m.States))
		want := denseHit(c, target)
		for i, got := range c.hitProbabilities(target) {
			if math.Abs(got-want[i]) > 1e-9 {
				t.Fatalf("h(%d→%d) = %g, dense solve says %g; model %v", i, target, got, want[i], m.Edges)
			}
		}
	}
}

// The sweeps for components too large for a matrix come near the solution.
func TestSweepAgainstDenseSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		m := randomModel(rng, 2+rng.IntN(15))
		c := NewChain(&m)
		target := rng.IntN(len(m.States))
		want := c.hitProbabilities(target)
		h := make([]float64, len(want))
		var open []int
		for i, w := range want {
			if w > 0 && w < 1 {
				open = append(open, i)
			} else {
				h[i] = w
			}
		}
		c.sweepGaussSeidel(open, h)
		for _, i := range open {
			if math.Abs(h[i]-want[i]) > 1e-2 {
				t.Fatalf("h(%d→%d) = %g after sweeps, want %g", i, target, h[i], want[i])
			}
		}
	}
}

func TestReachAgainstWalks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 30 {
		m := randomModel(rng, 2+rng.IntN(10))
		c := NewChain(&m)
		from, to := rng.IntN(len(m.States)), rng.IntN(len(m.States))
		if from == to {
			continue
		}
		got := c.Reach(facts.Position{State: m.States[from].ID, Begun: true},
			facts.Position{State: m.States[to].ID, Begun: true, InMPI: true})
		const walks = 4000
		hits := 0
		for range walks {
			if randomWalkHits(rng, c, from, to) {
				hits++
			}
		}
		if want := float64(hits) / walks; math.Abs(got-want) > 0.05 {
			t.Fatalf("P(%d,%d) = %g, walks say %g; model %v", from, to, got, want, m.Edges)
		}
	}
}

// randomWalkHits reports whether a random walk meets the target.
func randomWalkHits(rng *rand.Rand, c *Chain, at, target int) bool {
	for range 2000 {
		if len(c.next[at]) == 0 {
			return false
		}
		p := rng.Float64()
		step := c.next[at][len(c.next[at])-1].to
		for _, a := range c.next[at] {
			if p -= a.p; p < 0 {
				step = a.to
				break
			}
		}
		if at = step; at == target {
			return true
		}
	}
	return false
}

// A loop that was left once in ten billion iterations is still left, and reached
// with certainty from inside.
func TestReachIsExactAtTheEnds(t *testing.T) {
	m := modelOf(3, model.Edge{From: 0, To: 1, Count: 10000000000}, model.Edge{From: 1, To: 0, Count: 9999999999},
		model.Edge{From: 1, To: 2, Count: 1})
	c := NewChain(&m)
	a, b, end := inCall(&m, 0), inCall(&m, 1), inCall(&m, 2)
	checktest.Equal(t, 1, c.Reach(a, end), "P(A,C)")
	if p := c.Reach(b, a); p >= 1 || p < 0.999 {
		t.Errorf("P(B,A) = %v, want just below 1", p)
	}
	checktest.Equal(t, 0, c.Reach(end, a), "P(C,A)")
}

// Edges that point nowhere are left out, not followed.
func TestChainOfDamagedModel(t *testing.T) {
	m := modelOf(2, model.Edge{From: 0, To: 1, Count: 1}, model.Edge{From: 5, To: 0, Count: 1},
		model.Edge{From: 0, To: -1, Count: 1})
	checktest.Equal(t, 1, NewChain(&m).Reach(inCall(&m, 0), inCall(&m, 1)), "P(A,B)")
}

// A component larger than a dense matrix is solved all the same.
func TestLargeComponent(t *testing.T) {
	const n = maxDense + 100
	m := modelOf(n + 2)
	for i := range n {
		m.Edges = append(m.Edges, model.Edge{From: i, To: (i + 1) % n, Count: 1},
			model.Edge{From: i, To: n + i%2, Count: 1})
	}
	// From 0 the end n is met in iterations 1, 3, 5 …: 1/2 + 1/8 + … = 2/3.
	if p := NewChain(&m).Reach(inCall(&m, 0), inCall(&m, n)); math.Abs(p-2.0/3) > 1e-9 {
		t.Errorf("P = %v, want 2/3", p)
	}
}
