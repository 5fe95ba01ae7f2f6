package replay

import (
	"slices"

	"laggard/analysis/usage/recorded"
)

// maxGroup bounds the groups of which the members are followed.
const maxGroup = 1 << 16

// members returns the world ranks of a group, nil if they are not known.
func (r *replay) members(group int64) []int {
	if name, is := r.t.Predefined("MPI_Group", group); is && name == "MPI_GROUP_EMPTY" {
		return []int{}
	}
	if o := r.objects.living[objectKey{"MPI_Group", group}]; o != nil {
		return o.members
	}
	return nil
}

// groupOf returns the members of a group that a call makes (MPI-3.1 §6.3.2).
func (r *replay) groupOf(a args) []int {
	switch a.c.Func.Name {
	case "MPI_Comm_group", "MPI_Win_get_group", "MPI_File_get_group":
		return known(a, false)
	case "MPI_Comm_remote_group":
		return known(a, true)
	}
	x, y := r.members(a.num(recorded.Invalid, "group", "group1")), r.members(a.num(recorded.Invalid, "group2"))
	if x == nil || a.has("group2") && y == nil {
		return nil
	}
	switch a.c.Func.Name {
	case "MPI_Group_incl":
		return choose(x, a.in("ranks"))
	case "MPI_Group_excl":
		return without(x, choose(x, a.in("ranks")))
	case "MPI_Group_range_incl":
		return choose(x, ranges(a.in("ranges")))
	case "MPI_Group_range_excl":
		return without(x, choose(x, ranges(a.in("ranges"))))
	case "MPI_Group_union":
		return slices.Concat(x, without(y, x))
	case "MPI_Group_intersection":
		return without(x, without(x, y))
	case "MPI_Group_difference":
		return without(x, y)
	}
	return nil
}

// known returns the members of a communicator that all are ranks of MPI_COMM_WORLD.
func known(a args, remote bool) []int {
	c := a.comm()
	if c == nil {
		return nil
	}
	list := c.Members
	if remote {
		list = c.Remote
	}
	if len(list) == 0 || len(list) > maxGroup || slices.Contains(list, -1) {
		return nil
	}
	return list
}

// choose returns the members at the places, nil if there is no such place.
func choose(of []int, places recorded.Value) []int {
	out := []int{}
	for _, i := range places {
		if i < 0 || i >= int64(len(of)) {
			return nil
		}
		out = append(out, of[i])
	}
	return out
}

// without returns the members that are not among others.
func without(of, others []int) []int {
	if others == nil {
		return nil
	}
	gone := make(map[int]bool, len(others))
	for _, x := range others {
		gone[x] = true
	}
	return slices.DeleteFunc(slices.Clone(of), func(x int) bool { return gone[x] })
}

// ranges lists the places that triples of first, last and stride name.
func ranges(triples recorded.Value) recorded.Value {
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

// checkGroup checks the ranks that make a group of another (MPI-3.1 §6.3.2).
func (r *replay) checkGroup(a args) *wrongArgument {
	var ranks recorded.Value
	name := "ranks"
	switch a.c.Func.Name {
	case "MPI_Group_incl", "MPI_Group_excl":
		ranks = a.in("ranks")
	case "MPI_Group_range_incl", "MPI_Group_range_excl":
		ranks, name = ranges(a.in("ranges")), "ranges"
	}
	of := r.members(a.num(recorded.Invalid, "group"))
	seen := map[int64]bool{}
	for _, v := range ranks {
		switch {
		case v < 0 || of != nil && v >= int64(len(of)):
			return invalid("§6.3.2", "%s has %s: the group has %d ranks", name, given(v), len(of)).
				to("name ranks of the group, from 0 to its size less one")
		case seen[v]:
			return invalid("§6.3.2", "%s has rank %d twice", name, v).to("name each rank once")
		}
		seen[v] = true
	}
	return nil
}
