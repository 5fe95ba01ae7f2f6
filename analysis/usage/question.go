package usage

import (
	"errors"
	"time"
)

// ErrNoCalls is wrapped if the calls were not recorded in a run.
var ErrNoCalls = errors.New("no calls were recorded: use laggard run --record usage")

// Question is what an analysis of MPI usage is asked.
type Question struct {
	Dir string // run directory, recorded with the calls of MPI
	// Within bounds the time for reading the calls; with it, a run without any, or with
	// more than can be read in time, has no result. 0: read all.
	Within time.Duration
	// Time bounds the analysis: what is found until then is the result, which says that it is partial. 0: no limit.
	Time time.Duration
	// Progress is told, at analysis rank 0, what is done next; as for fmt.Printf; nil: nobody is.
	Progress func(format string, args ...any)
	// Memory bounds what the calls may take in an analysis rank, in bytes, about; 0: half of what is free.
	Memory int64
}
