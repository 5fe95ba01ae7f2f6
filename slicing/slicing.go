package slicing

import (
	"context"
	"errors"
	"time"

	"laggard/model"
)

// Kind is the dependence by which a line came into a slice.
type Kind string

// The kinds of dependence.
const (
	Data          Kind = "data"          // the line computes a value that is used
	Control       Kind = "control"       // the line decides whether another one runs
	Call          Kind = "call"          // the line calls the function, or passes an argument
	Communication Kind = "communication" // the line sends what another one received
)

// Site is an MPI call site of the run.
type Site struct {
	Call  string        // MPI function, such as "MPI_Send"
	Stack []model.Frame // return addresses, innermost first
}

// Criterion is where a slice starts: the state of a rank.
type Criterion struct {
	Rank  int
	Call  string        // MPI function it is in, "" in computation
	Stack []model.Frame // innermost first
	// Exact: the innermost frame is a program counter, as in a captured stack;
	// else it is a return address as the others are.
	Exact bool
	// Peers are the sending call sites of the run, whose data the receives in
	// the slice may have got.
	Peers []Site
}

// CrowdedFactor is how many times as long as its time an answer may take on a crowded machine, where other processes have the
// processors: the time bounds what a backend works, and so how long users wait on a quiet machine. A deadline holds always; the
// time of an answer is at most the part of what is left until then.
const CrowdedFactor = 3

// TimeUntil is the time of an answer that may take that long, and not past the deadline of ctx.
func TimeUntil(ctx context.Context, limit time.Duration) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(limit, time.Until(end)/CrowdedFactor)
	}
	return limit
}

// Budget bounds the work of one slice. What a zero field means is the backend's
// choice.
type Budget struct {
	Time time.Duration // see CrowdedFactor
	// Total is the time for all slices of the same answer together, of which Time is what is left; 0: this is the only one.
	Total time.Duration
	Nodes int // instructions in the slice
	Depth int // distance from the criterion
	// NeedsLines asks for source lines only: without line information on the stack there is no slice (ErrNothing).
	// Otherwise functions without line information are in the slice by their names. It takes seconds to follow the
	// dependences of a large library.
	NeedsLines bool
}

// Line is a source line of a slice, or a function without line information. Each is there once, with the smallest
// distance and the kind that came with it.
type Line struct {
	File     string `json:"file"`     // source file; of a function without line information the program or library with its code
	Line     int    `json:"line"`     // line; 0: the function has no line information
	Function string `json:"function"` // the function
	Distance int    `json:"distance"` // number of dependences between the line and the criterion
	// data, control, call or communication: how the line came into the slice
	Kind Kind `json:"kind"`
}

// LineID identifies a line of a slice.
type LineID struct {
	File     string
	Line     int
	Function string // "" where there is a line
}

// ID is what makes two lines the same.
func (l Line) ID() LineID {
	if l.Line > 0 {
		return LineID{File: l.File, Line: l.Line}
	}
	return LineID{File: l.File, Function: l.Function}
}

// Slice is the answer, possibly a partial one.
type Slice struct {
	Backend   string   // of the backend that made it
	Lines     []Line   // those likely at fault first
	Truncated bool     // a budget ended it; Notes say which
	Notes     []string // what is missing and why, for the user
	// Unfinished: the time of the search, or of a part of it, was over: asked again, more may be found.
	Unfinished bool
}

// Slicer makes slices. It is safe for concurrent use.
type Slicer interface {
	// Name is "native" or "dyninst".
	Name() string
	// Slice fails only if nothing at all can be said, such as for a stack none
	// of whose modules can be read; a partial slice is no error.
	Slice(ctx context.Context, c Criterion, b Budget) (Slice, error)
	// Branch finds the nearest branch that decides whether a call is made or passed
	// on the way to another one, and what the code allows of both. last is the call
	// that came before either, nil: it is not known. If the other is made's own caller, or
	// further out, the way parted where a function returned without the call. All are stacks of return
	// addresses, innermost first. Without a branch the stack of what is returned is
	// nil. Errors wrap ErrNothing.
	Branch(ctx context.Context, made, other, last []model.Frame) (Branch, error)
}

// ErrNothing is wrapped by the error of a slice of which nothing can be said.
var ErrNothing = errors.New("nothing can be said")
