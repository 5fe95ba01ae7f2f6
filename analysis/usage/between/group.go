package between

import (
	"slices"

	"laggard/analysis/usage/recorded"
)

// groups follows the groups of a rank, by handle: the ranks in MPI_COMM_WORLD
// that are in each (§6.3). A group that is not known is not in it.
type groups map[int64][]int

// follow takes notice of a call that makes a group.
func (g groups) follow(t *recorded.Trace, c *recorded.Call) {
	made, ok := c.Result1("newgroup")
	if !ok {
		made, ok = c.Result1("group")
	}
	if !ok {
		return
	}
	if members, known := g.members(t, c); known {
		g[made] = members
	} else {
		delete(g, made)
	}
}

func (g groups) members(t *recorded.Trace, c *recorded.Call) ([]int, bool) {
	first, known := g.operand(c, "group")
	if !known {
		first, known = g.operand(c, "group1")
	}
	second, both := g.operand(c, "group2")
	list := values(c, "ranks")
	switch c.Func.Name {
	case "MPI_Comm_group":
		return g.of(t, c, "comm")
	case "MPI_Win_get_group":
		return g.of(t, c, "win")
	case "MPI_Group_incl":
		return pick(first, list), known && list != nil
	case "MPI_Group_excl":
		return without(first, pick(first, list)), known && list != nil
	case "MPI_Group_range_incl":
		list = spread(values(c, "ranges"))
		return pick(first, list), known && list != nil
	case "MPI_Group_range_excl":
		list = spread(values(c, "ranges"))
		return without(first, pick(first, list)), known && list != nil
	case "MPI_Group_union":
		return append(slices.Clone(first), without(second, first)...), known && both
	case "MPI_Group_difference":
		return without(first, second), known && both
	case "MPI_Group_intersection":
		return without(first, without(first, second)), known && both
	}
	return nil, false
}

func (g groups) operand(c *recorded.Call, name string) ([]int, bool) {
	handle, ok := c.Value1(name)
	if !ok {
		return nil, false
	}
	members, known := g[handle]
	return members, known
}

// of returns the members of a communicator or window.
func (g groups) of(t *recorded.Trace, c *recorded.Call, name string) ([]int, bool) {
	at, ok := c.Value1(name)
	if !ok || at < 0 || at >= int64(len(t.Comms)) {
		return nil, false
	}
	return t.Comms[at].Members, t.Comms[at].Members != nil
}

func pick(group []int, ranks []int64) []int {
	var out []int
	for _, r := range ranks {
		if r >= 0 && r < int64(len(group)) {
			out = append(out, group[r])
		}
	}
	return out
}

func without(group, others []int) []int {
	return slices.DeleteFunc(slices.Clone(group), func(r int) bool { return slices.Contains(others, r) })
}

// spread writes out triples of first, last and stride.
func spread(ranges []int64) []int64 {
	const most = 1 << 20 // ranks that a list of triples can name
	out := []int64{}
	for ; len(ranges) >= 3; ranges = ranges[3:] {
		first, last, stride := ranges[0], ranges[1], ranges[2]
		for r := first; stride > 0 && r <= last || stride < 0 && r >= last; r += stride {
			if out = append(out, r); len(out) > most {
				break
			}
		}
	}
	return out
}
