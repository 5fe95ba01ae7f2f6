package compare

import "laggard/model/mpi"

// isOver reports whether a rank of the bad run will not come to a place again: it ended well, or stands where no good run
// has come back from. Only then what it did there less than a good run is a difference.
func (u *unit) isOver(place int) bool {
	if !u.bad.Cut {
		return true
	}
	stands := u.bad.Stands
	refs := u.references()
	return stands >= 0 && stands != place && visitedByAny(refs, stands) &&
		!reaches(append(refs[:len(refs):len(refs)], u.bad), stands, place)
}

// isPast reports whether a rank came to places that its references came to only after they had been at a place.
func (u *unit) isPast(place int) bool {
	if !u.bad.Cut {
		return true
	}
	for later := range u.bad.visits {
		after := true
		for _, g := range u.references() {
			at, known := g.position[later]
			after = after && known && at > g.position[place]
		}
		if after {
			return true
		}
	}
	return false
}

// timing tells at which places what ranks do depends on the timing of messages, and so differs from run to run.
type timing struct {
	places *places
	open   map[int]bool // places of wildcard receives, polls and the like, in any run
	within map[*unit]map[int]bool
}

func newTiming(p *places, all []*behaviour) *timing {
	t := &timing{p, map[int]bool{}, map[*unit]map[int]bool{}}
	for i, c := range p.list {
		t.open[i] = dependsOnTiming(c.call)
	}
	for _, b := range all {
		for _, place := range b.Open {
			t.open[place] = true
		}
	}
	return t
}

// isDynamic reports whether any rank takes messages in the order in which they come.
func (t *timing) isDynamic() bool {
	for place, open := range t.open {
		if open && place >= 0 {
			return true
		}
	}
	return false
}

// affects reports whether how often a unit is at a place depends on timing: it is such a place itself or in a loop with one;
// or it is in a loop without a collective of a rank that answers others, which take messages as they come.
func (t *timing) affects(u *unit, place int) bool {
	if t.open[place] {
		return true
	}
	if !t.isDynamic() || t.isCollective(place) {
		return false
	}
	known, done := t.within[u][place]
	if !done {
		if t.within[u] == nil {
			t.within[u] = map[int]bool{}
		}
		known = t.loopDependsOnTiming(u, place)
		t.within[u][place] = known
	}
	return known
}

// loopDependsOnTiming leaves out loops around a collective, which the loops of a phase between two collectives may be in.
func (t *timing) loopDependsOnTiming(u *unit, place int) bool {
	ranks := append(append([]*behaviour{}, u.references()...), u.bad)
	if !reachesWithout(ranks, place, place, t.isCollective) {
		return false
	}
	takes := false
	for other := range t.places.list {
		if !t.open[other] || !visitedByAny(ranks, other) {
			continue
		}
		takes = true
		if reachesWithout(ranks, place, other, t.isCollective) && reachesWithout(ranks, other, place, t.isCollective) {
			return true
		}
	}
	return !takes
}

// isCollective reports whether a place is a call that all ranks of a group make.
func (t *timing) isCollective(place int) bool {
	return place >= 0 && mpi.FindFunction(t.places.list[place].call).CollectiveOn() != 0
}
