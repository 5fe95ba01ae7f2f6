package provoke

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"laggard/model"
	"laggard/model/mpi"
)

// Open is a place at which a kind of choice is open, as a recorded run shows it.
type Open struct {
	Kind   mpi.Choice
	Site   Site
	Call   string         // the function of MPI; "" for a communicator
	Visits map[int]uint64 // how often each rank came there
}

// Total is how often ranks came there.
func (o *Open) Total() (n uint64) {
	for _, v := range o.Visits {
		n += v
	}
	return n
}

// ranks lists those that came there, rising.
func (o *Open) ranks() []int { return slices.Sorted(maps.Keys(o.Visits)) }

// Place is where functions of MPI are called: one in C, any number on a line of Python.
type Place struct {
	Calls []string
	Frame model.Frame
}

// Merge adds the calls of another run there.
func (p Place) Merge(other Place) Place {
	for _, call := range other.Calls {
		if !slices.Contains(p.Calls, call) {
			p.Calls = append(p.Calls, call)
		}
	}
	return Place{p.Calls, other.Frame}
}

// CallsWith are those at which a kind of choice may be open.
func (p Place) CallsWith(kind mpi.Choice) (out []string) {
	for _, call := range p.Calls {
		if f := mpi.FindFunction(call); f != nil && f.Choices&kind != 0 {
			out = append(out, call)
		}
	}
	return out
}

// FindOpen lists where choices are open in a run, in an order that is the same for the same
// program, and all calls by the keys of their sites.
func FindOpen(run *model.Run) ([]*Open, map[uint64]Place) {
	type key struct {
		kind mpi.Choice
		site uint64
	}
	found, places := map[key]*Open{}, map[uint64]Place{}
	add := func(o Open, rank int, visits uint64) {
		k := key{o.Kind, o.Site.Key()}
		if found[k] == nil {
			o.Visits = map[int]uint64{}
			found[k] = &o
		}
		found[k].Visits[rank] += visits
	}
	for _, r := range run.Ranks {
		synchronising, wild := false, wildStates(r)
		for at, t := range r.Threads {
			for i, s := range t.Model.States {
				choices := openAt(s, wild[statePosition{at, i}])
				synchronising = synchronising || choices&mpi.Synchronising != 0
				site, frame, ok := siteOf(s)
				places[site.Key()] = places[site.Key()].Merge(Place{[]string{s.Call}, frame})
				for _, c := range mpi.AllChoices() {
					if ok && c&choices&^mpi.Synchronising != 0 {
						add(Open{Kind: c, Site: site, Call: s.Call}, r.Rank, t.Model.Visits[i])
					}
				}
			}
		}
		for _, c := range r.Comms {
			if synchronising && c.Kind <= model.World && c.Size > 1 && c.Coll > 0 {
				add(Open{Kind: mpi.Synchronising, Site: Site{Communicator: fmt.Sprintf("%x", c.ID)}}, r.Rank, c.Coll)
			}
		}
	}
	out := slices.Collect(maps.Values(found))
	slices.SortFunc(out, func(a, b *Open) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Site.Path, b.Site.Path), cmp.Compare(a.Site.Offset, b.Site.Offset),
			cmp.Compare(a.Site.Communicator, b.Site.Communicator))
	})
	return out, places
}

// statePosition is a state of a thread of a rank, by their positions.
type statePosition struct{ thread, state int }

// wildStates are those whose receives were seen to take messages by a wildcard of the source.
func wildStates(r *model.Rank) map[statePosition]bool {
	out := map[statePosition]bool{}
	for _, t := range r.Taken {
		if t.AnySource {
			out[statePosition{t.Thread, t.State}] = true
		}
	}
	return out
}

// openAt is what is open at the calls of a state. That a receive has a wildcard is seen from what it took.
func openAt(s *model.State, wild bool) mpi.Choice {
	f := mpi.FindFunction(s.Call)
	if f == nil {
		return 0
	}
	if f.Class.ReceivesMessage() && !wild {
		return f.Choices &^ mpi.Match
	}
	return f.Choices
}
