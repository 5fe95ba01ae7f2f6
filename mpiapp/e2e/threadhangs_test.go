//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
)

// threadHang is a program of testdata/programs/threadhangs that hangs, or dies, because of a thread.
type threadHang struct {
	source string
	dies   bool
	least  []int // the least-progressed ranks
	says   []string
}

// threadHangs are those whose cause the diagnosis names.
var threadHangs = []threadHang{
	{"progress.c", false, []int{0, 1},
		[]string{"progress.c:47", "it waits for thread ", "which is in MPI_Recv, called by", "progress.c:28"}},
	{"registry.cc", false, []int{2}, []string{"registry.cc:33", "locked it and ended without unlocking it"}},
	{"checkpoint.cc", true, []int{1}, []string{"Rank 1 died of SIGABRT", "checkpoint.cc:29"}},
	{"histogram.c", true, []int{2}, []string{"Rank 2 died of SIG", "histogram.c:21"}},
	{"sweep.c", false, []int{1}, []string{"waits in the OpenMP library for other threads in sweeps (sweep.c:35)",
		"; another thread of it has left the program's code and waits in the OpenMP library"}},
	{"transfer.c", false, []int{2}, []string{"waits in the OpenMP library for other threads in move (transfer.c:33)"}},
	{"dircache.c", false, []int{1, 2},
		[]string{" waits in look_up (dircache.c:23) for a lock that the thread in MPI_Recv in ask (dircache.c:53) holds"}},
	{"tiles.cc", false, []int{1},
		[]string{"std::invalid_argument: a tile without samples, thrown in ", "(tiles.cc:26), in a thread that does not call MPI"}},
	{"receipts.c", false, []int{2}, []string{"it waits for thread ", ", which waits for another thread in take_batch (receipts.c:26)"}},
	{"telemetry.cc", false, []int{1}, []string{"rank 1 waits for another thread in take (telemetry.cc:32)"}},
	{"staging.cc", false, []int{1}, []string{"it waits for thread ", ", which waits for data of a socket in receive (staging.cc:26)"}},
}

// TestThreadHangs: a rank that waits for a mutex waits for what its holder waits for, and a rank whose other thread died is shown
// where that thread was. Without the fault nothing is reported.
func TestThreadHangs(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, selectCases(f, threadHangs), f.checkThreadHang)
	})
}

// TestInTurn: two threads that look for messages in turn are not said to be in MPI at once, however often the job is
// looked at.
func TestInTurn(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		program := f.buildProgram(t, "threadhangs/serialized.c", "-O1")
		env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "hang")
		j := startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", "5m", "--on-hang", "keep"}, 2, program, "hang")...)
		j.eventually("two threads that poll", func() bool {
			return strings.Contains(runLaggard(t, env, "diagnose", "--no-slice", dir).stdout, "MPI_Test")
		})
		for range 10 {
			if text := runLaggard(t, env, "diagnose", "--no-slice", dir).stdout; strings.Contains(text, "in MPI at once") {
				t.Error(text)
			}
		}
		j.killTree()
		env = f.runEnvironment(t)
		f.startRecorded(t, filepath.Join(t.TempDir(), "good"), env, 2, nil, program, "good").wait().mustSucceed(t)
	})
}

func (c threadHang) String() string { return c.source }

func (f family) checkThreadHang(t *testing.T, c threadHang) {
	program := f.buildProgram(t, filepath.Join("threadhangs", c.source), "-O1", "-fopenmp", "-Wl,--no-as-needed", "-lm")
	env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "hang")
	j := f.startRecorded(t, dir, env, 3, nil, program, "hang")
	if c.dies {
		j.waitOrEnd(20 * time.Second)
	} else {
		j.awaitHang()
	}
	j.checkDiagnosis(t, env, dir, c.least, c.says...)
	f.checkFinishes(t, env, program, "good")
}

// checkDiagnosis checks the least-progressed ranks of a job that was recorded in a directory, and what the text says; then it ends the job.
func (j *job) checkDiagnosis(t *testing.T, env []string, dir string, least []int, says ...string) {
	t.Helper()
	var a diagnosisJSON
	text := runLaggard(t, env, "diagnose", "--no-slice", dir).stdout
	runForJSON(t, env, &a, "diagnose", "--no-slice", "--json", dir)
	j.killTree()
	if a.LeastProgressed == nil || !slices.Equal(a.LeastProgressed.Ranks, least) {
		t.Errorf("want ranks %d:\n%s", least, text)
	}
	checktest.Contains(t, text, says...)
}

// checkFinishes checks that a program of three ranks without its fault ends well, and that nothing is reported.
func (f family) checkFinishes(t *testing.T, env []string, command ...string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "good")
	f.startRecorded(t, dir, env, 3, nil, command...).wait().mustSucceed(t)
	text := runLaggard(t, env, "diagnose", "--no-slice", dir).stdout
	if !strings.HasPrefix(text, "The job of 3 ranks finished: no hang.") {
		t.Errorf("without the fault:\n%s", text)
	}
}
