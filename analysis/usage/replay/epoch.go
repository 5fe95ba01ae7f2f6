package replay

import (
	"laggard/model"
)

// Epoch is the time from the call that opens it on a window to the one that closes it
// (MPI-3.1 §11.5).
type Epoch struct {
	Kind   EpochKind
	Window int // index into Trace.Comms
	Open   int // the call that opens it, index into Replayed.Calls
	// Close is the call that closes it, which may not have returned; -1: none.
	Close int
	// Number and Said are of a FenceEpoch: the number of MPI_Win_fence among the
	// collectives on the window, from 1, and what that fence asserts.
	Number uint64
	Assert int64
	// Group is that of a StartEpoch or a PostEpoch: world ranks, -1 for a member outside
	// MPI_COMM_WORLD; nil: not known.
	Group []int
	// The others are of a LockEpoch. Target is a rank in the window or AllRanks; Fence is
	// the FenceEpoch in which the lock was taken, index into Replayed.Epochs, -1 none.
	Target    int
	Exclusive bool
	Fence     int
}

// EpochKind says which call opened an Epoch.
type EpochKind int

const (
	FenceEpoch EpochKind = iota + 1 // MPI_Win_fence
	StartEpoch                      // MPI_Win_start: of accesses
	PostEpoch                       // MPI_Win_post: of exposure
	LockEpoch                       // MPI_Win_lock and MPI_Win_lock_all
)

// AllRanks is the Target of MPI_Win_lock_all, and no rank that a call can name.
const AllRanks = model.None

// Access is a use of the memory of another rank in a window, such as by MPI_Put.
type Access struct {
	// Operation says who accesses whom, and when that was complete at the origin.
	Operation *Operation
	// Epoch is the one that allows it, index into Replayed.Epochs; -1: none does.
	Epoch int
	// Done is the call by which it was complete at the target, index into Replayed.Calls;
	// -1 none.
	Done int
}
