package progress

import (
	"cmp"
	"maps"
	"slices"

	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/inference"
	"laggard/model"
)

// edgeKey names an edge between groups.
type edgeKey struct {
	from, to int
	kind     EdgeKind
}

// edgeSum gathers the links that make up one edge, by likeness.
type edgeSum struct {
	likeness []evidence.Likeness // in the order of their first links
	alike    map[evidence.Likeness]*alikeLinks
	waiting  rankCount
}

// rankCount counts ranks that come in their order, some several times; last is one more than the latest.
type rankCount struct{ n, last int }

func (c *rankCount) add(rank int) {
	if c.last != rank+1 {
		c.n, c.last = c.n+1, rank+1
	}
}

// alikeLinks are links of one edge that differ in ranks only.
type alikeLinks struct {
	example evidence.Link
	peer    int
	waiting rankCount
}

// manyGroups is more groups than are related pair by pair: between so many, only
// the nearest edges are drawn, a few for each group.
const (
	manyGroups = 512
	fewEdges   = 4
)

// drawEdges draws the edges between groups: those of evidence, and of inference
// where evidence leaves the order of two groups open.
func (f *Finding) drawEdges(groups []Group) []Edge {
	var out []Edge
	if !f.opts.PaperOnly {
		out = f.evidenceEdges(groups)
	}
	if len(groups) > manyGroups {
		out = append(out, f.nearestEdges(groups, out)...)
	} else {
		out = append(out, f.inferredEdges(groups, out)...)
	}
	slices.SortFunc(out, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

func (f *Finding) evidenceEdges(groups []Group) []Edge {
	sums := map[edgeKey]*edgeSum{}
	spread := f.targetSplitter(groups)
	for _, g := range groups {
		g.Ranks.Each(func(rank int) {
			for _, alt := range f.scene.Needs[rank].Alts {
				for _, l := range alt {
					for _, part := range spread(l.To) {
						f.addLink(sums, g.ID, part, rank, l)
					}
				}
			}
		})
	}
	var out []Edge
	for key, sum := range sums {
		out = append(out, f.evidenceEdge(key, sum))
	}
	return out
}

// part is what of a target falls into one group.
type part struct {
	group int
	ranks model.RankSet
}

// targetSplitter returns a function that splits targets by group, each target once.
func (f *Finding) targetSplitter(groups []Group) func(t *evidence.Target) []part {
	groupOf := map[int]int{}
	var absent []Group
	for _, g := range groups {
		if !f.scene.Present.Contains(g.Ranks.Min()) {
			absent = append(absent, g)
			continue
		}
		g.Ranks.Each(func(r int) { groupOf[r] = g.ID })
	}
	done := map[*evidence.Target][]part{}
	return func(t *evidence.Target) []part {
		if parts, known := done[t]; known {
			return parts
		}
		members := map[int][]int{}
		t.Ranks.Intersect(f.scene.Present).Each(func(r int) {
			members[groupOf[r]] = append(members[groupOf[r]], r)
		})
		parts := []part{}
		for _, g := range slices.Sorted(maps.Keys(members)) {
			parts = append(parts, part{g, model.NewRankSet(members[g]...)})
		}
		for _, g := range absent {
			if set := t.Ranks.Intersect(g.Ranks); set.Len() > 0 {
				parts = append(parts, part{g.ID, set})
			}
		}
		if len(groups) > manyGroups {
			parts = leastFirst(parts, groups)
			parts = parts[:min(len(parts), fewEdges)]
		}
		done[t] = parts
		return parts
	}
}

// addLink adds one rank's link to the edge it belongs to. A rank among those of
// which any will do does not wait for itself.
func (f *Finding) addLink(sums map[edgeKey]*edgeSum, from int, to part, rank int, l evidence.Link) {
	peer := to.ranks.Min()
	if l.To.Any && peer == rank {
		if peer = to.ranks.Minus(model.NewRankSet(rank)).Min(); peer < 0 {
			return
		}
	}
	key := edgeKey{from, to.group, EdgeKind(l.Kind)}
	sum := sums[key]
	if sum == nil {
		sum = &edgeSum{alike: map[evidence.Likeness]*alikeLinks{}}
		sums[key] = sum
	}
	sum.waiting.add(rank)
	like := l.LikenessIn(f.scene)
	links := sum.alike[like]
	if links == nil {
		links = &alikeLinks{example: l, peer: peer}
		sum.alike[like] = links
		sum.likeness = append(sum.likeness, like)
	}
	if links.example.Weak && !l.Weak {
		links.example, links.peer = l, peer
	}
	links.waiting.add(rank)
}

// example returns the links that stand for the edge: certain ones rather than weak ones, and of those the ones of the fewest ranks,
// since the wait that is unlike the others is the one to look at.
func (s *edgeSum) example() *alikeLinks {
	var best *alikeLinks
	for _, like := range s.likeness {
		links := s.alike[like]
		if best == nil || best.example.Weak && !links.example.Weak ||
			best.example.Weak == links.example.Weak && links.waiting.n < best.waiting.n {
			best = links
		}
	}
	return best
}

func (f *Finding) evidenceEdge(key edgeKey, sum *edgeSum) Edge {
	links := sum.example()
	return Edge{
		From: key.from, To: key.to, Kind: key.kind, Weak: links.example.Weak,
		Example: f.scene.Explain(links.example, links.peer), More: links.waiting.n - 1, Unlike: sum.waiting.n - links.waiting.n,
	}
}

// inferredEdges returns the edges between groups that the evidence does not
// order: each group stands where its least progressed rank is.
func (f *Finding) inferredEdges(groups []Group, evidence []Edge) []Edge {
	first := f.firstRanks(groups)
	ahead := newReach(len(groups), evidence)
	var out []Edge
	for a := range groups {
		for b := range a {
			if ahead.reachedFrom(a).Contains(b) || ahead.reachedFrom(b).Contains(a) {
				continue
			}
			e := Edge{From: b, To: a, Kind: EdgeInferred}
			code, why := f.order.Relate(first[b], first[a])
			switch e.Inferred = why; code {
			case inference.Null:
				continue
			case inference.Undefined:
				e.Kind = EdgeUndefined
			case inference.Backward:
				e.From, e.To = a, b
			}
			out = append(out, e)
		}
	}
	return out
}

// nearestEdges returns inferred edges for the groups that evidence leads nowhere
// from: each to groups in the next layer below, as far as it waits for them.
func (f *Finding) nearestEdges(groups []Group, evidence []Edge) []Edge {
	waits := make([]bool, len(groups))
	for _, e := range evidence {
		waits[e.From] = true
	}
	first, layers := f.firstRanks(groups), f.layerOf()
	byLayer := map[int][]int{}
	for g, rank := range first {
		if rank >= 0 {
			byLayer[layers.of(rank)] = append(byLayer[layers.of(rank)], g)
		}
	}
	var out []Edge
	var below []int
	for _, layer := range slices.Sorted(maps.Keys(byLayer)) {
		for _, g := range byLayer[layer] {
			for _, to := range below[:min(len(below), fewEdges)] {
				if code, why := f.order.Relate(first[g], first[to]); code == inference.Forward && !waits[g] {
					out = append(out, Edge{From: g, To: to, Kind: EdgeInferred, Inferred: why})
				}
			}
		}
		below = byLayer[layer]
	}
	return out
}

// firstRanks returns, by group, its rank in the lowest layer; -1 for a group
// without a record.
func (f *Finding) firstRanks(groups []Group) []int {
	first := make([]int, len(groups))
	layers := f.layerOf()
	for i, g := range groups {
		first[i] = -1
		g.Ranks.Intersect(f.scene.Present).Each(func(r int) {
			if first[i] < 0 || layers.of(r) < layers.of(first[i]) {
				first[i] = r
			}
		})
	}
	return first
}

// reach tells, by group, the groups that it waits for by evidence, directly or
// not.
type reach struct {
	next [][]int
	done []*model.RankSet // of groups
}

func newReach(groups int, edges []Edge) *reach {
	r := &reach{make([][]int, groups), make([]*model.RankSet, groups)}
	for _, e := range edges {
		r.next[e.From] = append(r.next[e.From], e.To)
	}
	return r
}

func (r *reach) reachedFrom(group int) model.RankSet {
	if r.done[group] == nil {
		var seen model.RankSet
		for queue := slices.Clone(r.next[group]); len(queue) > 0; queue = queue[1:] {
			if !seen.Contains(queue[0]) {
				seen.Add(queue[0])
				queue = append(queue, r.next[queue[0]]...)
			}
		}
		r.done[group] = &seen
	}
	return *r.done[group]
}

// leastFirst puts the parts in least progressed groups before the others.
func leastFirst(parts []part, groups []Group) []part {
	var least, others []part
	for _, p := range parts {
		if groups[p.group].Least {
			least = append(least, p)
		} else {
			others = append(others, p)
		}
	}
	return append(least, others...)
}
