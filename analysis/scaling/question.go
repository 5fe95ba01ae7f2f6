package scaling

import (
	"errors"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/symbol"
)

// Question asks whether a run behaves as a model predicts.
type Question struct {
	Dir     string             // run directory, recorded with volumes
	Trained *training.Trained  // what the run is judged by; it is needed at analysis rank 0 only
	Sources []recorded.Source  // where volumes are taken from, as far as the model was trained on them
	Add     map[string]float64 // further control features of the run, by name
	Symbols symbol.Config      // where executables and debug information are
}

// Training asks for a model of good runs.
type Training struct {
	Dirs    []string           // run directories, recorded with volumes; at least one
	Sources []recorded.Source  // where volumes are taken from
	Add     map[string]float64 // further control features of every run, by name
	// Features are those of single runs, by the path of the run or its last element.
	Features map[string]map[string]float64
	Ignore   []string      // names of control features that are left out
	Symbols  symbol.Config // where executables and debug information are
	// Progress is told, at analysis rank 0, what is done next; as for fmt.Printf.
	Progress func(format string, args ...any)
}

// ErrNoVolumes is wrapped if a run does not say what its ranks sent.
var ErrNoVolumes = errors.New("what the ranks sent was not recorded; use laggard run --record volume")

// UnfitError says that a question cannot be answered from the runs it is about.
type UnfitError struct{ Err error }

// Error gives the reason.
func (e *UnfitError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UnfitError) Unwrap() error { return e.Err }
