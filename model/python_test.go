package model

import (
	"testing"

	"laggard/internal/checktest"
)

// TestPythonModule: what was recorded and what was seen from outside are the same function.
func TestPythonModule(t *testing.T) {
	m := PythonModule("/home/u/app.py", "Solver.step")
	checktest.Equal(t, "707974686f6e191a3a18db4402cf", m.BuildID, "build-id")
	if function, file, ok := m.PythonFunction(); function != "Solver.step" || file != "/home/u/app.py" || !ok {
		t.Errorf("%q, %q, %v", function, file, ok)
	}
}

func TestPython(t *testing.T) {
	id := pythonID + "0011223344556677"
	for _, c := range []struct {
		m              *Module
		function, file string
		ok             bool
	}{
		{nil, "", "", false},
		{&Module{Path: "/usr/lib/libc.so.6", BuildID: "70797468"}, "", "", false},
		{&Module{Path: "/usr/bin/python3.11"}, "", "", false},
		{&Module{Path: "/home/u/app.py:Solver.step", BuildID: id}, "Solver.step", "/home/u/app.py", true},
		{&Module{Path: "/home/u/a:b.py:main.<locals>.<lambda>", BuildID: id}, "main.<locals>.<lambda>",
			"/home/u/a:b.py", true},
		{&Module{Path: "<string>:<module>", BuildID: id}, "<module>", "<string>", true},
		{&Module{Path: "damaged", BuildID: id}, "damaged", "", true},
		{&Module{BuildID: id}, "", "", true},
	} {
		function, file, ok := c.m.PythonFunction()
		if function != c.function || file != c.file || ok != c.ok {
			t.Errorf("%+v: %q, %q, %v", c.m, function, file, ok)
		}
	}
}
