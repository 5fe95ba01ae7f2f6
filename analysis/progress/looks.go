package progress

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"laggard/model"
)

// A job that makes progress is looked at several times: at one moment a slow rank
// may have caught up, or others be behind it by chance. The looks are far enough
// apart for the ranks to have moved on, and together short enough to wait for.
const (
	looks     = 24
	lookApart = 120 * time.Millisecond
	// together: who was behind for this share of the slowest rank's time is named
	// with it.
	together = 0.5
	// standsOut: of the way from the share that ranks have which take turns in
	// being last, to all of the time.
	standsOut = 0.3
	// fewestIterations is how many make a rate.
	fewestIterations = 3
)

// tally sums up looks at a running job.
type tally struct {
	seen []*Result
	// behind is, by rank, in how many looks it was least progressed; a look that
	// names n ranks counts 1/n for each.
	behind map[int]float64
}

func (t *tally) add(r *Result) {
	if r == nil {
		return // not analysis rank 0
	}
	if t.behind == nil {
		t.behind = map[int]float64{}
	}
	t.seen = append(t.seen, r)
	if r.LeastProgressed == nil {
		return
	}
	ranks := r.LeastProgressed.Ranks
	ranks.Each(func(rank int) { t.behind[rank] += 1 / float64(ranks.Len()) })
}

// bestLook is the look that shows best what all of them say.
func (t *tally) bestLook() *Result {
	last := t.seen[len(t.seen)-1]
	last.IterationRate = t.iterationRate()
	if len(t.seen) == 1 || len(t.behind) == 0 || t.slowestRanks().Equal(ranksOf(last.RankOrder)) {
		last.nameNoRank() // at any moment some rank is behind
		return last
	}
	slowest := t.slowestRanks()
	all := max(ranksOf(last.RankOrder).Len(), slowest.Len())
	share, chance := 0.0, float64(slowest.Len())/float64(all)
	slowest.Each(func(rank int) { share += t.behind[rank] / float64(len(t.seen)) })
	best := t.lookNaming(slowest)
	most := 2*slowest.Len() > all // they are no slower than others: the few wait for what all do, as the master of a farm does
	if best == nil || most || share <= chance+standsOut*(1-chance) {
		last.nameNoRank()
		last.NoSlow = len(t.seen)
		return last
	}
	best.SinceProgress, best.IterationRate = last.SinceProgress, last.IterationRate
	best.LeastProgressed.Confidence = min(share, 0.95)
	if best.LeastProgressed.working {
		best.LeastProgressed.Confidence = min(share, guess)
	}
	best.LeastProgressed.Samples, best.LeastProgressed.Behind = len(t.seen), share
	best.RankOrder = t.progressOrder(slowest, last)
	return best
}

// iterationRate is how many iterations of its outermost loop the job made in a second between the first look and the last; 0: not
// known, since there is no loop, or too few were made.
func (t *tally) iterationRate() float64 {
	first, last := t.seen[0], t.seen[len(t.seen)-1]
	took := last.looked.Sub(first.looked).Seconds()
	if took <= 0 || last.iterations < first.iterations+fewestIterations {
		return 0
	}
	return float64(last.iterations-first.iterations) / took
}

// slowestRanks are the ranks that were behind for the longest time.
func (t *tally) slowestRanks() model.RankSet {
	longest := slices.Max(slices.Collect(maps.Values(t.behind)))
	var out []int
	for rank, time := range t.behind {
		if time >= together*longest {
			out = append(out, rank)
		}
	}
	return model.NewRankSet(out...)
}

// lookNaming is the latest look that names these ranks and no others; nil none.
func (t *tally) lookNaming(ranks model.RankSet) *Result {
	for _, r := range slices.Backward(t.seen) {
		if l := r.LeastProgressed; l != nil && l.Ranks.Equal(ranks) {
			return r
		}
	}
	return nil
}

// progressOrder is the order of progress: the slowest, the others by the time for which
// they were behind, and those that never were.
func (t *tally) progressOrder(slowest model.RankSet, r *Result) []model.RankSet {
	levels := map[float64][]int{}
	ranksOf(r.RankOrder).Minus(slowest).Each(func(rank int) {
		levels[t.behind[rank]] = append(levels[t.behind[rank]], rank)
	})
	out := []model.RankSet{slowest}
	for _, time := range slices.SortedFunc(maps.Keys(levels), func(a, b float64) int { return cmp.Compare(b, a) }) {
		out = append(out, model.NewRankSet(levels[time]...))
	}
	return out
}

// ranksOf returns the ranks of an order of progress.
func ranksOf(order []model.RankSet) model.RankSet {
	var out []int
	for _, level := range order {
		out = append(out, level.Slice()...)
	}
	return model.NewRankSet(out...)
}
