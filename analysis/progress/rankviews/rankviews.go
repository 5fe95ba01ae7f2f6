package rankviews

import (
	"cmp"
	"maps"
	"slices"

	"laggard/model"
	"laggard/reduce"
)

// Ranked is what one rank tells.
type Ranked interface{ RankOf() int }

// Views are what some ranks tell, and the states that they speak of. It is a monoid, since no two shares have the same rank.
type Views[R Ranked] struct {
	Ranks  []R                            `json:"ranks,omitempty"` // by rank
	States map[model.StateID]*model.State `json:"states,omitempty"`
}

// Rank is what a rank tells; nil: nothing.
func (v *Views[R]) Rank(n int) *R {
	i, known := slices.BinarySearchFunc(v.Ranks, n, func(r R, n int) int { return cmp.Compare(r.RankOf(), n) })
	if !known {
		return nil
	}
	return &v.Ranks[i]
}

// Keep keeps a state of a thread of which a rank tells, and returns its ID; zero: it is not known.
func (v *Views[R]) Keep(t *model.Thread, state int) (id model.StateID) {
	if state < 0 || state >= len(t.Model.States) {
		return id
	}
	s := t.Model.States[state].WithoutAddresses()
	v.States[s.ID] = s
	return s.ID
}

// Merge joins what some ranks tell and what others tell.
func Merge[R Ranked](a, b Views[R]) Views[R] {
	out := Views[R]{
		Ranks: reduce.MergeSorted(a.Ranks, b.Ranks, func(x, y R) int { return cmp.Compare(x.RankOf(), y.RankOf()) },
			func(x, _ R) R { return x }),
		States: map[model.StateID]*model.State{},
	}
	maps.Copy(out.States, a.States)
	maps.Copy(out.States, b.States)
	return out
}
