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
)

// racing are programs with a mode "race", which relies on a choice of the MPI library, and one "right", which does not.
var racing = []string{"exchange", "collect", "sparse", "parameters", "counter", "early", "window"}

// everyChoice is a schedule that makes every choice that can be made at every call; delays are short.
const everyChoice = `version = 1
seed = 5
longest_us = 20000
budget_us = 500000
choice = [
  {kind = "send", rank = -1, often = 1000000},
  {kind = "collective", rank = -1, often = 1000000},
  {kind = "match", rank = -1, often = 1000000, value = 1000},
  {kind = "completion", rank = -1, often = 1000000, value = 50},
  {kind = "delay", rank = -1, often = 100000, value = 20000},
  {kind = "rma", rank = -1, often = 100000, value = 20000},
  {kind = "ends", rank = -1, often = 500000, value = 20000},
  {kind = "buffer", rank = -1, often = 800000, value = 2},
  {kind = "epoch", rank = -1, often = 1000000, value = 2},
]
`

// correct are correct programs that use rare parts of MPI.
var correct = []struct {
	source, mode string
	flags        []string
	standard     int // the version of MPI that it takes
}{
	{source: "requests.c"}, {source: "polls.c", mode: "right"}, {source: "unusual.c"}, {source: "onesided.c"}, {source: "helper.c"},
	{source: "newer.c", standard: 4}, {source: "newer.c", mode: "session", standard: 4},
	{source: "bindings.f90", flags: []string{"-fallow-argument-mismatch"}},
}

// TestCorrectProgramsWorkWithEveryChoice: what provoke does is legal.
func TestCorrectProgramsWorkWithEveryChoice(t *testing.T) {
	t.Parallel()
	schedule := filepath.Join(t.TempDir(), "every.toml")
	musttest.Succeed(t, os.WriteFile(schedule, []byte(everyChoice), 0o600))
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		for _, name := range racing {
			got := f.runPerturbed(t, schedule, f.buildProgram(t, "provoke/"+name+".c"), "right")
			checktest.Equal(t, 0, got.status, name, "status", got.stdout, got.stderr)
		}
		for _, c := range correct {
			if f.standard < c.standard || f.compilerFor(c.source) == "" {
				continue
			}
			got := f.runPerturbed(t, schedule, f.buildProgram(t, "provoke/"+c.source, c.flags...), c.mode)
			checktest.Equal(t, 0, got.status, c.source, c.mode, "status", got.stdout, got.stderr)
		}
	})
}

// runPerturbed runs a program with the choices of a schedule.
func (f family) runPerturbed(t *testing.T, schedule, program, mode string) outcome {
	t.Helper()
	args := []string{laggardPath(t), "run", "--timeout", standstillTimeout(6e9), "--perturb", schedule, "--"}
	return startJob(t, f.runEnvironment(t), nil, append(append(args, f.launchCommand(4)...), program, mode)...).wait()
}

// TestSynchronousSendsShowEagerDependence: a program that relies on buffers hangs, and the diagnosis says where.
func TestSynchronousSendsShowEagerDependence(t *testing.T) {
	t.Parallel()
	schedule := filepath.Join(t.TempDir(), "send.toml")
	musttest.Succeed(t, os.WriteFile(schedule, []byte("version = 1\n[[choice]]\nkind = \"send\"\nrank = -1\noften = 1000000\n"), 0o600))
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		got := f.runPerturbed(t, schedule, f.buildProgram(t, "provoke/exchange.c"), "race")
		if got.status == 0 || !strings.Contains(got.stderr, "deadlock: ranks") || !strings.Contains(got.stderr, "exchange.c:18") {
			t.Errorf("status %d, %s", got.status, got.stderr)
		}
	})
}

// TestStaleSchedule: the schedule of another build makes no choice, and a run that ends well with it is no replay.
func TestStaleSchedule(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		program := f.buildProgram(t, "provoke/exchange.c")
		schedule := filepath.Join(t.TempDir(), "stale.toml")
		const form = "version = 1\nchoice = [{kind = 'send', rank = 0, build_id = '0a', path = %q, offset = 9, often = 1000000}]\n"
		text := fmt.Sprintf(form, program)
		musttest.Succeed(t, os.WriteFile(schedule, []byte(text), 0o600))
		got := f.runPerturbed(t, schedule, program, "correct")
		const want = "no choice of the schedule was made, so this run shows nothing: exchange has another build ID"
		if got.status != 4 || !strings.Contains(got.stderr, want) {
			t.Errorf("status %d, %s", got.status, got.stderr)
		}
	})
}

// TestLateDataShows: buffers that are used before a call is complete, and one-sided operations before their epoch ends, show
// wrong data.
func TestLateDataShows(t *testing.T) {
	t.Parallel()
	schedule := filepath.Join(t.TempDir(), "late.toml")
	musttest.Succeed(t, os.WriteFile(schedule, []byte(`version = 1
choice = [{kind = "buffer", rank = -1, often = 1000000}, {kind = "epoch", rank = -1, often = 1000000}]
`), 0o600))
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		for _, c := range []struct{ program, mode string }{
			{"early", "race"}, {"early", "write"}, {"early", "again"}, {"window", "race"}, {"window", "put"}, {"window", "local"},
		} {
			got := f.runPerturbed(t, schedule, f.buildProgram(t, "provoke/"+c.program+".c"), c.mode)
			if got.status != 1 || !strings.Contains(got.stderr, " was wrong") {
				t.Errorf("%s as %s: status %d, %s", c.program, c.mode, got.status, got.stderr)
			}
		}
	})
}

// TestRequestsStartInAnotherOrder: a program that relies on the order in which MPI_Startall starts its requests fails where the sends,
// or the receives, start in the opposite one.
func TestRequestsStartInAnotherOrder(t *testing.T) {
	t.Parallel()
	const backwards = `{kind = "buffer", rank = 1, value = 1,`
	dir := t.TempDir()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		for often, status := range map[int]int{0: 0, 1000000: 1} {
			schedule := filepath.Join(dir, fmt.Sprintf("%s-%d.toml", f, often))
			text := fmt.Appendf(nil, "version = 1\nchoice = [%s often = %d}]\n", backwards, often)
			musttest.Succeed(t, os.WriteFile(schedule, text, 0o600))
			got := f.runPerturbed(t, schedule, f.buildProgram(t, "provoke/early.c"), "order")
			checktest.Equal(t, status, got.status, often, "status", got.stderr)
		}
	})
}

// TestNoesAreSpentOnMessagesThatAreThere: polls before a message comes use up none of the noes, which then are more than a program
// has patience for.
func TestNoesAreSpentOnMessagesThatAreThere(t *testing.T) {
	t.Parallel()
	schedule := filepath.Join(t.TempDir(), "polls.toml")
	musttest.Succeed(t, os.WriteFile(schedule, []byte(`version = 1
longest_us = 1000000
budget_us = 1000000
choice = [{kind = "completion", rank = 1, often = 1000000, count = 1, value = 100}]
`), 0o600))
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		for _, mode := range []string{"probe", "test", "any", "window"} {
			got := f.runPerturbed(t, schedule, f.buildProgram(t, "provoke/polls.c"), mode)
			if got.status != 1 || !strings.Contains(got.stderr, "rank 1 gave up") || strings.Contains(got.stderr, "rank 2 gave up") {
				t.Errorf("%s: status %d, %s", mode, got.status, got.stderr)
			}
		}
	})
}

// TestProvoke: a receive that may take the wrong sender's message is found, reduced to that receive, and replayed. Its many runs take
// too long beside others.
func TestProvoke(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		if !f.runsCase(1) {
			return // the other MPI does
		}
		program, env, dir := f.buildProgram(t, "provoke/collect.c"), f.runEnvironment(t), filepath.Join(t.TempDir(), "out")
		junit := dir + ".xml"
		launch := append(f.launchCommand(4), program, "race")
		args := []string{laggardPath(t), "provoke", "-o", dir, "--only", "match", "--repeat", "2",
			"--junit", junit, "--"}
		got := startJob(t, env, nil, append(args, launch...)...).wait()
		if got.status != 3 || !strings.Contains(got.stdout, "Fails in 2 of 2 runs when the wildcard of rank 0 (MPI_Recv, collect.c:") {
			t.Fatalf("status %d, %s%s", got.status, got.stdout, got.stderr)
		}
		if text, err := os.ReadFile(junit); err != nil || !strings.Contains(string(text), `type="provoked"`) {
			t.Errorf("JUnit: %s, %v", text, err)
		}
		if again := f.runPerturbed(t, filepath.Join(dir, "provoked.toml"), program, "race"); again.status == 0 {
			t.Errorf("the replay does not fail: %s", again.stderr)
		}
	})
}

// TestProvokeOfFlakyProgram: a program that fails in two of three runs though nothing is chosen is a finding by itself.
func TestProvokeOfFlakyProgram(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		if !f.runsCase(2) {
			return // the other MPI does
		}
		t.Parallel()
		program, dir := f.buildProgram(t, "provoke/exchange.c"), filepath.Join(t.TempDir(), "out")
		launch := strings.Join(append(f.launchCommand(2), program, "right"), " ")
		script := `echo >>"$0"; ` + launch + ` && [ $(wc -l <"$0") = 3 ]`
		got := startJob(t, f.runEnvironment(t), nil, laggardPath(t), "provoke", "-o", dir, "--",
			"sh", "-c", script, dir+".runs").wait()
		if got.status != 3 || !strings.HasPrefix(got.stdout, "Fails in 2 of 3 runs without any perturbation.\n") {
			t.Errorf("status %d, %s%s", got.status, got.stdout, got.stderr)
		}
		if !strings.Contains(got.stdout, "no hang; but the launcher ended with status 1") || strings.Contains(got.stdout, "Replay:") {
			t.Errorf("no diagnosis, or a replay: %s", got.stdout)
		}
	})
}
