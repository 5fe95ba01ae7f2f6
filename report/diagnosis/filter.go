package diagnosis

import (
	"laggard/model"
	"laggard/report/slice"
)

// Filter leaves in a result only the groups that have one of these ranks, the
// edges between them, and what is said of these groups; of what it is compared with
// as well. The answer itself, the
// least-progressed ranks and the losses, is never filtered.
func Filter(r *Result, ranks model.RankSet) error {
	id := map[int]int{} // old group id to new
	var groups []Group
	for _, g := range r.Groups {
		set, err := model.ParseRankSet(g.Ranks)
		if err != nil {
			return err
		}
		if set.Intersect(ranks).Len() == 0 {
			continue
		}
		id[g.ID] = len(groups)
		g.ID = len(groups)
		groups = append(groups, g)
	}
	r.Groups = append([]Group{}, groups...)
	edges := []Edge{}
	for _, e := range r.Edges {
		from, okFrom := id[e.From]
		to, okTo := id[e.To]
		if okFrom && okTo {
			e.From, e.To = from, to
			edges = append(edges, e)
		}
	}
	r.Edges = edges
	order := [][]int{}
	for _, level := range r.ProgressOrder {
		var kept []int
		for _, old := range level {
			if n, ok := id[old]; ok {
				kept = append(kept, n)
			}
		}
		if kept != nil {
			order = append(order, kept)
		}
	}
	r.ProgressOrder = order
	var kept []slice.Slice
	for _, s := range r.Slices {
		if n, ok := id[s.Criterion.Group]; ok {
			s.Criterion.Group = n
			kept = append(kept, s)
		}
	}
	r.Slices = kept
	if r.Extra.Compared != nil {
		return Filter(r.Extra.Compared, ranks)
	}
	return nil
}
