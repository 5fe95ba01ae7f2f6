package replay

import (
	"laggard/model"
)

// What to do where several arguments of a constructor do not fit.
const (
	withinArray = "let sizes, subsizes and starts describe a part that lies within the array"
	dimsToFill  = "let the product of the given dimensions divide nnodes, and give 0 for those to be chosen"
)

// checkConstructor checks the parameters of datatype constructors that go together.
func checkConstructor(a args) *wrongArgument {
	if !a.c.Func.IsFormOf("MPI_Type_create_subarray") {
		return nil
	}
	sizes, subsizes, starts := a.in("array_of_sizes"), a.in("array_of_subsizes"), a.in("array_of_starts")
	for i := range min(len(sizes), len(subsizes), len(starts)) {
		switch {
		case sizes[i] < 1:
			return invalidArgument("§4.1.3", "array_of_sizes[%d] is %d: it must be positive", i, sizes[i]).withChange(withinArray)
		case subsizes[i] < 1 || subsizes[i] > sizes[i]:
			return invalidArgument("§4.1.3", "array_of_subsizes[%d] is %d: it must be 1 to %d", i, subsizes[i], sizes[i]).
				withChange(withinArray)
		case starts[i] < 0 || starts[i] > sizes[i]-subsizes[i]:
			return invalidArgument("§4.1.3", "array_of_starts[%d] is %d: it must be 0 to %d", i, starts[i],
				sizes[i]-subsizes[i]).withChange(withinArray)
		}
	}
	return nil
}

// checkTopology checks the parameters of topologies that go together (MPI-3.1 §7.5).
func checkTopology(a args) *wrongArgument {
	switch a.c.Func.Name {
	case "MPI_Cart_create":
		return checkCart(a)
	case "MPI_Dims_create":
		return checkDims(a)
	case "MPI_Graph_create":
		return checkGraph(a)
	case "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent":
		return checkNeighbours(a)
	}
	return nil
}

func checkCart(a args) *wrongArgument {
	n := int64(1)
	for i, d := range a.in("dims") {
		if d <= 0 {
			return invalidArgument("§7.5.1", "dims[%d] is %d: it must be positive", i, d).
				withChange("pass a positive number for each dimension; MPI_Dims_create replaces zeros by positive numbers")
		}
		n *= d
	}
	if c := a.comm(); c != nil && c.Size > 0 && n > int64(c.Size) {
		return invalidArgument("§7.5.1", "the grid has %d places, the communicator only %d ranks", n, c.Size).
			withChange("choose dimensions whose product is at most the number of ranks; MPI_Dims_create does")
	}
	return nil
}

func checkDims(a args) *wrongArgument {
	n, given := a.intOr(0, "nnodes"), int64(1)
	if n <= 0 && a.has("nnodes") {
		return invalidArgument("§7.5.2", "nnodes is %d: it must be positive", n).withChange("pass the number of ranks")
	}
	for i, d := range a.in("dims") {
		if d < 0 {
			return invalidArgument("§7.5.2", "dims[%d] is negative: %d", i, d).withChange(dimsToFill)
		}
		given *= max(d, 1)
	}
	if given > 0 && n%given != 0 {
		return invalidArgument("§7.5.2", "nnodes %d is not a multiple of the given dimensions, %d", n, given).
			withChange(dimsToFill)
	}
	return nil
}

func checkGraph(a args) *wrongArgument {
	n := a.intOr(0, "nnodes")
	if c := a.comm(); c != nil && c.Size > 0 && n > int64(c.Size) {
		return invalidArgument("§7.5.3", "the graph has %d nodes, the communicator only %d ranks", n, c.Size).
			withChange("pass at most as many nodes as the communicator has ranks")
	}
	before := int64(0)
	for i, x := range a.in("indx") {
		if x < before {
			return invalidArgument("§7.5.3", "indx[%d] is %d: it must not decrease", i, x).
				withChange("let indx[i] be the number of edges of the nodes 0 to i together")
		}
		before = x
	}
	for i, e := range a.in("edges") {
		if e < 0 || e >= n {
			return invalidArgument("§7.5.3", "edges[%d] is %d: the graph has nodes 0 to %d", i, e, n-1).
				withChange("name neighbours from 0 to nnodes minus one")
		}
	}
	return nil
}

func checkNeighbours(a args) *wrongArgument {
	c := a.comm()
	for _, name := range []string{"sources", "destinations"} {
		for i, v := range a.in(name) {
			if v != model.ProcNull && (v < 0 || c != nil && c.Size > 0 && v >= int64(c.Size)) {
				return invalidArgument("§7.5.4", "%s[%d] is not a rank of the communicator: %s", name, i, rankText(v)).
					withChange("name ranks of the communicator as neighbours, from 0 to its size minus one")
			}
		}
	}
	return nil
}

// checkWindow checks what is particular to calls on windows.
func checkWindow(a args) *wrongArgument {
	if v, ok := a.int("lock_type"); ok {
		switch v {
		case 1, 2, 234, 235, 301, 302: // MPI_LOCK_EXCLUSIVE and MPI_LOCK_SHARED of the MPIs
		default:
			return invalidArgument("§11.5.3", "lock_type is %d: it must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED", v).
				withChange("pass one of the two")
		}
	}
	return nil
}
