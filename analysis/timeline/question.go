package timeline

import (
	"errors"
	"time"

	"laggard/model"
)

// Question is what a timeline is asked.
type Question struct {
	Dir string // run directory
	// From, To and Apart need only be known at analysis rank 0.

	// From and To bound the time that is shown; zero: all that was sampled.
	From, To time.Time
	Columns  int // at most, at least 1
	// Rows is how many rows there are at most, for ranks that are alike have one together; 0: each rank has its own. Up to
	// [FewRanks] ranks are never put together.
	Rows int
	// Apart are ranks that have rows of their own, not together with others.
	Apart model.RankSet
}

// FewRanks is how many ranks have a row each, also if they are alike.
const FewRanks = 24

// ErrNoSamples is wrapped if no rank of a run has samples, at the time that was asked for.
var ErrNoSamples = errors.New("no samples of what the ranks did over time")
