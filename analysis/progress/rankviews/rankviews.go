package rankviews

import (
	"cmp"
	"maps"

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
