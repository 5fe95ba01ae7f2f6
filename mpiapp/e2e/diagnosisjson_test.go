//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"laggard/injector/judgedtest"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/report/diagnosis"
	"laggard/report/reporttest"
)

// frame is a level of a stack, as in the JSON of diagnose.
type frame struct {
	Function, File string
	Line           int
}

// location is where least progressed ranks are.
type location struct {
	frame
	Rank     int
	InMPI    *string `json:"in_mpi"`
	WaitsFor string  `json:"waits_for"`
	Stack    []frame
}

// diagnosisJSON is the part of the JSON of diagnose that the tests look at.
type diagnosisJSON struct {
	SchemaVersion   int `json:"schema_version"`
	Ranks           int
	Hang            bool
	LeastProgressed *struct {
		Ranks      []int
		Set        string
		Method     string
		Confidence float64
		Reason     string
		Locations  []location
	} `json:"least_progressed"`
	Cause      *struct{ Kind, Text string }
	Ended      *struct{ By, Signal, Sender, Ranks string }
	Exceptions []struct {
		frame
		Ranks, Type, State string
	}
	Divergences []struct{ Majority bool }
	Deadlock    struct{ Cycles [][]int }
	Lost        []int `json:"lost_ranks"`
	Losses      []struct {
		Ranks, Argument string
		Text            string `json:"mpi_error_text"`
	}
	Failures   []struct{ Ranks, Reason string }
	Damaged    []int `json:"damaged_ranks"`
	Unfinished []int `json:"unfinished_ranks"`
	Groups     []struct {
		Ranks string
		State struct {
			Kind, MPI string
			Stack     []frame
		}
	}
	Problems []string
}

// Exit statuses of diagnose.
const (
	exitDone    = 0
	exitDamaged = 4
)

// runDiagnose runs laggard diagnose, which must succeed. Its status must tell
// whether there were problems with the data, and its text must agree with its JSON form.
func runDiagnose(t *testing.T, env []string, dir ...string) *diagnosisJSON {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "diagnosis.json")
	args := append([]string{laggardPath(t), "diagnose", "--json-copy", copied, "--no-slice"}, dir...)
	got := runCommand(t, env, args...)
	if got.status != exitDone && got.status != exitDamaged {
		t.Fatalf("diagnose: exit status %d\n%s", got.status, got.stderr)
	}
	text := musttest.Get(os.ReadFile(copied))(t)
	a, whole := new(diagnosisJSON), new(diagnosis.Result)
	musttest.Succeed(t, errors.Join(json.Unmarshal(text, a), json.Unmarshal(text, whole)), "diagnose", string(text))
	if wrong := reporttest.Contradictions(got.stdout, whole); len(wrong) > 0 {
		t.Errorf("the text contradicts the result: %q\n%s", wrong, got.stdout)
	}
	if (got.status == exitDamaged) != (len(a.Problems) > 0) {
		t.Errorf("diagnose: exit status %d, problems %q", got.status, a.Problems)
	}
	return a
}

// namesRank reports whether the first line of a diagnosis says of a rank that it is least progressed, or how it ended.
func namesRank(text string, rank int) bool {
	return regexp.MustCompile(fmt.Sprintf(`(?m)^Rank %d (is least progressed|exited|died of|called MPI_Abort)`, rank)).MatchString(text)
}

// isSound takes out of the problems the updates that a rank was killed in: these
// are no fault of the recorder. What remains must be nothing.
func (a *diagnosisJSON) isSound() bool {
	return !slices.ContainsFunc(a.Problems, func(p string) bool { return !strings.Contains(p, model.ErrTorn.Error()) })
}

// checkDiagnosis compares a diagnosis with what is known of the scenario.
func (s scenario) checkDiagnosis(t *testing.T, when string, a *diagnosisJSON) {
	t.Helper()
	if a.SchemaVersion != 1 || a.Ranks != s.rankCount() || !a.isSound() || len(a.Damaged) > len(a.Problems) {
		t.Errorf("%s: schema %d, %d ranks, damaged %v, problems %v", when, a.SchemaVersion, a.Ranks, a.Damaged,
			a.Problems)
	}
	if !a.Hang {
		t.Errorf("%s: no hang", when)
	}
	if !slices.Equal(a.Lost, s.lost) && len(a.Lost)+len(s.lost) > 0 {
		t.Errorf("%s: lost ranks %v, want %v", when, a.Lost, s.lost)
	}
	if !sameCycles(a.Deadlock.Cycles, s.cycle) {
		t.Errorf("%s: deadlock %v, want %v", when, a.Deadlock.Cycles, s.cycle)
	}
	if a.LeastProgressed == nil {
		t.Fatalf("%s: no least progressed rank, want %v", when, s.least)
	}
	noteJudged(t, s.String(), when, a.LeastProgressed.Confidence, slices.Equal(a.LeastProgressed.Ranks, s.least))
	if !slices.Equal(a.LeastProgressed.Ranks, s.least) {
		t.Errorf("%s: least progressed %v (by %s), want %v", when, a.LeastProgressed.Ranks, a.LeastProgressed.Method,
			s.least)
		return
	}
	if len(a.LeastProgressed.Locations) == 0 {
		t.Errorf("%s: no location", when)
	}
	for _, l := range a.LeastProgressed.Locations {
		s.checkLocation(t, when, l)
	}
}

// noteJudged keeps a judged diagnosis for the calibration of what is said.
func noteJudged(t *testing.T, source, when string, confidence float64, right bool) {
	t.Helper()
	by := fmt.Sprintf("%s, %s, %s", t.Name(), source, when)
	checktest.ErrorIs(t, nil, judgedtest.AppendCase(judgedtest.Case{Source: by, Confidence: confidence, Right: right}))
}

// sameCycles: a cycle may be told from any of its ranks on.
func sameCycles(got [][]int, want []int) bool {
	if len(want) == 0 || len(got) != 1 {
		return len(want) == 0 && len(got) == 0
	}
	ranks := slices.Sorted(slices.Values(got[0]))
	return slices.Equal(ranks, want)
}

// checkLocation wants the rank in the function and on a marked line, told both
// at the top of the location and by the innermost frame of our program.
func (s scenario) checkLocation(t *testing.T, when string, l location) {
	t.Helper()
	inMPI := ""
	if l.InMPI != nil {
		inMPI = *l.InMPI
	}
	if !slices.Contains(s.inMPI, inMPI) && !(len(s.inMPI) == 0 && inMPI == "") {
		t.Errorf("%s: rank %d in %q, want one of %q", when, l.Rank, inMPI, s.inMPI)
	}
	i := slices.IndexFunc(l.Stack, func(f frame) bool { return filepath.Base(f.File) == s.source })
	if i < 0 {
		t.Errorf("%s: rank %d: no frame in %s: %+v", when, l.Rank, s.source, l.Stack)
		return
	}
	// The function a loop is in may be called by it and call others: what
	// counts is that the stack passes through a marked line of the function.
	where := slices.IndexFunc(l.Stack, func(f frame) bool { return s.isMarked(t, f) })
	if where < 0 {
		t.Errorf("%s: rank %d in %+v, want %v of %s, marked %q", when, l.Rank, l.Stack[i:], s.function, s.source,
			s.mark)
	} else if where != i && !s.deeper {
		t.Errorf("%s: rank %d: %+v is further in than the marked line", when, l.Rank, l.Stack[i])
	}
	// A template of a library, expanded in the program, may be named in place of
	// its caller.
	if l.frame != l.Stack[i] && !(s.deeper && slices.Contains(l.Stack[:i], l.frame)) {
		t.Errorf("%s: rank %d: told to be in %+v, its innermost frame of the program is %+v", when, l.Rank, l.frame,
			l.Stack[i])
	}
}

// isMarked reports whether a frame is in the expected function, on a marked line.
func (s scenario) isMarked(t *testing.T, f frame) bool {
	found := readMarks(t, s.source)
	var spans []span
	for _, m := range s.mark {
		if len(found[m]) == 0 {
			t.Fatalf("%s has no mark %q", s.source, m)
		}
		spans = append(spans, found[m]...)
	}
	return filepath.Base(f.File) == s.source && slices.Contains(s.function, f.Function) && coversLine(spans, f.Line)
}
