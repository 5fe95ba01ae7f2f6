package compare

import (
	"math"
	"slices"
)

// change is a difference of a unit in the places that it visits and the ways between them. Parts that touch are one.
type change struct {
	added   []int // new places
	missing []int // places that it did not visit
	ways    []way // new passages
}

// way is a passage that no like rank made.
type way struct {
	from, to int
	count    uint64
	over     []int // the places on a shortest way of like ranks in between
}

// explained are the places that the change is about.
func (c *change) explained() []int {
	out := slices.Concat(c.added, c.missing)
	for _, w := range c.ways {
		out = append(out, w.over...)
	}
	return out
}

// touched are these and the ends of the ways.
func (c *change) touched() []int {
	out := c.explained()
	for _, w := range c.ways {
		out = append(out, w.from, w.to)
	}
	return out
}

// structure finds the changes of a unit.
type structure struct {
	*comparison
	*unit
}

// findChanges lists what a unit did that no like rank did, and did not do that all did.
func (s structure) findChanges() []*change {
	var parts []*change
	for _, v := range s.bad.Visits {
		if s.isAdded(v.State) {
			parts = append(parts, &change{added: []int{v.State}})
		}
	}
	for _, place := range s.missingPlaces() {
		parts = append(parts, &change{missing: []int{place}})
	}
	for _, w := range s.newWays() {
		parts = append(parts, &change{ways: []way{w}})
	}
	return s.joinTouching(parts)
}

// isAdded reports whether no rank that counts was at a place of the bad run.
func (s structure) isAdded(place int) bool {
	switch {
	case !visitedByAny(s.goodRanks, place):
		return true
	case !s.exact || s.own == nil:
		return false
	}
	return !visitedByAny(s.like, place) && !s.timing.affects(s.unit, place)
}

// fewVisits is how often all good ranks have at least been at a place whose visits depend on timing, for its absence to
// mean anything.
const fewVisits = 5

// missingPlaces lists the places that all ranks that count visited, and the unit did not although it came past them, in the
// order of the good run.
func (s structure) missingPlaces() (out []int) {
	held := s.references()
	if s.own == nil {
		held = s.goodRanks
	}
	for _, v := range held[0].Visits {
		place := v.State
		if s.bad.visits[place] > 0 || !visitedByAll(held, place) || !s.isPast(place) {
			continue
		}
		enough := !s.timing.affects(s.unit, place) ||
			!slices.ContainsFunc(s.like, func(g *behaviour) bool { return g.visits[place] < fewVisits })
		if enough {
			out = append(out, place)
		}
	}
	return out
}

// newWays lists the passages that no like rank made, in the order of the bad run.
func (s structure) newWays() (out []way) {
	for _, v := range s.bad.Visits {
		for _, to := range successors([]*behaviour{s.bad}, v.State) {
			w := way{from: v.State, to: to, count: s.bad.next[v.State][to]}
			if s.isAdded(w.from) || s.isAdded(to) {
				out = append(out, w)
				continue
			}
			if _, most := passed(s.like, w.from, to); most > 0 || !s.exact || s.mayBeTiming(w) || s.own == nil {
				continue
			}
			if w.over = shortestWay(s.like, w.from, to); !s.combinesKnown(w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// chance is how likely it may be that a good run lacks a passage which depends on timing.
const chance = 1e-4

// mayBeTiming reports whether a good run may lack a passage by chance. Among calls that all depend on timing the order says
// nothing, as what a rank does there comes from what it found before; elsewhere, as often as the bad run made that passage the
// good one would have had to miss it each time.
func (s structure) mayBeTiming(w way) bool {
	from, to := s.timing.affects(s.unit, w.from), s.timing.affects(s.unit, w.to)
	if !from && !to {
		return false
	}
	if from && to && visitedByAny(s.like, w.from) && visitedByAny(s.like, w.to) {
		return true
	}
	least := math.Inf(1)
	for _, g := range s.like {
		least = min(least, float64(g.left(w.from)))
	}
	rate := float64(w.count) / float64(s.bad.left(w.from))
	return math.Pow(1-rate, least) > chance
}

// combinesKnown reports whether a passage follows from calls that are optional in the good runs, too: it begins behind or before such
// calls as another passage to the same place does, and both may go on to a third place. All ranks that come there must make it: what some
// leave out, others may wait for.
func (s structure) combinesKnown(w way) bool {
	if slices.ContainsFunc(s.badRanks, func(b *behaviour) bool { return b.visits[w.from] > 0 && b.next[w.from][w.to] == 0 }) {
		return false
	}
	for place := range s.places.list {
		if _, most := passed(s.like, place, w.to); most > 0 && place != w.from && s.isOptional(place, w.from) {
			return true
		}
	}
	return false
}

// isOptional reports whether one of two places lies behind the other and is left out now and then, so that both go on to a third place. One
// that came with every so many visits of the other, and now does not, may be around an inner loop.
func (s structure) isOptional(a, b int) bool {
	_, there := passed(s.like, a, b)
	_, back := passed(s.like, b, a)
	if there == 0 && back == 0 {
		return false
	}
	ratio := func(g *behaviour) float64 {
		return float64(max(g.visits[a], g.visits[b])) / float64(max(1, min(g.visits[a], g.visits[b])))
	}
	usual := ratio(s.like[0])
	fixed := usual == math.Trunc(usual) &&
		!slices.ContainsFunc(s.like, func(g *behaviour) bool { return ratio(g) != usual })
	if fixed && ratio(s.bad) != usual {
		return false
	}
	return slices.ContainsFunc(successors(s.like, a), func(to int) bool {
		_, most := passed(s.like, b, to)
		return most > 0 && to != a && to != b
	})
}

// maxWay bounds the ways that are looked for between two calls.
const maxWay = 8

// shortestWay lists the places between two places on a shortest way that any of the ranks made; nil: there is none.
func shortestWay(ranks []*behaviour, from, to int) []int {
	before := map[int]int{from: from}
	level := []int{from}
	for range maxWay {
		var next []int
		for _, at := range level {
			for _, place := range successors(ranks, at) {
				if place == to {
					return wayBack(before, from, at)
				}
				if _, seen := before[place]; !seen {
					before[place] = at
					next = append(next, place)
				}
			}
		}
		level = next
	}
	return nil
}

func wayBack(before map[int]int, from, at int) (out []int) {
	for ; at != from; at = before[at] {
		out = append(out, at)
	}
	slices.Reverse(out)
	return out
}

// joinTouching joins parts that belong together.
func (s structure) joinTouching(parts []*change) (out []*change) {
	for _, p := range parts {
		joined := p
		rest := out[:0:0]
		for _, c := range out {
			if s.belong(c, joined) {
				joined = &change{slices.Concat(c.added, joined.added), slices.Concat(c.missing, joined.missing),
					slices.Concat(c.ways, joined.ways)}
				continue
			}
			rest = append(rest, c)
		}
		out = append(rest, joined)
	}
	return out
}

func (s structure) belong(a, b *change) bool {
	return s.explains(a, b) || s.explains(b, a)
}

// explains reports whether a way of b is to or from a new place of a, passes over a missing one or leaves where like ranks go
// to one, or goes on where a way of a ends; or whether missing places follow each other.
func (s structure) explains(a, b *change) bool {
	for _, w := range b.ways {
		if slices.Contains(a.added, w.from) || slices.Contains(a.added, w.to) {
			return true
		}
		if slices.ContainsFunc(a.missing, func(place int) bool {
			_, most := passed(s.like, w.from, place)
			return most > 0 || slices.Contains(w.over, place)
		}) {
			return true
		}
		if slices.ContainsFunc(a.ways, func(v way) bool { return v.to == w.from && !s.isAdded(v.to) }) {
			return true
		}
	}
	for _, from := range a.missing {
		for _, to := range b.missing {
			if _, most := passed(s.like, from, to); most > 0 {
				return true
			}
		}
	}
	return false
}

// describe makes a finding of a change.
func (s structure) describe(c *change) Finding {
	f := Finding{Ranks: s.ranks.Clone()}
	switch {
	case len(c.added) > 0:
		s.describeAdded(&f, c)
	case len(c.missing) > 0:
		s.describeMissing(&f, c)
	default:
		s.describeWays(&f, c)
	}
	return f
}

func (s structure) describeAdded(f *Finding, c *change) {
	f.Kind = NewPlace
	s.setPlaces(f, c.added)
	f.Bad, f.position = float64(s.bad.visits[f.id]), s.bad.position[f.id]
	for _, w := range c.ways {
		if w.to == f.id && w.from != f.id {
			f.After = s.placeOf(w.from)
			break
		}
	}
	if len(c.missing) > 0 {
		f.Next = s.placeOf(c.missing[0])
	}
}

func (s structure) describeMissing(f *Finding, c *change) {
	f.Kind = MissingPlace
	s.setPlaces(f, c.missing)
	first := s.references()[0]
	f.Good = float64(first.visits[f.id])
	for _, v := range first.Visits {
		if at, visited := s.bad.position[v.State]; visited && first.position[v.State] < first.position[f.id] {
			f.position = at
		}
	}
	for _, w := range c.ways {
		if slices.Contains(w.over, f.id) {
			f.After, f.Next, f.position = s.placeOf(w.from), s.placeOf(w.to), s.bad.position[w.from]
			break
		}
	}
}

func (s structure) describeWays(f *Finding, c *change) {
	w := c.ways[0]
	f.After, f.Bad, f.position = s.placeOf(w.from), float64(w.count), s.bad.position[w.from]
	first := s.references()[0]
	f.Good = float64(first.left(w.from))
	entered := func(place int) bool {
		return slices.ContainsFunc(c.ways, func(v way) bool { return v.to == place })
	}
	if len(w.over) > 0 && !slices.ContainsFunc(w.over, entered) && first.position[w.from] < first.position[w.to] {
		f.Kind = SkippedPlace
		s.setPlaces(f, w.over)
		f.Next = s.placeOf(w.to)
		return
	}
	f.Kind = OtherOrder
	s.setPlaces(f, []int{w.to})
	if usual, n := mostTaken(first, w.from); n > 0 {
		f.Next = s.placeOf(usual)
	}
}

// mostTaken is where a rank went most often from a place.
func mostTaken(b *behaviour, from int) (place int, count uint64) {
	for _, to := range successors([]*behaviour{b}, from) {
		if n := b.next[from][to]; n > count {
			place, count = to, n
		}
	}
	return place, count
}

// setPlaces says which calls a finding is about.
func (c *comparison) setPlaces(f *Finding, places []int) {
	f.id, f.At = places[0], c.places.place(places[0])
	for _, p := range places[1:] {
		f.More = append(f.More, c.places.place(p))
	}
}

func (c *comparison) placeOf(number int) *Place {
	p := c.places.place(number)
	return &p
}
