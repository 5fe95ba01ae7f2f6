package recorded

import (
	"iter"
	"slices"
	"syscall"

	"laggard/model"
	"laggard/model/format"
	"laggard/model/mpi"
)

// Trace is what one rank recorded.
type Trace struct {
	Rank, Size int // in MPI_COMM_WORLD
	Host       string
	Family     mpi.Family
	Phase      model.Phase
	End        model.End
	Signal     int // that ended the process; 0 none, or not known
	// ThreadLevel that MPI provided: 0 single to 3 multiple; -1 unknown.
	ThreadLevel int
	Sites       []Site
	Comms       []*model.Comm // communicators, and windows and files as such
	Types       []*Datatype
	// Names are those of predefined handles and constants, by the type of the
	// parameter ("MPI_Op") and the value.
	Names map[string]map[int64]string
	// Calls gives the calls in the order of Begin, each time anew and one at a time: all together they may take more
	// memory than there is. Those of Load are there as long as the streams of the rank.
	Calls      iter.Seq[*Call]
	CallNumber int // how many there are at most
	// Initialises: one of them is MPI_Init or one of its like.
	Initialises bool
	// Notes are what the recorder found itself, such as a send buffer that changed.
	Notes []Note
	// Complete is false if the recording has gaps or ended before the rank did, or if Calls ended early as memory was
	// full; Why says it.
	Complete bool
	Why      string
}

// Comm returns communicator, window or file i; nil: there is none.
func (t *Trace) Comm(i int) *model.Comm {
	if i < 0 || i >= len(t.Comms) {
		return nil
	}
	return t.Comms[i]
}

// Datatype returns datatype i; nil: there is none.
func (t *Trace) Datatype(i int64) *Datatype {
	if i < 0 || i >= int64(len(t.Types)) {
		return nil
	}
	return t.Types[i]
}

// Predefined returns the name of a handle that MPI defines; kind is the type of the
// parameter, such as "MPI_Op".
func (t *Trace) Predefined(kind string, value int64) (string, bool) {
	name, ok := t.Names[kind][value]
	return name, ok
}

// Crashed reports whether a fault of its own ended the process; others end the
// processes of a job that failed, hangs, or is out of time.
func (t *Trace) Crashed() bool {
	return slices.Contains(faults, syscall.Signal(t.Signal))
}

var faults = []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGABRT}

// Site is a place in the program that calls MPI: the stack, innermost first.
type Site struct {
	Stack   []model.Frame
	Binding mpi.Binding
}

// Call is one MPI call.
type Call struct {
	Func   *mpi.Function
	Site   int    // index into Trace.Sites
	Thread int    // 0 the first that called MPI
	Begin  uint64 // place of the call among all begins and returns of the process, from 1
	Return uint64 // place of its return; 0: it never returned
	// In has a value for each parameter as it was before the call; nil: not
	// recorded, or an output only. Out likewise after the call, for parameters
	// that MPI writes.
	In, Out []Value
	Code    int // what it returned; 0 MPI_SUCCESS. It has Out only without error, or with MPI_ERR_IN_STATUS
	// Refused: it never returned, since MPI reported an error in it and ended the job.
	Refused bool
	// Again is how often an empty poll (flag false, nothing completed) was repeated
	// at once with the same arguments; the repetitions are not listed.
	Again uint64
}

// Value is a parameter: one number, or those of an array.
//
//   - int, MPI_Count, MPI_Aint, MPI_Offset: the number. Ranks and tags are those
//     of package model: model.Any, model.ProcNull; Root. Truth is 0 or 1; indices
//     of an array of requests count from 0 in Fortran too.
//   - MPI_Comm, MPI_Win, MPI_File: index into Trace.Comms; Null; Invalid.
//   - MPI_Datatype: index into Trace.Types; Null; Invalid. One that was freed keeps
//     its index, as communicators do, until its handle is given out again or, in
//     Fortran, means nothing.
//   - other handles: a number that is the same while the object lives (the
//     handle); Null.
//   - buffers: the address; Bottom; InPlace.
//   - MPI_Status: four numbers for each: source, tag, bytes, and 1 if cancelled.
//     Nil: not known.
//   - strings and functions: nil.
type Value []int64

const (
	Null    = format.UseNull    // MPI_COMM_NULL and the like
	Invalid = format.UseInvalid // no handle that MPI knows, or one that was freed
	Bottom  = format.UseBottom  // MPI_BOTTOM
	InPlace = format.UseInPlace // MPI_IN_PLACE
	Root    = format.UseRoot    // MPI_ROOT, as a root
)

// Datatype is one that the rank used or made.
type Datatype struct {
	Name               string // of a predefined one, such as MPI_INT; else ""
	Size, LB, Extent   int64  // bytes
	TrueLB, TrueExtent int64
	Combiner           string // such as MPI_COMBINER_VECTOR; "" of a predefined one
	// As MPI_Type_get_contents gives them, those with large counts in the form of
	// the constructors without.
	Ints, Addresses []int64
	Types           []int // indices into Trace.Types
	Cut             bool  // there was more of them than is recorded, or Types is not known and nil
}

// Note is what the recorder found while the program ran.
type Note struct {
	Kind  NoteKind
	Call  uint64 // Begin of the call that began the operation
	Seen  uint64 // that of the call at which it was seen; 0 none
	Value int64
	// Of a BufferTouched: where the program did it, whether it wrote, and whether the operation receives there.
	Site            Site
	Write, Received bool
}

// NullParam names the parameter of a call that a NoPlace note is about, "" if the call has no such.
func (n *Note) NullParam(c *Call) string {
	if n.Value < 0 || n.Value >= int64(len(c.Func.Params)) {
		return ""
	}
	return c.Func.Params[n.Value].Name
}

// NoteKind says what a Note is about.
type NoteKind int

const (
	// SendBufferChanged: the bytes to be sent differ between the begin of a send
	// and its completion.
	SendBufferChanged NoteKind = iota + 1
	// ReceiveBufferChanged: the program wrote where a receive under way writes,
	// before the call Seen.
	ReceiveBufferChanged
	// NoPlace: the call was given a null pointer for what it returns in the parameter
	// Value, an index into Func.Params.
	NoPlace
	// BufferTouched: the program read, or wrote, what the operation uses, behind the call Seen, as the sanitizer
	// that is built into it saw; Site is where.
	BufferTouched
)

// InputInt returns parameter name as it was before the call; ok is false if it was
// not recorded.
func (c *Call) InputInt(name string) (v int64, ok bool) { return firstValue(c.Func, c.In, name) }

// OutputInt is Value1 of what MPI returned in the parameter.
func (c *Call) OutputInt(name string) (v int64, ok bool) { return firstValue(c.Func, c.Out, name) }

// IsEmptyPoll reports whether a poll found nothing.
func (c *Call) IsEmptyPoll() bool {
	for _, name := range []string{"flag", "outcount"} {
		if v, ok := c.OutputInt(name); ok {
			return v == 0
		}
	}
	return false
}

func firstValue(f *mpi.Function, values []Value, name string) (int64, bool) {
	for i, p := range f.Params {
		if p.Name == name && i < len(values) && len(values[i]) > 0 {
			return values[i][0], true
		}
	}
	return 0, false
}
