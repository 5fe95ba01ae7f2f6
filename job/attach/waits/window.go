package waits

import (
	"laggard/intake/library"
	"laggard/model"
	"laggard/model/mpi"
)

// window returns what a call on a window waits for, as a recorder would have it: the messages
// of a group, or the target and the lock that it is under; ok is false if the call is none.
func (r *reader) window() (out Wait, ok bool) {
	switch r.f.Class {
	case mpi.ClassWinPost:
		return Wait{Kind: model.Local}, true
	case mpi.ClassWinStart:
		w := r.win()
		return r.group(model.Wait, w, r.named(w), model.TagPost), true
	case mpi.ClassWinComplete:
		w := r.win()
		return r.group(model.Wait, w, accessed(w), model.TagPost), true
	case mpi.ClassWinWait:
		w := r.win()
		return r.group(model.Wait, w, exposed(w), model.TagComplete), true
	case mpi.ClassWinTest:
		w := r.win()
		return r.group(model.Poll, w, exposed(w), model.TagComplete), true
	case mpi.ClassWinLock:
		return r.one(model.RMA, r.target("rank", r.lockType())), true
	case mpi.ClassWinUnlock, mpi.ClassWinFlush:
		return r.one(model.RMA, r.target("rank", r.held("rank"))), true
	}
	if r.f.Class.OneSided() {
		return r.operation(), true
	}
	return out, false
}

// win is the window of the call, nil if it is not known.
func (r *reader) win() *library.Window {
	i := r.f.Param("win")
	if i < 0 {
		return nil
	}
	handle, ok := r.handle(i)
	if !ok {
		return nil
	}
	return r.Library.Window(handle, r.Binding != model.C)
}

func accessed(w *library.Window) []int {
	if w == nil {
		return nil
	}
	return w.Access
}

func exposed(w *library.Window) []int {
	if w == nil {
		return nil
	}
	return w.Exposure
}

// named is the group that the call has as an argument, as ranks of its window.
func (r *reader) named(w *library.Window) []int {
	i := r.f.Param("group")
	if i < 0 || w == nil {
		return nil
	}
	handle, ok := r.handle(i)
	if !ok {
		return nil
	}
	return w.In(r.Library.Group(handle, r.Binding != model.C))
}

// group is what is awaited from each member of a group. If that is not known, the call waits for
// something on its window.
func (r *reader) group(kind model.Kind, w *library.Window, ranks []int, tag int) Wait {
	if ranks == nil {
		return r.one(model.RMA, model.Pending{Kind: model.RMA, Comm: r.comm(), Peer: model.None, Tag: model.None,
			State: -1})
	}
	out := Wait{Kind: kind}
	for _, rank := range ranks {
		out.Pending = append(out.Pending, model.Pending{Kind: model.Recv, Comm: r.Index(w.Comm), Peer: rank, Tag: tag,
			State: -1})
	}
	return out
}

// target is what a call waits for whose target takes no part: the rank that an argument names, or
// all of them where there is no such argument.
func (r *reader) target(rank string, tag int) model.Pending {
	p := model.Pending{Kind: model.RMA, Comm: r.comm(), Peer: model.None, Tag: tag, State: -1}
	if r.f.Param(rank) >= 0 {
		p.Peer = unknown
		if n, ok := r.int(rank); ok {
			p.Peer = r.rank(n, p.Comm)
		}
	}
	return p
}

// lockType is the type of the lock that the call takes.
func (r *reader) lockType() int {
	const ofOpenMPI, ofMPICH = 1, 234 // MPI_LOCK_EXCLUSIVE; MPI_LOCK_SHARED follows it
	exclusive := ofMPICH
	if r.Family == "openmpi" {
		exclusive = ofOpenMPI
	}
	if r.f.Param("lock_type") < 0 {
		return int(model.Shared) // of all
	}
	switch n, ok := r.int("lock_type"); {
	case ok && n == exclusive:
		return int(model.Exclusive)
	case ok && n == exclusive+1:
		return int(model.Shared)
	}
	return model.None
}

// held is the type of the lock under which the call reaches its target.
func (r *reader) held(rank string) int {
	w, target := r.win(), model.None
	if r.f.Param(rank) >= 0 {
		n, ok := r.int(rank)
		if !ok {
			return model.None
		}
		target = n
	}
	if w == nil {
		return model.None
	}
	if l := w.Lock(target); l != nil && l.Type != model.Either {
		return int(l.Type)
	}
	return model.None
}

// operation is an operation on a window: it needs the post of its target in an epoch that was
// begun by a start, else its target and the lock.
func (r *reader) operation() Wait {
	p := r.target("target_rank", r.held("target_rank"))
	for _, rank := range accessed(r.win()) {
		if rank == p.Peer {
			p.Kind, p.Tag = model.Recv, model.TagPost
		}
	}
	return r.one(model.RMA, p)
}
