package recorded

import (
	"syscall"
	"time"

	"laggard/model"
)

// Crash is how a rank failed by itself. The others of a job are then killed by
// the launcher, so the earliest one counts.
type Crash struct {
	Rank  int       `json:"rank"`  // the rank
	What  string    `json:"what"`  // such as "segmentation fault" or "MPI_Abort"
	Time  time.Time `json:"time"`  // when
	Stack []Frame   `json:"stack"` // the call stack, innermost frame first
}

// FindCrash reports whether and how a rank crashed: it took a fatal signal that no
// launcher sends, called MPI_Abort, or ended with a status of failure inside an
// MPI call, as MPI does upon an error. nil: it did not.
func FindCrash(r *model.Rank) *Crash {
	c := &Crash{Rank: r.Rank, Time: r.EndTime}
	for _, t := range r.Threads {
		if k := t.Captured; k != nil && k.Why == model.CaptureFatal && isFatalSignal(k.Signal) {
			c.What, c.Stack = syscall.Signal(k.Signal).String(), withoutRecorder(Frames(k.Stack))
			if c.Time.IsZero() {
				c.Time = k.Time
			}
			return c
		}
	}
	for _, t := range r.Threads {
		if t.Op.State < 0 || !t.Op.InMPI || !(r.End == model.Aborted || r.End == model.Exited && r.EndDetail != 0) {
			continue
		}
		state := t.Model.States[t.Op.State]
		c.What, c.Stack = "error in "+state.Call, callStack(state)
		if state.Call == "MPI_Abort" {
			c.What = "MPI_Abort"
		}
		return c
	}
	return nil
}

func isFatalSignal(signal int) bool {
	switch syscall.Signal(signal) {
	case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGABRT, syscall.SIGFPE, syscall.SIGILL, syscall.SIGSYS,
		syscall.SIGTRAP:
		return true
	}
	return false
}

// EarlierCrash is the one that came first; nil is none.
func EarlierCrash(a, b *Crash) *Crash {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case b.Time.Before(a.Time) || b.Time.Equal(a.Time) && b.Rank < a.Rank:
		return b
	}
	return a
}
