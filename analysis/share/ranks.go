package share

import (
	"fmt"

	"laggard/model"
)

// RanksError says that a question is about a rank that the run does not have.
type RanksError struct{ Rank, Size int }

func (e *RanksError) Error() string {
	return fmt.Sprintf("there is no rank %d, the run has ranks 0-%d", e.Rank, e.Size-1)
}

// CheckRanks compares the ranks of a question with a run of so many, 0 if that is
// not known. The error is a [*RanksError].
func CheckRanks(ranks model.RankSet, size int) error {
	if size > 0 && ranks.Len() > 0 && ranks.Max() >= size {
		return &RanksError{ranks.Max(), size}
	}
	return nil
}
