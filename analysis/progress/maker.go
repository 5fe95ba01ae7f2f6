package progress

import (
	"cmp"
	"slices"

	"laggard/model"
	"laggard/reduce"
)

// Maker is the call that made a communicator, window or file which the result names.
type Maker struct {
	On    model.CommRef
	State *model.State // the call, as one of the members made it
}

// maxMakers bounds the communicators whose calls are looked up.
const maxMakers = 16

// memberOf is a communicator, and a member of it who may know the call that made it.
type memberOf struct {
	Comm uint64 `json:"comm"`
	Rank int    `json:"rank"`
}

var (
	membersAsked = reduce.JSON[[]memberOf]()
	makerStates  = disjointMaps[uint64, *model.State]() // of each communicator one rank is asked
)

// findMakers asks a member of each communicator that the result names for the call that made it, all analysis ranks together; the answer
// is at rank 0, which has the result. Their records are decoded once more.
func (l *looker) findMakers(r *Result, failed error) ([]Maker, error) {
	var named []model.CommRef
	var members []memberOf
	if r != nil && failed == nil {
		named = r.namedComms()
		for _, on := range named {
			members = append(members, memberOf{on.ID, on.Members.Min()})
		}
	}
	members, err := reduce.Broadcast(l.Tree, membersAsked, members, failed)
	if err != nil || len(members) == 0 {
		return nil, err
	}
	var asked model.RankSet
	for _, m := range members {
		asked.Add(m.Rank)
	}
	found := map[uint64]*model.State{}
	l.eachAsked(asked, func(rank *model.Rank) {
		for _, m := range members {
			if s := makerOf(rank, m.Comm); s != nil && m.Rank == rank.Rank {
				found[m.Comm] = s
			}
		}
	})
	found, err = reduce.Reduce(l.Tree, makerStates, found, nil)
	if err != nil || r == nil {
		return nil, err
	}
	var out []Maker
	for _, on := range named {
		if s := found[on.ID]; s != nil {
			out = append(out, Maker{on, s})
		}
	}
	return out, nil
}

// makerOf is the call by which a rank made a communicator; nil: it is not known.
func makerOf(r *model.Rank, comm uint64) *model.State {
	for _, c := range r.Comms {
		if c.ID != comm {
			continue
		}
		if s := r.MakerOf(c); s != nil {
			return s.WithoutAddresses()
		}
	}
	return nil
}

// namedComms are the communicators, windows and files that the result names, except for MPI_COMM_WORLD and MPI_COMM_SELF, by ID.
func (r *Result) namedComms() (out []model.CommRef) {
	add := func(refs ...model.CommRef) {
		for _, on := range refs {
			if on.Known && on.ID != 0 && on.Kind != model.World && on.Kind != model.Self && !on.Several && on.Members.Len() > 0 {
				out = append(out, on)
			}
		}
	}
	for _, e := range r.Edges {
		if e.Example != nil {
			add(e.Example.On)
			for _, s := range e.Example.Strays {
				add(s.On)
			}
		}
	}
	for _, edge := range r.OneSided() {
		add(edge.On)
	}
	for _, d := range r.Diverged {
		add(d.On, d.OtherOn)
	}
	for _, m := range r.Unsent {
		add(m.On)
		add(m.OthersOn...)
	}
	for _, x := range r.Excluded {
		add(x.On)
	}
	for _, q := range r.Inactive {
		add(q.On)
	}
	for _, t := range r.Taken {
		add(t.On)
	}
	for _, a := range r.AnySource {
		add(a.On)
	}
	for _, c := range r.Concurrent {
		add(c.On)
	}
	slices.SortFunc(out, func(a, b model.CommRef) int { return cmp.Compare(a.ID, b.ID) })
	out = slices.CompactFunc(out, func(a, b model.CommRef) bool { return a.ID == b.ID })
	return out[:min(len(out), maxMakers)]
}
