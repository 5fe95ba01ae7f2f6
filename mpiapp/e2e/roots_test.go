//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
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

func (r rootCase) String() string { return filepath.Base(r.source) }

func readRoot(source, text string) (rootCase, error) {
	r := rootCase{source: source, most: 1}
	err := eachComment(text, func(key, value string) (err error) {
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
		return err
	})
	return r, err
}

// TestRoots lets every program hang, or be ended by MPI, and asks who is the root.
func TestRoots(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, selectCases(f, readCases(t, "roots", readRoot)), func(t *testing.T, r rootCase) {
			f.diagnoseTwice(t, r.np, r.ends, r.checkDiagnosis, f.buildProgram(t, r.source, "-O1"), "hang")
		})
	})
}

func (r rootCase) checkDiagnosis(t *testing.T, when string, env []string, dir string) {
	t.Helper()
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
	runForJSON(t, env, &a, "diagnose", "--json", "--no-slice", dir)
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
