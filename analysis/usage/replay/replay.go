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
	// Calls are in the order of Trace.Calls.
	Calls []Call
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
}

// Follower is told of what a rank does while the arguments of its calls are at hand.
type Follower interface {
	// BeginCall is told of each call, an index into Replayed.Calls, before the operations that it begins.
	BeginCall(call int, c *recorded.Call)
	// BeginOperation is told of each operation in the order in which they begin, and of the call that has its arguments,
	// which is Operation.Made.
	BeginOperation(o *Operation, made *recorded.Call)
	// ChangeOperation is told when an operation is done, or something else of it has changed.
	ChangeOperation(o *Operation)
}

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

func newReplay(t *recorded.Trace, f Follower) *replay {
	r := &replay{reporter: newReporter(t), layouts: typemap.NewLayouts(t.Types)}
	r.life = newLifecycle(r.reporter)
	r.threads = &threads{reporter: r.reporter, life: r.life}
	r.objects = newObjects(r.reporter)
	r.datatypes = newDatatypes(t, r.objects)
	r.groups = newGroups(t, r.objects)
	r.arguments = newArguments(r.reporter, r.layouts, r.objects, r.datatypes, r.groups)
	r.refusals = newRefusals(r.reporter)
	r.memory = newMemory(r.reporter, r.layouts)
	r.operations = newOperations(r.memory, f)
	r.collectives = newCollectives(t, r.operations)
	r.messages = newMessages(r.reporter, r.operations)
	r.attached = newAttached(r.reporter, r.layouts)
	r.requests = newRequests(r.reporter, r.layouts, r.operations, r.threads, r.attached)
	r.windows = newWindows(r.reporter, r.layouts, r.operations, r.collectives, r.groups)
	r.files = newFiles(r.reporter, r.requests)
	r.notes = newNotes(r.reporter, r.memory)
	return r
}

// Run follows one rank through its trace, and tells the follower.
func Run(t *recorded.Trace, f Follower) *Replayed {
	r := newReplay(t, f)
	for c := range t.Calls {
		r.endCallsBefore(c.Begin)
		a := argsOf(t, len(r.calls), c)
		r.calls = append(r.calls, r.newCall(c))
		f.BeginCall(a.i, c)
		r.beginCall(a)
		r.threads.beginCall(a)
	}
	r.endCallsBefore(^uint64(0))
	r.finishTrace()
	return &Replayed{
		Trace: t, Calls: r.calls, Waits: r.requests.waits, Epochs: r.windows.epochs,
		Accesses: r.windows.accesses, Findings: r.allFindings(), Finalized: r.life.leftMPI(),
	}
}

// endCallsBefore ends the calls that returned before a place.
func (r *replay) endCallsBefore(place uint64) {
	for a, ok := r.threads.takeReturned(place); ok; a, ok = r.threads.takeReturned(place) {
		r.endCall(a)
	}
}

// beginCall follows a call up to where MPI takes over.
func (r *replay) beginCall(a args) {
	r.notes.beginCall(a)
	r.life.checkPhase(a)
	r.threads.checkThreading(a)
	if a.c.Func.Class == mpi.ClassLight {
		return
	}
	buffers := buffersOf(a, r.layouts)
	if a.c.Refused && r.life.isUp() {
		r.arguments.refused = append(r.arguments.refused, a)
	}
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
		r.windows.reportLeftovers(r.life.finalize)
	}
	r.requests.reportUnready()
	r.arguments.reportRefusals()
	r.life.checkFinalize(r.threads.open)
	r.notes.reportAll()
}
