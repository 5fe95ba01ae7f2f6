package recorded

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"laggard/model"
	"laggard/symbol"
)

// Frame is one level of a call stack. Two frames are the same if module and
// offset are, whatever is known of their names; without an offset, if the names
// are.
type Frame struct {
	Module   string `json:"module,omitempty"`   // file that holds the code
	BuildID  string `json:"build_id,omitempty"` // its build ID, lower-case hexadecimal
	Offset   uint64 `json:"offset,omitempty"`   // address in that file
	Function string `json:"function,omitempty"` // name of the function
	File     string `json:"file,omitempty"`     // source file
	Line     int    `json:"line,omitempty"`     // line
}

// Frames takes over a recorded stack, innermost frame first.
func Frames(stack []model.Frame) []Frame {
	frames := make([]Frame, len(stack))
	for i, f := range stack {
		frames[i].Offset = f.Offset
		if f.Module != nil {
			frames[i].Module, frames[i].BuildID = f.Module.Path, f.Module.BuildID
		}
	}
	return frames
}

// Python returns the source file of a frame of a Python program; its offset is a line.
func (f Frame) Python() (file string, ok bool) {
	_, file, ok = (&model.Module{Path: f.Module, BuildID: f.BuildID}).PythonFunction()
	return file, ok
}

// ProgramAt is the position of the first frame of the program's own in a stack: of a
// Python program that of its innermost line, else the first that is of no library; -1:
// there is none.
func ProgramAt(frames []Frame, library func(Frame) bool) int {
	at := symbol.PythonAt(len(frames), func(i int) (bool, symbol.Origin) {
		file, python := frames[i].Python()
		return python, symbol.PythonOrigin(file)
	})
	if at >= 0 {
		return at
	}
	return slices.IndexFunc(frames, func(f Frame) bool { return !library(f) })
}

// Key names the frame across runs.
func (f Frame) Key() string {
	where := cmp.Or(f.BuildID, path.Base(f.Module))
	if f.Offset != 0 {
		return fmt.Sprintf("%s+%x", where, f.Offset)
	}
	return fmt.Sprintf("%s!%s@%s:%d", where, f.Function, f.File, f.Line)
}

// String gives the function and its place, as far as they are known.
func (f Frame) String() string {
	s := cmp.Or(f.Function, "?")
	if f.File != "" {
		return fmt.Sprintf("%s (%s:%d)", s, path.Base(f.File), f.Line)
	}
	return fmt.Sprintf("%s (%s+%#x)", s, path.Base(f.Module), f.Offset)
}

// Site is one observation feature: a call site, which is its stack, or an
// observation of another kind under a name.
type Site struct {
	Frames []Frame `json:"frames,omitempty"` // the call stack, innermost frame first
	// name of an observation that is not the volume of a call site, such as the number of neighbours
	Feature string `json:"feature,omitempty"`
}

// BelowMPICall: the site is inside a library, below an MPI call.
func (s Site) BelowMPICall() bool {
	return slices.IndexFunc(s.Frames, func(f Frame) bool { return f.Module == callModule }) > 0
}

// Key names the site across runs: sites with the same key are the same.
func (s Site) Key() string {
	keys := make([]string, 0, len(s.Frames)+1)
	if s.Feature != "" {
		keys = append(keys, "feature "+s.Feature)
	}
	for _, f := range s.Frames {
		keys = append(keys, f.Key())
	}
	return strings.Join(keys, ";")
}

// String gives the functions of the stack, innermost first.
func (s Site) String() string {
	if s.Feature != "" {
		return s.Feature
	}
	names := make([]string, len(s.Frames))
	for i, f := range s.Frames {
		names[i] = f.String()
	}
	return strings.Join(names, " < ")
}

// Call is the key of the MPI call that a site inside a library is below: the
// call with the stack that led to it. "" for other sites.
func (s Site) Call() string {
	if !s.BelowMPICall() {
		return ""
	}
	at := slices.IndexFunc(s.Frames, func(f Frame) bool { return f.Module == callModule })
	return Site{Frames: s.Frames[at:]}.Key()
}
