package progress

import (
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// CauseKind says what kind of thing a job was found to hang on.
type CauseKind string

// The kinds of cause. Where ranks left the common sequence of collectives it is the
// divergence.Kind.
const (
	CauseDeadlock   CauseKind = "deadlock"    // ranks that wait for each other
	CauseLost       CauseKind = "lost"        // a process is gone
	CauseStopped    CauseKind = "stopped"     // a process is there and stands still
	CauseBeforeInit CauseKind = "before_init" // it has not called MPI_Init yet, or is in it
	CauseComputing  CauseKind = "computing"   // it is outside MPI
	CauseLibrary    CauseKind = "library"     // all calls match: the MPI library, or the network
	CauseUnknown    CauseKind = "unknown"
)

// Parting tells whether ranks left the common sequence of collectives.
func (k CauseKind) Parting() bool {
	switch k {
	case CauseDeadlock, CauseLost, CauseStopped, CauseBeforeInit, CauseComputing, CauseUnknown:
		return false
	}
	return true
}

// lossKind is that of the lost ranks that are named.
func (f *Finding) lossKind() CauseKind {
	for _, l := range f.scene.Losses {
		if l.Cause && !l.Stopped {
			return CauseLost
		}
	}
	return CauseStopped
}

// standsIn is the kind of cause that the places of the named ranks tell.
func (f *Finding) standsIn() CauseKind {
	all := func(is func(*facts.Fact) bool) bool { return f.least.Minus(f.scene.RanksWhere(is)).Len() == 0 }
	switch {
	case f.least.Len() == 0:
		return CauseUnknown
	case all(func(fact *facts.Fact) bool { return fact.Phase == model.Starting }):
		return CauseBeforeInit
	case all(func(fact *facts.Fact) bool { return !fact.At.InMPI }):
		return CauseComputing
	}
	return CauseUnknown
}
