package compare

import (
	"math"
	"slices"
)

// counts finds differences in how often a unit went from one place to another, where like ranks made the same passages.
type counts struct {
	*comparison
	*unit
	touched map[int]bool // places of changes, which explain other counts
}

// findCounts lists the loops and branches whose counts differ. What decides is the place where ways part: if a loop goes
// round twice as often, so does all that is in it.
func (k counts) findCounts() (out []Finding) {
	if !k.exact {
		return nil
	}
	for _, v := range k.bad.Visits {
		from := v.State
		nexts := successors(append(k.like[:len(k.like):len(k.like)], k.bad), from)
		if len(nexts) < 2 || k.touched[from] || k.timing.affects(k.unit, from) {
			continue
		}
		for _, to := range nexts {
			if k.touched[to] {
				continue
			}
			if f, ok := k.comparePassage(from, to); ok {
				out = append(out, f)
				break // the other ways from here say the same
			}
		}
	}
	return out
}

func (k counts) comparePassage(from, to int) (Finding, bool) {
	first := k.references()[0]
	f := Finding{Ranks: k.ranks.Clone(), position: k.bad.position[from]}
	found := false
	if at, known := first.position[to]; known && at <= first.position[from] {
		f.Kind = Iterations
		found = k.compareIterations(&f, from, to)
		k.setPlaces(&f, []int{to})
		if to != from {
			f.After = k.placeOf(from)
		}
	} else if k.own != nil {
		f.Kind = BranchCount
		found = k.compareBranch(&f, from, to)
		k.setPlaces(&f, []int{to})
		f.After = k.placeOf(from)
	}
	return f, found
}

// round is how often a loop went round for each time that it was left at a place.
type round struct{ total, exits float64 }

// roundsOf returns how to count a loop that goes from one place back to another. If some ways lead out of it for good, others are
// calls that are made in some iterations only; else, as in an inner loop, it cannot be told which lead out.
func (k counts) roundsOf(from, to int) func(*behaviour) round {
	all := append(k.like[:len(k.like):len(k.like)], k.bad)
	var out []int
	for _, next := range successors(all, from) {
		if next != to && !reaches(all, next, to) {
			out = append(out, next)
		}
	}
	return func(b *behaviour) round {
		total, exits := b.left(from), uint64(0)
		for _, next := range out {
			exits += b.next[from][next]
		}
		if out == nil {
			exits = total - b.next[from][to]
		}
		return round{float64(total), float64(exits)}
	}
}

func (r round) mean() float64 { return r.total / math.Max(1, r.exits) }

// isFixed: the loop was left several times, and each time after the same number of iterations, as far as the sums tell.
func (r round) isFixed() bool { return r.exits >= 3 && math.Mod(r.total, r.exits) == 0 }

// compareIterations compares how often a loop went round. That is known where it was left for good; before, only more
// iterations than any good run made are a difference.
func (k counts) compareIterations(f *Finding, from, to int) bool {
	roundOf := k.roundsOf(from, to)
	bad := roundOf(k.bad)
	least, most, fixed := math.Inf(1), 0.0, bad.isFixed()
	for _, g := range k.like {
		r := roundOf(g)
		least, most, fixed = math.Min(least, r.mean()), math.Max(most, r.mean()), fixed && r.isFixed()
	}
	f.Bad, f.Good = bad.mean(), roundOf(k.references()[0]).mean()
	if k.own == nil {
		return k.differsAtOtherSize(f, bad, from)
	}
	slack := k.slack(most, func(b *behaviour) float64 { return roundOf(b).mean() })
	if k.isOver(from) {
		if fixed {
			slack = 0.5
		}
		return bad.mean() < least-slack || bad.mean() > most+slack
	}
	if bad.exits == 0 {
		f.StillIn, f.Bad = true, bad.total+1
	}
	_, back := passed(k.like, from, to)
	return float64(k.bad.next[from][to]) > float64(back) && f.Bad > most+slack
}

// What counts as another number of iterations in runs of different size: a loop with a collective that goes round one and a
// half times as often, which is not by chance, and not once for each rank.
const (
	otherSizeRatio = 1.5
	deviations     = 4
)

func (k counts) differsAtOtherSize(f *Finding, bad round, from int) bool {
	if bad.exits == 0 || k.bad.Cut || !k.timing.isCollective(from) {
		return false
	}
	perRank := math.Abs(f.Good-float64(k.like[0].Size)) <= 1 && math.Abs(f.Bad-float64(k.bad.Size)) <= 1
	ratio := math.Max(f.Bad/f.Good, f.Good/f.Bad)
	return !perRank && ratio >= otherSizeRatio && math.Abs(f.Bad-f.Good) > deviations*math.Sqrt(f.Bad+f.Good)
}

// compareBranch compares how often one of several ways was taken.
func (k counts) compareBranch(f *Finding, from, to int) bool {
	bad := float64(k.bad.next[from][to])
	low, high := passed(k.like, from, to)
	least, most := float64(low), float64(high)
	f.Bad, f.Good = bad, float64(k.references()[0].next[from][to])
	slack := k.slack(most, func(b *behaviour) float64 { return float64(b.next[from][to]) })
	if !k.hasOtherShare(from, to) {
		return false
	}
	return bad > most+slack || k.isOver(from) && bad < least-slack
}

// smallShare is by how much the share of a way among those from its place must differ.
const smallShare = 0.02

func (k counts) hasOtherShare(from, to int) bool {
	share := func(b *behaviour) float64 { return float64(b.next[from][to]) / math.Max(1, float64(b.left(from))) }
	return !slices.ContainsFunc(k.references(), func(g *behaviour) bool { return math.Abs(share(g)-share(k.bad)) <= smallShare })
}

// Runs that nobody changed may differ in counts by this much, where all ranks differ alike: a solver may need another
// iteration where sums are rounded otherwise.
const (
	slackShare = 0.05
	slackCount = 2
)

// slack is by how much a count may differ. If all like ranks of the good runs agree on it, and other ranks of the bad run
// still have that number, none may.
func (k counts) slack(usual float64, count func(*behaviour) float64) float64 {
	agree := true
	for _, g := range k.like {
		agree = agree && count(g) == usual
	}
	if agree && usual > 0 {
		for _, other := range k.units {
			if other.bad != k.bad && count(other.bad) == usual && slices.Contains(k.like, other.references()[0]) {
				return 0.5
			}
		}
	}
	return math.Max(slackCount, slackShare*usual)
}
