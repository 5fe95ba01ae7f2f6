package mpi

import (
	"slices"
	"strings"
	"sync"
)

// Binding is the language binding through which a function is called.
type Binding uint8

// The bindings, by their numbers in a run directory.
const (
	C         Binding = iota
	Fortran           // mpif.h and use mpi
	Fortran08         // use mpi_f08
)

// Symbol is what the name of a function in a program or library stands for.
type Symbol struct {
	*Function
	Binding   Binding
	Profiling bool // its entry for tools, such as PMPI_Send
}

// byLowerName has the functions by their names in lower case.
var byLowerName = sync.OnceValue(func() map[string]*Function {
	out := map[string]*Function{}
	for _, f := range Functions() {
		out[strings.ToLower(f.Name)] = f
		if f.HasCPointerForm() {
			out[strings.ToLower(f.Name)+CPointerForm] = f
		}
	}
	return out
})

// CPointerForm ends the Fortran names of functions that return an address as a TYPE(C_PTR) of the module mpi (MPI-4.0, section 19.1.15).
const CPointerForm = "_cptr"

// HasCPointerForm reports whether a function has such a name besides.
func (f *Function) HasCPointerForm() bool {
	return slices.ContainsFunc(f.Params, func(p Param) bool { return p.Name == "baseptr" })
}

// FindSymbol returns the function that a name stands for in any language binding:
// MPI_Send, PMPI_Send, mpi_send, mpi_send_, MPI_SEND, mpi_send_f08ts_ are MPI_Send.
// ok is false for a name that only looks like one, such as mpi_exchange.
func FindSymbol(name string) (s Symbol, ok bool) {
	rest := name
	if len(name) > 4 && (name[0] == 'P' || name[0] == 'p') && strings.EqualFold(name[1:4], "mpi") {
		s.Profiling, rest = true, name[1:]
	}
	if s.Function = FindFunction(rest); s.Function != nil {
		return s, true
	}
	rest, s.Binding = fortranName(rest)
	if s.Function = byLowerName()[rest]; s.Function == nil {
		return Symbol{}, false
	}
	return s, true
}

// FunctionOf returns the function that a name stands for in any language binding, nil if
// it is none; see [FindSymbol].
func FunctionOf(name string) *Function {
	s, _ := FindSymbol(name)
	return s.Function
}

// fortranName takes away what Fortran compilers and bindings add to a name: the case,
// underscores, _f08 and _f08ts, and _large of functions with large counts.
func fortranName(name string) (string, Binding) {
	name, binding := strings.ToLower(name), Fortran
	for {
		rest := strings.TrimSuffix(strings.TrimRight(name, "_"), "_large")
		for _, suffix := range []string{"_f08", "_f08ts"} {
			if cut, ok := strings.CutSuffix(rest, suffix); ok {
				rest, binding = cut, Fortran08
			}
		}
		if rest == name {
			return name, binding
		}
		name = rest
	}
}
