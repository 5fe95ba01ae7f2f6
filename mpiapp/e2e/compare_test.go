//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pairOfRuns is a line of testdata/compare.tsv, which says what the columns are.
type pairOfRuns struct {
	name, program, change string
	goodRanks, badRanks   int
	option, truth         string
}

// comparisonJSON is the part of the JSON form of laggard compare that is looked at.
type comparisonJSON struct {
	Differences []struct{ Kind, Ranks, Text string }
}

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
	args := []string{filepath.Join(binaryDir(t), "laggard"), "run", "-o", dir, "--record", record, "--timeout",
		standstillTimeout(3e9), "--"}
	startJob(t, f.runEnvironment(t), nil, append(append(args, f.launchCommand(ranks)...), program)...).wait()
}

// buildMoved compiles a program with other lines in and between its functions.
func (f family) buildMoved(t *testing.T, source string, flags []string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(programs, source))
	must(t, err)
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		b.WriteString(line)
		if strings.HasPrefix(line, "static") && strings.HasSuffix(line, "{\n") || strings.HasPrefix(line, "#include") {
			b.WriteString("/* a line more */\n\n")
		}
	}
	dir := t.TempDir()
	moved, out := filepath.Join(dir, filepath.Base(source)), filepath.Join(dir, "moved")
	must(t, os.WriteFile(moved, []byte(b.String()), 0o600))
	path, err := filepath.Abs(programs)
	must(t, err)
	relative, err := filepath.Rel(path, moved)
	must(t, err)
	must(t, f.compileProgram(relative, dir, out, flags))
	return out
}

// compareRuns returns the differences between two runs.
func compareRuns(t *testing.T, good, bad string) comparisonJSON {
	t.Helper()
	o := runCommand(t, os.Environ(), filepath.Join(binaryDir(t), "laggard"), "compare", "--json", good, bad)
	if o.status != 0 {
		t.Fatalf("status %d\n%s", o.status, o.stderr)
	}
	var c comparisonJSON
	must(t, json.Unmarshal([]byte(o.stdout), &c))
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
		const want = "rank 1 skips MPI_Bcast in agree_to_stop (cg.c:"
		if len(c.Differences) == 0 || !strings.HasPrefix(c.Differences[0].Text, want) {
			t.Errorf("not %q first: %+v", want, c)
		}
		o := runCommand(t, os.Environ(), filepath.Join(binaryDir(t), "laggard"), "diagnose", "--no-slice", "--against", good, bad)
		if o.status != 0 || !strings.Contains(o.stdout, "  1. "+want) {
			t.Errorf("status %d\n%s%s", o.status, o.stdout, o.stderr)
		}
		good, bad = f.recordPair(t, pairOfRuns{program: "particles.c", change: "0", goodRanks: 4, badRanks: 4, option: "-O0"})
		if c := compareRuns(t, good, bad); len(c.Differences) > 0 {
			t.Errorf("differences between equal programs: %+v", c)
		}
	})
}
