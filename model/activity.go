package model

import (
	"fmt"
	"time"

	"laggard/model/format"
)

// Activity is what a rank was seen to do inside an MPI call that lasts, although it makes no progress. Older
// recorders leave it empty.
type Activity struct {
	Active        time.Time // when it was seen last; zero: never
	How           How
	Read, Written uint64 // bytes, through system calls of the threads inside MPI calls
}

// How is what showed that a rank is active.
type How uint32

// The kinds of activity. AtFile is a system call on a file that is in progress, or a disk that is waited for, in any
// thread; the others are of threads inside MPI calls.
const (
	Inactive     How = format.ActiveNot
	MovesBytes   How = format.ActiveBytes // it reads and writes through system calls
	AtFile       How = format.ActiveFile
	FillsMemory  How = format.ActiveMemory // it touches memory for the first time
	CopiesMemory How = format.ActiveCopy   // it goes through memory, or has the kernel do it
)

// busy is how long before its last sign of life a rank that is at work was seen active, at most.
const busy = 20 * time.Second

// IsWorking reports whether the rank was active inside a call when it gave its last sign of life.
func (r *Rank) IsWorking() bool { return !r.Active.IsZero() && r.Heartbeat.Sub(r.Active) < busy }

// String says what was seen, as in "1.2 GB written so far"; "" for nothing.
func (a Activity) String() string {
	const least = 1 << 20 // bytes that are worth mentioning
	switch {
	case a.Active.IsZero():
		return ""
	case a.Written >= least && a.Written >= a.Read:
		return bytesText(a.Written) + " written so far"
	case a.Read >= least:
		return bytesText(a.Read) + " read so far"
	}
	return [...]string{"", "it reads and writes", "an operation on a file is in progress", "it fills memory",
		"it copies memory"}[a.How]
}

func bytesText(n uint64) string {
	if n >= 1e9 {
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	}
	return fmt.Sprintf("%.0f MB", float64(n)/1e6)
}
