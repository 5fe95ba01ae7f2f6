package slice

import (
	"cmp"
	"slices"

	"laggard/analysis/progress"
	"laggard/slicing"
	"laggard/slicing/calls"
)

// startsOf lists the groups to slice in the order of the progress dependence
// graph: first those at rank, or the least progressed if it is -1, then those that
// wait for one that is listed. Of several that are least progressed, those come
// first whose state says most. The error is a [*RankError].
func startsOf(found *progress.Result, rank int) ([]Step, error) {
	var order []int
	for _, g := range found.Groups {
		if hasStack(g) && (rank >= 0 && g.Ranks.Contains(rank) || rank < 0 && g.Least) {
			order = append(order, g.ID)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(stateOrder(found.Groups[a]), stateOrder(found.Groups[b]))
	})
	first := len(order)
	if rank >= 0 && first == 0 {
		return nil, &RankError{rank}
	}
	for n := 0; n < len(order); n++ {
		var next []int
		for _, e := range found.Edges {
			if e.To == order[n] && e.Kind != progress.EdgeUndefined && !slices.Contains(order, e.From) {
				next = append(next, e.From)
			}
		}
		slices.Sort(next)
		order = append(order, slices.Compact(next)...)
	}
	var out []Step
	for n, id := range order {
		if g := found.Groups[id]; hasStack(g) {
			out = append(out, Step{Group: g, Waiting: n >= first})
		}
	}
	return out, nil
}

// hasStack reports whether there is a stack to begin with.
func hasStack(g progress.Group) bool { return g.Kind != progress.Unknown && len(g.Stack) > 0 }

// stateOrder orders states by how much they say: where a rank computes, or which
// message it waits for, is more than that it came to the end.
func stateOrder(g progress.Group) int {
	switch {
	case g.Kind == progress.Computation:
		return 0
	case g.Call == "MPI_Finalize":
		return 3
	case calls.PointToPoint(g.Call):
		return 1
	}
	return 2
}

// criterionOf is the state of a group: of one of its ranks, since they share it.
func criterionOf(found *progress.Result, g progress.Group, rank int) slicing.Criterion {
	if rank < 0 || !g.Ranks.Contains(rank) {
		rank = g.Ranks.Min()
	}
	c := slicing.Criterion{Rank: rank, Call: g.Call, Stack: g.Stack}
	if g.Kind != progress.Computation {
		return c
	}
	// It is somewhere behind the call of its state, unless a stack tells.
	c.Call, c.Exact = "", true
	for _, s := range found.Stacks {
		if in := s.Ranks.Intersect(g.Ranks); in.Len() > 0 {
			if !in.Contains(rank) {
				c.Rank = in.Min()
			}
			c.Stack = s.Frames
			break
		}
	}
	return c
}
