//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// pairOfRuns is a line of testdata/compare.tsv, which says what the columns are.
type pairOfRuns struct {
	name, program, change string
	goodRanks, badRanks   int
	option, truth         string
}

// comparisonJSON is the part of the JSON form of laggard compare that is looked at.
type comparisonJSON struct{ Differences []differenceJSON }

type differenceJSON struct{ Kind, Ranks, Text string }

// recordPair records both runs of a pair and returns their directories.
func (f family) recordPair(t *testing.T, p pairOfRuns) (good, bad string) {
	t.Helper()
	dir := t.TempDir()
	record, source := "progress", "compare/"+p.program
	build := func(flags ...string) string { return f.buildProgram(t, source, flags...) }
	goodProgram, badFlags := build("-O2"), []string{"-O2", "-DCHANGE=" + p.change}
	switch p.option {
	case "volume":
		record = "progress,volume"
	case "moved":
		build = func(flags ...string) string { return f.buildMoved(t, source, flags) }
	case "-O0":
		badFlags[0] = "-O0"
	}
	good, bad = filepath.Join(dir, "good"), filepath.Join(dir, "bad")
	f.recordForComparison(t, good, record, p.goodRanks, goodProgram)
	f.recordForComparison(t, bad, record, p.badRanks, build(badFlags...))
	return good, bad
}

// recordForComparison runs a program to its end, or until it hangs.
func (f family) recordForComparison(t *testing.T, dir, record string, ranks int, program string) {
	t.Helper()
	flags := []string{"--record", record, "--timeout", standstillTimeout(3e9)}
	startJob(t, f.runEnvironment(t), nil, f.underRun(t, dir, flags, ranks, program)...).wait()
}

// buildMoved compiles a program with other lines in and between its functions.
func (f family) buildMoved(t *testing.T, source string, flags []string) string {
	t.Helper()
	text := musttest.Get(os.ReadFile(filepath.Join(programs, source)))(t)
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		b.WriteString(line)
		if strings.HasPrefix(line, "static") && strings.HasSuffix(line, "{\n") || strings.HasPrefix(line, "#include") {
			b.WriteString("/* a line more */\n\n")
		}
	}
	dir := t.TempDir()
	moved, out := filepath.Join(dir, filepath.Base(source)), filepath.Join(dir, "moved")
	musttest.Succeed(t, os.WriteFile(moved, []byte(b.String()), 0o600))
	path := musttest.Get(filepath.Abs(programs))(t)
	relative := musttest.Get(filepath.Rel(path, moved))(t)
	musttest.Succeed(t, f.compileProgram(relative, dir, out, flags))
	return out
}

// compareRuns returns the differences between two runs.
func compareRuns(t *testing.T, good, bad string) comparisonJSON {
	t.Helper()
	var c comparisonJSON
	o := runForJSON(t, os.Environ(), &c, "compare", "--json", good, bad)
	o.mustSucceed(t)
	return c
}

// TestCompare: a rank that leaves out a broadcast is found beside a good run, the diagnosis says so, too, and another
// optimisation of the same program is no difference.
func TestCompare(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		good, bad := f.recordPair(t, pairOfRuns{program: "cg.c", change: "7", goodRanks: 4, badRanks: 4})
		c := compareRuns(t, good, bad)
		const who, what = "rank 1 goes from MPI_Allreduce in dot (cg.c:", " without MPI_Bcast in agree_to_stop (cg.c:"
		if len(c.Differences) == 0 || !strings.HasPrefix(c.Differences[0].Text, who) || !strings.Contains(c.Differences[0].Text, what) {
			t.Errorf("not %q and %q first: %+v", who, what, c)
		}
		o := runLaggard(t, os.Environ(), "diagnose", "--no-slice", "--against", good, bad)
		if o.status != 0 || !strings.Contains(o.stdout, "  1. "+who) {
			t.Errorf("status %d\n%s%s", o.status, o.stdout, o.stderr)
		}
		good, bad = f.recordPair(t, pairOfRuns{program: "particles.c", change: "0", goodRanks: 4, badRanks: 4, option: "-O0"})
		if c := compareRuns(t, good, bad); len(c.Differences) > 0 {
			t.Errorf("differences between equal programs: %+v", c)
		}
	})
}
