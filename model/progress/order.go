package progress

import "laggard/model"

// leastLevel is the level of the least progressed ranks, before all others.
const leastLevel = -1

// levels returns how far each rank of the job is, in relation to the others: a
// rank is one level above the highest that it waits for; ranks that wait for
// each other are level. Evidence comes first; ranks that it does not touch are
// placed by inference; finished ranks are last. Ranks without a record are
// left out; see absentLevel.
func (f *Finding) levels() map[int]int {
	levels := f.evidenceLevels()
	byPlace := f.placeLevels(levels)
	top := 0
	for _, fact := range f.scene.sum.Facts {
		if _, touched := levels[fact.Rank]; !touched {
			levels[fact.Rank] = byPlace[fact.At]
		}
		top = max(top, levels[fact.Rank])
	}
	for rank := range levels {
		switch {
		case f.least.Contains(rank):
			levels[rank] = leastLevel
		case f.scene.needs[rank].standing == finished:
			levels[rank] = top + 1
		}
	}
	return levels
}

// evidenceLevels returns the levels of the ranks that wait or are waited for.
func (f *Finding) evidenceLevels() map[int]int {
	levels := map[int]int{}
	if f.scene.opts.PaperOnly {
		return levels
	}
	g := f.graph
	height := layers(g.components(g.all()), func(gate int) []int { return g.next[gate] },
		func(gate int) int { return b2i(g.rank[gate] >= 0) })
	for rank, gate := range g.gates {
		levels[rank] = height[gate]
	}
	return levels
}

// placeLevels returns the level of each position: that of its ranks which
// evidence placed, else one above the highest it waits for by inference.
func (f *Finding) placeLevels(levels map[int]int) map[Position]int {
	given := map[Position]int{}
	for _, fact := range f.scene.sum.Facts {
		if l, touched := levels[fact.Rank]; touched {
			given[fact.At] = max(given[fact.At], l)
		}
	}
	heights := f.pdg.layers(given)
	out := map[Position]int{}
	for i, p := range f.pdg.Nodes {
		out[p] = heights[i]
	}
	return out
}

// layers returns the height of each node: of a component the highest among
// those it leads to, plus the weight of the step.
func layers(components [][]int, next func(int) []int, weight func(int) int) map[int]int {
	height := map[int]int{}
	for _, component := range components {
		top := 0
		for _, x := range component {
			for _, y := range next(x) {
				if h, below := height[y]; below {
					top = max(top, h+weight(x))
				}
			}
		}
		for _, x := range component {
			height[x] = top
		}
	}
	return height
}

// absentLevel returns the level of a rank without a record.
func (f *Finding) absentLevel(rank int) int {
	if f.least.Contains(rank) {
		return leastLevel
	}
	return 0
}

// groupOrder lists the groups by the level of their least progressed rank.
func (f *Finding) groupOrder(groups []Group, levels map[int]int) [][]int {
	byLevel := map[int][]int{}
	for _, g := range groups {
		first := g.Ranks.Min()
		lowest := f.absentLevel(first)
		if f.scene.present.Contains(first) {
			lowest = levels[first]
			g.Ranks.Each(func(r int) { lowest = min(lowest, levels[r]) })
		}
		byLevel[lowest] = append(byLevel[lowest], g.ID)
	}
	var out [][]int
	for _, l := range sortedKeys(byLevel) {
		out = append(out, byLevel[l])
	}
	return out
}

// rankOrder lists the ranks by level.
func (f *Finding) rankOrder(levels map[int]int) []model.RankSet {
	ranks := map[int][]int{}
	for _, fact := range f.scene.sum.Facts {
		l := levels[fact.Rank]
		ranks[l] = append(ranks[l], fact.Rank)
	}
	byLevel := map[int]model.RankSet{}
	for l, r := range ranks {
		byLevel[l] = model.NewRankSet(r...)
	}
	absent := f.scene.all.Minus(f.scene.present)
	for _, set := range []model.RankSet{absent.Intersect(f.least), absent.Minus(f.least)} {
		if set.Len() > 0 {
			l := f.absentLevel(set.Min())
			byLevel[l] = byLevel[l].Union(set)
		}
	}
	var out []model.RankSet
	for _, l := range sortedKeys(byLevel) {
		out = append(out, byLevel[l])
	}
	return out
}
