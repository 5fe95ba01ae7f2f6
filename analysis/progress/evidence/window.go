package evidence

import (
	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
)

// judgeWindow: what a rank waits for on a window, of calls in which the target
// takes no part. One that asks for a lock waits for those who have it. Any waits
// for its target while that is outside MPI, since the library may need it to
// move on.
func (s judge) judgeWindow(id wantID, w *facts.Want) (Link, outcome) {
	c := s.comms[w.Comm]
	if w.Lost || w.Self || c == nil {
		return Link{}, open
	}
	if w.Tag == model.None {
		return s.judgeLegacyWindow(id, w)
	}
	holders, alone := s.lockHolders(id.rank, w)
	awaited := holders
	if holders.Len() == 0 || !asksForLock(w) {
		awaited = holders.Union(s.idleTargets(id.rank, w))
	}
	if awaited.Len() == 0 {
		return Link{}, open
	}
	l := s.linkTo(&Target{Ranks: awaited}, Collective, id)
	l.Weak = l.Weak || !alone || awaited.Len() > holders.Len()
	return l, linked
}

// lockHolders returns the ranks that have a lock which keeps the wanted one away,
// and whether they can all have it at once. A library may return from the call
// that asks for a lock before it is granted: of two that are giving it up, none
// is known to have it.
func (s judge) lockHolders(rank int, w *facts.Want) (ranks model.RankSet, alone bool) {
	exclusive := w.Tag == int(model.Exclusive)
	perTarget := map[int]int{} // exclusive locks by target, as far as told
	shared := 0
	for _, h := range s.comms[w.Comm].Locks {
		if !(exclusive || h.Type == model.Exclusive) || !targetsOverlap(h.Target, w.Peer) {
			continue
		}
		others := h.Ranks.Minus(model.NewRankSet(rank))
		if !asksForLock(w) {
			others = others.Minus(s.sharedTarget(targetKey{what: completingOn, comm: w.Comm}).Ranks)
		}
		if h.Type == model.Exclusive {
			perTarget[h.Target] += others.Len()
		} else {
			shared += others.Len()
		}
		ranks = ranks.Union(others)
	}
	alone = true
	for _, n := range perTarget {
		alone = alone && n+shared*min(n, 1) <= 1
	}
	return ranks, alone
}

// LockHolders returns, of some ranks, those that have a lock of a window or a file which other ranks ask for, and that ask for none; and
// those others.
func (s *Scene) LockHolders(some model.RankSet) (holders, asking model.RankSet) {
	for _, lock := range FileLocks(s) {
		if some.Contains(lock.Holder) {
			holders.Add(lock.Holder)
			asking = asking.Union(lock.Ranks)
		}
	}
	s.Present.Each(func(rank int) {
		eachWant(s.Facts[rank], func(w *facts.Want) {
			if s.comms[w.Comm] == nil || w.Kind != model.RMA || !asksForLock(w) {
				return
			}
			if these, alone := (judge{s}).lockHolders(rank, w); alone && these.Intersect(some).Len() > 0 {
				holders = holders.Union(these)
				asking.Add(rank)
			}
		})
	})
	return holders.Intersect(some).Minus(asking), asking
}

// targetsOverlap reports whether two targets have a rank in common.
func targetsOverlap(a, b int) bool { return a == model.None || b == model.None || a == b }

// idleTargets returns the targets of the call that are outside MPI.
func (s judge) idleTargets(rank int, w *facts.Want) model.RankSet {
	idle := s.sharedTarget(targetKey{what: leftIdle, comm: w.Comm}).Ranks.Minus(model.NewRankSet(rank))
	if w.Peer == model.None {
		return idle
	}
	return idle.Intersect(model.NewRankSet(w.Peer))
}

// completing returns the ranks that are about to complete something on a window
// under a lock.
func (s judge) completing(comm uint64) model.RankSet {
	return s.RanksWhere(func(f *facts.Fact) bool {
		return anyWant(f, func(w *facts.Want) bool {
			return w.Kind == model.RMA && w.Comm == comm && !asksForLock(w)
		})
	})
}

// anyWant reports whether one of a rank's wants is such.
func anyWant(f *facts.Fact, such func(w *facts.Want) bool) bool {
	for i := range f.Waits {
		for j := range f.Waits[i].Wants {
			if such(&f.Waits[i].Wants[j]) {
				return true
			}
		}
	}
	return false
}

// AsksForLock reports whether a rank waits for a lock of a window.
func AsksForLock(f *facts.Fact) bool { return f != nil && anyWant(f, asksForLock) }

// asksForLock reports whether the call takes a lock.
func asksForLock(w *facts.Want) bool { return w.Function().InClass(mpi.ClassWinLock) }

// judgeLegacyWindow: a record that names neither locks nor groups, as older ones do.
// Between a start and a post, or a complete and a wait, a rank waits for members
// that are at no such call; a lock is held by one of those that compute.
func (s judge) judgeLegacyWindow(id wantID, w *facts.Want) (Link, outcome) {
	t := new(Target)
	switch {
	case w.Peer >= 0 && !s.drivesMessages(w.Peer):
		t = s.singleTarget(w.Peer)
	case isPassiveSync(w):
		t = s.sharedTarget(targetKey{what: leftIdle, comm: w.Comm})
	case synchronises(w):
		t = s.sharedTarget(targetKey{what: outsideWindow, comm: w.Comm})
	}
	if t.Ranks.Len() == 0 {
		return Link{}, open
	}
	return Link{To: t, Weak: true, Kind: Collective, source: id}, linked
}

// isPassiveSync reports whether the call synchronises a window without a call of the
// target.
func isPassiveSync(w *facts.Want) bool {
	f := w.Function()
	return f != nil && f.Class.IsPassiveTarget()
}

// synchronises reports whether the call synchronises a window, with a lock or not;
// else it is an operation on one.
func synchronises(w *facts.Want) bool {
	f := w.Function()
	return f.OnWindow() && !f.Class.IsOneSided()
}

// outsideWindow returns the members that are at no such call on the window.
func (s judge) outsideWindow(comm uint64) model.RankSet {
	return s.membersOf(s.comms[comm]).Minus(s.RanksWhere(func(f *facts.Fact) bool {
		return anyWant(f, func(w *facts.Want) bool { return w.Kind == model.RMA && w.Comm == comm })
	}))
}
