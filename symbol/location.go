package symbol

import (
	"fmt"
	"path"
)

// Call is one logical level of a call stack, as the source has it.
type Call struct {
	Function  string // for display: demangled, without parameters; "" unknown
	Signature string // the full demangled name; equal to Function in C and Fortran
	File      string // source file, absolute if the debug information says so; "" unknown
	Line      int    // from 1; 0 unknown
	Wrapper   bool   // a thin wrapper around an MPI function, or a stub of the linker: its caller says more
}

// Location is what an address stands for. The embedded Call is the innermost
// logical level, the one whose code is there.
type Location struct {
	Call
	// Inlined lists the calls into which the embedded one was inlined by the
	// compiler, innermost first; the last is the function that really has the
	// address. Nil when nothing was inlined there.
	Inlined []Call
	Column  int    // of the embedded call in its line, from 1; 0 unknown
	Module  string // path as recorded; "" when no module was mapped there
	Offset  uint64 // file address as recorded (a return address stays one)
	Start   uint64 // where a function without a name begins, as a file address; 0 unknown
	// Exact is true when the file was proved by its build-id and the function
	// is known to cover the address.
	Exact bool
	// Language is Python in a frame of a Python program, of which Module is the file;
	// else "".
	Language string
	Library  bool // it is of a library, and not of the program that uses it, by the place of its file
	// Application: it is of the installed package in Python that the process runs as its program.
	Application bool
	Note        string // why Exact is false, or what else is missing; "" nothing
}

// Calls returns all logical levels of the location, innermost first.
func (l Location) Calls() []Call {
	return append([]Call{l.Call}, l.Inlined...)
}

// String gives "function (file:line)" with the last element of the file's
// path, or as much of it as is known.
func (l Location) String() string {
	place := fmt.Sprintf("%#x", l.Offset)
	if l.Module != "" {
		place = fmt.Sprintf("%s+%#x", path.Base(l.Module), l.Offset)
	}
	if l.File != "" {
		place = fmt.Sprintf("%s:%d", path.Base(l.File), l.Line)
	}
	if l.Function == "" {
		return place
	}
	return l.Function + " (" + place + ")"
}

// addNote joins the reasons with "; ".
func (l *Location) addNote(note string) {
	if l.Note != "" && note != "" {
		l.Note += "; "
	}
	l.Note += note
}
