package model

import "laggard/model/format"

// Raised is the exception that a thread in Python was in the midst of, the last one of C++ that it threw, or the error by
// which a run-time library ended the process.
type Raised struct {
	How   RaisedHow
	Calls uint64 // Thread.Calls at that moment; of C++ when it was thrown
	Order uint32 // collectives that the process had begun then, see Begun
	Type  string // the name of its type, perhaps with the module before it; of C++ mangled
	Text  string // what it says; "" if that is not known
	// Stack are the frames that it came through, innermost first: where it was raised. Of C++ it is the stack that it
	// was thrown from.
	Stack []Frame
	// Cut: before the last frame, which is where it was caught or left the program, some are left out.
	Cut bool
	// Habit: of C++, the thread had thrown one of that type from a function at the same place on the stack at least twice before.
	Habit bool
}

// RaisedHow says how a thread has to do with an exception.
type RaisedHow uint32

// The ways to have to do with one.
const (
	RaisedNone    RaisedHow = format.RaisedNone    // there is none any more
	RaisedSet     RaisedHow = format.RaisedSet     // it is on its way, and C code is at work
	RaisedHandled RaisedHow = format.RaisedHandled // code is at work that handles it, or through which it is on its way
	RaisedLast    RaisedHow = format.RaisedLast    // nothing caught it: it was printed, and no other has been since
	RaisedThrown  RaisedHow = format.RaisedThrown  // one of C++: it was thrown, and may have been caught since
	RaisedFatal   RaisedHow = format.RaisedFatal   // an error of a run-time library, or STOP of Fortran, that ends the process
	RaisedThread  RaisedHow = format.RaisedThread  // one of Python: nothing caught it, and it ended its thread
	RaisedFuture  RaisedHow = format.RaisedFuture  // one of Python that was put into a future
)

// EndsProcess reports whether nothing is left to catch it.
func (h RaisedHow) EndsProcess() bool { return h == RaisedLast || h == RaisedFatal }
