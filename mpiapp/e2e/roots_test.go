//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rootCase is what is known of a program of testdata/programs/roots, by its first
// lines.
type rootCase struct {
	source       string
	np           int
	named, cycle []int
	least, most  float64 // bounds of the confidence
	parts        string
	says         string
	differs      string
	taken        string
	ends         bool
}

func rootCases(t *testing.T) []rootCase {
	var out []rootCase
	for _, pattern := range []string{"*.c", "*.cc"} {
		paths, err := filepath.Glob(filepath.Join(programs, "roots", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			r := rootCase{source: filepath.Join("roots", filepath.Base(path)), most: 1}
			text, err := os.ReadFile(path)
			if err == nil {
				err = r.parseComments(string(text))
			}
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			out = append(out, r)
		}
	}
	return out
}

func (r *rootCase) parseComments(text string) (err error) {
	for line := range strings.Lines(text) {
		rest, comment := strings.CutPrefix(strings.TrimSpace(line), "// ")
		key, value, is := strings.Cut(rest, ": ")
		if !comment || !is {
			break
		}
		switch key {
		case "np":
			r.np, err = strconv.Atoi(value)
		case "named":
			r.named, err = parseNumbers(value)
		case "cycle":
			r.cycle, err = parseNumbers(value)
		case "least":
			r.least, err = strconv.ParseFloat(value, 64)
		case "most":
			r.most, err = strconv.ParseFloat(value, 64)
		case "parts":
			r.parts = value
		case "says":
			r.says = value
		case "differs":
			r.differs = value
		case "taken":
			r.taken = value
		case "ends":
			r.ends = value == "yes"
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestRoots lets every program hang, or be ended by MPI, and asks who is the root.
func TestRoots(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, r := range selectCases(f, rootCases(t)) {
			t.Run(filepath.Base(r.source), func(t *testing.T) {
				t.Parallel()
				f.checkRootCase(t, r)
			})
		}
	})
}

func (f family) checkRootCase(t *testing.T, r rootCase) {
	program := f.buildProgram(t, r.source, "-O1")
	env := f.runEnvironment(t)
	dir := filepath.Join(t.TempDir(), "run")
	j := f.startRecorded(t, dir, env, r.np, nil, program, "hang")
	if r.ends {
		j.waitOrEnd(20 * time.Second)
	} else {
		j.awaitHang()
		r.checkDiagnosis(t, "hung", env, dir)
		signalRanks(openRun(t, dir), syscall.SIGKILL)
		j.waitOrEnd(15 * time.Second)
	}
	r.checkDiagnosis(t, "ended", env, dir)
}

func (r rootCase) checkDiagnosis(t *testing.T, when string, env []string, dir string) {
	t.Helper()
	got := runCommand(t, env, filepath.Join(binaryDir(t), "laggard"), "diagnose", "--json", "--no-slice", dir)
	var a struct {
		diagnosisJSON
		LeastProgressed *struct {
			Ranks      []int
			Confidence float64
			Reason     string
			Locations  []location
		} `json:"least_progressed"`
		Divergences []divergenceJSON
		Differences []struct{ What, Function string }
		Taken       []struct{ Function string }
	}
	if err := json.Unmarshal([]byte(got.stdout), &a); err != nil {
		t.Fatalf("%s: %v\n%s%s", when, err, got.stdout, got.stderr)
	}
	l := a.LeastProgressed
	if l == nil {
		t.Fatalf("%s: nobody is named, want %v", when, r.named)
	}
	noteJudged(t, r.source, when, l.Confidence, slices.Equal(l.Ranks, r.named))
	if !slices.Equal(l.Ranks, r.named) {
		t.Errorf("%s: %v named (%.2f, %s), want %v", when, l.Ranks, l.Confidence, l.Reason, r.named)
		return
	}
	if l.Confidence < r.least || l.Confidence > r.most {
		t.Errorf("%s: confidence %.2f (%s), want %.2f to %.2f", when, l.Confidence, l.Reason, r.least, r.most)
	}
	if !sameCycles(a.Deadlock.Cycles, r.cycle) && r.cycle != nil {
		t.Errorf("%s: deadlock %v, want %v", when, a.Deadlock.Cycles, r.cycle)
	}
	if !strings.Contains(l.Reason, r.says) {
		t.Errorf("%s: the reason %q does not say %q", when, l.Reason, r.says)
	}
	if r.parts != "" && (len(a.Divergences) == 0 || a.Divergences[0].Kind != r.parts) {
		t.Errorf("%s: divergences %+v, want %s", when, a.Divergences, r.parts)
	}
	in := func(d struct{ What, Function string }) bool { return d.Function == r.differs }
	if r.differs != "" && !slices.ContainsFunc(a.Differences, in) {
		t.Errorf("%s: %s is not among what differs: %+v", when, r.differs, a.Differences)
	}
	if r.taken != "" && (len(a.Taken) != 1 || !strings.Contains(a.Taken[0].Function, r.taken)) {
		t.Errorf("%s: messages taken by %+v, want %s", when, a.Taken, r.taken)
	}
	for _, at := range l.Locations {
		r.checkLine(t, when, at)
	}
}

// checkLine wants the rank on a marked line.
func (r rootCase) checkLine(t *testing.T, when string, l location) {
	t.Helper()
	found := readMarks(t, r.source)
	spans := slices.Concat(found["here"], found[inLoop])
	on := func(f frame) bool {
		return filepath.Base(f.File) == filepath.Base(r.source) && coversLine(spans, f.Line)
	}
	if !slices.ContainsFunc(l.Stack, on) {
		t.Errorf("%s: rank %d at %+v, want a marked line", when, l.Rank, l.Stack)
	}
}
