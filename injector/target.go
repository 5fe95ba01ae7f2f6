package injector

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
	"laggard/injector/ptrace"
)

// Class tells the program's own functions from MPI calls.
type Class string

// The classes of function, which the paper's results are split by.
const (
	User Class = "user"
	MPI  Class = "mpi"
)

// Target is a function.
type Target struct {
	Class    Class  `json:"class"`            // user or mpi
	Module   string `json:"module"`           // last element of its path, or a pattern; "" any
	Function string `json:"function"`         // linker name; for MPI the C name, such as MPI_Send
	Offset   uint64 `json:"offset,omitempty"` // address of its entry in the file; absent: found by name
	File     string `json:"file,omitempty"`   // source file
	Line     int    `json:"line,omitempty"`   // line of its entry
}

// Name is the function as a person reads it: demangled, without parameters.
func (t Target) Name() string { return demangleName(t.Function) }

// String names the function with its module.
func (t Target) String() string {
	switch {
	case t.Function == "":
		return fmt.Sprintf("%s+%#x", t.Module, t.Offset)
	case t.Module == "":
		return t.Name()
	}
	return t.Name() + " (" + t.Module + ")"
}

func demangleName(name string) string {
	return demangle.Filter(name, demangle.NoParams, demangle.NoClones, demangle.MaxLength(16))
}

// Entry says which of the two functions that an MPI call passes through under a
// recorder is meant.
type Entry string

// The entries of an MPI call.
const (
	// Library: the MPI library's own function. The rank is inside the call.
	Library Entry = "library"
	// Caller: the function the program calls, which is the recorder's where one is
	// preloaded. The rank is about to make the call.
	Caller Entry = "caller"
)

// functionCache remembers what files define.
type functionCache map[string][]ptrace.Function

func (l functionCache) functions(path string) []ptrace.Function {
	if list, ok := l[path]; ok {
		return list
	}
	list, err := ptrace.Functions(path)
	if err != nil {
		list = nil // no ELF file: nothing to stand at
	}
	l[path] = list
	return list
}

func (l functionCache) definesFunction(m ptrace.Module, name string) bool {
	_, ok := ptrace.FindFunction(l.functions(m.Path), name)
	return ok
}

// isMPI tells the MPI library: a tool defines MPI_Init, only the library also
// PMPI_Init.
func (l functionCache) isMPI(m ptrace.Module) bool { return l.definesFunction(m, "PMPI_Init") }

// targetAddress returns the address of the target in a module, false if it is not there.
func (l functionCache) targetAddress(m ptrace.Module, t Target, e Entry) (uint64, bool) {
	if !matchesPattern(t.Module, m.Name()) || t.Class == MPI && l.isMPI(m) != (e != Caller) {
		return 0, false
	}
	if t.Offset != 0 {
		return m.Base + t.Offset, true
	}
	names := []string{t.Function}
	if t.Class == MPI {
		names = []string{"P" + t.Function, t.Function}
	}
	for _, name := range names {
		if f, ok := l.findFunction(m, name); ok {
			return m.Base + f.Offset, true
		}
	}
	return 0, false
}

// findFunction takes linker names before readable ones, which need not be unique.
func (l functionCache) findFunction(m ptrace.Module, name string) (ptrace.Function, bool) {
	list := l.functions(m.Path)
	if f, ok := ptrace.FindFunction(list, name); ok || strings.HasPrefix(name, "_Z") {
		return f, ok
	}
	i := slices.IndexFunc(list, func(f ptrace.Function) bool {
		return strings.HasPrefix(f.Name(), "_Z") && demangleName(f.Name()) == name
	})
	if i < 0 {
		return ptrace.Function{}, false
	}
	return list[i], true
}

// matchesPattern reports whether a pattern (path.Match) names a module; "" matches all.
func matchesPattern(pattern, module string) bool {
	if pattern == "" || pattern == module {
		return true
	}
	ok, err := filepath.Match(pattern, module)
	return err == nil && ok
}
