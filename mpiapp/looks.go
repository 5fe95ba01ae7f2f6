package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"laggard/model"
	"laggard/reduce"
	"laggard/report/diagnosis"
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
)

// answer is one analysis rank's part of a diagnosis, as analyse, over several
// looks if the job makes progress. Source files are read once, for the look that
// is shown.
func answer(q question, c reduce.Comm) (*diagnosis.Result, error) {
	result, err := watched(q, c)
	if result != nil && q.page {
		addSources(q, result)
	}
	return result, err
}

func watched(q question, c reduce.Comm) (*diagnosis.Result, error) {
	result, err := analyse(q, c)
	if err != nil {
		return nil, err
	}
	var seen tally
	for n := 1; n < looks; n++ {
		goesOn, err := reduce.Broadcast(reduce.NewTree(c), reduce.JSON[bool](), result != nil && result.Running, nil)
		if err != nil {
			return nil, err
		}
		if !goesOn {
			break
		}
		seen.add(result)
		time.Sleep(lookApart)
		if result, err = analyse(q, c); err != nil {
			return nil, err
		}
	}
	if result == nil || !result.Running {
		return result, nil
	}
	seen.add(result)
	return seen.result(), nil
}

// tally sums up looks at a running job.
type tally struct {
	seen []*diagnosis.Result
	// behind is, by rank, in how many looks it was least progressed; a look that
	// names n ranks counts 1/n for each.
	behind map[int]float64
}

func (t *tally) add(r *diagnosis.Result) {
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
	for _, rank := range r.LeastProgressed.Ranks {
		t.behind[rank] += 1 / float64(len(r.LeastProgressed.Ranks))
	}
}

// result is the look that shows best what all of them say.
func (t *tally) result() *diagnosis.Result {
	last := t.seen[len(t.seen)-1]
	if len(t.seen) == 1 || len(t.behind) == 0 {
		last.LeastProgressed = nil // at one moment somebody always is
		return last
	}
	slowest := t.slowest()
	share, chance := 0.0, float64(len(slowest))/float64(max(len(ranksOf(last.RankOrder)), len(slowest)))
	for _, rank := range slowest {
		share += t.behind[rank] / float64(len(t.seen))
	}
	best := t.shows(slowest)
	if best == nil || share <= chance+standsOut*(1-chance) {
		last.LeastProgressed = nil
		last.Notes = append(last.Notes, fmt.Sprintf("in %d looks at the running job no rank was behind for long", len(t.seen)))
		return last
	}
	best.LeastProgressed.Confidence = min(share, 0.95)
	best.LeastProgressed.Reason = fmt.Sprintf("in %d looks at the running job it was behind for %.0f %% of the time; here, %s",
		len(t.seen), 100*share, best.LeastProgressed.Reason)
	best.RankOrder = t.order(slowest, last)
	return best
}

// slowest are the ranks that were behind for the longest time.
func (t *tally) slowest() []int {
	longest := slices.Max(slices.Collect(maps.Values(t.behind)))
	var out []int
	for rank, time := range t.behind {
		if time >= together*longest {
			out = append(out, rank)
		}
	}
	slices.Sort(out)
	return out
}

// shows is the latest look that names these ranks and no others; nil none.
func (t *tally) shows(ranks []int) *diagnosis.Result {
	for _, r := range slices.Backward(t.seen) {
		if l := r.LeastProgressed; l != nil && slices.Equal(l.Ranks, ranks) {
			return r
		}
	}
	return nil
}

// order is the order of progress: the slowest, the others by the time for which
// they were behind, and those that never were.
func (t *tally) order(slowest []int, r *diagnosis.Result) []string {
	at := map[int]float64{}
	for _, rank := range ranksOf(r.RankOrder) {
		at[rank] = t.behind[rank]
	}
	for _, rank := range slowest {
		at[rank] = float64(len(t.seen)) + 1
	}
	levels := map[float64][]int{}
	for rank, time := range at {
		levels[time] = append(levels[time], rank)
	}
	times := slices.SortedFunc(maps.Keys(levels), func(a, b float64) int { return cmp.Compare(b, a) })
	var out []string
	for _, time := range times {
		out = append(out, model.NewRankSet(levels[time]...).String())
	}
	return out
}

// ranksOf lists the ranks of an order of progress.
func ranksOf(order []string) []int {
	var out []int
	for _, level := range order {
		out = append(out, ranksOfSet(level)...)
	}
	return out
}
