package contrast

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/reduce"
)

// What ranks are compared by.
type What string

// What ranks are compared by, in the order in which it is shown.
const (
	Path  What = "path"          // a call that only some ever made
	Calls What = "calls"         // how often they made a call
	Peers What = "peers"         // with how many ranks they exchanged messages
	Comms What = "communicators" // of how many they are members
	Pause What = "pause"         // since when they make no progress, seconds since 1970
)

// Tally is what some ranks are compared by. It is a monoid: see [Tallies].
type Tally struct {
	Ranks   model.RankSet                  `json:"ranks"`
	Aspects []Aspect                       `json:"aspects,omitempty"` // by what and state
	States  map[model.StateID]*model.State `json:"states,omitempty"`
}

// Aspect is the ranks by one of their values.
type Aspect struct {
	What    What          `json:"what"`  // Calls where it may be Path
	State   model.StateID `json:"state"` // the call; zero where it is about none
	Classes []Class       `json:"classes,omitempty"`
	Many    bool          `json:"many,omitempty"` // more values than are kept: no classes
}

// Class is the ranks with one value.
type Class struct {
	Value int64         `json:"value"`
	Ranks model.RankSet `json:"ranks"`
}

// maxClasses is how many values are kept apart; more would tell a reader nothing.
const maxClasses = 8

// Tallies merges those of all analysis ranks.
var Tallies = reduce.JSONMonoid(mergeTallies)

func mergeTallies(a, b Tally) Tally {
	out := Tally{
		Ranks:   a.Ranks.Union(b.Ranks),
		Aspects: reduce.MergeSorted(a.Aspects, b.Aspects, compareAspects, joinAspects),
		States:  map[model.StateID]*model.State{},
	}
	maps.Copy(out.States, a.States)
	maps.Copy(out.States, b.States)
	return out
}

func compareAspects(a, b Aspect) int {
	return cmp.Or(cmp.Compare(a.What, b.What), bytes.Compare(a.State[:], b.State[:]))
}

func joinAspects(a, b Aspect) Aspect {
	a.Classes = reduce.MergeSorted(a.Classes, b.Classes, compareClasses, joinClasses)
	a.Many = a.Many || b.Many
	return a.dropIfMany()
}

// dropIfMany drops the classes where there are too many.
func (a Aspect) dropIfMany() Aspect {
	if a.Many = a.Many || len(a.Classes) > maxClasses; a.Many {
		a.Classes = nil
	}
	return a
}

func compareClasses(a, b Class) int { return cmp.Compare(a.Value, b.Value) }

func joinClasses(a, b Class) Class {
	a.Ranks = a.Ranks.Union(b.Ranks)
	return a
}

// Counter makes the tally of those ranks of a share that are compared, one by one.
type Counter struct {
	among   model.RankSet
	ranks   []int
	aspects map[key]map[int64][]int
	states  map[model.StateID]*model.State
}

type key struct {
	what  What
	state model.StateID
}

// NewCounter returns a Counter that compares some ranks.
func NewCounter(among model.RankSet) *Counter {
	return &Counter{among: among, aspects: map[key]map[int64][]int{}, states: map[model.StateID]*model.State{}}
}

// Add counts a rank.
func (c *Counter) Add(r *model.Rank) {
	if !facts.InWorld(r) || !c.among.Contains(r.Rank) {
		return
	}
	c.ranks = append(c.ranks, r.Rank)
	m := &facts.Representative(r).Model
	for i, s := range m.States {
		c.states[s.ID] = s
		c.put(key{Calls, s.ID}, int64(m.Visits[i]), r.Rank)
	}
	comms := map[uint64]bool{}
	for _, comm := range r.Comms {
		if !comm.Freed && comm.Kind != model.Self {
			comms[comm.ID] = true
		}
	}
	c.put(key{what: Comms}, int64(len(comms)), r.Rank)
	c.put(key{what: Peers}, int64(len(peersOf(r))), r.Rank)
	if !r.QuietSince.IsZero() {
		c.put(key{what: Pause}, r.QuietSince.Unix(), r.Rank)
	}
}

func (c *Counter) put(k key, value int64, rank int) {
	values := c.aspects[k]
	if values == nil {
		values = map[int64][]int{}
		c.aspects[k] = values
	}
	values[value] = append(values[value], rank)
}

// peersOf returns the ranks that a rank exchanged messages with.
func peersOf(r *model.Rank) map[int]bool {
	out := map[int]bool{}
	for _, ch := range r.Channels {
		if ch.Comm >= 0 && ch.Comm < len(r.Comms) && ch.Sent+ch.Received > 0 {
			if peer := r.Comms[ch.Comm].WorldRank(ch.Peer); peer >= 0 {
				out[peer] = true
			}
		}
	}
	return out
}

// Tally returns what was counted.
func (c *Counter) Tally() Tally {
	out := Tally{Ranks: model.NewRankSet(c.ranks...), States: c.states}
	for k, values := range c.aspects {
		a := Aspect{What: k.what, State: k.state}
		for _, value := range slices.Sorted(maps.Keys(values)) {
			a.Classes = append(a.Classes, Class{value, model.NewRankSet(values[value]...)})
		}
		out.Aspects = append(out.Aspects, a.dropIfMany())
	}
	slices.SortFunc(out.Aspects, compareAspects)
	return out
}
