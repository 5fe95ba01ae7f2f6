package symbol

import (
	"math"
	"path"
	"slices"
	"strings"

	"laggard/internal/lateregexp"
	"laggard/model"
)

// Python is the Location.Language of a frame of a Python program.
const Python = "python"

// pythonLocation returns what a frame of a Python program stands for.
func pythonLocation(f model.Frame) (Location, bool) {
	function, file, ok := f.Module.PythonFunction()
	if !ok {
		return Location{}, false
	}
	line := int(min(f.Offset, math.MaxInt32))
	return Location{Call: Call{Function: function, Signature: function, File: file, Line: line},
		Module: file, Exact: true, Language: Python}, true
}

// standardLibrary matches the files of Python's own library, those that it has built in, and the
// code that numpy makes up to find who implements a function of its.
var standardLibrary = lateregexp.New(`^<frozen |^<__array_function__ internals>$|/lib(64|32)?/(python3(\.\d+)?t?|python3\d+\.zip)/`)

// mpi4py matches the files of that package where it is installed or built. Its tests and
// demos, and programs in some other folder of that name, are not of it.
var mpi4py = lateregexp.New(`/((site|dist)-packages|src|lib[^/]*)/mpi4py/|/mpi4py/(util|futures)/`)

// IsPythonImporter reports whether a file is what imports modules.
func IsPythonImporter(file string) bool { return strings.HasPrefix(file, "<frozen importlib") }

// testRunner matches the files of pytest that are around a test.
var testRunner = lateregexp.New(`/(_pytest/|pytest/__main__\.py$|pluggy/_[a-z]+\.py$)`)

// testOf counts the frames of a stack that are of a test or a fixture, and inside it; it is all
// of them where there is no test in it.
func testOf(stack []Location) int {
	runner := len(stack) - 1
	for runner >= 0 && !testRunner.MatchString(stack[runner].File) {
		runner--
	}
	for n := runner; n > 0; n-- {
		l := &stack[n-1]
		if l.Language == Python && PythonOrigin(l.File) != Standard && !testRunner.MatchString(l.File) {
			return n
		}
	}
	return len(stack)
}

// PythonAt finds the frame of a Python program that says where it is: of n frames, innermost
// first, the first of the program's own, else of a package, else of Python's library; -1: there is none. frame
// returns whether each is of a Python program, and whose.
func PythonAt(n int, frame func(i int) (python bool, whose Origin)) int {
	at, best := -1, Standard+1
	for i := range n {
		if python, whose := frame(i); python && whose < best {
			at, best = i, whose
		}
	}
	return at
}

func pythonAt(stack []Location) int {
	return PythonAt(len(stack), func(i int) (bool, Origin) { return stack[i].Language == Python, stack[i].Origin() })
}

// pythonAlone finds the innermost frame of an interpreter that no other code has called, as
// it ends, or before it runs a program; -1: there is other code, or no interpreter.
func pythonAlone(stack []Location) int {
	at := -1
	for i, l := range stack {
		switch {
		case model.IsPython(l.Module):
			if at < 0 {
				at = i
			}
		case !InSystem(l):
			return -1
		}
	}
	return at
}

// ExitFunction is the function of the interpreter that ends the process by SystemExit.
const ExitFunction = "Py_Exit"

// interpreterName names an interpreter that no other code has called, by its stack.
func interpreterName(stack []Location) string {
	if slices.ContainsFunc(stack, func(l Location) bool { return l.Function == ExitFunction }) {
		return "the Python interpreter after sys.exit"
	}
	return "the Python interpreter"
}

// pythonCall is AppCall for a stack of a Python program that is at frame i: through is
// what that called of a library in another language, as far as it has a name. Of what an
// extension module offers to Python the innermost says most.
func pythonCall(stack []Location, i int) (at *Location, call Call, through *Call) {
	if i > 0 && stack[i-1].Language == Python && stack[i-1].Origin() == Installed {
		c := stack[i-1].Call
		c.Function = strings.TrimSpace(packageOf(c.File) + " " + c.Function)
		return &stack[i], stack[i].Call, &c
	}
	for k := i - 1; k >= 0; k-- {
		l := &stack[k]
		if l.Language != "" || InSystem(*l) {
			break
		}
		c := l.outermost()
		if c.Function == "" || InInterpreter(*l) {
			continue
		}
		extension := extensionModule.MatchString(l.Module)
		if through == nil || extension && !strings.HasPrefix(c.Function, cythonName) {
			through = c
		}
		if !extension {
			break
		}
	}
	return &stack[i], stack[i].Call, through
}

// cythonName begins the names that Cython gives to functions.
const cythonName = "__pyx_"

// pythonModule reports whether the path of a module may be that of a function of a Python
// program: that has the function's name behind the file's.
func pythonModule(module string) bool { return strings.Contains(path.Base(module), ".py:") }
