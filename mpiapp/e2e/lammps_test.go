//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

const crackInput = "/usr/share/lammps/examples/crack/in.crack"

// TestLAMMPS freezes one rank of Debian's LAMMPS part-way through the crack
// input. The program is stripped and has no frame pointers: stacks come from
// its unwind tables, names from its dynamic symbols.
func TestLAMMPS(t *testing.T) {
	t.Parallel()
	for _, need := range []string{"/usr/bin/lmp", crackInput} {
		musttest.Get(os.Stat(need))(t, "make deps installs lammps")
	}
	f := families[0]
	musttest.Get(exec.LookPath(f.launcher[0]))(t, "Debian's LAMMPS wants OpenMPI")
	const ranks, victim = 4, 2
	j, env, dir := f.record(t, ranks, "/usr/bin/lmp", "-log", "none", "-in", longCrack(t))
	var run *model.Run
	j.eventually("5000 calls", func() bool {
		run, _ = runfiles.Open(dir)
		return j.hasEnded() || run != nil && len(run.Ranks) == ranks && run.Ranks[victim].Threads[0].Calls > 5000
	})
	if j.hasEnded() {
		t.Fatalf("LAMMPS ended: %s%s", j.out.String(), j.err.String())
	}
	musttest.Succeed(t, syscall.Kill(run.Ranks[victim].PID, syscall.SIGSTOP))
	j.awaitHang()
	checkLAMMPS(t, runDiagnose(t, env, dir), victim)
}

// longCrack is the crack input with so many steps that it cannot end by itself.
func longCrack(t *testing.T) string {
	t.Helper()
	text := musttest.Get(os.ReadFile(crackInput))(t)
	long := strings.Replace(string(text), "run\t\t5000", "run\t\t50000000", 1)
	if long == string(text) {
		t.Fatalf("%s has no line \"run 5000\"", crackInput)
	}
	path := filepath.Join(t.TempDir(), "in.crack")
	musttest.Succeed(t, os.WriteFile(path, []byte(long), 0o644))
	return path
}

func checkLAMMPS(t *testing.T, a *diagnosisJSON, victim int) {
	t.Helper()
	if a.LeastProgressed == nil || !slices.Equal(a.LeastProgressed.Ranks, []int{victim}) ||
		!slices.Equal(a.Lost, []int{victim}) {
		t.Fatalf("least progressed %+v, lost %v, want rank %d", a.LeastProgressed, a.Lost, victim)
	}
	for _, l := range a.LeastProgressed.Locations {
		if !strings.HasPrefix(l.Function, "LAMMPS_NS::") {
			t.Errorf("rank %d is told to be in %q, not in a function of LAMMPS", l.Rank, l.Function)
		}
	}
	for _, g := range a.Groups {
		stack := g.State.Stack
		if len(stack) < 3 || !strings.HasPrefix(stack[0].Function, "LAMMPS_NS::") {
			t.Errorf("ranks %s: a stack of %d frames: %+v", g.Ranks, len(stack), stack)
		}
		// From the innermost frame out to main, which a stripped program does not
		// name, everything is a function of LAMMPS.
		outer := slices.IndexFunc(stack, func(f frame) bool { return !strings.HasPrefix(f.Function, "LAMMPS_NS::") })
		if outer >= 0 && outer < len(stack)-2 {
			t.Errorf("ranks %s: frame %d has no name: %+v", g.Ranks, outer, stack)
		}
	}
}
