package divergence

import (
	"maps"
	"slices"

	"laggard/analysis/share"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// histories is the histories of some ranks on some communicators, with the states
// that their calls name. It is a monoid, since no two shares have the same rank.
type histories struct {
	Of     []history                      `json:"of,omitempty"`
	States map[model.StateID]*model.State `json:"states,omitempty"`
}

type history struct {
	Comm   uint64          `json:"comm"`
	Rank   int             `json:"rank"`
	Latest []model.Begun   `json:"latest"`
	States []model.StateID `json:"states"` // of each of Latest; zero unknown
	Roots  []int           `json:"roots"`  // of each of Latest: see Call.RootRank
	Marks  []model.Mark    `json:"marks,omitempty"`
}

var (
	tallies  = reduce.JSON[[]Tally]()
	gathered = reduce.JSONMonoid(mergeHistories)
)

func mergeHistories(a, b histories) histories {
	out := histories{Of: slices.Concat(a.Of, b.Of), States: map[model.StateID]*model.State{}}
	slices.SortFunc(out.Of, compareHistories)
	maps.Copy(out.States, a.States)
	maps.Copy(out.States, b.States)
	return out
}

// Gather brings the histories that may differ to analysis rank 0, those of one rank
// for each line; nil elsewhere. All analysis ranks call it together, with the
// census of their own shares.
func Gather(s *share.Share, census Census, failed error) ([]Comm, error) {
	all, err := reduce.Reduce(s.Tree, Censuses, census, failed)
	if err != nil {
		return nil, err
	}
	suspects, err := reduce.Broadcast(s.Tree, tallies, all.suspectComms(), nil)
	if err != nil {
		return nil, err
	}
	found, err := reduce.Reduce(s.Tree, gathered, readHistories(s.Index, suspects), nil)
	if err != nil || s.Comm.Rank() != 0 {
		return nil, err
	}
	return found.buildComms(suspects), nil
}

// readHistories loads the histories of one rank of each line that is in the share.
func readHistories(index *runfiles.Index, suspects []Tally) histories {
	wanted := map[int][]uint64{} // by rank, the communicators
	for _, t := range suspects {
		for _, line := range t.Lines {
			first := line.Ranks.Min()
			wanted[first] = append(wanted[first], t.ID)
		}
	}
	out := histories{States: map[model.StateID]*model.State{}}
	for i, slot := range index.Slots {
		ids := wanted[slot.Rank]
		if len(ids) == 0 || slot.Spawned {
			continue
		}
		if run, err := index.LoadSlots(i, i+1); err == nil && len(run.Ranks) == 1 {
			out.add(run.Ranks[0], ids)
		}
	}
	slices.SortFunc(out.Of, compareHistories)
	return out
}

func (h *histories) add(r *model.Rank, ids []uint64) {
	for _, c := range r.Comms {
		if c.History == nil || len(c.History.Latest) == 0 || !slices.Contains(ids, c.ID) {
			continue
		}
		one := history{Comm: c.ID, Rank: r.Rank, Latest: c.History.Latest, Marks: c.History.Marks}
		for _, b := range one.Latest {
			one.States = append(one.States, h.internState(r, b.Thread, b.State))
			one.Roots = append(one.Roots, rootRank(c, b.Root))
		}
		h.Of = append(h.Of, one)
	}
}

// rootRank is the rank of MPI_COMM_WORLD of a root on a communicator; -1: it is not known, or is the same number on MPI_COMM_WORLD.
func rootRank(c *model.Comm, root int) int {
	rank := c.WorldRank(root)
	if c.Kind == model.World && rank == root {
		return -1
	}
	return rank
}

// internState keeps a state of a thread, and returns its ID; zero: it is not known.
func (h *histories) internState(r *model.Rank, thread, state int) (id model.StateID) {
	if thread >= 0 && thread < len(r.Threads) && state >= 0 && state < len(r.Threads[thread].Model.States) {
		s := r.Threads[thread].Model.States[state]
		id, h.States[s.ID] = s.ID, s
	}
	return id
}

// buildComms puts together what is known of each communicator.
func (h *histories) buildComms(suspects []Tally) []Comm {
	var out []Comm
	for _, t := range suspects {
		c := Comm{ID: t.ID, Kind: t.Kind}
		for _, count := range t.Lines {
			one := history{Comm: t.ID, Rank: count.Ranks.Min()} // that of none is empty
			at, known := slices.BinarySearchFunc(h.Of, one, compareHistories)
			switch {
			case known:
				one = h.Of[at]
			case count.Number > 0:
				continue
			}
			c.Lines = append(c.Lines, h.newLine(count.Ranks, one))
			c.Members = c.Members.Union(count.Ranks)
		}
		out = append(out, c)
	}
	return out
}

func (h *histories) newLine(ranks model.RankSet, of history) Line {
	l := Line{Ranks: ranks, Marks: of.Marks}
	for i, b := range of.Latest {
		l.Latest = append(l.Latest, Call{Begun: b, State: h.States[of.States[i]], RootRank: of.Roots[i]})
	}
	return l
}

func compareHistories(a, b history) int {
	return slices.Compare([]uint64{a.Comm, uint64(a.Rank)}, []uint64{b.Comm, uint64(b.Rank)})
}
