package model

import (
	"time"

	"laggard/model/format"
)

// Signal is a signal that reached a process, and where it came from.
type Signal struct {
	Number int // 0: there was none
	Sender Sender
	Code   int // si_code
	PID    int // of the sender, as the process numbers it; 0 unknown
	Time   time.Time
}

// Sender is who sent a signal.
type Sender uint32

// The senders. SenderParent is the process that started the rank, a launcher as a rule;
// SenderAbove is one that started that process, up to laggard or the leader of a session.
// SenderChild is one that the rank started, or below that. SenderOther is any other process, another rank perhaps.
const (
	SenderNone   Sender = format.SenderNone
	SenderKernel Sender = format.SenderKernel
	SenderSelf   Sender = format.SenderSelf
	SenderParent Sender = format.SenderParent
	SenderAbove  Sender = format.SenderAbove
	SenderOther  Sender = format.SenderOther
	SenderChild  Sender = format.SenderChild
)

// Ender says whose thread exited, or took the signal that ended the process.
type Ender uint32

// The enders. EnderLibrary is a thread that the MPI library made for itself. EnderExec is the
// program's, which did not exit but became another program.
const (
	EnderUnknown Ender = format.EnderUnknown
	EnderProgram Ender = format.EnderProgram
	EnderLibrary Ender = format.EnderLibrary
	EnderExec    Ender = format.EnderExec
)

// Ended says how a process ended, beyond End. Older recorders leave it empty.
type Ended struct {
	Asked    Signal // the first signal of another process, a terminal or a limit that asked it to end
	Fatal    Signal // the signal that EndDetail names
	Ender    Ender
	Orphaned bool   // the process that had started it was gone when it ended
	By       string // the name of the process that sent Asked or Fatal, if it is SenderParent or SenderAbove; "" none is, or unknown
}
