package facts

import (
	"bytes"
	"cmp"

	"laggard/model"
)

// Position is where a rank is in its Markov model: inside a communication
// state, in the computation behind it, or before its first call. The zero
// value is the start.
type Position struct {
	State model.StateID
	Begun bool // false before the first call; State is zero then
	InMPI bool // inside the call; else in the computation behind it
}

// Compare orders positions: the start, then by state, the call before the
// computation behind it. The order is only canonical; it says nothing about
// progress.
func (p Position) Compare(q Position) int {
	return cmp.Or(
		CompareBools(p.Begun, q.Begun),
		bytes.Compare(p.State[:], q.State[:]),
		CompareBools(q.InMPI, p.InMPI),
	)
}

// CompareBools orders false before true.
func CompareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Representative returns the thread that speaks for the rank: that in whose call MPI ended the job, or of those that have
// not ended the one with the most progress, the first of equals. Nil if the rank
// has no thread.
func Representative(r *model.Rank) *model.Thread {
	var best *model.Thread
	for _, t := range r.Threads {
		if best == nil || speaksBefore(t, best) {
			best = t
		}
	}
	return best
}

func speaksBefore(t, u *model.Thread) bool {
	switch {
	case t.InFailedCall() != u.InFailedCall():
		return t.InFailedCall()
	case t.Ended != u.Ended:
		return u.Ended
	}
	return t.Progress > u.Progress
}

// PositionOf returns the position of a thread. A thread that spins on a test
// is in the call, wherever the snapshot caught it.
func PositionOf(t *model.Thread) Position {
	s := stateOf(t, t.Op.State)
	if s == nil {
		return Position{}
	}
	return Position{State: s.ID, Begun: true, InMPI: t.Op.InMPI || isSpinning(t)}
}

// stateOf returns a state of the thread by its index, nil if there is none.
func stateOf(t *model.Thread, index int) *model.State {
	if index < 0 || index >= len(t.Model.States) {
		return nil
	}
	return t.Model.States[index]
}
