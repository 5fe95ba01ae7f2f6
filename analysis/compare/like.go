package compare

import (
	"maps"
	"slices"

	"laggard/model"
)

// behaviour is a profile by places.
type behaviour struct {
	*profile
	ranks    model.RankSet
	position map[int]int    // by place: when it was first visited; 0 is first
	visits   map[int]uint64 // by place
	next     map[int]map[int]uint64
}

func newBehaviour(g group, number []int) *behaviour {
	g.Profile.renumber(func(state int) int { return number[state] })
	b := &behaviour{g.Profile, g.Ranks, map[int]int{}, map[int]uint64{}, map[int]map[int]uint64{}}
	for i, v := range b.Visits {
		b.position[v.State], b.visits[v.State] = i, v.Count
	}
	for _, p := range b.Passages {
		if b.next[p.From] == nil {
			b.next[p.From] = map[int]uint64{}
		}
		b.next[p.From][p.To] = p.Count
	}
	return b
}

// forgot reports whether a rank made a communicator of which nothing is left. Recorders count on for a freed communicator in
// the next one of the same ranks, which may have been made elsewhere, so that its messages and collectives are that one's.
func (b *behaviour) forgot(c commRef) bool {
	return c.Made >= 0 && b.visits[c.Made] > 0 &&
		!slices.ContainsFunc(b.Channels, func(d channel) bool { return d.Comm == c }) &&
		!slices.ContainsFunc(b.Begun, func(d begun) bool { return d.Comm == c })
}

// left counts how often a rank went on from a place.
func (b *behaviour) left(place int) (total uint64) {
	for _, n := range b.next[place] {
		total += n
	}
	return total
}

// hasSamePlaces reports whether two ranks visited the same places.
func (b *behaviour) hasSamePlaces(c *behaviour) bool {
	return len(b.visits) == len(c.visits) && b.sharedPlaces(c) == len(b.visits)
}

func (b *behaviour) sharedPlaces(c *behaviour) (n int) {
	for place := range b.visits {
		if c.visits[place] > 0 {
			n++
		}
	}
	return n
}

// unit is ranks of the bad run that did the same, beside those of the good runs that they are compared with.
type unit struct {
	bad   *behaviour
	ranks model.RankSet
	// own are the same ranks in the good runs, if these have as many ranks.
	own []*behaviour
	// like are own and all others that visited the same places as one of them. If the numbers of ranks differ, they are the
	// ranks that visited the places that bad did, or else those that share most of them; then exact is false.
	like  []*behaviour
	exact bool
}

// newUnits puts the ranks of the bad run beside those of the good ones.
func newUnits(bad, good []*behaviour, sameSize bool) (units []*unit) {
	for _, b := range bad {
		if !sameSize {
			like, exact := mostAlike(b, good)
			units = append(units, &unit{bad: b, ranks: b.ranks, like: like, exact: exact})
			continue
		}
		units = append(units, splitByOwn(b, good)...)
	}
	return units
}

// splitByOwn divides ranks with one profile by what the same ranks did in the good runs.
func splitByOwn(b *behaviour, good []*behaviour) (units []*unit) {
	rest := b.ranks
	for rest.Len() > 0 {
		same := rest
		var own []*behaviour
		for _, g := range good {
			if g.ranks.Contains(rest.Min()) {
				own = append(own, g)
				same = same.Intersect(g.ranks)
			} else {
				same = same.Minus(g.ranks)
			}
		}
		rest = rest.Minus(same)
		if own == nil {
			continue // no good run has a record of these ranks
		}
		like := slices.DeleteFunc(slices.Clone(good), func(g *behaviour) bool {
			return !slices.ContainsFunc(own, func(o *behaviour) bool { return o == g || o.hasSamePlaces(g) })
		})
		units = append(units, &unit{bad: b, ranks: same, own: own, like: like, exact: true})
	}
	return units
}

// mostAlike returns the good ranks that share most places.
func mostAlike(b *behaviour, good []*behaviour) (like []*behaviour, exact bool) {
	best := -1.0
	for _, g := range good {
		shared := b.sharedPlaces(g)
		alike := float64(shared) / float64(max(1, len(b.visits)+len(g.visits)-shared))
		switch {
		case alike > best:
			best, like = alike, []*behaviour{g}
		case alike == best:
			like = append(like, g)
		}
	}
	return like, best == 1
}

// references are the good ranks that a unit is held to: its own, or those that are like it.
func (u *unit) references() []*behaviour {
	if u.own != nil {
		return u.own
	}
	return u.like
}

// visitedByAny and visitedByAll report whether some, or all, of the ranks visited a place.
func visitedByAny(ranks []*behaviour, place int) bool {
	return slices.ContainsFunc(ranks, func(b *behaviour) bool { return b.visits[place] > 0 })
}

func visitedByAll(ranks []*behaviour, place int) bool {
	return !slices.ContainsFunc(ranks, func(b *behaviour) bool { return b.visits[place] == 0 })
}

// passed is the range of how often ranks went from one place to another.
func passed(ranks []*behaviour, from, to int) (least, most uint64) {
	least = ^uint64(0)
	for _, b := range ranks {
		n := b.next[from][to]
		least, most = min(least, n), max(most, n)
	}
	return least, most
}

// successors are the places that any of the ranks went to from a place, ascending.
func successors(ranks []*behaviour, from int) []int {
	all := map[int]bool{}
	for _, b := range ranks {
		for to := range b.next[from] {
			all[to] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// reaches reports whether a way leads from one place to another, in steps that any of the ranks made; at least one.
func reaches(ranks []*behaviour, from, to int) bool {
	return reachesWithout(ranks, from, to, func(int) bool { return false })
}

// reachesWithout is reaches on ways that do not go through certain places.
func reachesWithout(ranks []*behaviour, from, to int, avoided func(place int) bool) bool {
	seen := map[int]bool{}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range successors(ranks, queue[0]) {
			if next == to {
				return true
			}
			if !seen[next] && !avoided(next) {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}
