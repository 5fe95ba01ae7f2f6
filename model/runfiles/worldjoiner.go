package runfiles

import (
	"slices"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/model/nodefile"
)

// worldJoiner says the communicators of ranks in terms of the job: a rank knows members by their ranks in
// its own world, and only that there are others.
type worldJoiner struct {
	index  *Index
	moved  map[movedKey][]int       // lists of members, which ranks share
	byComm map[uint64]*SpawnedWorld // by the id that the side of the root knows
}

type movedKey struct {
	list *int
	n    int
	by   int
}

func newWorldJoiner(x *Index) *worldJoiner {
	j := &worldJoiner{x, map[movedKey][]int{}, map[uint64]*SpawnedWorld{}}
	for i := range x.Worlds {
		j.byComm[x.Worlds[i].Comm] = &x.Worlds[i]
	}
	return j
}

// joinRank changes a rank whose slot has been given a rank of the job.
func (j *worldJoiner) joinRank(r *model.Rank, s nodefile.SlotInfo) {
	if j.index.joined == nil || !s.IsWorldRank(j.index.bound) {
		return
	}
	own, first := j.index.joined[s.World], 0
	if own != nil {
		first = own.First
	}
	r.Size, r.Spawned = j.index.Size, false
	others := map[uint64]joined{} // by what this rank calls the communicator
	for _, c := range r.Comms {
		id := c.ID
		c.Members, c.Remote = j.move(c.Members, first), j.move(c.Remote, first)
		if outside(c.Members)+outside(c.Remote) > 0 {
			if members := j.outsiders(r, c, own, others); members != nil {
				fillOutsiders(c, members)
				c.ID = j.idOf(c, own, others)
				others[id] = joined{c.ID, members}
			}
		}
	}
}

// joined is a communicator with members outside the world of a rank: what it is called in the job, and who
// they are.
type joined struct {
	id      uint64
	members []int
}

// outsiders returns, in their order, the members that the rank does not know; nil: nobody knows them. They are
// the processes that it spawned, or that spawned it, or those of the communicator that this one was made from.
func (j *worldJoiner) outsiders(r *model.Rank, c *model.Comm, own *SpawnedWorld, others map[uint64]joined) []int {
	n := outside(c.Members) + outside(c.Remote)
	if c.Kind == model.Inter && outside(c.Members) == 0 {
		if c.ToParent && own != nil && own.Comm != 0 && len(own.Parents) == n {
			return own.Parents
		}
		if w := j.byComm[c.ID]; w != nil && w.Comm != 0 && w.Size == n {
			return w.Ranks().Slice()
		}
	}
	if from, ok := others[c.Parent]; ok && len(from.members) == n && keepsMembers(r, c) {
		return from.members
	}
	return nil
}

// keepsMembers reports whether a communicator, window or file has the members of what it was made from, in their order.
func keepsMembers(r *model.Rank, c *model.Comm) bool {
	if c.Kind == model.Window || c.Kind == model.File {
		return true
	}
	if c.State < 0 || c.State >= len(r.Threads[c.Thread].Model.States) {
		return false
	}
	return mpi.FunctionOf(r.Threads[c.Thread].Model.States[c.State].Call).HasTrait(mpi.SameMembers)
}

// idOf returns an id that all members compute alike: that of the side of the root, or one made of the parent's.
func (j *worldJoiner) idOf(c *model.Comm, own *SpawnedWorld, others map[uint64]joined) uint64 {
	from, derived := others[c.Parent]
	switch {
	case c.ToParent:
		return own.Comm
	case !derived:
		return c.ID
	}
	sides := [][]int{c.Members, c.Remote}
	slices.SortFunc(sides, slices.Compare[[]int])
	id := mixID(mixID(from.id, uint64(c.Kind)), uint64(c.Place))
	for _, side := range sides {
		for _, rank := range side {
			id = mixID(id, uint64(rank))
		}
	}
	return id | 1
}

// mixID adds a number to a hash.
func mixID(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>31
}

// move returns a list of members with their ranks in the job.
func (j *worldJoiner) move(list []int, by int) []int {
	if by == 0 || len(list) == 0 {
		return list
	}
	key := movedKey{&list[0], len(list), by}
	if known, ok := j.moved[key]; ok {
		return known
	}
	out := slices.Clone(list)
	for i, rank := range out {
		if rank >= 0 {
			out[i] = rank + by
		}
	}
	j.moved[key] = out
	return out
}

// outside counts the members outside the world.
func outside(list []int) (n int) {
	for _, rank := range list {
		if rank < 0 {
			n++
		}
	}
	return n
}

// fillOutsiders puts members in the places of those outside the world, those of the local group first.
func fillOutsiders(c *model.Comm, members []int) {
	for _, list := range []*[]int{&c.Members, &c.Remote} {
		*list = slices.Clone(*list)
		for i, rank := range *list {
			if rank < 0 {
				(*list)[i], members = members[0], members[1:]
			}
		}
	}
}
