//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// pylines has programs in Python that use MPI wrongly, move data wrongly, or send too much at
// scale, with packages beside them. A comment in capital letters stands on each line that is to
// be named.
const pylines = programs + "/pylines"

// vendors are the names of families of MPI, as mpi4py has them.
var vendors = map[string]string{"openmpi": "Open MPI", "mpich": "MPICH"}

// eachPython runs a test on every MPI that the interpreter's mpi4py is built for: Debian's is
// built for one; PYTHONPATH may lead to another.
func eachPython(t *testing.T, test func(t *testing.T, f family)) {
	eachFamily(t, func(t *testing.T, f family) {
		const ask = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI; print(MPI.get_vendor()[0])"
		out, err := exec.Command(pythonExe, "-c", ask).Output()
		if err != nil {
			t.Skip("no mpi4py (Debian: python3-mpi4py)")
		}
		if got := strings.TrimSpace(string(out)); f.abi || got != vendors[f.name] {
			t.Skipf("mpi4py is built for %s", got)
		}
		test(t, f)
	})
}

// pyProgram is the path of a file of these programs.
func pyProgram(t *testing.T, file string) string {
	t.Helper()
	return musttest.Get(filepath.Abs(filepath.Join(pylines, file)))(t)
}

// pyRecorded runs one of the programs to its end, and returns the run directory.
func (f family) pyRecorded(t *testing.T, record string, ranks int, net []string, words ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	command := append([]string{pythonExe, pyProgram(t, words[0])}, words[1:]...)
	flags := []string{"--record", record, "--on-hang", "keep"}
	j := startJob(t, f.runEnvironment(t, net...), nil, f.underRun(t, dir, flags, ranks, command...)...)
	got, _ := j.waitOrEnd(4 * time.Minute)
	got.mustSucceed(t, words)
	return dir
}

// pyPlace is where something is, as the JSON forms have it.
type pyPlace struct {
	Role     string `json:"role"`
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

func (p pyPlace) String() string { return fmt.Sprintf("%s %s:%d", p.Function, p.File, p.Line) }

// placeOfMark is the function, and the file and line that has a mark.
func placeOfMark(t *testing.T, function, file, mark string) string {
	t.Helper()
	path := pyProgram(t, file)
	return pyPlace{Function: function, File: path, Line: lineOf(t, path, "# "+mark)}.String()
}

// TestPythonUsage: a message whose types differ, and sends that nobody completed, are told by the
// lines of a package; a program that waits for copies of handles that MPI gave twice is right.
func TestPythonUsage(t *testing.T) {
	t.Parallel()
	eachPython(t, func(t *testing.T, f family) {
		begins := placeOfMark(t, "Line.begin", "halo/line.py", "BEGINS")
		receives := placeOfMark(t, "Line.receive", "halo/line.py", "RECEIVES")
		for _, c := range []struct {
			fault, class string
			first        []string // the first places of the only finding
		}{
			{"", "", nil},
			{"types", "type_mismatch", []string{receives, begins}},
			{"lost", "lost_request", []string{begins}},
		} {
			dir := f.pyRecorded(t, "usage", 3, nil, "heat.py", c.fault)
			var said struct {
				Findings []struct {
					Class, Message string
					Locations      []pyPlace
				}
			}
			runForJSON(t, os.Environ(), &said, "usage", "--json", dir).mustSucceed(t)
			if c.class == "" && len(said.Findings) == 0 {
				continue
			}
			if len(said.Findings) != 1 || said.Findings[0].Class != c.class {
				t.Errorf("fault %q: %+v", c.fault, said.Findings)
				continue
			}
			for i, want := range c.first {
				checktest.Equal(t, want, said.Findings[0].Locations[i].String(), "fault", c.fault, "place", i, "is")
			}
		}
	})
}

// TestPythonMovement: the line that a buffer was not filled by is what the rare chain lacks; what
// the interpreter, mpi4py and numpy copy for themselves hides nothing.
func TestPythonMovement(t *testing.T) {
	t.Parallel()
	eachPython(t, func(t *testing.T, f family) {
		good := f.pyRecorded(t, "movement", 4, nil, "drift.py")
		bad := f.pyRecorded(t, "movement", 4, nil, "drift.py", "forgets")
		want := placeOfMark(t, "Ring.pack", "species/ring.py", "PACKS")
		for _, args := range [][]string{{bad}, {"--train", good, bad}} {
			var said struct {
				Outliers   []struct{ Rank int }
				Violations []struct{ Locations []pyPlace }
			}
			runForJSON(t, os.Environ(), &said, append([]string{"movement", "--json"}, args...)...).mustSucceed(t, args)
			if len(said.Outliers) > 0 || len(said.Violations) == 0 {
				t.Fatalf("%v: %+v", args, said)
			}
			if !slices.ContainsFunc(said.Violations[0].Locations, func(p pyPlace) bool {
				return p.Role == "missing" && p.String() == want
			}) {
				t.Errorf("%v: %s is not missing in %v", args, want, said.Violations[0].Locations)
			}
		}
	})
}

// TestPythonScaling: the calls of a large run that differ from those of small ones are told by the
// line of the program that differs, or that sends more; also those below MPI, where that can be
// recorded: MPICH's TCP hangs in MPI_Finalize.
func TestPythonScaling(t *testing.T) {
	t.Parallel()
	eachPython(t, func(t *testing.T, f family) {
		net, sources := overTCP[f.name], []string{"mpi", "socket"}
		if f.name == "mpich" {
			net, sources = nil, sources[:1]
		}
		file := filepath.Join(t.TempDir(), "model")
		train := []string{laggardPath(t), "scaling", "train", "-o", file}
		for _, n := range []int{2, 3, 4, 6} {
			train = append(train, f.pyRecorded(t, "volume", n, net, "balance.py", "20"))
		}
		runCommand(t, os.Environ(), train...).mustSucceed(t)
		for fault, want := range map[string]string{
			"well":   "",
			"branch": placeOfMark(t, "Balancer.tell", "balance.py", "WHOLE"),
			"more":   placeOfMark(t, "Channel.push", "loads/channel.py", "PUSHES"),
		} {
			dir := f.pyRecorded(t, "volume", 8, net, "balance.py", "20", fault)
			for _, source := range sources {
				checkPyPlace(t, file, dir, source, fault, want)
			}
		}
	})
}

// checkPyPlace holds the first place of a source against the one that is wanted; "": no rank
// is flagged.
func checkPyPlace(t *testing.T, file, dir, source, fault, want string) {
	t.Helper()
	var said struct {
		Flagged string `json:"flagged_ranks"`
		Places  []struct {
			Divergence pyPlace
		} `json:"localisation"`
	}
	runForJSON(t, os.Environ(), &said, "scaling", "test", "--json", "--source", source, "--model", file, dir).mustSucceed(t)
	got := ""
	if len(said.Places) > 0 {
		got = said.Places[0].Divergence.String()
	}
	if flagged := said.Flagged != ""; flagged != (want != "") || got != want {
		t.Errorf("%s, %s: ranks %q are flagged, at %s; want %s", fault, source, said.Flagged, got, want)
	}
}
