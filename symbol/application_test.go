package symbol

import (
	"testing"

	"laggard/internal/checktest"
)

// TestApplication: what an installed application is at is told by its own lines, where it was started by its console script or by
// `python -m`; those of other packages, and of one that a script or a thread uses, are of a library.
func TestApplication(t *testing.T) {
	const tool, run, numpy = "/v/lib/python3.11/site-packages/mytool/solve.py", "/v/lib/python3.11/site-packages/mytool/__main__.py",
		"/v/lib/python3.11/site-packages/numpy/linalg.py"
	for name, c := range map[string]struct {
		stack []level
		want  string
	}{
		"a console script": {[]level{{numpy, "norm"}, {tool, "solve"}, {tool, "main"}, {"/v/bin/mytool", "<module>"}}, "solve"},
		"python -m": {[]level{{numpy, "norm"}, {tool, "solve"}, {run, "<module>"}, {"<frozen runpy>", "_run_code"},
			{"<frozen runpy>", "_run_module_as_main"}}, "solve"},
		"a script that uses it":   {[]level{{tool, "solve"}, {"/home/u/a.py", "main"}, {"/home/u/bin/a", "<module>"}}, "main"},
		"a script without a name": {[]level{{tool, "solve"}, {"/home/u/a", "<module>"}}, "<module>"},
		"a thread":                {[]level{{numpy, "norm"}, {tool, "solve"}, {"/usr/lib/python3.11/threading.py", "_bootstrap"}}, "norm"},
	} {
		stack := locatedStack(c.stack...)
		for i := range stack {
			stack[i].Language, stack[i].File = Python, c.stack[i][0]
			stack[i].Library = stack[i].Origin() != Own
		}
		markApplication(stack, nil)
		_, call, _ := AppCall(stack)
		checktest.Equal(t, c.want, call.Function, name)
	}
}
