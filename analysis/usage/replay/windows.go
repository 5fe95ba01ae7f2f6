package replay

import (
	"fmt"
	"maps"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/typemap"
	"laggard/model"
	"laggard/model/mpi"
)

// window is what the rank has open on a window (MPI-3.1 §11.5). Epochs are indices into
// windows.epochs, -1 none.
type window struct {
	fence int           // the epoch of the last MPI_Win_fence
	inner int           // the last other epoch since that fence
	start int           // the open epoch of MPI_Win_start
	post  int           // the open epoch of MPI_Win_post
	locks map[int64]int // the open epochs of locks, by target; AllRanks: of MPI_Win_lock_all
	// atOrigin are the accesses that have returned and may not be complete at the origin, fenced those of them in the
	// epoch of a fence, and atTarget those that are not complete at the target, indices into windows.accesses; by
	// target, the oldest first.
	atOrigin map[int64][]transfer
	fenced   []transfer
	atTarget map[int64][]int
	unsure   bool // made before the record begins
}

// transfer is an access that the end of its epoch, or its request, completes.
type transfer struct {
	call int
	act  *activation
}

// isComplete reports whether the access is complete at the origin.
func (x transfer) isComplete() bool { return len(x.act.operations) == 0 }

// dropComplete returns a list without the accesses at its begin that are complete.
func dropComplete(list []transfer) []transfer {
	for len(list) > 0 && list[0].isComplete() {
		list = list[1:]
	}
	return list
}

func newWindow() *window {
	return &window{fence: -1, inner: -1, start: -1, post: -1, locks: map[int64]int{}, atOrigin: map[int64][]transfer{},
		atTarget: map[int64][]int{}}
}

// windows follows what the rank has open on its windows, and what it accesses: locks in
// locks.go, fences in fences.go, and in transfers.go what an access moves.
type windows struct {
	*reporter
	layouts     *typemap.Layouts
	operations  *operations
	collectives *collectives
	groups      *groups
	open        map[int]*window // by handle
	epochs      []Epoch         // in the order in which they were opened
	accesses    []Access        // in the order in which they began
}

func newWindows(r *reporter, l *typemap.Layouts, o *operations, c *collectives, g *groups) *windows {
	return &windows{reporter: r, layouts: l, operations: o, collectives: c, groups: g, open: map[int]*window{}}
}

// beginCall follows a call on a window.
func (s *windows) beginCall(a args) {
	switch a.c.Func.Class {
	case mpi.ClassRma, mpi.ClassRmaNb, mpi.ClassRmaNow:
		s.beginAccess(a)
	case mpi.ClassWinColl:
		s.nextFenceEpoch(a)
	case mpi.ClassWinLock:
		s.openLockEpoch(a)
	case mpi.ClassWinUnlock:
		s.closeLockEpoch(a)
	case mpi.ClassWinFlush:
		s.flushAccesses(a)
	case mpi.ClassWinStart:
		s.openStartEpoch(a)
	case mpi.ClassWinComplete:
		s.closeStartEpoch(a)
	case mpi.ClassWinPost:
		s.openPostEpoch(a)
	case mpi.ClassWinWait, mpi.ClassWinTest:
		s.closePostEpoch(a)
	case mpi.ClassWinFree:
		s.freeWindow(a)
	}
}

// endCall follows the return of a call.
func (s *windows) endCall(a args, act *activation) {
	switch class := a.c.Func.Class; {
	case class.IsOneSided():
		s.keepAccess(a, act)
	case !a.succeeded():
	case class == mpi.ClassNewwin:
		for _, win := range returnedObjects(a) {
			s.open[int(win)] = newWindow()
		}
	case class == mpi.ClassWinFree:
		delete(s.open, a.handle("win"))
	}
}

// windowOf returns the window of a call, one that nothing is known of if it was not
// seen to be made.
func (s *windows) windowOf(a args) *window {
	win := a.handle("win")
	w := s.open[win]
	if w == nil {
		w = newWindow()
		w.unsure = true
		if win >= 0 {
			s.open[win] = w
		}
	}
	return w
}

// reportMisuse reports wrong synchronisation of a window, unless too little is known.
func (s *windows) reportMisuse(a args, w *window, section, message, change string, others ...finding.Place) {
	if w.unsure || !s.t.Complete {
		return
	}
	f := s.report("one_sided", message, append([]finding.Place{s.Place(a.i, "call")}, others...)...)
	f.Standard, f.Change = "MPI-3.1 "+section, change
}

// epochOf returns the epoch that allows an access to a target, -1 if none does.
func (w *window) epochOf(target int64) int {
	lock, locked := w.lockOf(target)
	switch {
	case locked:
		return lock
	case w.start >= 0:
		return w.start
	case w.inFenceEpoch():
		return w.fence
	}
	return -1
}

// openEpoch adds an epoch that a call opens on its window, and returns its index.
func (s *windows) openEpoch(a args, e Epoch) int {
	e.Window, e.Open, e.Close = a.handle("win"), a.i, -1
	s.epochs = append(s.epochs, e)
	return len(s.epochs) - 1
}

// closeEpoch notes the call that closes an epoch, unless epoch is -1.
func (s *windows) closeEpoch(epoch, call int) {
	if epoch >= 0 {
		s.epochs[epoch].Close = call
	}
}

// openedBy is the place of the call that opened an epoch.
func (s *windows) openedBy(epoch int, role string) finding.Place {
	return s.Place(s.epochs[epoch].Open, role)
}

// beginAccess begins an access, in the epoch that allows it.
func (s *windows) beginAccess(a args) {
	target := a.intOr(model.None, "target_rank")
	op := s.operations.add(a, Operation{Kind: OneSided, Comm: int32(a.commIndex()), Peer: ClampInt32(target), Tag: model.None,
		Type: int32(a.handle("origin_datatype", "datatype")), Count: a.intOr(1, "origin_count")})
	if target == model.ProcNull {
		return
	}
	s.checkTransfer(a)
	w := s.windowOf(a)
	s.checkEpoch(a, w, target)
	w.atTarget[target] = append(w.atTarget[target], len(s.accesses))
	s.accesses = append(s.accesses, Access{Operation: op, Epoch: w.epochOf(target), Done: -1})
}

// checkEpoch checks that an epoch allows an access.
func (s *windows) checkEpoch(a args, w *window, target int64) {
	name := a.c.Func.Name
	_, locked := w.lockOf(target)
	switch {
	case locked:
	case a.c.Func.Class == mpi.ClassRmaNb:
		s.reportMisuse(a, w, "§11.3.5",
			fmt.Sprintf("%s to rank %d without a lock: request-based access needs one", name, target),
			"call MPI_Win_lock or MPI_Win_lock_all before it")
	case w.start >= 0:
	case w.inFenceEpoch():
		s.checkFenceAccess(a, w)
	case w.hasLock():
		s.reportMisuse(a, w, "§11.5", fmt.Sprintf("%s to rank %d, which is not locked", name, target),
			"lock the rank that is accessed")
	default:
		s.reportMisuse(a, w, "§11.5", fmt.Sprintf("%s to rank %d outside any epoch", name, target),
			"open an epoch before the access: MPI_Win_fence, MPI_Win_start or MPI_Win_lock")
	}
}

// keepAccess leaves the access under way until its epoch, or its request, is complete.
func (s *windows) keepAccess(a args, act *activation) {
	act.kept = true
	w, target := s.windowOf(a), a.intOr(model.None, "target_rank")
	if target == model.ProcNull {
		return // which no call completes
	}
	x := transfer{a.i, act}
	w.atOrigin[target] = append(dropComplete(w.atOrigin[target]), x)
	if w.inFenceEpoch() {
		w.fenced = append(dropComplete(w.fenced), x)
	}
}

// completeAtOrigin completes the accesses to a target, or to AllRanks, at the origin.
func (s *windows) completeAtOrigin(w *window, target int64, call int) {
	for _, to := range targetsOf(w.atOrigin, target) {
		for _, x := range w.atOrigin[to] {
			s.operations.complete(x.act, call, nil)
		}
		delete(w.atOrigin, to)
	}
}

// completeAtTarget completes the accesses to a target, or to AllRanks, at both sides.
func (s *windows) completeAtTarget(w *window, target int64, call int) {
	s.completeAtOrigin(w, target, call)
	for _, to := range targetsOf(w.atTarget, target) {
		for _, i := range w.atTarget[to] {
			s.accesses[i].Done = call
		}
		delete(w.atTarget, to)
	}
}

// targetsOf returns the targets of accesses that a call on a target, or on AllRanks, is about.
func targetsOf[T any](of map[int64]T, target int64) []int64 {
	if target != AllRanks {
		return []int64{target}
	}
	return slices.Sorted(maps.Keys(of))
}

// addSync adds the operation of a call that synchronises with ranks of a window.
func (s *windows) addSync(a args, tag int, blocking bool) *window {
	s.operations.add(a,
		Operation{Kind: OneSided, Comm: int32(a.commIndex()), Peer: a.rankOrTag("rank"), Tag: int32(tag), Blocking: blocking})
	return s.windowOf(a)
}

// openStartEpoch opens an epoch of accesses, for MPI_Win_start.
func (s *windows) openStartEpoch(a args) {
	w := s.addSync(a, model.TagPost, false)
	switch {
	case w.start >= 0:
		s.reportMisuse(a, w, "§11.5.2", "MPI_Win_start while the epoch of another is open", "call MPI_Win_complete first",
			s.openedBy(w.start, "epoch"))
	case w.hasLock():
		s.reportMisuse(a, w, "§11.5.2", "MPI_Win_start while a lock is held", "unlock first", s.firstLockPlace(w)...)
	case w.openFenceAccess() != nil:
		s.reportInsideFence(a, w)
	}
	w.start = s.openEpoch(a, Epoch{Kind: StartEpoch, Group: s.groups.worldRanks(a.intOr(recorded.Invalid, "group"))})
	w.inner = w.start
}

// closeStartEpoch closes it, for MPI_Win_complete.
func (s *windows) closeStartEpoch(a args) {
	w := s.addSync(a, model.TagComplete, true)
	if w.start < 0 {
		s.reportMisuse(a, w, "§11.5.2", "MPI_Win_complete without MPI_Win_start", "call MPI_Win_start before the access")
	}
	s.completeAtTarget(w, AllRanks, a.i)
	s.closeEpoch(w.start, a.i)
	w.start = -1
}

// openPostEpoch opens an epoch of exposure, for MPI_Win_post.
func (s *windows) openPostEpoch(a args) {
	w := s.addSync(a, model.TagPost, false)
	switch own := ownLock(a, w); {
	case w.post >= 0:
		s.reportMisuse(a, w, "§11.5.2", "MPI_Win_post while the epoch of another is open", "call MPI_Win_wait first",
			s.openedBy(w.post, "epoch"))
	case own >= 0:
		s.reportMisuse(a, w, "§11.5.3", "MPI_Win_post while the rank has locked its own memory", "unlock first",
			s.openedBy(own, "lock"))
	}
	w.post = s.openEpoch(a, Epoch{Kind: PostEpoch, Group: s.groups.worldRanks(a.intOr(recorded.Invalid, "group"))})
}

// closePostEpoch closes it, for MPI_Win_wait and a successful MPI_Win_test.
func (s *windows) closePostEpoch(a args) {
	w := s.addSync(a, model.TagComplete, a.c.Func.Class == mpi.ClassWinWait)
	if w.post < 0 {
		s.reportMisuse(a, w, "§11.5.2", a.c.Func.Name+" without MPI_Win_post", "call MPI_Win_post before")
	}
	if flag, ok := a.result("flag"); a.c.Func.Class == mpi.ClassWinWait || ok && flag != 0 {
		s.closeEpoch(w.post, a.i)
		w.post = -1
	}
}

// freeWindow: a window is freed when nothing is open on it (MPI-3.1 §11.2.5).
func (s *windows) freeWindow(a args) {
	w := s.windowOf(a)
	s.checkClosed(a, w)
	s.completeAtTarget(w, AllRanks, a.i)
	s.closeEpoch(w.fence, a.i)
}

// checkClosed reports what is open on a window when it must not be.
func (s *windows) checkClosed(a args, w *window) {
	name := a.c.Func.Name
	switch {
	case w.hasLock():
		s.reportMisuse(a, w, "§11.5.3", name+" while a lock is held", "unlock first", s.firstLockPlace(w)...)
	case w.start >= 0:
		s.reportMisuse(a, w, "§11.5.2", name+" before MPI_Win_complete", "call MPI_Win_complete first",
			s.openedBy(w.start, "epoch"))
	case w.post >= 0:
		s.reportMisuse(a, w, "§11.5.2", name+" before MPI_Win_wait", "call MPI_Win_wait first", s.openedBy(w.post, "epoch"))
	default:
		if x := w.oldestOpen(); x != nil {
			s.reportMisuse(a, w, "§11.5.1", fmt.Sprintf("%s before the epoch of %s was closed", name, s.nameOf(x.call)),
				"close it with MPI_Win_fence first", s.Place(x.call, "access"))
		}
	}
}

// oldestOpen returns the oldest access that is not complete at the origin, nil if there is none.
func (w *window) oldestOpen() *transfer {
	var oldest *transfer
	for target, list := range w.atOrigin {
		list = dropComplete(list)
		if w.atOrigin[target] = list; len(list) > 0 && (oldest == nil || list[0].call < oldest.call) {
			oldest = &list[0]
		}
	}
	return oldest
}

// reportLeftovers reports epochs that are open when call finalize leaves MPI.
func (s *windows) reportLeftovers(finalize args) {
	for _, k := range slices.Sorted(maps.Keys(s.open)) {
		s.checkClosed(finalize, s.open[k])
	}
}
