//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

// envNumber is a number from the environment.
func envNumber(name string, otherwise int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return otherwise
	}
	return n
}

// TestKilled kills all ranks of a busy job with SIGKILL, at a random moment
// each time, as often as LAGGARD_KILLS says for each family: what is left is
// readable, and no count is off by more than the update that was under way.
func TestKilled(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "busy.c", "-O2")
		random := rand.New(rand.NewPCG(17, 4))
		for i := range envNumber("LAGGARD_KILLS", 20) {
			after := time.Duration(random.Int64N(int64(400 * time.Millisecond)))
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				f.checkKilled(t, program, after)
			})
		}
	})
}

func (f family) checkKilled(t *testing.T, program string, after time.Duration) {
	const ranks = 2
	j, _, dir := f.record(t, ranks, program)
	// The first rank that shows itself starts the clock, so that the ranks are
	// also killed while they start.
	var run *model.Run
	j.eventually("a rank", func() bool {
		run, _ = runfiles.Open(dir)
		return j.hasEnded() || run != nil && len(run.Ranks) > 0
	})
	time.Sleep(after)
	for run, _ = runfiles.Open(dir); run == nil || len(run.Ranks) < ranks; run, _ = runfiles.Open(dir) {
		if j.hasEnded() {
			t.Fatalf("the job ended by itself: %s", j.err.String())
		}
		time.Sleep(time.Millisecond)
	}
	signalRanks(run, syscall.SIGKILL)
	j.waitOrEnd(20 * time.Second) // Open MPI's mpirun may not notice that ranks died in MPI_Init
	run = musttest.Get(runfiles.Open(dir))(t)
	for _, p := range run.Problems {
		if !errors.Is(p.Err, model.ErrTorn) { // that is the update under way
			t.Errorf("after %s: %v", after, p.Err)
		}
	}
	checktest.Equal(t, ranks, len(run.Ranks), "after", after, "ranks are left")
	for _, r := range run.Ranks {
		checkCounts(t, after, r)
	}
}

// checkCounts compares the counters that the recorder moves one after another
// in each call.
func checkCounts(t *testing.T, after time.Duration, r *model.Rank) {
	t.Helper()
	for _, th := range r.Threads {
		visits, edges := modelTotals(&th.Model)
		if absDiff(visits, th.Calls) > 1 || visits > 0 && absDiff(edges, visits-1) > 1 {
			t.Errorf("after %s: rank %d: %d calls, %d visits, %d passages", after, r.Rank, th.Calls, visits, edges)
		}
	}
}

func absDiff(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// TestBusyIsRecorded makes sure that the job of TestKilled was busy: states of
// all its kinds come to be there.
func TestBusyIsRecorded(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		j, _, dir := f.record(t, 2, f.buildProgram(t, "busy.c", "-O2"))
		calls := map[string]bool{}
		j.eventually("all kinds of calls", func() bool {
			run, err := runfiles.Open(dir)
			if err != nil {
				return false
			}
			for _, r := range run.Ranks {
				for _, s := range r.Threads[0].Model.States {
					calls[strings.TrimPrefix(s.Call, "MPI_")] = true
				}
			}
			return calls["Irecv"] && calls["Isend"] && calls["Waitall"] && calls["Allreduce"] && calls["Barrier"]
		})
	})
}
