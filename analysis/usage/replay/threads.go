package replay

import (
	"fmt"
	"iter"
	"slices"

	"laggard/model"
	"laggard/model/mpi"
)

// threads follows which calls the threads of the rank are in.
type threads struct {
	*reporter
	life *lifecycle
	open []args // calls that have begun and not returned
}

// beginCall notes that a call is under way.
func (t *threads) beginCall(a args) { t.open = append(t.open, a) }

// takeReturned takes out the open call that returned first, if one did before a place.
func (t *threads) takeReturned(place uint64) (call args, ok bool) {
	first := -1
	for k, a := range t.open {
		if end := a.c.Return; end != 0 && end < place && (first < 0 || end < t.open[first].c.Return) {
			first = k
		}
	}
	if first < 0 {
		return args{}, false
	}
	call = t.open[first]
	t.open = slices.Delete(t.open, first, first+1)
	return call, true
}

// otherCalls are the calls that other threads are in while one begins a call.
func (t *threads) otherCalls(a args) iter.Seq[args] {
	return func(yield func(args) bool) {
		for _, other := range t.open {
			if other.c.Thread != a.c.Thread && !yield(other) {
				return
			}
		}
	}
}

// serialized is the level from which on several threads may call.
const serialized = 2

// mayOthersCall reports whether other threads than one may call MPI, also some that have not yet.
func (t *threads) mayOthersCall() bool { return t.t.ThreadLevel >= serialized }

// checkThreading finds calls of threads that the provided level does not allow (MPI-3.1 §12.4.3).
func (t *threads) checkThreading(a args) {
	level := t.t.ThreadLevel
	switch {
	case level >= model.ThreadMultiple:
		t.checkCollectives(a)
		t.checkLastCall(a)
	case level >= 0 && a.c.Func.Class != mpi.ClassLight && !a.c.Func.HasTrait(mpi.Anytime) && t.life.initialised >= 0:
		t.checkLevel(a, level)
	}
}

// checkLevel checks a call at a level below MPI_THREAD_MULTIPLE.
func (t *threads) checkLevel(a args, level int) {
	name := model.ThreadLevels[level]
	if level < serialized && a.c.Thread != t.life.mainThread {
		t.report("thread_level",
			fmt.Sprintf("%s is called by a thread that did not call MPI_Init, at %s", a.c.Func.Name, name),
			t.Place(a.i, "call"), t.Place(t.life.initialised, "initialisation"))
		return
	}
	for other := range t.otherCalls(a) {
		if other.c.Func.Class != mpi.ClassLight {
			t.report("thread_level", fmt.Sprintf("%s is called while another thread is in %s, at %s",
				a.c.Func.Name, other.c.Func.Name, name),
				t.Place(a.i, "call"), t.Place(other.i, "call at the same time"))
			return
		}
	}
}

// checkLastCall finds threads that are still in MPI, or have not done with it, when MPI_Finalize is called: it is
// for the thread that called MPI_Init, after all other calls have returned (MPI-3.1 §12.4.2).
func (t *threads) checkLastCall(a args) {
	if a.c.Func.Class != mpi.ClassFinalize || t.life.initialised < 0 || t.wrong[a.i] {
		return
	}
	for other := range t.otherCalls(a) {
		if class := other.c.Func.Class; class != mpi.ClassFinalize && class != mpi.ClassLight {
			t.report("thread_level", "MPI_Finalize is called while another thread is in "+other.c.Func.Name,
				t.Place(a.i, "call"), t.Place(other.i, "call at the same time")).Standard = "MPI-3.1 §12.4.2"
			return
		}
	}
	if a.c.Thread != t.life.mainThread {
		f := t.report("thread_level", "MPI_Finalize is called by a thread that did not call MPI_Init",
			t.Place(a.i, "call"), t.Place(t.life.initialised, "initialisation"))
		f.Standard, f.Change = "MPI-3.1 §12.4.2", "call MPI_Finalize on the thread that called MPI_Init"
	}
}

// checkCollectives finds two threads in collectives on one communicator, of which
// nothing says the order (MPI-3.1 §5.13, §12.4.2).
func (t *threads) checkCollectives(a args) {
	if len(t.open) == 0 || !isCollective(a.c.Func.Class) || a.commIndex() < 0 {
		return
	}
	for other := range t.otherCalls(a) {
		if isCollective(other.c.Func.Class) && other.commIndex() == a.commIndex() {
			t.report("thread_level",
				fmt.Sprintf("two threads call collectives on the same communicator at the same time: %s and %s",
					other.c.Func.Name, a.c.Func.Name),
				t.Place(a.i, "call"), t.Place(other.i, "call at the same time")).Standard = "MPI-3.1 §12.4.2"
			return
		}
	}
}
