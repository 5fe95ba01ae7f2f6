package compare

import (
	"laggard/model/runfiles"
	"laggard/symbol"
)

// Question asks what differs in a run.
type Question struct {
	Good []string // run directories of good runs of the program; at least one
	Bad  string   // run directory of the run that is compared with them
	// GoodSymbols, one for each of Good, and BadSymbols say where executables and debug information are.
	GoodSymbols []symbol.Config
	BadSymbols  symbol.Config
}

// Result is the answer to a [Question].
type Result struct {
	Good     []*runfiles.Index
	Bad      *runfiles.Index
	Findings []Finding // likeliest first
	Classes  []Class   // ranks by their differences
	Shares   []Share   // what took another share of the time; the largest change first
	Compared Compared
	// BadCutOff: some rank of the bad run did not come to MPI_Finalize.
	BadCutOff bool
	// GoodCutOff: the same of a good run, which then tells nothing of what would have come.
	GoodCutOff bool
	Notes      []string // what could not be compared, and where the bad run was cut off
	Problems   []string // what was missing or damaged, of all runs
}

// Compared says how much was compared.
type Compared struct {
	GoodRanks int // of all good runs
	BadRanks  int
	Places    int // call sites of all runs, each once
	BadPlaces int // of the bad run
	BadKnown  int // of these, in a good run, too
	Passages  int // from one call to the next, likewise
	Messages  bool
}
