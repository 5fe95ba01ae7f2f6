package replay

import (
	"slices"

	"laggard/analysis/usage/recorded"
	"laggard/model/mpi"
)

// maxGroup bounds the groups of which the members are followed.
const maxGroup = 1 << 20

// outside stands for each member of a group that is not in MPI_COMM_WORLD.
const outside = -1

// groups follows who is in the groups that the rank makes.
type groups struct {
	t       *recorded.Trace
	objects *objects
	known   map[int64][]int // by handle: world ranks
}

func newGroups(t *recorded.Trace, o *objects) *groups {
	return &groups{t: t, objects: o, known: map[int64][]int{}}
}

// endCall follows the return of a call that makes or frees a group.
func (g *groups) endCall(a args) {
	if a.c.Func.Class != mpi.ClassLocal || !a.succeeded() {
		return
	}
	for _, name := range []string{"newgroup", "group"} {
		if handle, ok := a.result(name); ok && g.objects.isAlive("MPI_Group", handle) {
			g.known[handle] = g.newMembers(a)
		}
	}
	if a.c.Func.Name == "MPI_Group_free" {
		if handle := a.intOr(recorded.Invalid, "group"); !g.objects.isAlive("MPI_Group", handle) {
			delete(g.known, handle)
		}
	}
}

// worldRanks returns the world ranks of a group, nil if they are not known.
func (g *groups) worldRanks(group int64) []int {
	if name, is := g.t.Predefined("MPI_Group", group); is && name == "MPI_GROUP_EMPTY" {
		return []int{}
	}
	return g.known[group]
}

// newMembers returns the members of a group that a call makes (MPI-3.1 §6.3.2).
func (g *groups) newMembers(a args) []int {
	switch a.c.Func.Name {
	case "MPI_Comm_group", "MPI_Win_get_group", "MPI_File_get_group":
		return commMembers(a, false)
	case "MPI_Comm_remote_group":
		return commMembers(a, true)
	}
	x, y := g.worldRanks(a.intOr(recorded.Invalid, "group", "group1")), g.worldRanks(a.intOr(recorded.Invalid, "group2"))
	if x == nil || a.has("group2") && y == nil {
		return nil
	}
	switch a.c.Func.Name {
	case "MPI_Group_incl", "MPI_Group_range_incl":
		return selectMembers(a, x)
	case "MPI_Group_excl", "MPI_Group_range_excl":
		return excludeMembers(x, selectMembers(a, x))
	case "MPI_Group_union":
		if added := excludeMembers(y, x); added != nil {
			return slices.Concat(x, added)
		}
	case "MPI_Group_intersection":
		return excludeMembers(x, excludeMembers(x, y))
	case "MPI_Group_difference":
		return excludeMembers(x, y)
	}
	return nil
}

// commMembers returns the members of a communicator, or of its remote group.
func commMembers(a args, remote bool) []int {
	c := a.comm()
	if c == nil {
		return nil
	}
	list := c.Members
	if remote {
		list = c.Remote
	}
	if len(list) == 0 || len(list) > maxGroup {
		return nil
	}
	return list
}

// selectMembers returns the members at the places that a call names, nil if there is no such
// place, or not all places were recorded.
func selectMembers(a args, of []int) []int {
	places, all := placesOf(a)
	if !all {
		return nil
	}
	out := []int{}
	for _, i := range places {
		if i < 0 || i >= int64(len(of)) {
			return nil
		}
		out = append(out, of[i])
	}
	return out
}

// placesOf returns the places in a group that a call names; all is false if some were not
// recorded.
func placesOf(a args) (places recorded.Value, all bool) {
	if triples := a.in("ranges"); a.has("ranges") {
		return expandRanges(triples), 3*a.intOr(0, "n") <= int64(len(triples))
	}
	places = a.in("ranks")
	return places, a.intOr(0, "n") <= int64(len(places))
}

// excludeMembers returns the members that are not among others, nil if that is not known:
// those outside MPI_COMM_WORLD cannot be told apart.
func excludeMembers(of, others []int) []int {
	if others == nil || slices.Contains(of, outside) || slices.Contains(others, outside) {
		return nil
	}
	gone := make(map[int]bool, len(others))
	for _, x := range others {
		gone[x] = true
	}
	return slices.DeleteFunc(slices.Clone(of), func(x int) bool { return gone[x] })
}

// expandRanges lists the places that triples of first, last and stride name.
func expandRanges(triples recorded.Value) recorded.Value {
	out := recorded.Value{}
	for i := 0; i+2 < len(triples); i += 3 {
		first, last, stride := triples[i], triples[i+1], triples[i+2]
		within := func(k int64) bool { return stride > 0 && k <= last || stride < 0 && k >= last }
		for k := first; within(k) && len(out) < maxGroup; k += stride {
			out = append(out, k)
		}
	}
	return out
}

// checkRanks finds ranks that cannot make a group of another (MPI-3.1 §6.3.2).
func (g *groups) checkRanks(a args) *wrongArgument {
	name := "ranks"
	switch a.c.Func.Name {
	case "MPI_Group_incl", "MPI_Group_excl":
	case "MPI_Group_range_incl", "MPI_Group_range_excl":
		name = "ranges"
	default:
		return nil
	}
	places, _ := placesOf(a)
	of := g.worldRanks(a.intOr(recorded.Invalid, "group"))
	seen := map[int64]bool{}
	for _, v := range places {
		switch {
		case v < 0 || of != nil && v >= int64(len(of)):
			return invalidArgument("§6.3.2", "%s has %s: the group has %d ranks", name, rankText(v), len(of)).
				withChange("name ranks of the group, from 0 to its size minus one")
		case seen[v]:
			return invalidArgument("§6.3.2", "%s has rank %d twice", name, v).withChange("name each rank once")
		}
		seen[v] = true
	}
	return nil
}
