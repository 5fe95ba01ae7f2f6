package python

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"laggard/model"
	"laggard/slicing"
)

// slicer makes the part of a slice that is in Python; inner the part in machine code.
type slicer struct {
	inner slicing.Slicer
	text  func(file string) []string
}

// New returns a Slicer for programs of which a part may be written in Python. text returns
// the lines of a file, none if it is not found.
func New(inner slicing.Slicer, text func(file string) []string) slicing.Slicer {
	return slicer{inner, text}
}

// Name is the backend of the machine code.
func (s slicer) Name() string { return s.inner.Name() }

// Branch is that of the machine code.
func (s slicer) Branch(ctx context.Context, made, other, last []model.Frame) (slicing.Branch, error) {
	return s.inner.Branch(ctx, made, other, last)
}

// Close closes the backend of the machine code.
func (s slicer) Close() error {
	if c, ok := s.inner.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// Backend is the name in a slice that is of Python code alone.
const Backend = "python"

// Slice puts the lines of Python behind those of machine code that it called.
func (s slicer) Slice(ctx context.Context, c slicing.Criterion, b slicing.Budget) (slicing.Slice, error) {
	own := s.stackLines(c.Stack, b.Depth)
	out, err := s.inner.Slice(ctx, c, b)
	if len(own) == 0 {
		return out, err
	}
	if err != nil || len(out.Lines) == 0 {
		out = slicing.Slice{Backend: Backend}
	}
	if err != nil && !errors.Is(err, slicing.ErrNothing) {
		out.Notes = append(out.Notes, err.Error())
	}
	known := map[slicing.Line]bool{}
	for _, l := range out.Lines {
		known[slicing.Line{File: l.File, Line: l.Line}] = true
	}
	for _, l := range own {
		if at := (slicing.Line{File: l.File, Line: l.Line}); !known[at] {
			known[at] = true
			out.Lines = append(out.Lines, l)
		}
	}
	slices.SortStableFunc(out.Lines, func(x, y slicing.Line) int {
		return cmp.Or(cmp.Compare(x.Distance, y.Distance), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	out.Notes = append(out.Notes, "for Python, the slice has the calls and the conditions and loops around them; "+
		"values are not followed")
	return out, nil
}

// stackLines are those of the Python frames of a stack, and what decides on each, nearest first.
func (s slicer) stackLines(stack []model.Frame, depth int) (out []slicing.Line) {
	distance := 0
	for _, f := range stack {
		function, file, ok := f.Module.PythonFunction()
		if !ok || f.Offset == 0 {
			continue
		}
		if depth > 0 && distance > depth {
			break
		}
		at := slicing.Line{File: file, Line: int(min(f.Offset, 1<<30)), Function: function, Distance: distance,
			Kind: slicing.Call}
		out = append(out, at)
		for _, d := range Deciders(s.text(file), at.Line, 0) {
			at.Line, at.Distance, at.Kind = d.Line, distance+1, slicing.Control
			out = append(out, at)
		}
		distance++
	}
	return out
}
