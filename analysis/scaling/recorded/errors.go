package recorded

import "errors"

// The data cannot be used: the errors of this package wrap one of these.
var (
	// ErrEmpty: a table without rows or without volumes.
	ErrEmpty = errors.New("no observations")
	// ErrRow: a rank outside its run, a negative volume, not a number.
	ErrRow = errors.New("impossible observation")
	// ErrTwice: two rows are of the same rank of a run, and they differ.
	ErrTwice = errors.New("two observations of one rank in one run")
	// ErrControls: a control feature is missing, or unknown to the model.
	ErrControls = errors.New("control features are not those of the other rows")
)
