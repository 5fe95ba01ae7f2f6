package injector

import (
	"strings"
	"sync"

	"laggard/injector/ptrace"
	"laggard/model/mpi"
)

// tool is a library between the program and MPI, such as the recorder. Some of
// the MPI calls it makes are the program's, passed on; others are its own.
type tool struct {
	ptrace.Module
	passing map[string][]ptrace.Function // the functions that pass on a call, by callOf
}

type tools []tool

// isTool: it defines the calls, but not the profiling interface they lead to.
// A program that has such functions itself is no library.
func (l library) isTool(m ptrace.Module) bool {
	return l.defines(m, "MPI_Init") && !l.isMPI(m) && !l.defines(m, "main")
}

func (ts *tools) add(m ptrace.Module, l library) {
	if !l.isTool(m) {
		return
	}
	t := tool{m, map[string][]ptrace.Function{}}
	for _, fn := range l.functions(m.Path) {
		if call := callOf(fn.Name()); call != "" {
			t.passing[call] = append(t.passing[call], fn)
		}
	}
	*ts = append(*ts, t)
}

// made tells whether a thread at the entry of a function was sent there by a
// tool for its own ends.
func (ts tools) made(t *ptrace.Thread, what Target) (bool, error) {
	if len(ts) == 0 || what.Class != MPI {
		return false, nil
	}
	from, err := t.Caller()
	if err != nil {
		return false, err
	}
	for _, one := range ts {
		if from >= one.Low && from < one.High {
			return !one.passesOn(from-one.Base, callOf(what.Function)), nil
		}
	}
	return false, nil
}

func (t tool) passesOn(offset uint64, call string) bool {
	for _, fn := range t.passing[call] {
		if offset >= fn.Offset && offset <= fn.Offset+fn.Size {
			return true
		}
	}
	return false
}

// byCall is the functions of MPI by callOf.
var byCall = sync.OnceValue(func() map[string]*mpi.Function {
	out := map[string]*mpi.Function{}
	for _, f := range mpi.Functions() {
		out[strings.ToLower(f.Name)] = f
	}
	return out
})

// fortran are the endings of the names of one call in its Fortran bindings.
var fortran = []string{"_", "_f08", "_f08ts", "_large"}

// callOf names the MPI call that a symbol of any language stands for, in lower
// case; "" none.
func callOf(symbol string) string {
	name := strings.ToLower(symbol)
	if !strings.HasPrefix(name, "mpi_") {
		return ""
	}
	for again := true; again; {
		again = false
		for _, ending := range fortran {
			if rest, ok := strings.CutSuffix(name, ending); ok {
				name, again = rest, true
			}
		}
	}
	return name
}
