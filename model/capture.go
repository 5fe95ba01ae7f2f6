package model

import (
	"time"

	"laggard/model/format"
)

// Capture is a stack taken by the watch thread, in computation or inside an MPI
// call, or at a fatal signal.
type Capture struct {
	Time    time.Time
	Why     CaptureReason
	Signal  int     // for CaptureFatal; for CaptureExit that of the handler that ended the process, 0 none
	Stack   []Frame // innermost first; the innermost is a program counter, the others return addresses
	Partial bool
	// Idle: in a system call that yields, sleeps, polls or waits for another
	// process, so that finding the thread there again does not show that it
	// stands still.
	Idle  bool
	InMPI bool
	Calls uint64 // Thread.Calls at that moment
	Same  int    // captures in a row that showed this stack
	// Other: of a thread that never called MPI, and took the fatal signal.
	Other bool
	// Awaited says for what of which thread or process it waited, AwaitedTID is the system's number of that one.
	Awaited    Awaited
	AwaitedTID int
}

// OtherThread is a thread that does not call MPI.
type OtherThread struct {
	TID     int       // the system's number of the thread
	Time    time.Time // when it was last seen at that stack
	Stack   []Frame   // innermost first; the innermost is a program counter, the others return addresses
	Partial bool      // the unwinding ended before the outermost frame
}

// Awaited says what a thread outside MPI waited for when its stack was captured.
type Awaited uint32

// What a thread may wait for. It is NothingAwaited where that is not known.
const (
	NothingAwaited Awaited = format.AwaitedNone
	OwnerAwaited   Awaited = format.AwaitedOwner // the owner of a mutex
	GoneAwaited    Awaited = format.AwaitedGone  // the owner of a mutex, a thread that has ended
	EndAwaited     Awaited = format.AwaitedEnd   // the end of a thread that it joins
	// FileLockAwaited is the lock of a file: AwaitedTID is the number of the process that has it, 0 unknown.
	FileLockAwaited Awaited = format.AwaitedFileLock
	// InterpreterAwaited is the thread that has the lock of the Python interpreter (GIL).
	InterpreterAwaited Awaited = format.AwaitedInterpreter
	// ProcessAwaited is the owner of a mutex that processes share: AwaitedTID is the number of the process.
	ProcessAwaited Awaited = format.AwaitedProcess
)

// FileLock is the lock of a file that a thread waited for.
type FileLock struct {
	Holder  int    // number of the process that has it, 0 unknown
	Command string // name of that process, "" unknown
	File    string // of a long name the end; "" unknown
}

// CaptureReason says what made the recorder take a stack.
type CaptureReason uint32

// The reasons for a capture.
const (
	CaptureQuiet  CaptureReason = format.WhyQuiet // no progress for a while
	CaptureSignal CaptureReason = format.WhyAsked // asked for
	CaptureFatal  CaptureReason = format.WhyFatal // a fatal signal arrived
	CaptureError  CaptureReason = format.WhyError // MPI reported an error within the call
	CaptureExit   CaptureReason = format.WhyExit  // the program ends the process, outside a call or in a callback
)
