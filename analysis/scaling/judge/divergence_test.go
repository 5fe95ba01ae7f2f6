package judge

import (
	"testing"

	"laggard/analysis/scaling/recorded"
	"laggard/internal/musttest"
	"laggard/model"
)

func TestDivergence(t *testing.T) {
	library := musttest.Get(recorded.InModules(recorded.LibraryModules...))(t)
	lib := func(function string, offset uint64) recorded.Frame {
		return recorded.Frame{Module: "/usr/lib/libmpi.so.40", Offset: offset, Function: function}
	}
	app := func(function string, line int) recorded.Frame {
		return recorded.Frame{Module: "/home/u/app", Offset: uint64(line) * 16, Function: function}
	}
	py := func(file, function string, line uint64) recorded.Frame {
		m := model.PythonModule(file, function)
		return recorded.Frame{Module: m.Path, BuildID: m.BuildID, Offset: line, Function: function}
	}
	ring, send := py("/home/u/ring.py", "Ring.pass_on", 20), app("Comm.Send", 1) // of mpi4py
	util := py("/usr/lib/python3/dist-packages/mpi4py/util/pkl5.py", "Intracomm.send", 5)
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
		{"in Python", []recorded.Frame{lib("send", 1), send, util, ring, py("/home/u/app.py", "main", 3)},
			[]recorded.Frame{lib("send", 1), app("Comm.Ssend", 2), ring, py("/home/u/app.py", "step", 4)}, "step",
			"Comm.Ssend"},
		{"equal in Python", []recorded.Frame{lib("send", 1), send, util, ring},
			[]recorded.Frame{lib("send", 1), send, util, ring}, "Ring.pass_on", "send"},
		{"below Python", []recorded.Frame{lib("send", 1), send, ring}, []recorded.Frame{lib("tree", 2), send, ring},
			"tree", "tree"},
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
