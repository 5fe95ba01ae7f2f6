//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
)

// divergenceJSON is the part of a divergence that the tests look at.
type divergenceJSON struct {
	Kind     string
	Majority bool
	MadeBy   *struct {
		MPI  string
		Line int
	} `json:"made_by"`
	Sides []struct {
		Ranks, Kind string
		Calls       []struct {
			MPI   string
			Stack []frame
		}
	}
	Branch *frame
}

// divergenceCase is what is known of a program of testdata/programs/divergence, by its
// first lines.
type divergenceCase struct {
	source    string
	np        int
	odd, kind string
	call      string // MPI function
	line      int    // of the call
	made      string // MPI function and line that made the communicator, "" not asked
	branch    []int  // lines, any of which is right; nil: there is none
	ends      bool   // the launcher, or MPI, may end the job by itself
}

func (d divergenceCase) String() string { return d.source }

func readDivergence(source, text string) (d divergenceCase, err error) {
	d.source = source
	err = eachComment(text, func(key, value string) (err error) {
		value, _, _ = strings.Cut(value, "  ")
		switch key {
		case "np":
			d.np, err = strconv.Atoi(value)
		case "odd":
			d.odd = value
		case "kind":
			d.kind = value
		case "call":
			_, err = fmt.Sscanf(value, "%s %d", &d.call, &d.line)
		case "made":
			d.made = value
		case "branch":
			d.branch, err = parseNumbers(value)
		case "ends":
			d.ends = value == "yes"
		}
		return err
	})
	return d, err
}

func parseNumbers(list string) (out []int, err error) {
	if list == "-" {
		return nil, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// TestDivergences lets every program leave the common sequence of collectives, and
// asks who left it, how, with which call, and which branch decided.
func TestDivergences(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, selectCases(f, readCases(t, "divergence", readDivergence)), func(t *testing.T, d divergenceCase) {
			f.diagnoseTwice(t, d.np, d.ends, d.checkDiagnosis, f.buildProgram(t, d.source, "-O1"), "hang")
		})
	})
}

// TestMixedUp: calls that look alike are matched though they do not belong together, and ranks
// crash of what came. Their death is named, and where the others went another way is shown. A rank may crash before most others
// came so far; then there is no majority, and the job is run again.
func TestMixedUp(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		program, env := f.buildProgram(t, "divergence/lookup.c", "-O1"), f.runEnvironment(t)
		var text string
		for trial := 0; trial < 3; trial++ {
			dir := filepath.Join(t.TempDir(), "run")
			f.startRecorded(t, dir, env, 5, nil, program, "terse").waitOrEnd(20 * time.Second)
			if d := runDiagnose(t, env, dir); len(d.Divergences) > 0 && d.Divergences[0].Majority {
				text = diagnosisText(t, env, dir)
				break
			}
		}
		checktest.Contains(t, text, "died of SIGSEGV", "First divergence: collective 13 on MPI_COMM_WORLD", "rank 0 skipped",
			"decided at announce (lookup.c:33)")
	})
}

// TestRootsOfParts: the root of a collective on a part of the ranks is named as its rank of MPI_COMM_WORLD, too.
func TestRootsOfParts(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		j, env, dir := f.record(t, 8, f.buildProgram(t, "divergence/leaders.c", "-O1"), "hang")
		j.awaitHang()
		checktest.Contains(t, diagnosisText(t, env, dir), "rank 5 called MPI_Bcast with root 0 (rank 4), collective 2 on",
			"; ranks 4,6-7 with root 1 (rank 5)", "MPI_Bcast, root 1 (rank 5), 8 bytes in group_step (leaders.c:35)")
	})
}

// TestInlinedExits: where a rank ended its process in a function that the compiler put into its caller, the condition before that is
// named first, as it is without optimisation.
func TestInlinedExits(t *testing.T) {
	t.Parallel()
	source := filepath.Join(programs, "requires.c")
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		for _, level := range []string{"-O0", "-O2"} {
			program, env := f.buildProgram(t, "requires.c", level, "-g"), f.runEnvironment(t)
			for how, want := range map[string]string{
				"density":   fmt.Sprintf("decided at require (requires.c:%d)", lineOf(t, source, "LAGGARD: required */")),
				"finalize":  fmt.Sprintf("decided at require (requires.c:%d)", lineOf(t, source, "LAGGARD: required */")),
				"neighbour": fmt.Sprintf("decided at find (requires.c:%d)", lineOf(t, source, "LAGGARD: found */")),
			} {
				dir := filepath.Join(t.TempDir(), "run")
				j := f.startRecorded(t, dir, env, 4, nil, program, how)
				if how == "finalize" {
					j.awaitHang()
				} else {
					j.waitOrEnd(20 * time.Second)
				}
				checktest.Contains(t, diagnosisText(t, env, dir), want)
			}
		}
	})
}

// TestStrayed: of ranks that make the barriers behind a phase, while another makes those in it, it is
// said from where each side made them, and that they had parted before.
func TestStrayed(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		j, env, dir := f.record(t, 4, f.buildProgram(t, "divergence/phases.c", "-O1"), "hang")
		j.awaitHang()
		checktest.Contains(t, diagnosisText(t, env, dir),
			"all ranks: MPI_Barrier in iteration (phases.c:84), the last common call",
			"then 2 collectives that match, but from different places: rank 0: MPI_Barrier in phase_begin (phases.c:34)",
			"; ranks 1-3: MPI_Barrier in iteration (phases.c:91)",
			"decided at iteration (phases.c:86): if (bench.rank < tasks) {")
	})
}

func (d divergenceCase) checkDiagnosis(t *testing.T, when string, env []string, dir string) {
	t.Helper()
	var a struct {
		LeastProgressed *struct {
			Set        string
			Confidence float64
		} `json:"least_progressed"`
		Divergences []divergenceJSON
	}
	runForJSON(t, env, &a, "diagnose", "--json", dir)
	if len(a.Divergences) == 0 || a.LeastProgressed == nil {
		t.Errorf("%s: no divergence", when)
		return
	}
	p := a.Divergences[0]
	both := strings.Contains(d.odd, "|")
	wrong := both == p.Majority || !both && a.LeastProgressed.Set != d.odd
	noteJudged(t, d.source, when, a.LeastProgressed.Confidence, !wrong)
	if wrong {
		t.Errorf("%s: %s named, majority %v, want %s", when, a.LeastProgressed.Set, p.Majority, d.odd)
	}
	checktest.Equal(t, d.kind, p.Kind, when)
	d.checkCall(t, when, p)
	if d.made != "" && (p.MadeBy == nil || fmt.Sprint(p.MadeBy.MPI, " ", p.MadeBy.Line) != d.made) {
		t.Errorf("%s: made by %+v, want %s", when, p.MadeBy, d.made)
	}
	switch {
	case d.branch == nil:
	case p.Branch == nil:
		t.Errorf("%s: no branch, want line %v", when, d.branch)
	case !slices.Contains(d.branch, p.Branch.Line):
		t.Errorf("%s: decided at line %d, want %v", when, p.Branch.Line, d.branch)
	}
}

func (d divergenceCase) checkCall(t *testing.T, when string, p divergenceJSON) {
	t.Helper()
	if len(p.Sides[0].Calls) == 0 {
		t.Errorf("%s: no call", when)
		return
	}
	call := p.Sides[0].Calls[0]
	at := slices.ContainsFunc(call.Stack, func(f frame) bool { return f.Line == d.line })
	if !strings.EqualFold(call.MPI, d.call) || !at {
		t.Errorf("%s: %s at %+v, want %s at line %d", when, call.MPI, call.Stack, d.call, d.line)
	}
}
