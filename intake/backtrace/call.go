package backtrace

import (
	"regexp"
	"strings"
	"sync"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/symbol"
)

// functions are those of MPI by their names in lower case.
var functions = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, f := range mpi.Functions() {
		out[strings.ToLower(f.Name)] = f.Name
	}
	return out
})

// call is the MPI call that a stack is in.
type call struct {
	name    string
	binding model.Binding
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
		if name, binding, ok := mpiFunction(l.Function); ok && l.Language == "" {
			c, found = call{name, binding, i}, true
			continue
		}
		if mpiLibrary(l) {
			inner, c.frame = i, i // a wrapper of the call, if it was found
		} else if (found || inner >= 0) && !symbol.System(l) {
			break
		}
	}
	if !found && inner >= 0 {
		name := stack[inner].Function
		if name == "" {
			name = "MPI"
		}
		if known := insides[name]; known != "" {
			name = known
		}
		return call{name, model.C, inner}, true
	}
	return c, found
}

var (
	cName       = regexp.MustCompile(`^P?(MPIX?_\w+)$`)
	fortranName = regexp.MustCompile(`^p?(mpix?_[a-z0-9_]*?)(_f08|_f08ts)?_{0,2}$`)
)

// mpiFunction tells whether a function is one of MPI, and through which binding
// it is called. A name that only looks like one is none: programs have
// subroutines called mpi_exchange.
func mpiFunction(name string) (function string, binding model.Binding, ok bool) {
	if m := cName.FindStringSubmatch(name); m != nil {
		if functions()[strings.ToLower(m[1])] == m[1] {
			return m[1], model.C, true
		}
	}
	m := fortranName.FindStringSubmatch(strings.ToLower(name))
	if m == nil {
		return "", 0, false
	}
	binding = model.Fortran
	if m[2] != "" {
		binding = model.Fortran08
	}
	known := functions()[m[1]]
	return known, binding, known != ""
}

// mpiLibrary tells whether a frame is inside an MPI library.
func mpiLibrary(l symbol.Location) bool {
	if l.Language != "" {
		return false
	}
	base := l.Module[strings.LastIndexByte(l.Module, '/')+1:]
	for _, prefix := range []string{"libmpi", "libpmpi", "libopen-", "mca_"} {
		if strings.HasPrefix(base, prefix) {
			return true
		}
	}
	for _, prefix := range []string{"ompi_", "opal_", "mca_", "MPIR_", "MPIDI_", "MPID_", "MPIC_", "MPIDIG_", "PMPI_"} {
		if strings.HasPrefix(l.Function, prefix) {
			return true
		}
	}
	return false
}

// kindOf says what evidence the name of a call is by itself: that a rank has
// come to the end, or not beyond the start. What any other call waits for is
// not on the stack.
func kindOf(call string) model.Kind {
	switch call {
	case "MPI_Init", "MPI_Init_thread":
		return model.Init
	case "MPI_Finalize":
		return model.Finalize
	case "MPI_Abort":
		return model.Abort
	}
	return model.Other
}

// Function returns the function of MPI that a linker name stands for, and the binding
// through which it is called; ok is false for any other.
func Function(name string) (function string, binding model.Binding, ok bool) {
	return mpiFunction(name)
}
