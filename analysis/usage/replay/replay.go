package replay

import (
	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/typemap"
	"laggard/model/mpi"
)

// Replayed is what the trace of one rank says by itself.
type Replayed struct {
	Trace *recorded.Trace
	// Operations are in the order in which they began.
	Operations []Operation
	// Waits are in the order of their calls.
	Waits []Wait
	// Epochs are those of windows, in the order in which they were opened.
	Epochs []Epoch
	// Accesses are those to windows, in the order in which they began.
	Accesses []Access
	// Findings are those that the rank shows alone, in the order in which they
	// happened first; those that are alike are one, see Group.
	Findings []finding.Finding
	// Finalized: the rank came to MPI_Finalize, or to the end of all its sessions.
	// Of any other it is not known what it would still have completed and freed.
	Finalized bool
	muted     mutes
}

// Muted reports whether the program asked that nothing be said of call i.
func (r *Replayed) Muted(i int) bool { return r.muted.has(r.Trace.Calls[i].Begin) }

// replay hands each call of a rank to those that follow something through its calls.
type replay struct {
	*reporter
	layouts     *typemap.Layouts
	life        *lifecycle
	threads     *threads
	objects     *objects
	datatypes   *datatypes
	groups      *groups
	arguments   *arguments
	refusals    *refusals
	memory      *memory
	operations  *operations
	collectives *collectives
	messages    *messages
	attached    *attached
	requests    *requests
	windows     *windows
	files       *files
	notes       *notes
}

func newReplay(t *recorded.Trace) *replay {
	r := &replay{reporter: newReporter(t), layouts: typemap.NewLayouts(t.Types)}
	r.life = newLifecycle(r.reporter)
	r.threads = &threads{reporter: r.reporter, life: r.life}
	r.objects = newObjects(r.reporter)
	r.datatypes = newDatatypes(t, r.objects)
	r.groups = newGroups(t, r.objects)
	r.arguments = newArguments(r.reporter, r.layouts, r.objects, r.datatypes, r.groups)
	r.refusals = newRefusals(r.reporter)
	r.memory = newMemory(r.reporter, r.layouts)
	r.operations = newOperations(r.memory)
	r.collectives = newCollectives(t, r.operations)
	r.messages = newMessages(r.reporter, r.operations)
	r.attached = newAttached(r.reporter, r.layouts)
	r.requests = newRequests(r.reporter, r.layouts, r.operations, r.threads, r.attached)
	r.windows = newWindows(r.reporter, r.layouts, r.operations, r.collectives, r.groups)
	r.files = newFiles(r.reporter, r.requests)
	r.notes = &notes{r.reporter, r.memory}
	return r
}

// Run follows one rank through its trace.
func Run(t *recorded.Trace) *Replayed {
	r := newReplay(t)
	for i := range t.Calls {
		r.endCallsBefore(t.Calls[i].Begin)
		if t.Calls[i].Func == nil {
			continue // the decoder knows all functions; a bad input may not
		}
		a := argsOf(t, i)
		r.beginCall(a)
		r.threads.beginCall(a)
	}
	r.endCallsBefore(^uint64(0))
	r.finishTrace()
	return &Replayed{
		Trace: t, Operations: r.operations.all, Waits: r.requests.waits, Epochs: r.windows.epochs,
		Accesses: r.windows.accesses, Findings: r.allFindings(), Finalized: r.life.leftMPI(), muted: r.muted,
	}
}

// endCallsBefore ends the calls that returned before a place.
func (r *replay) endCallsBefore(place uint64) {
	for i, ok := r.threads.takeReturned(place); ok; i, ok = r.threads.takeReturned(place) {
		r.endCall(argsOf(r.t, i))
	}
}

// beginCall follows a call up to where MPI takes over.
func (r *replay) beginCall(a args) {
	r.life.checkPhase(a)
	r.threads.checkThreading(a)
	if a.c.Func.Class == mpi.ClassLight {
		return
	}
	buffers := buffersOf(a, r.layouts)
	returned := r.refusals.wasReturned(a)
	if returned {
		r.addLast()
	}
	if !r.wrong[a.i] { // no argument is right where MPI is not there
		r.arguments.checkCall(a, buffers)
	}
	act := r.operations.beginCall(a.i)
	if returned {
		r.refusals.report(a)
		r.collectives.addRefused(a)
	}
	if r.wasRefused(a) {
		return
	}
	r.attached.beginCall(a)
	r.messages.beginCall(a)
	r.collectives.beginCall(a)
	r.windows.beginCall(a)
	r.requests.beginCall(a)
	r.files.beginCall(a)
	r.life.beginCall(a)
	r.memory.beginCall(a, buffers, act)
}

// endCall follows a call when MPI hands back.
func (r *replay) endCall(a args) {
	act := r.operations.takeBegun(a.i)
	if act == nil || r.wasRefused(a) {
		return
	}
	r.refusals.endCall(a)
	r.objects.endCall(a)
	r.datatypes.endCall(a)
	r.groups.endCall(a)
	r.requests.endCall(a, act)
	r.windows.endCall(a, act)
	r.messages.endCall(a, act)
	r.operations.endCall(a, act)
	r.files.endCall(a)
	r.attached.endCall(a)
	r.life.endCall(a)
}

// finishTrace judges what is left when the trace ends.
func (r *replay) finishTrace() {
	if last := r.life.finalized; last >= 0 && r.t.Complete {
		r.requests.reportLeftovers(last)
		r.messages.reportLeftovers(last)
		r.objects.reportLeftovers(last)
		r.attached.reportLeftovers(last)
		r.windows.reportLeftovers(last)
	}
	r.arguments.reportRefusals()
	r.life.checkFinalize(r.threads.open)
	r.notes.reportAll()
}
