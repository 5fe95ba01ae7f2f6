package movement

import (
	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/profile"
	"laggard/model"
)

// Novel is a type of chain that the training runs do not have.
type Novel struct {
	chain.Group
	Ranks model.RankSet // where its chains begin
}

// findNovel lists the groups that the training runs do not have, by falling count; without
// training there are none.
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
				out[i].Ranks.Add(track.Rank)
			}
		}
	}
	return out
}
