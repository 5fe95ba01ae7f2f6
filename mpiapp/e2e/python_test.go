//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

// pythonExe is the interpreter for which Debian has mpi4py.
const pythonExe = "/usr/bin/python3"

// pythonHang is what a program in testdata/programs/python or petsc says of itself: a comment
// "HANGS RANK FUNCTION" stands on the line at which it hangs, or on each of the few, and
// "DECIDES" on the one by which ranks left the common sequence of collectives; a line "UNDECIDED" says that none can be
// told for sure, so that none may be named. A line "WAITS x"
// says what the rank waits for outside MPI. "RAISES TYPE" stands on the line where the exception was
// raised that the rank is in the midst of, and "ENDS RANK TYPE" where one was that ended its program.
type pythonHang struct {
	program  string
	rank     int
	function string
	said     string // the function, as the comment has it
	lines    []int
	decides  int    // 0 not known
	silent   bool   // nothing may be named as what decided
	waits    string // as in the JSON of diagnose, "" nothing that is known
	raised   string // the type of the exception, "" none
	raisedAt int
}

// pythonMinor is x of the interpreter's version 3.x.
var pythonMinor = sync.OnceValue(func() int {
	out, err := exec.Command(pythonExe, "-c", "import sys; print(sys.version_info[1])").Output()
	if err != nil {
		return 0
	}
	minor, _ := strconv.Atoi(strings.TrimSpace(string(out)))
	return minor
})

var comprehension = regexp.MustCompile(`\.<locals>\.<(dict|list|set)comp>$`)

// frameFunction is the function whose frame is on the stack: from 3.12 on a comprehension has none of its own, and before
// 3.11 code does not know its qualified name.
func frameFunction(function string) string {
	switch minor := pythonMinor(); {
	case minor >= 12:
		return comprehension.ReplaceAllString(function, "")
	case minor < 11:
		return function[strings.LastIndex(function, ".")+1:]
	}
	return function
}

// sleepWait is what a rank waits for in time.sleep: before 3.11 that is select, which may wait for input as well.
func sleepWait(waits string) string {
	if waits == "sleep" && pythonMinor() < 11 {
		return "events"
	}
	return waits
}

var (
	hangsAt  = regexp.MustCompile(`# HANGS (\d+) (\S+)$`)
	raisesAt = regexp.MustCompile(`# (?:RAISES|ENDS (\d+)) (\S+)$`)
)

// pythonHangs are the programs of a folder of testdata/programs.
func pythonHangs(t *testing.T, folder string) (out []pythonHang) {
	files, err := filepath.Glob(filepath.Join(programs, folder, "*.py"))
	if err != nil || len(files) == 0 {
		t.Fatal("no programs: ", err)
	}
	for _, name := range files {
		program := musttest.Get(filepath.Abs(name))(t)
		f := musttest.Get(os.Open(program))(t)
		h := pythonHang{program: program}
		for n, lines := 1, bufio.NewScanner(f); lines.Scan(); n++ {
			if strings.HasSuffix(lines.Text(), "# DECIDES") {
				h.decides = n
			}
			h.silent = h.silent || lines.Text() == "# UNDECIDED"
			if what, ok := strings.CutPrefix(lines.Text(), "# WAITS "); ok {
				h.waits = sleepWait(what)
			}
			if m := raisesAt.FindStringSubmatch(lines.Text()); m != nil {
				h.raised, h.raisedAt = m[2], n
				if m[1] != "" {
					h.rank, _ = strconv.Atoi(m[1])
				}
			}
			if m := hangsAt.FindStringSubmatch(lines.Text()); m != nil {
				h.rank, _ = strconv.Atoi(m[1])
				h.function, h.said, h.lines = frameFunction(m[2]), m[2], append(h.lines, n)
			}
		}
		f.Close()
		if h.lines == nil && h.raised == "" {
			t.Fatalf("%s does not say where it hangs", name)
		}
		out = append(out, h)
	}
	return out
}

// TestPython lets programs in Python hang, and asks for rank, function and line, of the hung
// job and after all its ranks were killed; and runs them as they should be.
func TestPython(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, h := range pythonHangs(t, "python") {
			if (f.abi || f.name != "openmpi") && filepath.Base(h.program) != "library.py" { // Debian has mpi4py for one
				continue
			}
			t.Run(filepath.Base(h.program), func(t *testing.T) {
				t.Parallel()
				f.checkPythonHang(t, h)
				f.checkPythonTwin(t, h)
			})
		}
	})
}

// TestPythonRefused lets a program hang where the ranks may not even read their own memory by way of the kernel.
func TestPythonRefused(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		if f.abi || f.name != "openmpi" {
			t.Skip("Debian has mpi4py for one MPI")
		}
		for _, h := range pythonHangs(t, "python") {
			if filepath.Base(h.program) == "archive.py" {
				f.checkPythonHang(t, h, f.buildProgram(t, "refuse.c"))
			}
		}
	})
}

// checkPythonHang lets a program hang, started by a launcher if there is one.
func (f family) checkPythonHang(t *testing.T, h pythonHang, launcher ...string) {
	f.diagnoseTwice(t, 4, false, h.checkForms, append(launcher, pythonExe, h.program, "hang")...)
}

// checkForms holds the JSON, the text, the tree of stacks and the page against what the program
// says.
func (h pythonHang) checkForms(t *testing.T, when string, env []string, dir string) {
	t.Helper()
	a := runDiagnose(t, env, dir)
	if a.LeastProgressed == nil || len(a.LeastProgressed.Ranks) == 0 {
		t.Fatalf("%s: no rank is named", when)
	}
	h.checkRaised(t, when, a)
	if h.lines == nil {
		return
	}
	line := 0
	for _, l := range a.LeastProgressed.Locations {
		if l.Rank == h.rank && l.Function == h.function && l.File == h.program && slices.Contains(h.lines, l.Line) {
			line = l.Line
			checktest.Equal(t, h.waits, l.WaitsFor, when, "it waits for")
		}
	}
	if line == 0 {
		text, _ := json.MarshalIndent(a.LeastProgressed, "", "  ")
		t.Errorf("%s: want rank %d in %s (%s:%v), got\n%s", when, h.rank, h.function, h.program, h.lines, text)
	}
	place := fmt.Sprintf("%s (%s:%d)", h.function, filepath.Base(h.program), line)
	text := diagnosisText(t, env, dir)
	checktest.Contains(t, text, place)
	if form := runLaggard(t, env, "diagnose", "--json", dir).stdout; h.silent && strings.Contains(form, `"branch": {`) {
		t.Errorf("%s: a line is named that decided:\n%s", when, form)
	}
	if want := fmt.Sprintf("%s:%d): ", filepath.Base(h.program), h.decides); h.decides > 0 {
		_, decided, _ := strings.Cut(text, "decided at ")
		decided, _, _ = strings.Cut(decided, "\n")
		if !strings.Contains(decided, want) {
			t.Errorf("%s: it was decided at %q, want %q:\n%s", when, decided, want, text)
		}
	}
	node := regexp.MustCompile(fmt.Sprintf(`%s  %s:[\d,]*\b%d\b`, regexp.QuoteMeta(h.function),
		regexp.QuoteMeta(filepath.Base(h.program)), line))
	if tree := runLaggard(t, env, "diagnose", "--stacks", dir).stdout; !node.MatchString(tree) {
		t.Errorf("%s: the tree does not have %q:\n%s", when, node, tree)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	runLaggard(t, env, "diagnose", "--html", page, dir)
	html := musttest.Get(os.ReadFile(page))(t)
	source, _ := json.Marshal(fmt.Sprintf("# HANGS %d %s", h.rank, h.said)) // as the page's data have it
	if !bytes.Contains(html, source[1:len(source)-1]) {
		t.Errorf("%s: the page does not show the line %q", when, source)
	}
}

// checkRaised holds the exceptions against what the program says. Those of the rank alone
// tell why it is named.
func (h pythonHang) checkRaised(t *testing.T, when string, a *diagnosisJSON) {
	t.Helper()
	if !slices.Contains(a.LeastProgressed.Ranks, h.rank) {
		t.Errorf("%s: named are ranks %v, want %d", when, a.LeastProgressed.Ranks, h.rank)
	}
	var want, got []string
	if h.raised != "" {
		want = []string{fmt.Sprintf("%d %s %s:%d", h.rank, h.raised, h.program, h.raisedAt)}
	}
	for _, x := range a.Exceptions {
		got = append(got, fmt.Sprintf("%s %s %s:%d", x.Ranks, x.Type, x.File, x.Line))
	}
	checktest.EqualList(t, want, got, when, "exceptions")
	in := regexp.MustCompile(regexp.QuoteMeta(h.raised) + "(: .+)?, raised in ") // of one that ended a thread it is told what it says
	if h.raised != "" && (a.Cause == nil || !in.MatchString(a.Cause.Text)) {
		t.Errorf("%s: the cause does not have %s: %+v", when, h.raised, a.Cause)
	}
}

// checkPythonTwin runs the program without its fault.
func (f family) checkPythonTwin(t *testing.T, h pythonHang) {
	j, _, _ := f.record(t, 4, pythonExe, h.program, "well")
	j.wait().mustSucceed(t)
}

// TestPythonStates: ranks of one program, and of another run of it, have the same states, which
// tell by which lines they were reached.
func TestPythonStates(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := musttest.Get(filepath.Abs(filepath.Join(programs, "python", "library.py")))(t)
		var want []string
		for range 2 {
			j, _, dir := f.record(t, 3, pythonExe, program, "well")
			j.wait().mustSucceed(t)
			for _, r := range openRun(t, dir).Ranks {
				ids, places := statesOf(r)
				if want == nil {
					want = ids
				}
				checktest.EqualList(t, want, ids, "rank", r.Rank, "has states")
				if line := lineOf(t, program, "comm.barrier()"); !places[fmt.Sprintf("MPI_Barrier in main:%d", line)] {
					t.Errorf("rank %d has no barrier that main calls at line %d: %v", r.Rank, line, places)
				}
			}
		}
	})
}

// statesOf returns the states of a rank by what they are, and the functions and lines of
// Python that they were reached by.
func statesOf(r *model.Rank) (ids []string, places map[string]bool) {
	places = map[string]bool{}
	for _, s := range r.Threads[0].Model.States {
		ids = append(ids, s.ID.String())
		for _, f := range s.Stack {
			if function, _, ok := f.Module.PythonFunction(); ok {
				places[fmt.Sprintf("%s in %s:%d", s.Call, function, f.Offset)] = true
			}
		}
	}
	slices.Sort(ids)
	return ids, places
}

// lineOf is the number of the first line that has a text at its end.
func lineOf(t *testing.T, file, end string) int {
	text := musttest.Get(os.ReadFile(file))(t)
	return 1 + slices.IndexFunc(strings.Split(string(text), "\n"),
		func(l string) bool { return strings.HasSuffix(l, end) })
}
