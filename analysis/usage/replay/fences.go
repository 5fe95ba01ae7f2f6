package replay

import (
	"fmt"
	"slices"

	"laggard/analysis/usage/recorded"
)

// beginFence closes an epoch and opens one; it is a collective.
func (r *replay) beginFence(a args) {
	r.beginCollective(a)
	w := r.windowOf(a)
	if w.passive() {
		r.misuse(a, w, "§11.5.1", "MPI_Win_fence while a lock is held", "unlock before the fence", r.held(w)...)
	}
	if w.start >= 0 || w.post >= 0 {
		r.misuse(a, w, "§11.5.1", "MPI_Win_fence inside an epoch of MPI_Win_start or MPI_Win_post",
			"end it with MPI_Win_complete or MPI_Win_wait first", r.Place(max(w.start, w.post), "epoch"))
	}
	said := r.t.Asserted(a.c)
	if x := w.fenced(); x != nil && said&recorded.NoPrecede != 0 {
		r.misuse(a, w, "§11.5.5",
			fmt.Sprintf("MPI_Win_fence with MPI_MODE_NOPRECEDE, but it completes %s", r.t.Calls[x.call].Func.Name),
			"leave MPI_MODE_NOPRECEDE out where accesses of an epoch end, at all ranks", r.Place(x.call, "access"))
	}
	r.finishAccesses(w, 0, true, a.i)
	w.fence, w.said, w.inner, w.unsure = a.i, said, -1, false
}

// byFence reports whether accesses are in the epoch of a fence. A fence opens one only if
// an access follows that no lock and no MPI_Win_start is for (MPI-3.1 §11.5.1).
func (w *window) byFence() bool { return w.fence >= 0 && w.start < 0 && !w.passive() }

// fenced returns an access that is open in the epoch of a fence, nil if there is none.
func (w *window) fenced() *access {
	if i := slices.IndexFunc(w.under, func(x access) bool { return x.fenced }); i >= 0 {
		return &w.under[i]
	}
	return nil
}

// beginFenced checks an access in the epoch of a fence.
func (r *replay) beginFenced(a args, w *window) {
	name := a.c.Func.Name
	switch {
	case w.said&recorded.NoSucceed != 0:
		r.misuse(a, w, "§11.5.5", name+" after MPI_Win_fence with MPI_MODE_NOSUCCEED, which opens no epoch",
			"leave MPI_MODE_NOSUCCEED out of that fence at all ranks, or open an epoch before the access",
			r.Place(w.fence, "epoch"))
	case w.inner >= 0:
		r.misuse(a, w, "§11.5",
			fmt.Sprintf("%s in the epoch of MPI_Win_fence, which has %s in it", name, r.t.Calls[w.inner].Func.Name),
			"call MPI_Win_fence between the two", r.Place(w.fence, "epoch"), r.Place(w.inner, "other epoch"))
	}
}

// insideFence reports a call that opens an epoch before that of a fence was closed.
func (r *replay) insideFence(a args, w *window) {
	r.misuse(a, w, "§11.5", a.c.Func.Name+" inside an epoch of MPI_Win_fence", "close it with MPI_Win_fence first",
		r.Place(w.fence, "epoch"), r.Place(w.fenced().call, "access"))
}

// isOwn reports whether a rank of a window is the one that calls.
func (r *replay) isOwn(a args, rank int64) bool {
	c := a.comm()
	return c != nil && c.Rank >= 0 && int64(c.Rank) == rank
}

// ownLock returns where the rank locked its own memory in a window, -1 if it did not.
func (r *replay) ownLock(a args, w *window) int {
	for target, call := range w.locks {
		if r.isOwn(a, target) {
			return call
		}
	}
	return w.all
}
