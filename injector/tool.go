package injector

import (
	"slices"

	"laggard/injector/ptrace"
	"laggard/model/mpi"
)

// tool is a library between the program and MPI, such as the recorder. Some of
// the MPI calls it makes are the program's, passed on; others are its own.
type tool struct {
	ptrace.Module
	passing map[*mpi.Function][]ptrace.Function // the functions that pass on a call
}

type tools []tool

// isTool: it defines the calls, but not the profiling interface they lead to.
// A program that has such functions itself is no library.
func (l functionCache) isTool(m ptrace.Module) bool {
	return l.definesFunction(m, "MPI_Init") && !l.isMPI(m) && !l.definesFunction(m, "main")
}

func (ts *tools) add(m ptrace.Module, l functionCache) {
	if !l.isTool(m) {
		return
	}
	t := tool{m, map[*mpi.Function][]ptrace.Function{}}
	for _, fn := range l.functions(m.Path) {
		if call := mpiFunction(fn.Name()); call != nil {
			t.passing[call] = append(t.passing[call], fn)
		}
	}
	*ts = append(*ts, t)
}

// madeByTool reports whether a thread at the entry of a function was sent there by a
// tool for its own ends.
func (ts tools) madeByTool(t *ptrace.Thread, what Target) (bool, error) {
	if len(ts) == 0 || what.Class != MPI {
		return false, nil
	}
	from, err := t.ReturnAddress()
	if err != nil {
		return false, err
	}
	for _, one := range ts {
		if from >= one.Low && from < one.High {
			return !one.forwards(from-one.Base, mpiFunction(what.Function)), nil
		}
	}
	return false, nil
}

func (t tool) forwards(offset uint64, call *mpi.Function) bool {
	return slices.ContainsFunc(t.passing[call], func(fn ptrace.Function) bool {
		return offset >= fn.Offset && offset <= fn.Offset+fn.Size
	})
}

// mpiFunction returns the MPI function that a symbol of any language stands for, nil
// if none; entries of the profiling interface count as none.
func mpiFunction(symbol string) *mpi.Function {
	if f, ok := mpi.FindSymbol(symbol); ok && !f.Profiling {
		return f.Function
	}
	return nil
}
