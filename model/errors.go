package model

import (
	"errors"
	"fmt"
	"strings"
)

// The errors of this package wrap one of these. They are grouped by what the
// user can do about them.
var (
	// The argument is wrong.

	ErrRankSet  = errors.New("model: bad rank set")              // a rank set that cannot be read
	ErrNoRun    = errors.New("not a run directory")              // no node file and no manifest in it
	ErrManifest = errors.New("bad manifest")                     // manifest.json is not what laggard writes
	ErrEncode   = errors.New("cannot be written in this format") // a rank with values the format has no room for

	// The file belongs elsewhere.

	ErrMagic   = errors.New("not a laggard node file")
	ErrVersion = errors.New("written in another version of the format")
	ErrRunID   = errors.New("belongs to another run")

	// The file is damaged.

	ErrTruncated = errors.New("file is cut short")    // bytes that other parts speak of are not there
	ErrChecksum  = errors.New("checksum mismatch")    // bytes were changed after they were written
	ErrCorrupt   = errors.New("impossible value")     // a field that no recorder writes
	ErrLost      = errors.New("record is missing")    // something refers to a record that is not there
	ErrTorn      = errors.New("update was cut short") // a block stays half updated; its process was killed there

	// The file says something this version does not know.

	ErrUnknown = errors.New("unknown to this version") // a record type or value; the rest is read
)

// FormatError places an error in a node file. Its Err wraps one of the errors
// above.
type FormatError struct {
	File    string // file name without directory
	Rank    int    // -1 not known or not about one rank
	Slot    int    // -1 not about one slot
	Section string // "file header", "chunk", or the type of the record; "" none
	Offset  int64  // of the section in the file, bytes; -1 none
	Err     error
}

// Error gives the place from the outside in, then the reason:
// "model: node-a.lgd: rank 17: STATE record at 81920: checksum mismatch".
func (e *FormatError) Error() string {
	parts := []string{"model"}
	if e.File != "" {
		parts = append(parts, e.File)
	}
	switch {
	case e.Rank >= 0:
		parts = append(parts, fmt.Sprintf("rank %d", e.Rank))
	case e.Slot >= 0:
		parts = append(parts, fmt.Sprintf("slot %d", e.Slot))
	}
	switch {
	case e.Section != "" && e.Offset >= 0:
		parts = append(parts, fmt.Sprintf("%s at %d", e.Section, e.Offset))
	case e.Section != "":
		parts = append(parts, e.Section)
	}
	return strings.Join(append(parts, e.Err.Error()), ": ")
}

// Unwrap returns the reason.
func (e *FormatError) Unwrap() error { return e.Err }
