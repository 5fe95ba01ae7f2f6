package report

import (
	"fmt"
	"path"

	"laggard/report/words"
	"laggard/symbol"
)

// Frame is a level of a call stack, innermost first.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Module   string `json:"module"`
	Offset   string `json:"offset"` // file address, hexadecimal
	Inlined  bool   `json:"inlined,omitempty"`
	Note     string `json:"note,omitempty"`
}

// Frames lists every logical level of a stack, inlined calls included.
func Frames(stack []symbol.Location) []Frame {
	out := []Frame{}
	for _, l := range stack {
		calls := l.Calls()
		for i, c := range calls {
			out = append(out, Frame{
				Function: words.Printable(c.Function), File: words.Printable(c.File), Line: c.Line,
				Module: words.Printable(l.Module), Offset: fmt.Sprintf("%#x", l.Offset),
				Inlined: i < len(calls)-1, Note: words.Printable(l.Note),
			})
		}
	}
	return out
}

// Site is the place in the program that a stack speaks of: its innermost frame
// that is the program's own.
type Site struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"` // 0 unknown
}

// NewSite finds the place that a stack speaks of; it is zero if there is none.
func NewSite(stack []symbol.Location) Site {
	i := symbol.AppFrame(stack)
	if i < 0 {
		return Site{}
	}
	c := stack[i].Call
	return Site{Function: words.Printable(c.Function), File: words.Printable(c.File), Line: c.Line}
}

// String names the place: "function (file:line)", as far as it is known.
func (s Site) String() string {
	name := s.Function
	if name == "" {
		name = "an unknown function"
	}
	if s.File == "" {
		return name
	}
	return fmt.Sprintf("%s (%s:%d)", name, path.Base(s.File), s.Line)
}

// String names the frame on a line of a stack.
func (f Frame) String() string {
	switch {
	case f.Module == "":
		return f.Offset
	case f.Function == "":
		return path.Base(f.Module) + "+" + f.Offset
	case f.File == "" && f.Module == symbol.Unknown:
		return f.Function
	case f.File == "":
		return fmt.Sprintf("%s  in %s", f.Function, path.Base(f.Module))
	}
	return fmt.Sprintf("%s  %s:%d", f.Function, f.File, f.Line)
}
