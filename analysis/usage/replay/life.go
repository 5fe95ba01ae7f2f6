package replay

import (
	"fmt"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// life is the phase that a rank is in: before MPI_Init, initialised, or finalised.
type life struct {
	initialised int // the call, -1 not yet
	returned    bool
	session     bool // a session was made: no MPI_Init is needed
	sessions    int  // those that were made and not finalised
	finalized   int  // the call, -1 not yet
	over        bool // MPI_Finalize returned
	seenBefore  bool // the record begins in the midst of the program
	mainThread  int
}

func newLife(t *recorded.Trace) life {
	l := life{initialised: -1, finalized: -1, seenBefore: t.Phase != model.Starting}
	for i := range t.Calls {
		if f := t.Calls[i].Func; f != nil && (f.Class == mpi.ClassInit || f.Class == mpi.ClassSessionInit) {
			l.seenBefore = false
		}
	}
	return l
}

func (l *life) finalize(i int) {
	if l.finalized < 0 {
		l.finalized = i
	}
}

func (l *life) end(a args) {
	switch a.c.Func.Class {
	case mpi.ClassInit:
		l.returned = true
	case mpi.ClassFinalize:
		l.over = true
	case mpi.ClassSessionInit:
		l.sessions++
	case mpi.ClassSessionFinalize:
		l.sessions--
	}
}

// ended reports whether the rank left MPI, or began to, all ways that it entered it.
func (l *life) ended() bool {
	return l.sessions == 0 && (l.finalized >= 0 || l.session && l.initialised < 0)
}

// anytime are the functions that may be called before MPI_Init and after
// MPI_Finalize (MPI-3.1 §8.7; MPI-4.0 §11.4.1 adds those of info and error handlers).
func anytime(name string) bool {
	switch name {
	case "MPI_Initialized", "MPI_Finalized", "MPI_Get_version", "MPI_Get_library_version", "MPI_Abort", "MPI_Pcontrol",
		"MPI_Wtime", "MPI_Wtick":
		return true
	}
	for _, prefix := range []string{"MPI_T_", "MPI_Session_", "MPI_Info_", "MPI_Error_", "MPI_Errhandler_",
		"MPI_Add_error_", "MPIX_Query_", "MPI_Group_from_session"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasSuffix(name, "_create_errhandler") || strings.HasSuffix(name, "_c2f") ||
		strings.HasSuffix(name, "_f2c") || strings.HasSuffix(name, "_create_keyval")
}

// checkLife finds calls before MPI_Init and after MPI_Finalize.
func (r *replay) checkLife(a args) {
	l, name := &r.life, a.c.Func.Name
	switch a.c.Func.Class {
	case mpi.ClassSessionInit:
		l.session = true
		return
	case mpi.ClassInit:
		if l.initialised >= 0 || l.over {
			r.report("lifecycle", name+" is called again: MPI can be initialised once in a process",
				r.Place(a.i, "again"), r.Place(max(l.initialised, 0), "before"))
			return
		}
		l.initialised, l.mainThread = a.i, a.c.Thread
		return
	}
	switch {
	case anytime(name) || l.session:
	case a.c.Func.Class == mpi.ClassFinalize && l.finalized >= 0:
		r.report("lifecycle", "MPI_Finalize is called again: it ends MPI for all threads of the process",
			r.Place(a.i, "again"), r.Place(l.finalized, "before"))
		r.wrong[a.i] = true
	case l.over:
		r.report("lifecycle", name+" is called after MPI_Finalize", r.Place(a.i, "call"),
			r.Place(l.finalized, "finalize"))
		r.wrong[a.i] = true
	case l.initialised < 0 && !l.seenBefore:
		r.report("lifecycle", name+" is called before MPI_Init", r.Place(a.i, "call"))
		r.wrong[a.i] = true
	}
}

// checkThreads finds calls of threads that the provided level does not allow
// (MPI-3.1 §12.4.3).
func (r *replay) checkThreads(a args) {
	level := r.t.ThreadLevel
	if level < 0 || level >= 3 || a.c.Func.Class == mpi.ClassLight || anytime(a.c.Func.Name) || r.life.initialised < 0 {
		if level >= 3 {
			r.checkCollectives(a)
			r.checkLastCall(a)
		}
		return
	}
	levels := [...]string{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED"}
	if level < 2 && a.c.Thread != r.life.mainThread {
		r.report("thread_level",
			fmt.Sprintf("%s is called by a thread that did not call MPI_Init, at %s", a.c.Func.Name, levels[level]),
			r.Place(a.i, "call"), r.Place(r.life.initialised, "initialisation"))
		return
	}
	for _, i := range r.open {
		if other := &r.t.Calls[i]; other.Thread != a.c.Thread && other.Func.Class != mpi.ClassLight {
			r.report("thread_level", fmt.Sprintf("%s is called while another thread is in %s, at %s",
				a.c.Func.Name, other.Func.Name, levels[level]),
				r.Place(a.i, "call"), r.Place(i, "call at the same time"))
			return
		}
	}
}

// checkLastCall finds threads that are still in MPI, or have not done with it, when MPI_Finalize is called: it is
// for the thread that called MPI_Init, after all other calls have returned (MPI-3.1 §12.4.2).
func (r *replay) checkLastCall(a args) {
	if a.c.Func.Class != mpi.ClassFinalize || r.life.initialised < 0 || r.wrong[a.i] {
		return
	}
	for _, i := range r.open {
		if other := &r.t.Calls[i]; other.Thread != a.c.Thread && other.Func.Class != mpi.ClassFinalize &&
			other.Func.Class != mpi.ClassLight {
			r.report("thread_level", "MPI_Finalize is called while another thread is in "+other.Func.Name,
				r.Place(a.i, "call"), r.Place(i, "call at the same time")).Standard = "MPI-3.1 §12.4.2"
			return
		}
	}
	if a.c.Thread != r.life.mainThread {
		f := r.report("thread_level", "MPI_Finalize is called by a thread that did not call MPI_Init",
			r.Place(a.i, "call"), r.Place(r.life.initialised, "initialisation"))
		f.Standard, f.Change = "MPI-3.1 §12.4.2", "call MPI_Finalize on the thread that called MPI_Init"
	}
}

// checkCollectives finds two threads in collectives on one communicator, of which
// nothing says the order (MPI-3.1 §5.13, §12.4.2).
func (r *replay) checkCollectives(a args) {
	if len(r.open) == 0 || !isCollective(a.c.Func.Class) {
		return
	}
	for _, i := range r.open {
		other := argsOf(r.t, i)
		if other.c.Thread != a.c.Thread && isCollective(other.c.Func.Class) && other.on() == a.on() && a.on() >= 0 {
			r.report("thread_level",
				fmt.Sprintf("two threads call collectives on the same communicator at the same time: %s and %s",
					other.c.Func.Name, a.c.Func.Name),
				r.Place(a.i, "call"), r.Place(i, "call at the same time")).Standard = "MPI-3.1 §12.4.2"
			return
		}
	}
}

func isCollective(class mpi.Class) bool {
	switch class {
	case mpi.ClassColl, mpi.ClassIcoll, mpi.ClassCollInit, mpi.ClassNewcomm, mpi.ClassNewcommNb,
		mpi.ClassCommFree, mpi.ClassNewwin, mpi.ClassNewfile, mpi.ClassWinColl, mpi.ClassWinFree:
		return true
	}
	return false
}

// finish judges what is left when the trace ends.
func (r *replay) finish() {
	l := &r.life
	if l.finalized >= 0 && r.t.Complete {
		r.lostRequests()
		r.lostMessages()
		r.leaks()
		r.openEpochs()
	}
	r.refusals()
	missing := l.initialised >= 0 && l.finalized < 0 && !l.session && r.t.Complete && r.t.End == model.Exited
	if missing && len(r.open) == 0 {
		f := r.report("lifecycle", "the process ended without MPI_Finalize", r.Place(len(r.t.Calls)-1, "last call"),
			r.Place(l.initialised, "initialisation"))
		f.Change = "call MPI_Finalize before the process ends"
	}
	r.changedBuffers()
}

// refusals reports calls in which MPI ended the job with an error, where nothing else is known to be wrong with them.
// Only of calls whose own arguments decide: others end so, too, for what other ranks did.
func (r *replay) refusals() {
	for i := range r.t.Calls {
		a := argsOf(r.t, i)
		if !a.c.Refused || r.wrong[i] || !alone(a.c.Func) {
			continue
		}
		f := r.report("invalid_argument",
			fmt.Sprintf("MPI reported an error in %s and ended the job", a.c.Func.Name), r.Place(i, "call"))
		f.Change = "look up the error that MPI printed, and what the function asks of its arguments"
	}
}

// alone tells whether a function of MPI works at one rank by itself, with nothing but its arguments: not with files,
// ports, processes that failed, or functions of the program that may themselves report an error.
func alone(f *mpi.Function) bool {
	for _, part := range []string{"MPIX_", "MPI_File_", "MPI_Alloc_", "MPI_Open_", "MPI_Lookup_", "MPI_Publish_",
		"MPI_Unpublish_", "_call_errhandler", "_attr", "MPI_Attr_"} {
		if strings.Contains(f.Name, part) {
			return false
		}
	}
	return f.Class == mpi.ClassLocal || f.Class == mpi.ClassTypeFree
}

// touched reports what the program read or wrote while an operation used it, as the sanitizer saw it.
func (r *replay) touched(n recorded.Note) {
	operation := r.Place(n.Call, "operation")
	access := finding.Place{Rank: r.t.Rank, Site: n.Site, Role: "read", Muted: operation.Muted}
	class, did := "receive_buffer_read", "read"
	if n.Write {
		class, did, access.Role = "receive_buffer_write", "wrote to", "write"
	}
	if !n.Received {
		class = "send_buffer_write"
	}
	r.report(class, fmt.Sprintf("the program %s the buffer of %s before its completion", did, operation.Call), access,
		operation)
}

// innermost is where the program called MPI.
func (r *replay) innermost(call int) model.Frame {
	if call < 0 || call >= len(r.t.Calls) {
		return model.Frame{}
	}
	if stack := r.t.Sites[r.t.Calls[call].Site].Stack; len(stack) > 0 {
		return stack[0]
	}
	return model.Frame{}
}

// changedBuffers reports the buffers that the recorder saw change while an
// operation used them. The sanitizer tells each access once, whatever operations that one place begins.
func (r *replay) changedBuffers() {
	written := map[model.Frame]bool{}
	for _, n := range r.t.Notes {
		if n.Kind == recorded.BufferTouched && n.Write {
			written[r.innermost(n.Call)] = true
		}
	}
	for _, n := range r.t.Notes {
		if n.Call < 0 || n.Call >= len(r.t.Calls) || r.overlapping[n.Call] || n.Kind == recorded.NoPlace {
			continue
		}
		if n.Kind == recorded.BufferTouched {
			r.touched(n)
			continue
		}
		if written[r.innermost(n.Call)] {
			continue
		}
		class, role, seen := "send_buffer_write", "send", "completion"
		what := "the buffer of %s changed between its begin and its completion"
		if n.Kind == recorded.ReceiveBufferChanged {
			class, role, seen = "receive_buffer_write", "receive", "first call behind the write"
			what = "the program wrote to the buffer of %s before its completion"
		}
		places := []finding.Place{r.Place(n.Call, role)}
		if n.Seen >= 0 && n.Seen < len(r.t.Calls) {
			places = append(places, r.Place(n.Seen, seen))
		}
		r.report(class, fmt.Sprintf(what, places[0].Call), places...)
	}
}
