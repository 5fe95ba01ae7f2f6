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
	CauseConcurrent CauseKind = "concurrent"  // threads of one rank call collectives on one communicator at once
	CauseUnknown    CauseKind = "unknown"
)

// IsDivergence reports whether ranks left the common sequence of collectives.
func (k CauseKind) IsDivergence() bool {
	switch k {
	case CauseDeadlock, CauseLost, CauseStopped, CauseBeforeInit, CauseComputing, CauseLibrary, CauseConcurrent, CauseUnknown:
		return false
	}
	return true
}

// causeFromPlaces is the kind of cause that the places of the named ranks tell.
func (f *Finding) causeFromPlaces() CauseKind {
	all := func(is func(*facts.Fact) bool) bool { return f.Ranks.Minus(f.scene.RanksWhere(is)).Len() == 0 }
	switch {
	case f.Ranks.Len() == 0:
		return CauseUnknown
	case all(func(fact *facts.Fact) bool { return fact.Phase == model.Starting }):
		return CauseBeforeInit
	case all(func(fact *facts.Fact) bool { return !fact.At.InMPI }):
		return CauseComputing
	}
	return CauseUnknown
}
