package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"laggard/analysis/share"
	"laggard/model"
	"laggard/reduce"
)

// runRead is what was read of one run. Its size is that of the profiles that differ.
type runRead struct {
	States   []*model.State `json:"states"` // by ID
	Groups   []group        `json:"groups"` // by their profiles
	Times    []placeTime    `json:"times"`  // of all ranks together, by state
	Problems share.Problems `json:"problems"`
}

// group is ranks with one profile.
type group struct {
	Ranks   model.RankSet `json:"ranks"`
	Profile *profile      `json:"profile"`
	key     string        // the profile, as text
}

// runsRead merges what analysis ranks read of the same runs, in their order.
var runsRead = reduce.Monoid[[]*runRead]{
	Codec: reduce.JSON[[]*runRead](),
	Merge: func(a, b []*runRead) ([]*runRead, error) {
		for i := range a {
			a[i] = a[i].mergeFrom(b[i])
		}
		return a, nil
	},
}

func newRunRead() *runRead { return &runRead{Problems: share.NewProblems(nil)} }

// addRanks takes over some ranks of the run.
func (r *runRead) addRanks(ranks []*model.Rank) {
	numbers := map[*model.State]int{}
	part := newRunRead()
	number := func(s *model.State) int {
		n, known := numbers[s]
		if !known {
			n = len(part.States)
			numbers[s] = n
			part.States = append(part.States, s.WithoutAddresses())
		}
		return n
	}
	for _, rank := range ranks {
		if rank.Rank >= 0 && !rank.Off {
			part.Groups = append(part.Groups, group{Ranks: model.NewRankSet(rank.Rank), Profile: newProfile(rank, number)})
			part.Times = append(part.Times, timesOf(rank, number)...)
		}
	}
	*r = *r.mergeFrom(part)
}

func compareStates(a, b *model.State) int { return bytes.Compare(a.ID[:], b.ID[:]) }

func (r *runRead) mergeFrom(o *runRead) *runRead {
	first := func(a, _ *model.State) *model.State { return a }
	out := &runRead{Problems: share.MergeProblems(r.Problems, o.Problems)}
	out.States = reduce.SortJoined(slices.Concat(r.States, o.States), compareStates, first)
	for _, part := range []*runRead{r, o} {
		number := func(n int) int {
			at, _ := slices.BinarySearchFunc(out.States, part.States[n], compareStates)
			return at
		}
		for _, t := range part.Times {
			t.State = number(t.State)
			out.Times = append(out.Times, t)
		}
		for _, g := range part.Groups {
			g.Profile.renumber(number)
			g.key = g.Profile.text()
			out.Groups = append(out.Groups, g)
		}
	}
	out.Times = joinTimes(out.Times)
	out.Groups = reduce.SortJoined(out.Groups, func(a, b group) int { return cmp.Compare(a.key, b.key) }, func(a, b group) group {
		a.Ranks = a.Ranks.Union(b.Ranks)
		return a
	})
	return out
}

// text is equal for equal profiles.
func (p *profile) text() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // it has numbers and texts alone
	}
	return string(text)
}
