package movement

import (
	"cmp"
	"slices"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/invariant"
	"laggard/analysis/movement/profile"
	"laggard/model"
)

// Novel is a type of chain that the training runs do not have.
type Novel struct {
	chain.Group
	Ranks model.RankSet // where its chains begin
	First invariant.Place
}

// findNovel lists the groups that the training runs do not have, the first seen first: later ones may follow from it.
// Without training there are none.
func findNovel(tr *chain.Trace, training *profile.Profile) []Novel {
	if training == nil {
		return nil
	}
	known, place := training.Counts(), map[int32]int{}
	var out []Novel
	for i, g := range tr.Groups {
		if known[g.Key()] == 0 {
			place[int32(i)] = len(out)
			out = append(out, Novel{Group: g})
		}
	}
	for _, track := range tr.Tracks {
		for _, c := range track.Chains {
			if i, is := place[c.Group]; is {
				n := &out[i]
				if n.Ranks.Len() == 0 || c.Time < n.First.Time {
					n.First = invariant.Place{Rank: track.Rank, Order: c.Order, Time: c.Time}
				}
				n.Ranks.Add(track.Rank)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Novel) int { return cmp.Compare(a.First.Time, b.First.Time) })
	return out
}
