package place

import (
	"fmt"
	"strings"

	"laggard/internal/lateregexp"
)

// Step is a function on the way to an MPI call, with the place where it makes the next call.
type Step struct {
	Function string // its name
	Line     int    // of the call; 0 unknown
	Offset   uint64 // of the call in the file that holds the code
	Build    string // build-id of that file, or what else tells it from others; equal ones have equal code
}

// position orders the calls of a function.
func (s Step) position() int {
	if s.Line > 0 {
		return s.Line
	}
	return int(s.Offset)
}

// Site is an MPI call and the functions that lead to it, from the outermost inwards.
type Site struct {
	Call  string
	Steps []Step
}

// Key is equal for sites that the source does not tell apart, such as the copies of a call that a compiler made.
func (s Site) Key() string {
	var b strings.Builder
	for _, step := range s.Steps {
		fmt.Fprintf(&b, "%s:%d>", step.Function, step.position())
	}
	return b.String() + s.Call
}

// functions are the names on the way to the call.
func (s Site) functions() string {
	var b strings.Builder
	for _, step := range s.Steps {
		b.WriteString(step.Function + ">")
	}
	return b.String() + s.Call
}

// isOtherBuild reports whether two sites are of different builds; within one, a call has one place.
func (s Site) isOtherBuild(t Site) bool {
	return len(s.Steps) > 0 && len(t.Steps) > 0 && (s.Steps[0].Build != t.Steps[0].Build || s.Steps[0].Build == "")
}

// calleeAt is what the function on a level calls: the next function, or MPI.
func (s Site) calleeAt(level int) string {
	if level+1 < len(s.Steps) {
		return s.Steps[level+1].Function
	}
	return "MPI call " + s.Call
}

// madeByCompiler is what compilers add to the names of functions that they split, clone or specialise.
var madeByCompiler = lateregexp.New(`(\.(part|isra|constprop|cold|lto_priv)(\.\d+)*)+$`)

// PlainFunction is the name of a function without what a compiler added.
func PlainFunction(name string) string { return madeByCompiler.ReplaceAllString(name, "") }
