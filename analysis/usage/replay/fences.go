package replay

import (
	"fmt"

	"laggard/model/mpi"
)

// nextFenceEpoch closes an epoch and opens one; it is a collective.
func (s *windows) nextFenceEpoch(a args) {
	w := s.windowOf(a)
	if w.hasLock() {
		s.reportMisuse(a, w, "§11.5.1", "MPI_Win_fence while a lock is held", "unlock before the fence", s.firstLockPlace(w)...)
	}
	if w.start >= 0 || w.post >= 0 {
		s.reportMisuse(a, w, "§11.5.1", "MPI_Win_fence inside an epoch of MPI_Win_start or MPI_Win_post",
			"end it with MPI_Win_complete or MPI_Win_wait first", s.openedBy(max(w.start, w.post), "epoch"))
	}
	said := a.intOr(0, "assert")
	if x := w.openFenceAccess(); x != nil && said&mpi.ModeNoprecede != 0 {
		s.reportMisuse(a, w, "§11.5.5",
			fmt.Sprintf("MPI_Win_fence with MPI_MODE_NOPRECEDE, but it completes %s", s.nameOf(x.call)),
			"leave MPI_MODE_NOPRECEDE out where accesses of an epoch end, at all ranks", s.Place(x.call, "access"))
	}
	s.completeAtTarget(w, AllRanks, a.i)
	s.closeEpoch(w.fence, a.i)
	w.fence = s.openEpoch(a, Epoch{Kind: FenceEpoch, Number: s.collectives.begun[a.commIndex()], Assert: said})
	w.inner, w.unsure = -1, false
}

// inFenceEpoch reports whether accesses are in the epoch of a fence. A fence opens one only if
// an access follows that no lock and no MPI_Win_start is for (MPI-3.1 §11.5.1).
func (w *window) inFenceEpoch() bool { return w.fence >= 0 && w.start < 0 && !w.hasLock() }

// openFenceAccess returns the oldest access that is open in the epoch of a fence, nil if there is none.
func (w *window) openFenceAccess() *transfer {
	if w.fenced = dropComplete(w.fenced); len(w.fenced) > 0 {
		return &w.fenced[0]
	}
	return nil
}

// checkFenceAccess checks an access in the epoch of a fence.
func (s *windows) checkFenceAccess(a args, w *window) {
	name := a.c.Func.Name
	switch {
	case s.epochs[w.fence].Assert&mpi.ModeNosucceed != 0:
		s.reportMisuse(a, w, "§11.5.5", name+" after MPI_Win_fence with MPI_MODE_NOSUCCEED, which opens no epoch",
			"leave MPI_MODE_NOSUCCEED out of that fence at all ranks, or open an epoch before the access",
			s.openedBy(w.fence, "epoch"))
	case w.inner >= 0:
		s.reportMisuse(a, w, "§11.5",
			fmt.Sprintf("%s in the epoch of MPI_Win_fence, which has %s in it", name, s.nameOf(s.epochs[w.inner].Open)),
			"call MPI_Win_fence between the two", s.openedBy(w.fence, "epoch"), s.openedBy(w.inner, "other epoch"))
	}
}

// reportInsideFence reports a call that opens an epoch before that of a fence was closed.
func (s *windows) reportInsideFence(a args, w *window) {
	s.reportMisuse(a, w, "§11.5", a.c.Func.Name+" inside an epoch of MPI_Win_fence", "close it with MPI_Win_fence first",
		s.openedBy(w.fence, "epoch"), s.Place(w.openFenceAccess().call, "access"))
}
