package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/model"
	"laggard/model/mpi"
)

// hasLock reports whether a lock is held.
func (w *window) hasLock() bool { return len(w.locks) > 0 }

// lockOf returns the open epoch of the lock that covers a target.
func (w *window) lockOf(target int64) (epoch int, locked bool) {
	if epoch, locked = w.locks[target]; !locked {
		epoch, locked = w.locks[AllRanks]
	}
	return epoch, locked
}

// openLockEpoch opens an epoch of accesses, for MPI_Win_lock and MPI_Win_lock_all.
func (s *windows) openLockEpoch(a args) {
	w, target := s.addSync(a, model.None, false), lockTarget(a)
	s.checkLock(a, w, target)
	before, twice := w.locks[target]
	if twice {
		s.closeEpoch(before, a.i)
	}
	w.inner = s.openEpoch(a, Epoch{Kind: LockEpoch, Target: int(target), Fence: w.fence,
		Exclusive: a.intOr(0, "lock_type") == mpi.LockExclusive})
	w.locks[target] = w.inner
}

// checkLock checks that nothing is open that a lock may not meet.
func (s *windows) checkLock(a args, w *window, target int64) {
	before, twice := w.locks[target]
	_, all := w.locks[AllRanks]
	switch one := target != AllRanks; {
	case one && twice:
		s.reportMisuse(a, w, "§11.5.3", fmt.Sprintf("MPI_Win_lock of rank %d, which is locked already", target),
			"unlock it first", s.openedBy(before, "lock"))
	case all || !one && w.hasLock():
		s.reportMisuse(a, w, "§11.5.3", a.c.Func.Name+" while another lock of the window overlaps it", "unlock first",
			s.firstLockPlace(w)...)
	case w.start >= 0:
		s.reportMisuse(a, w, "§11.5.3", a.c.Func.Name+" inside an epoch of MPI_Win_start", "call MPI_Win_complete first",
			s.openedBy(w.start, "epoch"))
	case w.openFenceAccess() != nil:
		s.reportInsideFence(a, w)
	case w.post >= 0 && (!one || target == ownRank(a)):
		s.reportMisuse(a, w, "§11.5.3", a.c.Func.Name+" of the rank's own memory, which MPI_Win_post has exposed",
			"call MPI_Win_wait first", s.openedBy(w.post, "epoch"))
	}
}

// closeLockEpoch closes it, for MPI_Win_unlock and MPI_Win_unlock_all.
func (s *windows) closeLockEpoch(a args) {
	w, target := s.addSync(a, model.None, true), lockTarget(a)
	lock, locked := w.locks[target]
	if !locked {
		s.reportMisuse(a, w, "§11.5.3", a.c.Func.Name+" without the lock", "lock first, with the matching call",
			s.firstLockPlace(w)...)
	}
	s.completeAtTarget(w, target, a.i)
	if locked {
		s.closeEpoch(lock, a.i)
		delete(w.locks, target)
	}
}

// flushAccesses: flushes belong into an epoch of locks (MPI-3.1 §11.5.4).
func (s *windows) flushAccesses(a args) {
	w, target := s.addSync(a, model.None, true), lockTarget(a)
	if _, locked := w.lockOf(target); !locked && (target != AllRanks || !w.hasLock()) {
		s.reportMisuse(a, w, "§11.5.4", a.c.Func.Name+" without a lock", "call it between lock and unlock")
	}
	if strings.Contains(a.c.Func.Name, "_local") {
		s.completeAtOrigin(w, target, a.i)
	} else {
		s.completeAtTarget(w, target, a.i)
	}
}

// firstLockPlace returns where the first lock was taken.
func (s *windows) firstLockPlace(w *window) []finding.Place {
	for _, target := range slices.Sorted(maps.Keys(w.locks)) {
		return []finding.Place{s.openedBy(w.locks[target], "lock")}
	}
	return nil
}

// lockTarget returns the rank that a call on locks names, AllRanks if it names none.
func lockTarget(a args) int64 { return a.intOr(AllRanks, "rank") }

// ownRank returns the caller's rank in the window of a call, AllRanks if it is not known.
func ownRank(a args) int64 {
	if c := a.comm(); c != nil && c.Rank >= 0 {
		return int64(c.Rank)
	}
	return AllRanks
}

// ownLock returns the epoch in which the rank locked its own memory in a window, -1 none.
func ownLock(a args, w *window) int {
	if epoch, locked := w.lockOf(ownRank(a)); locked {
		return epoch
	}
	return -1
}
