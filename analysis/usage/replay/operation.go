package replay

// Operation is what a call does that other ranks take part in.
type Operation struct {
	Kind OperationKind
	Mode SendMode // of a Send
	// Blocking: the call returns only when it is complete.
	Blocking bool
	// Cancelled: it was cancelled; Withdrawn: MPI_Cancel was asked to, and no status reports whether it was.
	Cancelled bool
	Withdrawn bool
	// Refused: MPI refused the collective at this rank, so that it is not known whether it has a place among those of the
	// others.
	Refused bool
	Call    int32 // index into Replayed.Calls: the call that begins it (MPI_Start of a persistent one)
	Made    int32 // the call that made the request of a persistent one; else as Call
	Done    int32 // the call that completed it, -1 none
	Comm    int32 // index into Trace.Comms
	Peer    int32 // destination or source as given, or root; model.Any, model.ProcNull
	Tag     int32
	// Pair of a partitioned message: its request is that many of those that were initialised for the same way, from 1, and
	// matches that many of the other side (MPI-4.0 §4.2). 0: another message, which none of these matches.
	Pair int32
	// Source, FromTag and Bytes are what its status said; Bytes -1: not known.
	Source, FromTag int32
	// Type and Count are of the buffer; Collectives have theirs in the call.
	Type  int32
	Count int64
	Bytes int64
	// Number of the collective on its communicator, from 1. A persistent
	// collective has it from the call that made it, which leaves an Operation
	// with Call equal to Made; those of its starts have the same Number. 0:
	// not numbered, such as MPI_Comm_create_group, which only some members call.
	Number uint64
	// Note is what the Follower remembers of it.
	Note int32
}

// OperationKind is the kind of an Operation.
type OperationKind uint8

const (
	Send OperationKind = iota + 1
	Recv
	Probe // also a matched one; the receive of its message follows as Recv with Source and FromTag
	Collective
	OneSided // access to a window, and its synchronisation apart from MPI_Win_fence
)

// SendMode is the mode of a send (MPI-3.1 §3.4).
type SendMode uint8

const (
	Standard SendMode = iota
	Buffered
	Synchronous
	Ready
)

// Wait is a call that completes requests and never returned, or a poll that found nothing: what it waits for.
type Wait struct {
	Call       int          // index into Replayed.Calls
	Operations []*Operation // those of the requests that were active
	Any        bool         // one of them suffices; else all are needed
	Poll       bool         // it returns in any case: MPI_Test and its like
}
