package judge

import (
	"testing"

	"laggard/analysis/scaling/recorded"
)

func TestDivergence(t *testing.T) {
	library, err := recorded.InModules(recorded.LibraryModules...)
	if err != nil {
		t.Fatal(err)
	}
	lib := func(function string, offset uint64) recorded.Frame {
		return recorded.Frame{Module: "/usr/lib/libmpi.so.40", Offset: offset, Function: function}
	}
	app := func(function string, line int) recorded.Frame {
		return recorded.Frame{Module: "/home/u/app", Offset: uint64(line) * 16, Function: function}
	}
	for _, c := range []struct {
		name             string
		training, run    []recorded.Frame
		function, plainf string // with the library known, and without
	}{
		{"in the library", []recorded.Frame{lib("send", 1), lib("ring", 2), app("x", 1)},
			[]recorded.Frame{lib("send", 1), lib("tree", 3), app("x", 1)}, "tree", "tree"},
		{"in the application", []recorded.Frame{lib("send", 1), app("x", 1), app("y", 2)},
			[]recorded.Frame{lib("isend", 9), app("z", 3), app("y", 2)}, "z", "isend"},
		{"equal", []recorded.Frame{lib("send", 1), app("x", 1)}, []recorded.Frame{lib("send", 1), app("x", 1)}, "x",
			"send"},
		{"shorter", []recorded.Frame{app("a", 1), app("b", 2)}, []recorded.Frame{app("a", 1)}, "a", "a"},
		{"nothing to compare", nil, []recorded.Frame{lib("send", 1), app("x", 1)}, "x", "send"},
		{"only library", []recorded.Frame{lib("a", 1)}, []recorded.Frame{lib("b", 2)}, "b", "b"},
	} {
		if got := divergence(c.training, c.run, Circumstances{Library: library}); got.Function != c.function {
			t.Errorf("%s: %s, want %s", c.name, got, c.function)
		}
		if got := divergence(c.training, c.run, Circumstances{}); got.Function != c.plainf {
			t.Errorf("%s, library not known: %s, want %s", c.name, got, c.plainf)
		}
	}
	if divergence(nil, nil, Circumstances{}) != nil {
		t.Error("a divergence without a stack")
	}
}
