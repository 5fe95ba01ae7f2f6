package replay

import (
	"laggard/model"
	"laggard/model/mpi"
)

// lifecycle follows the phase that the rank is in: before MPI_Init, initialised, or finalised.
type lifecycle struct {
	*reporter
	initialised      int  // the call, -1 not yet
	session          bool // a session was made: no MPI_Init is needed
	sessions         int  // those that were made and not finalised
	finalized        int  // the call, -1 not yet
	finalize         args // its arguments
	finalizeReturned bool // MPI_Finalize returned
	seenBefore       bool // the record begins in the midst of the program
	mainThread       int
}

func newLifecycle(r *reporter) *lifecycle {
	return &lifecycle{reporter: r, initialised: -1, finalized: -1, seenBefore: r.t.Phase != model.Starting && !r.t.Initialises}
}

// beginCall notes that the rank comes to MPI_Finalize.
func (l *lifecycle) beginCall(a args) {
	if a.c.Func.Class == mpi.ClassFinalize && l.finalized < 0 {
		l.finalized, l.finalize = a.i, a
	}
}

// endCall notes what returned.
func (l *lifecycle) endCall(a args) {
	switch a.c.Func.Class {
	case mpi.ClassFinalize:
		l.finalizeReturned = true
	case mpi.ClassSessionInit:
		l.sessions++
	case mpi.ClassSessionFinalize:
		l.sessions--
	}
}

// leftMPI reports whether the rank left MPI, or began to, all ways that it entered it.
func (l *lifecycle) leftMPI() bool {
	return l.sessions == 0 && (l.finalized >= 0 || l.session && l.initialised < 0)
}

// isUp reports whether MPI is initialised, by MPI_Init or for a session. Some libraries refuse calls elsewhere that the standard
// allows at any time, as MPICH 4.0 does MPI_Session_create_errhandler.
func (l *lifecycle) isUp() bool {
	return l.seenBefore || l.sessions > 0 || l.initialised >= 0 && !l.finalizeReturned
}

// checkPhase finds calls before MPI_Init and after MPI_Finalize.
func (l *lifecycle) checkPhase(a args) {
	name := a.c.Func.Name
	switch a.c.Func.Class {
	case mpi.ClassSessionInit:
		l.session = true
		return
	case mpi.ClassInit:
		if l.initialised >= 0 || l.finalizeReturned {
			l.report("lifecycle", name+" is called again: MPI can be initialised once in a process",
				l.Place(a.i, "again"), l.Place(max(l.initialised, 0), "before"))
			return
		}
		l.initialised, l.mainThread = a.i, a.c.Thread
		return
	}
	switch {
	case a.c.Func.HasTrait(mpi.Anytime) || l.session:
	case a.c.Func.Class == mpi.ClassFinalize && l.finalized >= 0:
		l.report("lifecycle", "MPI_Finalize is called again: it ends MPI for all threads of the process",
			l.Place(a.i, "again"), l.Place(l.finalized, "before"))
		l.wrong[a.i] = true
	case l.finalizeReturned:
		l.report("lifecycle", name+" is called after MPI_Finalize", l.Place(a.i, "call"),
			l.Place(l.finalized, "finalize"))
		l.wrong[a.i] = true
	case l.initialised < 0 && !l.seenBefore:
		l.report("lifecycle", name+" is called before MPI_Init", l.Place(a.i, "call"))
		l.wrong[a.i] = true
	}
}

// checkFinalize finds that MPI_Finalize is missing.
func (l *lifecycle) checkFinalize(open []args) {
	missing := l.initialised >= 0 && l.finalized < 0 && !l.session && l.t.Complete && l.t.End == model.Exited
	if missing && len(open) == 0 {
		f := l.report("lifecycle", "the process ended without MPI_Finalize", l.Place(len(l.calls)-1, "last call"),
			l.Place(l.initialised, "initialisation"))
		f.Change = "call MPI_Finalize before the process ends"
	}
}
