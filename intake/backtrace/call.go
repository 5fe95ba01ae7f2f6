package backtrace

import (
	"cmp"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/symbol"
)

// call is the MPI call that a stack is in.
type call struct {
	name    string
	binding mpi.Binding
	frame   int // the outermost one of the call; its caller is next
}

// insides are functions of MPI libraries that their MPI function jumps to, so
// that it is not on the stack itself.
var insides = map[string]string{
	"ompi_mpi_init": "MPI_Init", "ompi_mpi_finalize": "MPI_Finalize", "ompi_mpi_abort": "MPI_Abort",
}

// callOf finds the MPI call of a stack, from the innermost frame outwards. The
// library may call itself through its own MPI functions, so the last one before
// the program counts; but if it has called the program back, which then made a
// call, that one does. Where no function has the name of one of MPI, as in a
// stripped library, one of its inner functions stands for the call.
func callOf(stack []symbol.Location) (c call, found bool) {
	inner := -1
	for i, l := range stack {
		if f, ok := mpi.FindSymbol(l.Function); ok && l.Language == "" {
			c, found = call{f.Name, f.Binding, i}, true
			continue
		}
		if isMPILibrary(l) {
			inner, c.frame = i, i // a wrapper of the call, if it was found
		} else if (found || inner >= 0) && !symbol.InSystem(l) {
			break
		}
	}
	if !found && inner >= 0 {
		name := cmp.Or(stack[inner].Function, "MPI")
		if known := insides[name]; known != "" {
			name = known
		}
		return call{name, mpi.C, inner}, true
	}
	return c, found
}

// isMPILibrary reports whether a frame is inside an MPI library.
func isMPILibrary(l symbol.Location) bool {
	if l.Language != "" {
		return false
	}
	base := l.Module[strings.LastIndexByte(l.Module, '/')+1:]
	begins := func(name string, prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	return begins(base, "libmpi", "libpmpi", "libopen-", "mca_") ||
		begins(l.Function, "ompi_", "opal_", "mca_", "MPIR_", "MPIDI_", "MPID_", "MPIC_", "MPIDIG_", "PMPI_")
}

// kindOf says what evidence the name of a call is by itself: that a rank has
// come to the end, or not beyond the start. What any other call waits for is
// not on the stack.
func kindOf(call string) model.Kind {
	switch f := mpi.FindFunction(call); {
	case f.InClass(mpi.ClassInit):
		return model.Init
	case f.InClass(mpi.ClassFinalize):
		return model.Finalize
	case f.InClass(mpi.ClassAbort):
		return model.Abort
	}
	return model.Other
}
