package waits

import (
	"laggard/intake/library"
	"laggard/model"
	"laggard/model/mpi"
)

// windowWait returns what a call on a window waits for, as a recorder would have it: the messages
// of a group, or the target and the lock that it is under; ok is false if the call is none.
func (r *reader) windowWait() (out Wait, ok bool) {
	switch r.f.Class {
	case mpi.ClassWinPost:
		return Wait{Kind: model.Local}, true
	case mpi.ClassWinStart:
		w := r.callWindow()
		return r.groupWait(model.Wait, w, r.namedGroup(w), model.TagPost), true
	case mpi.ClassWinComplete:
		w := r.callWindow()
		return r.groupWait(model.Wait, w, accessGroup(w), model.TagPost), true
	case mpi.ClassWinWait:
		w := r.callWindow()
		return r.groupWait(model.Wait, w, exposureGroup(w), model.TagComplete), true
	case mpi.ClassWinTest:
		w := r.callWindow()
		return r.groupWait(model.Poll, w, exposureGroup(w), model.TagComplete), true
	case mpi.ClassWinLock:
		return r.singleWait(model.RMA, r.targetPending("rank", r.lockType())), true
	case mpi.ClassWinUnlock, mpi.ClassWinFlush:
		return r.singleWait(model.RMA, r.targetPending("rank", r.heldLockType("rank"))), true
	}
	if r.f.Class.IsOneSided() {
		return r.operationWait(), true
	}
	return out, false
}

// callWindow is the window of the call, nil if it is not known.
func (r *reader) callWindow() *library.Window {
	i := r.f.ParamIndex("win")
	if i < 0 {
		return nil
	}
	handle, ok := r.handleArgument(i)
	if !ok {
		return nil
	}
	return r.Library.ResolveWindow(handle, r.Binding != mpi.C)
}

func accessGroup(w *library.Window) []int {
	if w == nil {
		return nil
	}
	return w.Access
}

func exposureGroup(w *library.Window) []int {
	if w == nil {
		return nil
	}
	return w.Exposure
}

// namedGroup is the group that the call has as an argument, as ranks of its window.
func (r *reader) namedGroup(w *library.Window) []int {
	i := r.f.ParamIndex("group")
	if i < 0 || w == nil {
		return nil
	}
	handle, ok := r.handleArgument(i)
	if !ok {
		return nil
	}
	return w.WindowRanks(r.Library.GroupRanks(handle, r.Binding != mpi.C))
}

// groupWait is what is awaited from each member of a group. If that is not known, the call waits for
// something on its window.
func (r *reader) groupWait(kind model.Kind, w *library.Window, ranks []int, tag int) Wait {
	if ranks == nil {
		return r.singleWait(model.RMA, model.Pending{Kind: model.RMA, Comm: r.callComm(), Peer: model.None, Tag: model.None,
			State: -1})
	}
	out := Wait{Kind: kind}
	for _, rank := range ranks {
		out.Pending = append(out.Pending, model.Pending{Kind: model.Recv, Comm: r.CommIndex(w.Comm), Peer: rank, Tag: tag,
			State: -1})
	}
	return out
}

// targetPending is what a call waits for whose target takes no part: the rank that an argument names, or
// all of them where there is no such argument.
func (r *reader) targetPending(rank string, tag int) model.Pending {
	p := model.Pending{Kind: model.RMA, Comm: r.callComm(), Peer: model.None, Tag: tag, State: -1}
	if r.f.ParamIndex(rank) >= 0 {
		p.Peer = unknown
		if n, ok := r.intArgument(rank); ok {
			p.Peer = r.translateRank(n, p.Comm)
		}
	}
	return p
}

// lockType is the type of the lock that the call takes.
func (r *reader) lockType() int {
	if r.f.ParamIndex("lock_type") < 0 {
		return int(model.Shared) // of all
	}
	n, _ := r.intArgument("lock_type")
	switch lock, ok := r.Family.RecordedNumber(mpi.Locks, int64(n)); {
	case ok && lock == mpi.LockExclusive:
		return int(model.Exclusive)
	case ok && lock == mpi.LockShared:
		return int(model.Shared)
	}
	return model.None
}

// heldLockType is the type of the lock under which the call reaches its target.
func (r *reader) heldLockType(rank string) int {
	w, target := r.callWindow(), model.None
	if r.f.ParamIndex(rank) >= 0 {
		n, ok := r.intArgument(rank)
		if !ok {
			return model.None
		}
		target = n
	}
	if w == nil {
		return model.None
	}
	if l := w.LockOn(target); l != nil && l.Type != model.Either {
		return int(l.Type)
	}
	return model.None
}

// operationWait is an operation on a window: it needs the post of its target in an epoch that was
// begun by a start, else its target and the lock.
func (r *reader) operationWait() Wait {
	p := r.targetPending("target_rank", r.heldLockType("target_rank"))
	for _, rank := range accessGroup(r.callWindow()) {
		if rank == p.Peer {
			p.Kind, p.Tag = model.Recv, model.TagPost
		}
	}
	return r.singleWait(model.RMA, p)
}
