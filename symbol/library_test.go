package symbol

import (
	"testing"
)

// TestLibrary: the place of a stack is in the program, wherever the libraries that it calls come from; without one it is in the
// nearest library.
func TestLibrary(t *testing.T) {
	r := New(Config{Library: []string{"/apps/*", "*/vendor/*"}})
	located := func(levels ...level) (out []Location) {
		for _, l := range levels {
			loc := Location{Call: Call{Function: l[1]}, Module: l[0]}
			loc.Library = r.isLibrary(&loc)
			out = append(out, loc)
		}
		return out
	}
	const app, hdf5, petsc = "/home/u/app", "/usr/lib/x86_64-linux-gnu/libhdf5.so.103", "/apps/petsc/3.18/lib/libpetsc.so"
	inlined := Location{Call: Call{Function: "std::vector<int>::at", File: "/usr/include/c++/12/bits/stl_vector.h"},
		Inlined: []Call{{Function: "sum", File: "/home/u/sum.cc"}}, Module: app}
	for name, c := range map[string]struct {
		stack             []Location
		function, through string
	}{
		"a library of the system": {located(level{hdf5, "H5FD_mpio_write"}, level{hdf5, "H5Dwrite"}, level{app, "save"},
			level{app, "main"}), "save", "H5Dwrite"},
		"without names":           {located(level{hdf5, ""}, level{app, "save"}), "save", ""},
		"one of the settings":     {located(level{petsc, "VecNorm"}, level{petsc, "KSPSolve"}, level{app, "solve"}), "solve", "KSPSolve"},
		"by a part of the path":   {located(level{"/home/u/vendor/libfft.so", "plan"}, level{app, "solve"}), "solve", "plan"},
		"the program's own":       {located(level{"/home/u/lib/libmesh.so", "refine"}, level{app, "main"}), "refine", ""},
		"a program of the system": {located(level{"/usr/lib/liblammps.so.0", "run"}, level{"/usr/bin/lmp", "main"}), "run", ""},
		"a function of a header":  {[]Location{inlined}, "sum", ""},
	} {
		_, call, through := AppCall(c.stack)
		got := ""
		if through != nil {
			got = through.Function
		}
		if call.Function != c.function || got != c.through {
			t.Errorf("%s: %q through %q, want %q through %q", name, call.Function, got, c.function, c.through)
		}
	}
	if l := r.Resolve(pythonFrame("/apps/tools/io.py:write", 3), false); !l.Library || l.Origin() != Installed {
		t.Errorf("%+v", l)
	}
}
