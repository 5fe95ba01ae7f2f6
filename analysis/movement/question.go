package movement

import (
	"errors"

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
	Memory    int64          // that the moves may take in an analysis rank, in bytes, about; 0: half of what is free
}

// ErrNoMoves is wrapped if data movement was not recorded in a run.
var ErrNoMoves = errors.New("no data movements were recorded: use laggard run --record movement")
