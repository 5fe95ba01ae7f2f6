package inference

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Components up to this many states are solved exactly; the matrix takes 2 MB.
const maxDense = 512

// Sweeps over a larger component. Their limit is the solution; the sweeps only
// refine a number that is already known to lie between 0 and 1.
const maxSweeps = 200

// hitProbabilities returns, by state, the probability that a chain started there ever
// visits the target: h(target) = 1, h(i) = Σ p(i,k)·h(k), the least solution.
//
// Paths are never listed. States that cannot reach the target have 0; those
// that cannot help reaching it have 1; both are known from the graph. What is
// left is a linear system, solved by strongly connected component, the last
// ones first, so that each system holds one loop nest only.
func (c *Chain) hitProbabilities(target int) []float64 {
	if h, done := c.hits[target]; done {
		return h
	}
	can, may := c.canReach(target)
	h := make([]float64, len(c.next))
	open := make([]bool, len(c.next))
	for i := range h {
		open[i] = can[i] && may[i]
		if can[i] && !may[i] {
			h[i] = 1
		}
	}
	for _, component := range c.components(open) {
		c.solveComponent(component, h)
	}
	c.hits[target] = h
	return h
}

// canReach returns the states from which the target can be reached, and those
// from which it may be missed: a way leads, past the target, to a state that
// cannot reach it.
func (c *Chain) canReach(target int) (can, may []bool) {
	can = c.backwardReachable([]int{target}, -1)
	var never []int
	for i := range can {
		if !can[i] {
			never = append(never, i)
		}
	}
	return can, c.backwardReachable(never, target)
}

// backwardReachable returns the states from which one of the given can be reached without
// passing the barrier (-1: none).
func (c *Chain) backwardReachable(queue []int, barrier int) []bool {
	seen := make([]bool, len(c.next))
	for _, i := range queue {
		seen[i] = true
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, k := range c.prev[i] {
			if !seen[k] && k != barrier {
				seen[k] = true
				queue = append(queue, k)
			}
		}
	}
	return seen
}

// components returns the strongly connected components among the open states,
// each after those it leads to.
func (c *Chain) components(open []bool) [][]int {
	var states []int
	for i, is := range open {
		if is {
			states = append(states, i)
		}
	}
	return c.tarjan.Components(states, func(i int) []int {
		var to []int
		for _, a := range c.next[i] {
			to = append(to, a.to)
		}
		return to
	})
}

// solveComponent fills in h for the states of one component, all others that they lead
// to being known: (I − P)·h = what leaves the component times h there.
func (c *Chain) solveComponent(states []int, h []float64) {
	if len(states) == 1 || len(states) > maxDense || !c.solveDense(states, h) {
		c.sweepGaussSeidel(states, h)
	}
}

// solveDense solves by LU. It says false if the numbers do not bear it.
func (c *Chain) solveDense(states []int, h []float64) bool {
	n := len(states)
	index := make(map[int]int, n)
	for row, i := range states {
		index[i] = row
	}
	a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for row, i := range states {
		for _, arc := range c.next[i] {
			column, inside := index[arc.to]
			switch {
			case !inside:
				b.SetVec(row, b.AtVec(row)+arc.p*h[arc.to])
			case column != row:
				a.Set(row, column, -arc.p)
			}
			if column != row || !inside {
				a.Set(row, row, a.At(row, row)+arc.p) // 1 − p(i,i) without cancellation
			}
		}
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		if _, bad := err.(mat.Condition); !bad || x.Len() != n {
			return false
		}
	}
	for row, i := range states {
		if v := x.AtVec(row); math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		} else {
			h[i] = clampOpenUnit(v)
		}
	}
	return true
}

// sweepGaussSeidel solves by Gauss–Seidel, from below; for one state that is exact.
func (c *Chain) sweepGaussSeidel(states []int, h []float64) {
	for range maxSweeps {
		for _, i := range states {
			sum, leaving := 0.0, 0.0
			for _, a := range c.next[i] {
				if a.to != i {
					sum += a.p * h[a.to]
					leaving += a.p
				}
			}
			h[i] = clampOpenUnit(sum / leaving)
		}
		if len(states) == 1 {
			return
		}
	}
}

// clampOpenUnit keeps a number strictly between 0 and 1, where the graph says it is.
func clampOpenUnit(p float64) float64 {
	return min(max(p, math.SmallestNonzeroFloat64), math.Nextafter(1, 0))
}
