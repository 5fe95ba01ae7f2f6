package library

import (
	"slices"

	"laggard/model"
)

// Window is a window of RMA, and what is open on it.
type Window struct {
	Comm *model.Comm // as a record has it
	// Access and Exposure are the groups of MPI_Win_start and MPI_Win_post, as ranks in
	// the window; nil: there is none, or it is not known.
	Access, Exposure []int
	Locks            []Lock // that this process has, as far as they are known
}

// Lock is one that the process has.
type Lock struct {
	Target int // rank in the window, or model.None: every member
	Type   model.LockType
}

// LockOn returns the one under which the process reaches a target, or every one of them
// (model.None); nil if none is known.
func (w *Window) LockOn(target int) *Lock {
	for i := range w.Locks {
		if l := &w.Locks[i]; l.Target == target || l.Target == model.None {
			return l
		}
	}
	return nil
}

// WindowRanks turns ranks of MPI_COMM_WORLD into ranks of a window; nil if one of them is not in it.
func (w *Window) WindowRanks(ranks []int) []int {
	var out []int
	for _, r := range ranks {
		i := slices.Index(w.Comm.Members, r)
		if i < 0 {
			return nil
		}
		out = append(out, i)
	}
	return out
}

// addLock adds one that the process has, if the window has such a target.
func (w *Window) addLock(target int, of model.LockType) {
	l := Lock{target, of}
	if target != model.None && (target < 0 || target >= w.Comm.Size) || slices.Contains(w.Locks, l) {
		return
	}
	w.Locks = append(w.Locks, l)
}
