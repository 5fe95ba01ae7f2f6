package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"laggard/report/words"
	"laggard/symbol"
)

// Frame is a level of a call stack, innermost first.
type Frame struct {
	Function string `json:"function"`           // name of the function, "" unknown
	File     string `json:"file"`               // source file, "" unknown
	Line     int    `json:"line"`               // line, 0 unknown
	Module   string `json:"module"`             // file that holds the code
	Offset   string `json:"offset"`             // address in that file, hexadecimal; "" in Python
	Start    string `json:"start,omitempty"`    // where the function begins, hexadecimal, if it has no name
	Inlined  bool   `json:"inlined,omitempty"`  // the call was inlined into the next frame
	Wrapper  bool   `json:"wrapper,omitempty"`  // a thin wrapper around an MPI function
	Language string `json:"language,omitempty"` // python; absent for machine code
	Library  bool   `json:"library,omitempty"`  // of a library, and not of the program that uses it
	Note     string `json:"note,omitempty"`     // why names are missing, see docs/reference/notes.md#functions-and-lines
}

// Frames lists every logical level of a stack, inlined calls included.
func Frames(stack []symbol.Location) []Frame {
	out := []Frame{}
	for _, l := range stack {
		calls := l.Calls()
		for i, c := range calls {
			out = append(out, Frame{
				Function: words.Printable(c.Function), File: words.Printable(c.File), Line: c.Line,
				Module: words.Printable(l.Module), Offset: codeOffset(l), Start: functionStart(l, c),
				Inlined: i < len(calls)-1, Wrapper: c.Wrapper, Language: l.Language,
				Library: l.Library, Note: words.Printable(l.Note),
			})
		}
	}
	return out
}

// codeOffset is where a frame of machine code is.
func codeOffset(l symbol.Location) string {
	if l.Language != "" {
		return ""
	}
	return fmt.Sprintf("%#x", l.Offset)
}

// functionStart is where a function begins that has no name, "" if it has one.
func functionStart(l symbol.Location, c symbol.Call) string {
	if c.Function != "" || l.Start == 0 {
		return ""
	}
	return fmt.Sprintf("%#x", l.Start)
}

// Site is a place in the program: the innermost frame of a stack that is the program's own, and not a thin wrapper
// around MPI.
type Site struct {
	Function string `json:"function"`          // name of the function, "" unknown
	File     string `json:"file"`              // source file, "" unknown
	Line     int    `json:"line"`              // line, 0 unknown
	Through  string `json:"through,omitempty"` // the wrapper or library function that was called there
	Code     string `json:"code,omitempty"`    // file and offset of a function without a name
}

// NewSite finds the place that a stack speaks of; it is zero if there is none.
func NewSite(stack []symbol.Location) Site {
	at, c, through := symbol.AppCall(stack)
	if at == nil {
		return Site{}
	}
	s := Site{Function: words.Printable(c.Function), File: words.Printable(c.File), Line: c.Line}
	if through != nil {
		s.Through = words.Printable(through.Function)
	}
	if s.Function == "" && at.Module != "" {
		s.Code = Frames([]symbol.Location{*at})[0].Code()
	}
	return s
}

// Place is the position in a stack of the frame that says where it is, as NewSite decides:
// the innermost that is of no library and no thin wrapper around MPI, or is of a Python program.
func Place(stack []Frame) int {
	at := symbol.PythonAt(len(stack), func(i int) (bool, symbol.Origin) {
		f := &stack[i]
		l := symbol.Location{Call: symbol.Call{File: f.File}, Library: f.Library,
			Application: !f.Library && symbol.PythonOrigin(f.File) == symbol.Installed}
		return stack[i].Language == symbol.Python, l.Origin()
	})
	if at < 0 {
		at = slices.IndexFunc(stack, func(f Frame) bool { return !f.Wrapper && !f.Library })
	}
	if at < 0 {
		at = slices.IndexFunc(stack, func(f Frame) bool { return !f.Wrapper })
	}
	return max(0, at)
}

// String names the place: "function (file:line)", as far as it is known, and the
// wrapper behind it.
func (s Site) String() string {
	text := cmp.Or(s.Function, s.Code, "an unknown function")
	text += s.InParentheses()
	if s.Through != "" {
		text += ", through " + s.Through
	}
	return text
}

// InParentheses is the file and the line of the place in parentheses, with a blank before; "": they are unknown.
func (s Site) InParentheses() string {
	if s.File == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", path.Base(s.File), s.Line)
}

// Code names code that has no name: the file that it is in, and where its function
// begins there, or else the frame.
func (f Frame) Code() string {
	if f.Module == "" {
		return f.Offset
	}
	return path.Base(f.Module) + "+" + cmp.Or(f.Start, f.Offset)
}

// String names the frame on a line of a stack.
func (f Frame) String() string {
	switch {
	case f.Function == "" && f.Start != "" && f.Offset != "":
		return fmt.Sprintf("%s  at +%s", f.Code(), f.Offset)
	case f.Function == "":
		return f.Code()
	case f.Module == "":
		return f.Offset
	case f.File == "" && f.Module == symbol.Unknown:
		return f.Function
	case f.File == "":
		return fmt.Sprintf("%s  in %s", f.Function, path.Base(f.Module))
	}
	return fmt.Sprintf("%s  %s:%d", f.Function, f.File, f.Line)
}
