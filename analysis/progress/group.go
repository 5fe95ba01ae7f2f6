package progress

import (
	"cmp"
	"slices"

	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// role separates ranks at one position whose part in the hang differs.
type role struct {
	at         facts.Position
	record     bool // there is one
	least      bool
	lost       bool
	deadlocked bool
	waits      bool
}

// groupByRole sorts the ranks by role, the groups by their smallest rank.
func (f *Finding) groupByRole() []Group {
	var locked model.RankSet
	if f.Deadlock != nil {
		for _, c := range f.Deadlock.Cycles {
			locked = locked.Union(model.NewRankSet(c...))
		}
	}
	members := map[role][]int{}
	for _, fact := range f.scene.Sum.Facts {
		r := role{
			at: fact.At, record: true,
			least:      f.Ranks.Contains(fact.Rank),
			lost:       f.scene.Lost.Contains(fact.Rank),
			deadlocked: locked.Contains(fact.Rank),
			waits:      f.scene.Needs[fact.Rank].Standing == evidence.Waiting,
		}
		members[r] = append(members[r], fact.Rank)
	}
	var out []Group
	for r, ranks := range members {
		out = append(out, f.newGroup(r, model.NewRankSet(ranks...)))
	}
	missing := f.scene.All.Minus(f.scene.Present)
	for _, set := range []model.RankSet{missing.Intersect(f.scene.Lost), missing.Minus(f.scene.Lost)} {
		if set.Len() > 0 {
			out = append(out, f.newGroup(role{least: f.Ranks.Intersect(set).Len() > 0}, set))
		}
	}
	slices.SortFunc(out, func(a, b Group) int { return cmp.Compare(a.Ranks.Min(), b.Ranks.Min()) })
	for i := range out {
		out[i].ID = i
	}
	return out
}

func (f *Finding) newGroup(r role, ranks model.RankSet) Group {
	g := Group{Ranks: ranks, Kind: Unknown, Isolated: ranks.Len() == 1, Least: r.least}
	if !r.record {
		return g
	}
	place := f.scene.Sum.PlaceAt(r.at)
	g.Kind, g.Call, g.Stack = Computation, place.Call, place.Stack
	if r.at.InMPI {
		g.Kind = Communication
	}
	return g
}

// leastLocations lists where the least progressed ranks are.
func (f *Finding) leastLocations() []Location {
	var out []Location
	rest := f.Ranks.Intersect(f.scene.Present)
	for _, stack := range f.scene.Sum.Stacks {
		byPlace := map[facts.Position][]int{}
		stack.Ranks.Intersect(rest).Each(func(r int) {
			at := f.scene.Facts[r].At
			byPlace[at] = append(byPlace[at], r)
		})
		for at, ranks := range byPlace {
			l := f.newLocation(at, model.NewRankSet(ranks...))
			if !at.Begun || at.InMPI || l.After != "" { // else the state is a computation, and has its stack
				if l.Call != "" && !stack.Other {
					l.CallStack = l.Stack
				}
				l.Stack, l.Captured, l.Other = stack.Frames, true, stack.Other
				l.Beside = f.stacksBeside(l)
			}
			out = append(out, l)
		}
		rest = rest.Minus(stack.Ranks)
	}
	byPlace := map[facts.Position][]int{}
	rest.Each(func(r int) {
		at := f.scene.Facts[r].At
		byPlace[at] = append(byPlace[at], r)
	})
	for at, ranks := range byPlace {
		out = append(out, f.newLocation(at, model.NewRankSet(ranks...)))
	}
	slices.SortFunc(out, func(a, b Location) int { return cmp.Compare(a.Ranks.Min(), b.Ranks.Min()) })
	return out
}

// stacksBeside lists the stacks of threads beside those of a location that is in computation.
func (f *Finding) stacksBeside(l Location) (out []facts.Stack) {
	for _, stack := range f.scene.Sum.Beside {
		if some := stack.Ranks.Intersect(l.Ranks); some.Len() > 0 && l.Call == "" && !l.Other {
			stack.Ranks = some
			out = append(out, stack)
		}
	}
	return out
}

func (f *Finding) newLocation(at facts.Position, ranks model.RankSet) Location {
	place := f.scene.Sum.PlaceAt(at)
	l := Location{Ranks: ranks, Stack: place.Stack}
	if at.InMPI {
		l.Call = place.Call
	} else {
		l.After = place.Call
	}
	l.Holder = f.scene.Facts[ranks.Min()].Holder
	l.Ended = true
	ranks.Each(func(r int) { // a rank that was asked to end was there until then
		l.Ended = l.Ended && f.scene.Gone.Contains(r) && f.scene.Facts[r].End != model.NoEnd
	})
	return l
}
