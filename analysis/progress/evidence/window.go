package evidence

import (
	"strings"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// judgeWindow: what a rank waits for on a window, of calls in which the target
// takes no part. One that asks for a lock waits for those who have it. Any waits
// for its target while that is outside MPI, since the library may need it to
// move on.
func (s *Scene) judgeWindow(id wantID, w *facts.Want) (Link, outcome) {
	c := s.comms[w.Comm]
	if w.Lost || w.Self || c == nil {
		return Link{}, open
	}
	if w.Tag == model.None {
		return s.judgeUntold(id, w)
	}
	holders, alone := s.holders(id.rank, w)
	awaited := holders
	if holders.Len() == 0 || !asksForLock(w.Call) {
		awaited = holders.Union(s.idleTargets(id.rank, w))
	}
	if awaited.Len() == 0 {
		return Link{}, open
	}
	l := s.linkTo(&Target{Ranks: awaited}, Collective, id)
	l.Weak = l.Weak || !alone || awaited.Len() > holders.Len()
	return l, linked
}

// holders returns the ranks that have a lock which keeps the wanted one away,
// and whether they can all have it at once. A library may return from the call
// that asks for a lock before it is granted: of two that are giving it up, none
// is known to have it.
func (s *Scene) holders(rank int, w *facts.Want) (ranks model.RankSet, alone bool) {
	exclusive := w.Tag == int(model.Exclusive)
	perTarget := map[int]int{} // exclusive locks by target, as far as told
	shared := 0
	for _, h := range s.comms[w.Comm].Locks {
		if !(exclusive || h.Type == model.Exclusive) || !overlap(h.Target, w.Peer) {
			continue
		}
		others := h.Ranks.Minus(model.NewRankSet(rank))
		if !asksForLock(w.Call) {
			others = others.Minus(s.target(targetKey{what: completingOn, comm: w.Comm}).Ranks)
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

// overlap tells whether two targets have a rank in common.
func overlap(a, b int) bool { return a == model.None || b == model.None || a == b }

// idleTargets returns the targets of the call that are outside MPI.
func (s *Scene) idleTargets(rank int, w *facts.Want) model.RankSet {
	idle := s.target(targetKey{what: leftIdle, comm: w.Comm}).Ranks.Minus(model.NewRankSet(rank))
	if w.Peer == model.None {
		return idle
	}
	return idle.Intersect(model.NewRankSet(w.Peer))
}

// completing returns the ranks that are about to complete something on a window
// under a lock.
func (s *Scene) completing(comm uint64) model.RankSet {
	return s.RanksWhere(func(f *facts.Fact) bool {
		return wants(f, func(w *facts.Want) bool {
			return w.Kind == model.RMA && w.Comm == comm && !asksForLock(w.Call)
		})
	})
}

// wants tells whether one of a rank's wants is such.
func wants(f *facts.Fact, such func(w *facts.Want) bool) bool {
	for i := range f.Waits {
		for j := range f.Waits[i].Wants {
			if such(&f.Waits[i].Wants[j]) {
				return true
			}
		}
	}
	return false
}

// asksForLock tells whether the call takes a lock.
func asksForLock(call string) bool { return strings.Contains(strings.ToLower(call), "win_lock") }

// judgeUntold: a record that names neither locks nor groups, as older ones do.
// Between a start and a post, or a complete and a wait, a rank waits for members
// that are at no such call; a lock is held by one of those that compute.
func (s *Scene) judgeUntold(id wantID, w *facts.Want) (Link, outcome) {
	t := new(Target)
	switch {
	case w.Peer >= 0 && !s.driving(w.Peer):
		t = s.one(w.Peer)
	case passive(w.Call):
		t = s.target(targetKey{what: leftIdle, comm: w.Comm})
	case synchronises(w.Call):
		t = s.target(targetKey{what: outsideWindow, comm: w.Comm})
	}
	if t.Ranks.Len() == 0 {
		return Link{}, open
	}
	return Link{To: t, Weak: true, Kind: Collective, source: id}, linked
}

// passive tells whether the call synchronises a window without a call of the
// target.
func passive(call string) bool {
	name := strings.ToLower(call)
	return strings.Contains(name, "lock") || strings.Contains(name, "flush")
}

// synchronises tells whether the call synchronises a window, with a lock or not;
// else it is an operation on one.
func synchronises(call string) bool { return strings.HasPrefix(strings.ToLower(call), "mpi_win_") }

// outsideWindow returns the members that are at no such call on the window.
func (s *Scene) outsideWindow(comm uint64) model.RankSet {
	return s.members(s.comms[comm]).Minus(s.RanksWhere(func(f *facts.Fact) bool {
		return wants(f, func(w *facts.Want) bool { return w.Kind == model.RMA && w.Comm == comm })
	}))
}
