package movement

import (
	"errors"
	"fmt"

	"laggard/analysis/movement/recorded"
	"laggard/model"
	"laggard/symbol"
)

// Question is what an analysis of data movements is asked.
type Question struct {
	Dir       string         // run directory, recorded with data movements
	Train     []string       // run directories of good runs to compare with
	Ranks     *model.RankSet // only chains that begin at these ranks; nil: at any
	LastPhase bool           // without an outlier in the whole run, look at shorter spans of time
	Depth     int            // how many innermost frames tell call sites apart, at least 1
	Level     recorded.Level // whose movements are looked at
	Symbols   symbol.Config  // where executables and debug information are
}

// ErrNoMoves is wrapped if data movement was not recorded in a run.
var ErrNoMoves = errors.New("it has no data movements: they are recorded with laggard run --record movement")

// RanksError says that Question.Ranks has a rank that the run does not have.
type RanksError struct{ Rank, Size int }

func (e *RanksError) Error() string {
	return fmt.Sprintf("there is no rank %d, the run has ranks 0-%d", e.Rank, e.Size-1)
}

// check compares the question with the run that it is about.
func (q Question) check(x *model.Index) error {
	if q.Ranks != nil && x.Size > 0 && q.Ranks.Max() >= x.Size {
		return &RanksError{q.Ranks.Max(), x.Size}
	}
	return nil
}
