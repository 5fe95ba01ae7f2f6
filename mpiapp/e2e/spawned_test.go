//go:build e2e

package e2e

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"laggard/internal/checktest"
)

// spawnedCase is a program whose processes are started by MPI_Comm_spawn, with the answer that is known beforehand.
type spawnedCase struct {
	source, mode string
	masters      int      // ranks that mpirun starts
	least        []int    // the least progressed ranks; spawned processes have those behind the masters'
	says         []string // @mark is the number of the line with that mark
	also         bool     // only where everything is run
}

var spawnedCases = []spawnedCase{
	{"rows.c", "hang", 1, []int{0, 2},
		[]string{"ranks 1-2 are the 2 processes spawned at rows.c:", "deadlock: ranks 0,2 wait for each other"}, false},
	{"residual.c", "hang", 2, []int{0, 1, 2, 3},
		[]string{"ranks 2-3 wait for ranks 0-1 (collective)", "ranks 0-1 wait for ranks 2-3 (p2p)"}, false},
	{"climate.c", "hang", 1, []int{1}, []string{"Rank 1 (rank 0 of the 3 processes spawned at climate.c:", "in relax"}, true},
	{"ports.c", "hang", 1, []int{0}, []string{"MPI_Comm_accept", "rank 1 waits for rank 2 (collective)"}, true},
	{"renderers.cc", "hang", 1, []int{2}, []string{"rank 2 went to MPI_Finalize, while ranks 0-1 wait for messages"}, true},
	{"renderers.cc", "die", 1, []int{2}, []string{"Rank 2 (rank 1 of the 2 processes spawned at renderers.cc:", "died of SIGABRT"}, false},
	{"farm.c", "hang", 1, []int{0},
		[]string{"rank 2 is the process spawned at farm.c:", "spawn 2 of 2 there", "Deadlock: ranks 0,2 wait for each other"}, false},
	{"coupler.f90", "hang", 1, []int{0, 1}, []string{"rank 1 is in MPI_Comm_disconnect"}, true},
	{"merged.py", "hang", 1, []int{1},
		[]string{"Rank 1 (rank 0 of the 2 processes spawned at merged.py:", "rank 1 waits for itself"}, false},
	{"ensemble.c", "hang", 1, []int{0, 1, 2}, []string{
		"(confidence 0.50", "MPI_Comm_disconnect in drive (ensemble.c:@leaves)", "MPI_Barrier in run_member (ensemble.c:@meets)"}, false},
	{"quadrature.c", "hang", 1, []int{0, 3}, []string{
		"rank 0 sent a message each to ranks 1-2 (quadrature.c:@stop), but none from there to rank 3, which waits for one",
		"MPI_Comm_disconnect in main (quadrature.c:@leaves)"}, false},
	{"columns.f90", "hang", 1, []int{0}, []string{
		"for the first time rank 0 went on without MPI_Send (columns.f90:@handed) to rank 3",
		"Rank 0 sent 4 messages each to ranks 1-2 with MPI_Send in model (columns.f90:@handed), but only 3 to rank 3. " +
			"Rank 0 is in MPI_Comm_disconnect in model (columns.f90:@leaves)"}, false},
	{"sweep.py", "hang", 1, []int{0, 3},
		[]string{"rank 0 sent a message each to ranks 1-2 (sweep.py:@stop), but none from there to rank 3, which waits for one"}, true},
}

var namedMark = regexp.MustCompile(`@([a-z]+)`)

// TestSpawned: spawned processes are ranks of the job, named by their spawn, and waited for on both sides; without the
// fault nothing is reported. MPICH of Debian cannot start any.
func TestSpawned(t *testing.T) {
	t.Parallel()
	f := families[0]
	for _, c := range spawnedCases {
		if c.also && !runEverything() {
			continue
		}
		t.Run(c.source+"-"+c.mode, func(t *testing.T) {
			t.Parallel()
			f.checkSpawned(t, c)
		})
	}
}

func (f family) checkSpawned(t *testing.T, c spawnedCase) {
	command := []string{}
	if source := filepath.Join("spawned", c.source); filepath.Ext(source) == ".py" {
		command = pythonCommand(t, source)
	} else {
		command = append(command, f.buildProgram(t, source, "-O1"))
	}
	env := f.runEnvironment(t)
	for _, mode := range []string{c.mode, "ok"} {
		dir := filepath.Join(t.TempDir(), "run")
		j := f.startRecorded(t, dir, env, c.masters, nil, append(slices.Clone(command), mode)...)
		if mode == "hang" {
			j.awaitHang()
		} else if got := j.wait(); mode == "ok" && got.status != 0 {
			t.Errorf("without the fault: status %d\n%s", got.status, got.stderr)
		}
		var a diagnosisJSON
		text := runLaggard(t, env, "diagnose", dir)
		runForJSON(t, env, &a, "diagnose", "--json", dir)
		j.killTree()
		switch {
		case mode == "ok" && (a.Hang || a.LeastProgressed != nil || len(a.Problems) > 0):
			t.Errorf("without the fault: %s", text.stdout)
		case mode == "ok":
		case a.LeastProgressed == nil || !slices.Equal(a.LeastProgressed.Ranks, c.least):
			t.Errorf("want ranks %d: %s", c.least, text.stdout)
		}
		for _, words := range c.says {
			words = namedMark.ReplaceAllStringFunc(words, func(mark string) string {
				return strconv.Itoa(readMarks(t, filepath.Join("spawned", c.source))[mark[1:]][0].first)
			})
			if mode != "ok" {
				checktest.Contains(t, text.stdout, words)
			}
		}
	}
}
