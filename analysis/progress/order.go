package progress

import (
	"cmp"
	"maps"
	"slices"

	"laggard/analysis/progress/evidence"
	"laggard/model"
)

// level is how far a rank is: first by evidence, then by inference.
type level struct{ evidence, inferred int }

func (l level) compare(m level) int {
	return cmp.Or(cmp.Compare(l.evidence, m.evidence), cmp.Compare(l.inferred, m.inferred))
}

// byRank has a value for each rank with a record, and perhaps for others.
type byRank[T any] []T

// of returns the value of a rank; zero if there is none.
func (v byRank[T]) of(rank int) (value T) {
	if rank >= 0 && rank < len(v) {
		return v[rank]
	}
	return value
}

// leastLevel is the level of the least progressed ranks, before all others.
var leastLevel = level{-1, 0}

// rankLevels returns how far each rank of the job is, in relation to the others: by
// evidence, a rank is one level above the highest that it waits for, and ranks
// that wait for each other are level. Inference orders ranks that are level,
// and places those that evidence does not touch; finished ranks are last. Ranks
// without a record are left out; see absentLevel.
func (f *Finding) rankLevels() byRank[level] {
	byEvidence, layers := f.evidenceLevels(), f.layerOf()
	f.placeOthers(byEvidence)
	top := 0
	for _, l := range byEvidence {
		top = max(top, l)
	}
	levels := make(byRank[level], f.scene.Sum.Bound())
	for _, fact := range f.scene.Sum.Facts {
		switch rank := fact.Rank; {
		case f.Ranks.Contains(rank):
			levels[rank] = leastLevel
		case f.scene.Needs[rank].Standing == evidence.Finished:
			levels[rank] = level{top + 1, 0}
		default:
			levels[rank] = level{byEvidence[rank], layers.of(rank)}
		}
	}
	return levels
}

// layerOf returns the layers of the inferred order by rank.
func (j *job) layerOf() byRank[int] {
	out := make(byRank[int], j.scene.Sum.Bound())
	for i, layer := range j.order.Layers() {
		for _, place := range layer {
			place.Each(func(r int) { out[r] = i })
		}
	}
	return out
}

// placeOthers gives a level to the ranks that evidence does not touch: the
// highest of the others at their place, else one above the highest of the
// layers below.
func (f *Finding) placeOthers(levels map[int]int) {
	below := 0
	for _, layer := range f.order.Layers() {
		next := below
		for _, place := range layer {
			at, touched := 0, false
			var untouched []int
			place.Each(func(r int) {
				if l, known := levels[r]; known {
					at, touched = max(at, l), true
				} else {
					untouched = append(untouched, r)
				}
			})
			if !touched {
				at = below
			}
			for _, r := range untouched {
				levels[r] = at
			}
			next = max(next, at+1)
		}
		below = next
	}
}

// absentLevel returns the level of a rank without a record.
func (f *Finding) absentLevel(rank int) level {
	if f.Ranks.Contains(rank) {
		return leastLevel
	}
	return level{}
}

// sortedLevels returns the levels of a map in order.
func sortedLevels[V any](m map[level]V) []level {
	return slices.SortedFunc(maps.Keys(m), level.compare)
}

// groupOrder lists the groups by the level of their least progressed rank.
func (f *Finding) groupOrder(groups []Group, levels byRank[level]) [][]int {
	byLevel := map[level][]int{}
	for _, g := range groups {
		first := g.Ranks.Min()
		lowest := f.absentLevel(first)
		if f.scene.Present.Contains(first) {
			lowest = levels[first]
			g.Ranks.Each(func(r int) {
				if levels[r].compare(lowest) < 0 {
					lowest = levels[r]
				}
			})
		}
		byLevel[lowest] = append(byLevel[lowest], g.ID)
	}
	var out [][]int
	for _, l := range sortedLevels(byLevel) {
		out = append(out, byLevel[l])
	}
	return out
}

// rankOrder lists the ranks by level.
func (f *Finding) rankOrder(levels byRank[level]) []model.RankSet {
	ranks := map[level][]int{}
	for _, fact := range f.scene.Sum.Facts {
		l := levels[fact.Rank]
		ranks[l] = append(ranks[l], fact.Rank)
	}
	byLevel := map[level]model.RankSet{}
	for l, r := range ranks {
		byLevel[l] = model.NewRankSet(r...)
	}
	absent := f.scene.All.Minus(f.scene.Present)
	for _, set := range []model.RankSet{absent.Intersect(f.Ranks), absent.Minus(f.Ranks)} {
		if set.Len() > 0 {
			l := f.absentLevel(set.Min())
			byLevel[l] = byLevel[l].Union(set)
		}
	}
	var out []model.RankSet
	for _, l := range sortedLevels(byLevel) {
		out = append(out, byLevel[l])
	}
	return out
}

// evidenceLevels returns the levels of the ranks that wait or are waited for.
func (f *Finding) evidenceLevels() map[int]int {
	if f.opts.PaperOnly {
		return map[int]int{}
	}
	return f.graph.Levels()
}
