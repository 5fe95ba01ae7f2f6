package usage

import (
	"strings"

	"laggard/model"
)

// checkConstructor checks the parameters of datatype constructors that go together.
func (r *replay) checkConstructor(a args) *wrongArgument {
	if !strings.HasPrefix(a.c.Func.Name, "MPI_Type_create_subarray") {
		return nil
	}
	sizes, subsizes, starts := a.in("array_of_sizes"), a.in("array_of_subsizes"), a.in("array_of_starts")
	for i := range min(len(sizes), len(subsizes), len(starts)) {
		switch {
		case sizes[i] < 1:
			return invalid("§4.1.3", "array_of_sizes[%d] is %d: it must be positive", i, sizes[i])
		case subsizes[i] < 1 || subsizes[i] > sizes[i]:
			return invalid("§4.1.3", "array_of_subsizes[%d] is %d: it must be 1 to %d", i, subsizes[i], sizes[i])
		case starts[i] < 0 || starts[i] > sizes[i]-subsizes[i]:
			return invalid("§4.1.3", "array_of_starts[%d] is %d: it must be 0 to %d", i, starts[i], sizes[i]-subsizes[i])
		}
	}
	return nil
}

// checkTopology checks the parameters of topologies that go together (MPI-3.1 §7.5).
func (r *replay) checkTopology(a args) *wrongArgument {
	switch a.c.Func.Name {
	case "MPI_Cart_create":
		return r.checkCart(a)
	case "MPI_Dims_create":
		return checkDims(a)
	case "MPI_Graph_create":
		return r.checkGraph(a)
	case "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent":
		return r.checkNeighbours(a)
	}
	return nil
}

func (r *replay) checkCart(a args) *wrongArgument {
	n := int64(1)
	for i, d := range a.in("dims") {
		if d <= 0 {
			return invalid("§7.5.1", "dims[%d] is %d: it must be positive", i, d)
		}
		n *= d
	}
	if c := a.comm(); c != nil && c.Size > 0 && n > int64(c.Size) {
		return invalid("§7.5.1", "the grid has %d places, the communicator only %d ranks", n, c.Size)
	}
	return nil
}

func checkDims(a args) *wrongArgument {
	n, given := a.num(0, "nnodes"), int64(1)
	if n <= 0 && a.has("nnodes") {
		return invalid("§7.5.2", "nnodes is %d: it must be positive", n)
	}
	for i, d := range a.in("dims") {
		if d < 0 {
			return invalid("§7.5.2", "dims[%d] is negative: %d", i, d)
		}
		given *= max(d, 1)
	}
	if given > 0 && n%given != 0 {
		return invalid("§7.5.2", "nnodes %d is no multiple of the dimensions that are given, %d", n, given)
	}
	return nil
}

func (r *replay) checkGraph(a args) *wrongArgument {
	n := a.num(0, "nnodes")
	if c := a.comm(); c != nil && c.Size > 0 && n > int64(c.Size) {
		return invalid("§7.5.3", "the graph has %d nodes, the communicator only %d ranks", n, c.Size)
	}
	before := int64(0)
	for i, x := range a.in("indx") {
		if x < before {
			return invalid("§7.5.3", "indx[%d] is %d: it must not fall", i, x)
		}
		before = x
	}
	for i, e := range a.in("edges") {
		if e < 0 || e >= n {
			return invalid("§7.5.3", "edges[%d] is %d: the graph has nodes 0 to %d", i, e, n-1)
		}
	}
	return nil
}

func (r *replay) checkNeighbours(a args) *wrongArgument {
	c := a.comm()
	for _, name := range []string{"sources", "destinations"} {
		for i, v := range a.in(name) {
			if v != model.ProcNull && (v < 0 || c != nil && c.Size > 0 && v >= int64(c.Size)) {
				return invalid("§7.5.4", "%s[%d] is no rank of the communicator: %s", name, i, given(v))
			}
		}
	}
	return nil
}

// checkGroup checks the ranks that make a group of another (MPI-3.1 §6.3.2).
func (r *replay) checkGroup(a args) *wrongArgument {
	if a.c.Func.Name != "MPI_Group_incl" && a.c.Func.Name != "MPI_Group_excl" {
		return nil
	}
	o := r.objects.living[objectKey{"MPI_Group", int64(a.handle("group"))}]
	seen := map[int64]bool{}
	for i, v := range a.in("ranks") {
		switch {
		case v < 0 || o != nil && o.size > 0 && v >= o.size:
			return invalid("§6.3.2", "ranks[%d] is no rank of the group: %s", i, given(v))
		case seen[v]:
			return invalid("§6.3.2", "ranks[%d] is there twice: %d", i, v)
		}
		seen[v] = true
	}
	return nil
}

// sizeOfGroup returns the number of ranks of a new group, 0 unknown.
func (r *replay) sizeOfGroup(a args) int64 {
	old := r.objects.living[objectKey{"MPI_Group", int64(a.handle("group"))}]
	switch a.c.Func.Name {
	case "MPI_Comm_group":
		if c := a.comm(); c != nil {
			return int64(max(c.Size, len(c.Members)))
		}
	case "MPI_Group_incl":
		return a.num(0, "n")
	case "MPI_Group_excl":
		if old != nil && old.size > 0 {
			return old.size - a.num(0, "n")
		}
	}
	return 0
}

// checkWindow checks what is particular to calls on windows.
func checkWindow(a args) *wrongArgument {
	if v, ok := a.int("lock_type"); ok {
		switch v {
		case 1, 2, 234, 235: // MPI_LOCK_EXCLUSIVE and MPI_LOCK_SHARED of the MPIs
		default:
			return invalid("§11.5.3", "lock_type is %d: it must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED", v)
		}
	}
	return nil
}
