package symbol

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
)

func pythonFrame(path string, line uint64) model.Frame {
	return model.Frame{Module: &model.Module{BuildID: "707974686f6e0102", Path: path}, Offset: line}
}

func TestResolvePython(t *testing.T) {
	r := New(Config{})
	defer r.Close()
	got := r.Resolve(pythonFrame("/home/u/app.py:Solver.step", 12), true)
	want := Location{Call: Call{Function: "Solver.step", Signature: "Solver.step", File: "/home/u/app.py", Line: 12},
		Module: "/home/u/app.py", Exact: true, Language: Python}
	if got.Call != want.Call || got.Module != want.Module || got.Language != Python || !got.Exact || got.Note != "" {
		t.Errorf("got %+v", got)
	}
	if huge := r.Resolve(pythonFrame("a.py:f", 1<<47), false); huge.Line < 0 {
		t.Errorf("line %d", huge.Line)
	}
}

type level [2]string // module or file, and function

// locatedStack makes a stack: names with a slash are of Python files, others of C functions in
// the module.
func locatedStack(levels ...level) (out []Location) {
	for _, l := range levels {
		loc := Location{Call: Call{Function: l[1]}, Module: l[0]}
		if path := l[0]; len(path) > 3 && path[len(path)-3:] == ".py" || path[0] == '<' {
			loc.Language, loc.File, loc.Line = Python, path, 7
		}
		loc.findWrappers(func() bool { return false })
		out = append(out, loc)
	}
	return out
}

func TestAppCallOfPython(t *testing.T) {
	const (
		mpi4py = "/usr/lib/python3/dist-packages/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so"
		hdf5   = "/usr/lib/libhdf5.so.103"
		h5py   = "/usr/lib/python3/dist-packages/h5py/_hl/group.py"
		lock   = "/usr/lib/python3.11/threading.py"
	)
	for _, c := range []struct {
		name              string
		stack             []Location
		function, through string
	}{
		{"mpi4py", locatedStack(level{mpi4py, ""}, level{"/home/u/a.py", "step"},
			level{"/home/u/a.py", "<module>"}), "step", ""},
		{"a library in C", locatedStack(level{hdf5, "H5Dcreate2"}, level{h5py, "create"}, level{"/home/u/a.py", "w"}),
			"w", "h5py create"},
		{"an extension of the program", locatedStack(level{"/home/u/lib/libgrid.so", "grid_sum"}, level{"/home/u/a.py", "w"}),
			"w", "grid_sum"},
		{"numpy's way to a function", locatedStack(level{"/np/_multiarray_umath.so", ""},
			level{"<__array_function__ internals>", "public_api"}, level{"/home/u/a.py", "join"}), "join", ""},
		{"Python's own library", locatedStack(level{"/usr/bin/python3.11", "take_gil"}, level{lock, "wait"},
			level{"/home/u/a.py", "get"}), "get", ""},
		{"that alone", locatedStack(level{lock, "wait"}, level{"<frozen runpy>", "run"}), "wait", ""},
		{"a wrapper", locatedStack(level{"/opt/libhypre.so", "hypre_MPI_Allreduce"}, level{"/opt/libhypre.so", "norm"},
			level{"/home/u/a.py", "solve"}), "solve", "norm"},
		{"what a decorator made up", locatedStack(level{"/usr/bin/python3.11", "take_gil"},
			level{"<class 'networkx.utils.decorators.argmap'> compilation 5", "argmap_rank_1"},
			level{"<string>", "rank"}, level{"/home/u/a.py", "main"}), "rank", "argmap_rank_1"},
		{"the interpreter ends", locatedStack(level{"/usr/lib/libmpi.so.40", "PMPI_Finalize"},
			level{"/usr/bin/python3.11", ""}, level{"/usr/bin/python3.11", "Py_RunMain"}),
			"the Python interpreter", ""},
		{"the interpreter ends by SystemExit", locatedStack(level{"/usr/lib/libmpi.so.40", "PMPI_Finalize"},
			level{"/usr/bin/python3.11", "Py_Exit"}, level{"/usr/bin/python3.11", "PyErr_PrintEx"}),
			"the Python interpreter after sys.exit", ""},
		{"a program with an interpreter in it", locatedStack(level{"/usr/lib/libpython3.11.so.1.0", "Py_FinalizeEx"},
			level{"/home/u/app", "main"}), "main", "Py_FinalizeEx"},
		{"a script named as a system library is", locatedStack(level{"/home/u/libmpi.py", "main"}), "main", ""},
		{"mpi4py's own code", locatedStack(level{mpi4py, ""}, level{"/opt/mpi4py/util/pkl5.py", "recv"},
			level{"/home/u/mpi4py/demo/ring.py", "main"}, level{"/home/u/runner/all.py", "run"}), "main", ""},
		{"in a virtual environment", locatedStack(level{"/home/u/lib/python3.12/site-packages/flow/a.py", "f"}), "f", ""},
	} {
		_, call, through := AppCall(TrimStack(c.stack))
		name := ""
		if through != nil {
			name = through.Function
		}
		if call.Function != c.function || name != c.through {
			t.Errorf("%s: %q through %q", c.name, call.Function, name)
		}
	}
}

// TestTrimTest: what is around a test is cut, where there is one.
func TestTrimTest(t *testing.T) {
	const site = "/usr/lib/python3/dist-packages/"
	helper, test := level{"/u/pytest/field.py", "total"}, level{"/u/pytest/test_field.py", "test_total"}
	case1, script := level{"/usr/lib/python3.11/unittest/case.py", "run"}, level{"/usr/bin/pytest.py", "<module>"}
	call := level{site + "_pytest/python.py", "pytest_pyfunc_call"}
	hook := level{site + "pluggy/_callers.py", "_multicall"}
	top := level{site + "pytest/__main__.py", "<module>"}
	for _, c := range []struct {
		name  string
		stack []Location
		left  int
	}{
		{"a test", locatedStack(helper, test, call, hook, top), 2},
		{"of unittest", locatedStack(test, case1, call, hook, script), 1},
		{"that asks for a fixture", locatedStack(helper, call, test, call, hook, top), 3},
		{"pytest alone", locatedStack(call, hook, top), 3},
		{"no pytest", locatedStack(helper, test, script), 3},
	} {
		checktest.Equal(t, c.left, len(TrimStack(c.stack)), c.name, "frames")
	}
}
