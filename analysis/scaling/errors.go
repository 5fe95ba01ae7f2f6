package scaling

import "errors"

// The errors of this package wrap one of these.
var (
	// The data cannot be used.

	ErrEmpty    = errors.New("no observations")                                  // a table without rows or without volumes
	ErrFew      = errors.New("too few observations")                             // fewer rows than a model needs
	ErrRow      = errors.New("impossible observation")                           // a rank outside its run, a negative volume, not a number
	ErrTwice    = errors.New("two observations of one rank in one run")          // and they differ
	ErrControls = errors.New("control features are not those of the other rows") // one is missing, or unknown to the model
	ErrSettings = errors.New("impossible settings")                              // see Settings

	// The computation failed.

	ErrNumeric = errors.New("decomposition did not converge")

	// The bytes are not what this package writes.

	ErrKind     = errors.New("not a file of this kind")
	ErrVersion  = errors.New("written in another version of the format")
	ErrChecksum = errors.New("checksum mismatch")
	ErrCorrupt  = errors.New("impossible value")
	ErrSize     = errors.New("too large")
)
