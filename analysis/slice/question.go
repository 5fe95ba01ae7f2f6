package slice

import (
	"errors"
	"fmt"

	"laggard/analysis/progress"
	"laggard/slicing"
)

// Question is what the slices of a run are asked.
type Question struct {
	progress.Question                // the diagnosis to start from
	Rank              int            // the rank to begin with; -1: the least-progressed ones
	Groups            int            // slice at most so many groups of ranks; 0: all
	Budget            slicing.Budget // for all slices together
	// Optional: where there is nothing to slice, and of a job that makes progress,
	// there are no slices, which is no error.
	Optional bool
	// Found gets the diagnosis before any slice is made. It is called at analysis rank 0
	// only. nil: nobody wants it then.
	Found func(*progress.Result) error
	// Nearest gets the nearest lines of the first slice, if its search takes long. It is called at analysis rank 0 only.
	// nil: nobody wants them then.
	Nearest func(slicing.Slice)
	// Slicer returns the backend for a run. It is called at analysis rank 0 only, and
	// its time does not count; a backend that is an io.Closer is closed. nil: only
	// the diagnosis, no slices.
	Slicer func(*progress.Result) slicing.Slicer
}

// ErrNoStart says that the diagnosis names no rank to begin with.
var ErrNoStart = errors.New("no rank hangs or is lost, so there is nothing to slice; choose a rank with --rank")

// RankError says that nothing is known of Question.Rank.
type RankError struct{ Rank int }

func (e *RankError) Error() string {
	return fmt.Sprintf("%d: this run has no data of that rank", e.Rank)
}
