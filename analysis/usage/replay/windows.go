package replay

import (
	"fmt"
	"maps"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// window is what the rank has open on a window (MPI-3.1 §11.5).
type window struct {
	made   int
	fence  int                // the last MPI_Win_fence, -1 none
	said   recorded.Assertion // of that fence
	inner  int                // the last call since that fence that opened another epoch, -1 none
	start  int                // MPI_Win_start that is open, -1
	post   int                // MPI_Win_post that is open, -1
	all    int                // MPI_Win_lock_all that is open, -1
	locks  map[int64]int      // MPI_Win_lock that are open, by target
	under  []access           // not yet complete
	unsure bool               // made before the record begins
}

// access is an operation that the end of an epoch completes.
type access struct {
	target int64
	call   int
	fenced bool // the epoch is that of a fence
	act    *activation
}

func newWindow(a args) *window {
	return &window{made: a.i, fence: -1, inner: -1, start: -1, post: -1, all: -1, locks: map[int64]int{}}
}

// windowOf returns the window of a call, one that nothing is known of if it was not
// seen to be made.
func (r *replay) windowOf(a args) *window {
	win := a.handle("win")
	w := r.windows[win]
	if w == nil {
		w = newWindow(a)
		w.unsure, w.made = true, -1
		if win >= 0 {
			r.windows[win] = w
		}
	}
	return w
}

// misuse reports wrong synchronisation of a window, unless too little is known.
func (r *replay) misuse(a args, w *window, section, message, change string, others ...finding.Place) {
	if w.unsure || !r.t.Complete {
		return
	}
	f := r.report("one_sided", message, append([]finding.Place{r.Place(a.i, "call")}, others...)...)
	f.Standard, f.Change = "MPI-3.1 "+section, change
}

func (w *window) passive() bool { return w.all >= 0 || len(w.locks) > 0 }

func (r *replay) beginAccess(a args) {
	target := a.num(model.None, "target_rank")
	r.add(a, Operation{Kind: OneSided, Comm: a.on(), Peer: int(target), Tag: model.None,
		Type: a.handle("origin_datatype", "datatype"), Count: a.num(1, "origin_count")})
	if target == model.ProcNull {
		return
	}
	r.checkTransfer(a)
	w, name := r.windowOf(a), a.c.Func.Name
	_, locked := w.locks[target]
	switch {
	case locked || w.all >= 0:
	case a.c.Func.Class == mpi.ClassRmaNb:
		r.misuse(a, w, "§11.3.5",
			fmt.Sprintf("%s to rank %d without a lock: request-based access needs one", name, target),
			"call MPI_Win_lock or MPI_Win_lock_all before it")
	case w.start >= 0:
	case w.byFence():
		r.beginFenced(a, w)
	case len(w.locks) > 0:
		r.misuse(a, w, "§11.5", fmt.Sprintf("%s to rank %d, which is not locked", name, target),
			"lock the rank that is accessed")
	default:
		r.misuse(a, w, "§11.5", fmt.Sprintf("%s to rank %d outside any epoch", name, target),
			"open an epoch before the access: MPI_Win_fence, MPI_Win_start or MPI_Win_lock")
	}
}

// endAccess leaves the access under way until its epoch, or its request, is complete.
func (r *replay) endAccess(a args, act *activation) {
	w, target := r.windowOf(a), a.num(model.None, "target_rank")
	shared := &activation{operations: act.operations, memory: act.memory}
	if target != model.ProcNull { // which no call completes
		w.under = append(w.under, access{target, a.i, w.byFence(), shared})
	}
	if a.c.Func.Class == mpi.ClassRmaNb {
		r.newRequest(a, shared)
	}
}

// finishAccesses completes the accesses to a target, or to all.
func (r *replay) finishAccesses(w *window, target int64, all bool, call int) {
	left := w.under[:0]
	for _, x := range w.under {
		if all || x.target == target {
			r.complete(x.act, call, nil)
		} else {
			left = append(left, x)
		}
	}
	w.under = left
}

// held returns where the locks were taken.
func (r *replay) held(w *window) []finding.Place {
	if w.all >= 0 {
		return []finding.Place{r.Place(w.all, "lock")}
	}
	for _, target := range slices.Sorted(maps.Keys(w.locks)) {
		return []finding.Place{r.Place(w.locks[target], "lock")}
	}
	return nil
}

// sync adds the operation of a call that synchronises with ranks of a window.
func (r *replay) sync(a args, tag int, blocking bool) *window {
	r.add(a,
		Operation{Kind: OneSided, Comm: a.on(), Peer: int(a.num(model.None, "rank")), Tag: tag, Blocking: blocking})
	return r.windowOf(a)
}

func (r *replay) beginLock(a args) {
	w := r.sync(a, model.None, false)
	target, one := a.int("rank")
	switch before, twice := w.locks[target]; {
	case one && twice:
		r.misuse(a, w, "§11.5.3", fmt.Sprintf("MPI_Win_lock of rank %d, which is locked already", target),
			"unlock it first", r.Place(before, "lock"))
	case w.all >= 0 || !one && len(w.locks) > 0:
		r.misuse(a, w, "§11.5.3", a.c.Func.Name+" while another lock of the window overlaps it", "unlock first",
			r.held(w)...)
	case w.start >= 0:
		r.misuse(a, w, "§11.5.3", a.c.Func.Name+" inside an epoch of MPI_Win_start", "call MPI_Win_complete first",
			r.Place(w.start, "epoch"))
	case w.fenced() != nil:
		r.insideFence(a, w)
	case w.post >= 0 && (!one || r.isOwn(a, target)):
		r.misuse(a, w, "§11.5.3", a.c.Func.Name+" of the rank's own memory, which MPI_Win_post has exposed",
			"call MPI_Win_wait first", r.Place(w.post, "epoch"))
	}
	w.inner = a.i
	if one {
		w.locks[target] = a.i
	} else {
		w.all = a.i
	}
}

func (r *replay) beginUnlock(a args) {
	w := r.sync(a, model.None, true)
	target, one := a.int("rank")
	_, locked := w.locks[target]
	if one && !locked || !one && w.all < 0 {
		r.misuse(a, w, "§11.5.3", a.c.Func.Name+" without the lock", "lock before, with the call that belongs to it",
			r.held(w)...)
	}
	r.finishAccesses(w, target, !one, a.i)
	if one {
		delete(w.locks, target)
	} else {
		w.all = -1
	}
}

// beginFlush: flushes belong into an epoch of locks (MPI-3.1 §11.5.4).
func (r *replay) beginFlush(a args) {
	w := r.sync(a, model.None, true)
	target, one := a.int("rank")
	_, locked := w.locks[target]
	if w.all < 0 && (one && !locked || len(w.locks) == 0) {
		r.misuse(a, w, "§11.5.4", a.c.Func.Name+" without a lock", "call it between lock and unlock")
	}
	r.finishAccesses(w, target, !one, a.i)
}

func (r *replay) beginStartEpoch(a args) {
	w := r.sync(a, model.TagPost, false)
	switch {
	case w.start >= 0:
		r.misuse(a, w, "§11.5.2", "MPI_Win_start while the epoch of another is open", "call MPI_Win_complete first",
			r.Place(w.start, "epoch"))
	case w.passive():
		r.misuse(a, w, "§11.5.2", "MPI_Win_start while a lock is held", "unlock first", r.held(w)...)
	case w.fenced() != nil:
		r.insideFence(a, w)
	}
	w.start, w.inner = a.i, a.i
}

func (r *replay) beginCompleteEpoch(a args) {
	w := r.sync(a, model.TagComplete, true)
	if w.start < 0 {
		r.misuse(a, w, "§11.5.2", "MPI_Win_complete without MPI_Win_start", "call MPI_Win_start before the access")
	}
	r.finishAccesses(w, 0, true, a.i)
	w.start = -1
}

func (r *replay) beginPost(a args) {
	w := r.sync(a, model.TagPost, false)
	switch own := r.ownLock(a, w); {
	case w.post >= 0:
		r.misuse(a, w, "§11.5.2", "MPI_Win_post while the epoch of another is open", "call MPI_Win_wait first",
			r.Place(w.post, "epoch"))
	case own >= 0:
		r.misuse(a, w, "§11.5.3", "MPI_Win_post while the rank has locked its own memory", "unlock first",
			r.Place(own, "lock"))
	}
	w.post = a.i
}

func (r *replay) beginWaitEpoch(a args) {
	w := r.sync(a, model.TagComplete, a.c.Func.Class == mpi.ClassWinWait)
	if w.post < 0 {
		r.misuse(a, w, "§11.5.2", a.c.Func.Name+" without MPI_Win_post", "call MPI_Win_post before")
	}
	if flag, ok := a.result("flag"); a.c.Func.Class == mpi.ClassWinWait || ok && flag != 0 {
		w.post = -1
	}
}

// beginWinFree: a window is freed when nothing is open on it (MPI-3.1 §11.2.5).
func (r *replay) beginWinFree(a args) {
	r.beginCollective(a)
	w := r.windowOf(a)
	r.closed(a, w)
	r.finishAccesses(w, 0, true, a.i)
}

// closed reports what is open on a window when it must not be.
func (r *replay) closed(a args, w *window) {
	name := a.c.Func.Name
	switch {
	case w.passive():
		r.misuse(a, w, "§11.5.3", name+" while a lock is held", "unlock first", r.held(w)...)
	case w.start >= 0:
		r.misuse(a, w, "§11.5.2", name+" before MPI_Win_complete", "call MPI_Win_complete first",
			r.Place(w.start, "epoch"))
	case w.post >= 0:
		r.misuse(a, w, "§11.5.2", name+" before MPI_Win_wait", "call MPI_Win_wait first", r.Place(w.post, "epoch"))
	case len(w.under) > 0:
		x := w.under[0].call
		r.misuse(a, w, "§11.5.1", fmt.Sprintf("%s before the epoch of %s was closed", name, r.t.Calls[x].Func.Name),
			"close it with MPI_Win_fence first", r.Place(x, "access"))
	}
}

// openEpochs reports epochs that are open when the rank ends.
func (r *replay) openEpochs() {
	for _, k := range slices.Sorted(maps.Keys(r.windows)) {
		r.closed(argsOf(r.t, r.life.finalized), r.windows[k])
	}
}

// endWindow follows the return of a call on a window: a request that was waited
// for has completed its access.
func (r *replay) endWindow(a args) {
	if !a.c.Func.Class.Completes() {
		return
	}
	for _, w := range r.windows {
		left := w.under[:0]
		for _, x := range w.under {
			if len(x.act.operations) > 0 {
				left = append(left, x)
			}
		}
		w.under = left
	}
}
