package diagnosis

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/report"
	"laggard/report/source"
	"laggard/symbol"
)

func TestDecidedInPython(t *testing.T) {
	const text = `def inner(comm):
    if comm.rank:
        return
    comm.barrier()
def outer(comm):
    for k in range(comm.size):
        if k == 1:
            inner(comm)
        comm.bcast(k)
def fixed(comm):
    for k in range(3):
        inner(comm)
`
	file := filepath.Join(t.TempDir(), "a.py")
	musttest.Succeed(t, os.WriteFile(file, []byte(text), 0o600))
	frame := func(function string, line int) report.Frame {
		return report.Frame{Function: function, File: file, Line: line, Language: symbol.Python}
	}
	got := (lineSearch{past: 9, round: false}).sites([]report.Frame{frame("outer", 8), frame("inner", 4)}, "barrier")
	want := []int{2, 7}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i, site := range got {
		if site.Line != want[i] || site.File != file {
			t.Errorf("%d: %+v, want line %d", i, site, want[i])
		}
	}
	// Without the line of the other, the loop decides too, unless both are in a round of it.
	both := []report.Frame{frame("outer", 8), frame("inner", 4)}
	all := (lineSearch{past: 0, round: false}).sites(both, "barrier")
	if round := (lineSearch{past: 0, round: true}).sites(both, "barrier"); len(all) != 3 || all[2].Line != 6 || len(round) != 2 {
		t.Errorf("decided at %v, in one round at %v", all, round)
	}
	if got := (lineSearch{past: 0, round: false}).sites([]report.Frame{frame("fixed", 12)}, "inner"); got != nil {
		t.Errorf("the number of rounds of a loop is written there, and decided at %v", got)
	}
	if got := (lineSearch{past: 0, round: false}).sites([]report.Frame{frame("gone", 400)}, "barrier"); got != nil {
		t.Errorf("a line that the file does not have was decided at %v", got)
	}
}

// TestStandsAt: who closes a file at the end of a `with` is behind what is done in it.
func TestStandsAt(t *testing.T) {
	const text = `with File(comm) as f:
    if comm.rank:
        f.write(comm)
comm.barrier()
`
	file := filepath.Join(t.TempDir(), "a.py")
	musttest.Succeed(t, os.WriteFile(file, []byte(text), 0o600))
	at := func(function string) []report.Frame {
		return []report.Frame{{Function: "<module>", File: file, Line: 1}, {Function: function, File: "h5.py", Line: 9}}
	}
	in, out := standsAt(at("File.__init__"), source.Finder{}), standsAt(at("File.__exit__"), source.Finder{})
	if in != 1 || out != 3 {
		t.Errorf("who opens it stands at %d, who leaves it at %d", in, out)
	}
}

// TestNearestOfEach: what decides in a library does not hide the line of the program that calls it.
func TestNearestOfEach(t *testing.T) {
	const text = `def write(data):
    if data.a:
        if data.b:
            if data.c:
                if data.d:
                    if data.e:
                        data.write()
if count:
    write(data)
`
	file := filepath.Join(t.TempDir(), "a.py")
	musttest.Succeed(t, os.WriteFile(file, []byte(text), 0o600))
	var got []int
	frames := []report.Frame{{File: file, Line: 9}, {File: file, Line: 7}}
	for _, site := range (lineSearch{past: 10, round: false}).sites(frames, "allreduce") {
		got = append(got, site.Line)
	}
	if want := []int{6, 5, 4, 8}; !slices.Equal(got, want) {
		t.Errorf("decided at %v, want %v", got, want)
	}
}

// TestFurther: of two that stand in one function the one further down has come further, but not where the
// other one is in the next round of the loop.
func TestFurther(t *testing.T) {
	const text = `for k in range(3):
    comm.bcast(k)
    comm.barrier()
    if comm.rank:
        write(comm)
`
	file := filepath.Join(t.TempDir(), "a.py")
	musttest.Succeed(t, os.WriteFile(file, []byte(text), 0o600))
	at := func(line int) []report.Frame {
		return []report.Frame{{Function: "<module>", File: file, Line: line, Language: symbol.Python}}
	}
	for _, c := range []struct {
		one, other int
		last       []report.Frame
		want       bool
	}{
		{5, 2, nil, true}, {2, 5, nil, false},
		{5, 2, at(3), false}, {2, 5, at(3), true},
		{3, 2, at(3), true},                       // who makes the last call again is in that round too
		{5, 3, at(3), false}, {3, 5, at(3), true}, // where the other one has come further since
		{5, 2, []report.Frame{{Function: "other", File: file, Line: 3}}, true},
	} {
		if got := isFurther(at(c.one), at(c.other), c.last, source.Finder{}); got != c.want {
			t.Errorf("line %d against %d, last %v: %v, want %v", c.one, c.other, c.last, got, c.want)
		}
	}
}

// TestInCallbacks: the ways part in a library if that calls a function on one side alone, or another
// one; what the interpreter calls of itself, as a destructor, is no such function.
func TestInCallbacks(t *testing.T) {
	py := func(function string) report.Frame { return report.Frame{Function: function, Language: symbol.Python} }
	c := report.Frame{Function: "TSSolve"}
	run, after, rate := py("run"), py("after"), py("rate")
	for _, f := range []struct {
		one, two []report.Frame // innermost first
		want     bool
	}{
		{[]report.Frame{after, c, run}, []report.Frame{c, rate, c, run}, true},
		{[]report.Frame{after, c, run}, []report.Frame{c, run}, true},
		{[]report.Frame{c, run}, []report.Frame{after, c, run}, true},
		{[]report.Frame{c, run}, []report.Frame{c, c, run}, false},
		{[]report.Frame{after, c, run}, []report.Frame{c, after, c, run}, false},
		{[]report.Frame{py("__del__"), run}, []report.Frame{c, run}, false},
		{[]report.Frame{c, after, run}, []report.Frame{c, rate, run}, false},
	} {
		w := waysOf(f.one, f.two)
		checktest.Equal(t, f.want, w.inCallbacks(), f.one, "and", f.two)
	}
}

// TestCallers: the library that calls a function of a Python program does not hide who called the library.
func TestCallers(t *testing.T) {
	c := report.Frame{Function: "TSSolve"}
	py := func(function string) report.Frame { return report.Frame{Function: function, Language: symbol.Python} }
	got := callerFrames([]report.Frame{c, py("after"), c, c, py("run"), py("<module>")})
	if want := []report.Frame{py("run"), py("<module>")}; !slices.Equal(got, want) {
		t.Errorf("of a callback: %v, want %v", got, want)
	}
	if got := callerFrames([]report.Frame{c, c}); len(got) != 1 {
		t.Errorf("of C: %v", got)
	}
	if got := callerFrames(nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

// TestLastDeciders: of who has come to the end of the program the conditions and loops around the others' call are known to decide,
// unless an exception that is caught may have led there.
func TestLastDeciders(t *testing.T) {
	const text = `def search(comm, frontier):
    while frontier:
        frontier = comm.alltoall(frontier)
def main(comm):
    search(comm, [1])
def guarded(comm):
    try:
        search(comm, [1])
    except ValueError:
        pass
`
	file := filepath.Join(t.TempDir(), "a.py")
	musttest.Succeed(t, os.WriteFile(file, []byte(text), 0o600))
	from := func(caller string, line int) []report.Frame {
		return []report.Frame{{Function: caller, File: file, Line: line}, {Function: "search", File: file, Line: 3}}
	}
	if got := (lineSearch{}).lastDeciders(from("main", 5), "alltoall"); len(got) != 1 || got[0].Line != 2 {
		t.Errorf("decided at %v, want line 2", got)
	}
	if got := (lineSearch{}).lastDeciders(from("guarded", 8), "alltoall"); got != nil {
		t.Errorf("decided at %v, though an exception may have ended it", got)
	}
}

// TestExits: who has come to the end of the program by sys.exit did so at one that the code has; not where another function has one too,
// nor where the program ends by one in any case.
func TestExits(t *testing.T) {
	const text = `def main(comm, parts):
    if not parts:
        sys.exit(1)
    if comm.size < 2:
        return
    for part in parts:
        comm.barrier()
main(MPI.COMM_WORLD, [1])
`
	const other, last = "def load():\n    sys.exit(2)\n", "log('done')\nsys.exit(0)\n"
	exit, end := []report.Frame{{Function: "PMPI_Finalize"}, {Function: "Py_Exit"}}, []report.Frame{{Function: "PMPI_Finalize"}}
	for _, c := range []struct {
		name, text string
		missed     []report.Frame
		want       []int
	}{
		{"by an exit", text, exit, []int{2}},
		{"by another end", text, end, []int{6, 4}},
		{"by an exit that may be elsewhere", text + other, exit, nil},
		{"by that at the end", text + last, exit, []int{6, 4, 2}},
	} {
		file := filepath.Join(t.TempDir(), "a.py")
		musttest.Succeed(t, os.WriteFile(file, []byte(c.text), 0o600))
		frames := []report.Frame{{Function: "main", File: file, Line: 7, Language: symbol.Python},
			{Function: "<module>", File: file, Line: 8, Language: symbol.Python}}
		role := pythonDeciders{}.exitRole(frames, c.missed)
		var got []int
		for _, at := range (lineSearch{exit: role}).lastDeciders(pythonFrames(frames), "barrier") {
			got = append(got, at.Line)
		}
		checktest.EqualList(t, c.want, got, c.name)
	}
}

// TestFramesOfLibraries: what decides within Python's own library is not told.
func TestFramesOfLibraries(t *testing.T) {
	own := report.Frame{Function: "main", File: "a.py", Line: 3, Language: symbol.Python}
	library := report.Frame{Function: "Logger.info", File: "/usr/lib/python3.11/logging/__init__.py", Line: 9, Language: symbol.Python,
		Library: true}
	code := report.Frame{Function: "Comm.allreduce"}
	if got := pythonFrames([]report.Frame{code, library, own}); len(got) != 1 || got[0] != own {
		t.Errorf("%v", got)
	}
	if calledBack([]report.Frame{code, library, own}, 0) || !calledBack([]report.Frame{library, own, code}, 0) {
		t.Error("who called the frame is wrong")
	}
	checktest.Equal(t, "allreduce", calledFunction([]report.Frame{code, own}), "called")
}

// TestRepeatedWithin: who makes the last call again, from a loop of a function that it calls, is no round of its own function further than
// who has left that function.
func TestRepeatedWithin(t *testing.T) {
	const text = `def load(comm):
    for k in range(9):
        comm.allreduce(k)
load(comm)
comm.reduce(1)
`
	file := filepath.Join(t.TempDir(), "a.py")
	musttest.Succeed(t, os.WriteFile(file, []byte(text), 0o600))
	again := []report.Frame{{Function: "<module>", File: file, Line: 4}, {Function: "load", File: file, Line: 3}}
	behind := []report.Frame{{Function: "<module>", File: file, Line: 5}}
	if isFurther(again, behind, again, source.Finder{}) || !isFurther(behind, again, again, source.Finder{}) {
		t.Error("who is in the loop counts as further than who has left it")
	}
}

// TestFurtherByARound: a side that stands before the last call which both made has begun another round, while the other one may be in the
// same one, as a function further in has a loop.
func TestFurtherByARound(t *testing.T) {
	const text = `def write(sets):
    for s in sets:
        s.save()
def save(s):
    if s.empty:
        return
    s.view()
    s.put()
def main(sets):
    for step in range(9):
        total = energy()
        write(sets)
`
	file := filepath.Join(t.TempDir(), "a.py")
	musttest.Succeed(t, os.WriteFile(file, []byte(text), 0o600))
	frames := func(lines ...int) (out []report.Frame) {
		for i, line := range lines {
			out = append(out, report.Frame{Function: []string{"main", "write", "save"}[i], File: file, Line: line, Language: symbol.Python})
		}
		return out
	}
	view, last, sum := frames(12, 3, 7), frames(12, 3, 8), frames(11)
	var finder source.Finder
	checktest.Equal(t, []bool{false, true}, []bool{isFurther(view, sum, last, finder), isFurther(sum, view, last, finder)},
		"the view of the next set, or the sum of the next step, is further")
	// Without a loop further in, both have begun another round.
	checktest.Equal(t, []bool{true, false},
		[]bool{isFurther(frames(12), sum, frames(12), finder), isFurther(sum, frames(12), frames(12), finder)},
		"the same without a loop in write")
}
