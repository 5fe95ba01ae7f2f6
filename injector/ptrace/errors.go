package ptrace

import "errors"

var (
	// ErrInstruction: the instruction at a place cannot be executed elsewhere, so
	// no breakpoint can stand there.
	ErrInstruction = errors.New("instruction cannot be moved")
	// ErrNoRoom: no free address range near enough for copies of instructions.
	ErrNoRoom = errors.New("no free address range within reach")
	// ErrNotPermitted: the system does not let this process trace that one.
	ErrNotPermitted = errors.New("tracing is not permitted")
	// ErrNoFunction: no mapped module defines the function.
	ErrNoFunction = errors.New("no such function in the process")
	// ErrEnded: the process is gone.
	ErrEnded = errors.New("the process has ended")
)
