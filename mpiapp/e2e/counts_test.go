//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/mpi"
)

// light are the calls that the recorder counts without a state, all together.
var light = map[string]bool{"MPI_Wtime": true, "MPI_Get_address": true}

// TestCounts compares, rank by rank and function by function, the calls that
// the recorder counted with those that the program made, in each binding.
func TestCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		source  string
		binding mpi.Binding
	}{
		{"countcalls.c", mpi.C},
		{"countcalls.f", mpi.Fortran},
		{"countcalls.f90", mpi.Fortran},
		{"countcalls_f08.f90", mpi.Fortran08},
	}
	eachFamily(t, func(t *testing.T, f family) {
		for _, test := range tests {
			for _, flag := range []string{"-O0", "-O2"} {
				t.Run(test.source+flag, func(t *testing.T) {
					t.Parallel()
					f.checkCallCounts(t, test.source, flag, test.binding)
				})
			}
		}
	})
}

func (f family) checkCallCounts(t *testing.T, source, flag string, binding mpi.Binding) {
	const ranks = 4
	j, _, dir := f.record(t, ranks, f.buildProgram(t, source, flag))
	j.wait().mustSucceed(t)
	run := openRun(t, dir)
	musttest.Equal(t, ranks, len(run.Ranks), "ranks are recorded")
	for _, r := range run.Ranks {
		want := readCounts(t, filepath.Join(j.cmd.Dir, fmt.Sprintf("counts.%d", r.Rank)))
		checktest.Equal(t, want, recordedCounts(t, r, binding), "rank", r.Rank, "made and recorded")
	}
}

// readCounts reads the lines "NAME COUNT" that a rank wrote.
func readCounts(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	text := musttest.Get(os.ReadFile(path))(t)
	counts := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		var name string
		var n uint64
		musttest.Get(fmt.Sscan(line, &name, &n))(t, path, line)
		if light[name] {
			name = "light"
		}
		counts[name] += n
	}
	if len(counts) < 15 {
		t.Fatalf("%s: only %d functions", path, len(counts))
	}
	return counts
}

// recordedCounts sums the visits of a rank's states by function. Every state must have
// come through the expected binding, and the totals must agree.
func recordedCounts(t *testing.T, r *model.Rank, binding mpi.Binding) map[string]uint64 {
	t.Helper()
	sums := map[string]uint64{}
	checktest.Equal(t, 1, len(r.Threads), "rank", r.Rank, "threads")
	for _, th := range r.Threads {
		visits, edges := modelTotals(&th.Model)
		if visits != th.Calls || edges+1 != visits {
			t.Errorf("rank %d: %d calls, %d visits, %d passages", r.Rank, th.Calls, visits, edges)
		}
		for i, s := range th.Model.States {
			sums[s.Call] += th.Model.Visits[i]
			checktest.Equal(t, binding, s.Binding, "rank", r.Rank, s.Call, "came through binding")
			if s.Partial || len(s.Stack) == 0 {
				t.Errorf("rank %d: the stack of %s has %d frames, cut short: %t", r.Rank, s.Call, len(s.Stack),
					s.Partial)
			}
		}
		sums["light"] += th.Light
	}
	return sums
}

// modelTotals sums the visits and the edge counts of a model.
func modelTotals(m *model.Model) (visits, edges uint64) {
	for _, v := range m.Visits {
		visits += v
	}
	for _, e := range m.Edges {
		edges += e.Count
	}
	return visits, edges
}
