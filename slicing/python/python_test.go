package python

import (
	"context"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/slicing"
)

// fakeSlicer is a backend of machine code that knows one line, or nothing.
type fakeSlicer struct{ lines []slicing.Line }

func (c fakeSlicer) Name() string { return "native" }

func (c fakeSlicer) Slice(context.Context, slicing.Criterion, slicing.Budget) (slicing.Slice, error) {
	if c.lines == nil {
		return slicing.Slice{}, slicing.ErrNothing
	}
	return slicing.Slice{Backend: "native", Lines: c.lines}, nil
}

func (c fakeSlicer) Branch(context.Context, []model.Frame, []model.Frame, []model.Frame) (slicing.Branch, error) {
	return slicing.Branch{}, slicing.ErrNothing
}

const program = `def step(comm, n):
    if n > 2:
        comm.recv()
def run(comm):
    for n in range(4):
        step(comm, n)
run(1)
`

func pythonStack(lines ...uint64) (out []model.Frame) {
	names := []string{"step", "run", "<module>"}
	out = append(out, model.Frame{Module: &model.Module{Path: "MPI.so", BuildID: "00"}, Offset: 9})
	for i, line := range lines {
		m := &model.Module{BuildID: "707974686f6e01", Path: "/home/u/a.py:" + names[i]}
		out = append(out, model.Frame{Module: m, Offset: line})
	}
	return out
}

func TestSlice(t *testing.T) {
	text := func(file string) []string {
		if file != "/home/u/a.py" {
			return nil
		}
		return strings.Split(program, "\n")
	}
	line := func(n int, function string, distance int, kind slicing.Kind) slicing.Line {
		return slicing.Line{File: "/home/u/a.py", Line: n, Function: function, Distance: distance, Kind: kind}
	}
	want := []slicing.Line{line(3, "step", 0, slicing.Call), line(2, "step", 1, slicing.Control),
		line(6, "run", 1, slicing.Call), line(5, "run", 2, slicing.Control), line(7, "<module>", 2, slicing.Call)}
	got, err := New(fakeSlicer{}, text).Slice(t.Context(), slicing.Criterion{Stack: pythonStack(3, 6, 7)}, slicing.Budget{})
	if err != nil || got.Backend != Backend || !slices.Equal(got.Lines, want) {
		t.Errorf("%v, %s: %v", err, got.Backend, got.Lines)
	}
	inC := slicing.Line{File: "a.c", Line: 4, Function: "f"}
	got, err = New(fakeSlicer{[]slicing.Line{inC}}, text).Slice(t.Context(), slicing.Criterion{Stack: pythonStack(3)},
		slicing.Budget{})
	if err != nil || got.Backend != "native" || !slices.Equal(got.Lines, append(want[:1:1], inC, want[1])) {
		t.Errorf("%v, %s: %v", err, got.Backend, got.Lines)
	}
	_, err = New(fakeSlicer{}, text).Slice(t.Context(), slicing.Criterion{Stack: pythonStack()}, slicing.Budget{})
	checktest.ErrorIs(t, slicing.ErrNothing, err, "a stack without Python")
}
