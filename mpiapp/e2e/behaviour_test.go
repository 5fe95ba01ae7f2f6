//go:build e2e

package e2e

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

// behaviour is something programs do that a preloaded library can spoil.
type behaviour struct {
	source string
	args   []string
	flags  []string // of the compiler
	stdin  string
	visits map[string]uint64 // calls every rank must have on record
	says   string            // part of the line the recorder may say
	status bool              // the launcher's exit status is the same each time
	end    func(r *model.Rank) bool
}

func behaviours(f family, t *testing.T) []behaviour {
	plugins := []string{f.buildProgram(t, "plugin.c", "-shared", "-fPIC", "-DPLUGIN=1"),
		f.buildProgram(t, "plugin.c", "-shared", "-fPIC", "-DPLUGIN=2")}
	list := []behaviour{
		{source: "signals.c", status: true, visits: map[string]uint64{"MPI_Barrier": 2, "MPI_Finalize": 1}},
		{source: "signals.c", args: []string{"default"}, status: true, visits: map[string]uint64{"MPI_Barrier": 2}},
		{source: "signals.c", args: []string{"once"}, status: true, visits: map[string]uint64{"MPI_Barrier": 2}},
		{source: "forks.c", status: true, visits: map[string]uint64{"MPI_Allreduce": 3, "MPI_Barrier": 1,
			"MPI_Finalize": 1}, end: exitedWith(0)},
		{source: "plugin.c", args: plugins, status: true,
			visits: map[string]uint64{"MPI_Allreduce": 30, "MPI_Barrier": 15, "MPI_Finalize": 1}},
		{source: "throws.c", args: []string{f.buildProgram(t, "thrower.cc", "-shared", "-fPIC")}, status: true,
			visits: map[string]uint64{"MPI_Allreduce": 1, "MPI_Finalize": 1}, end: hasThrownException},
		{source: "throws.c", args: []string{f.buildProgram(t, "thrower.cc", "-shared", "-fPIC", "-static-libstdc++")},
			status: true, visits: map[string]uint64{"MPI_Allreduce": 1, "MPI_Finalize": 1}, end: hasThrownException},
		{source: "jumps.cc", status: true,
			visits: map[string]uint64{"MPI_Allreduce": 16, "MPI_Send": 2, "MPI_Finalize": 1}},
		{source: "callbackcode.c", status: true, visits: map[string]uint64{"MPI_Comm_dup": 2, "MPI_Finalize": 1}},
		{source: "endings.c", args: []string{"status"}, status: true, visits: map[string]uint64{"MPI_Finalize": 1},
			end: failedWith(7)},
		{source: "endings.c", args: []string{"abort"}, status: true, visits: map[string]uint64{"MPI_Barrier": 1}},
		// Hydra ends such a job with status 0 or 9, as it comes.
		{source: "endings.c", args: []string{"quit"}, status: !f.killsJobOnDeath(),
			visits: map[string]uint64{"MPI_Barrier": 1}},
		{source: "endings.c", args: []string{"stdin"}, stdin: "one\ntwo\n", status: true,
			visits: map[string]uint64{"MPI_Finalize": 1}},
		{source: "endings.c", args: []string{"closefds"}, status: true, says: "cannot extend the run file"},
	}
	return append(list, bindings(f, t)...)
}

// bindings are those of a program that loads a module for several versions of MPI, and a library with functions of MPI of its own, in
// several orders. Open MPI makes itself known to all libraries, so the second would not work behind it without the recorder either.
func bindings(f family, t *testing.T) []behaviour {
	orders := []string{"m", "sm", "nsm", "smsn"}
	if f.name == "mpich" {
		orders = append(orders, "ms", "nms")
	}
	module, solver := f.buildProgram(t, "bindings.c", "-shared", "-fPIC", "-Wl,--as-needed", "-DPART=1"),
		f.buildProgram(t, "bindings.c", "-shared", "-fPIC", "-Wl,--as-needed", "-DPART=2")
	var list []behaviour
	for _, order := range orders {
		calls := uint64(3 * strings.Count(order, "m"))
		list = append(list, behaviour{source: "bindings.c", args: []string{order, module, solver}, flags: []string{"-Wl,--as-needed"},
			status: true, visits: map[string]uint64{"MPI_Irecv": calls, "MPI_Allreduce": 0, "MPI_Finalize": 1}})
	}
	return list
}

func exitedWith(status int) func(r *model.Rank) bool {
	return func(r *model.Rank) bool { return r.End == model.Exited && r.EndDetail == status }
}

// hasThrownException: the library's exception is known.
func hasThrownException(r *model.Rank) bool {
	x := r.Threads[0].Raised
	return exitedWith(0)(r) && x != nil && x.How == model.RaisedThrown && x.Type == "St16invalid_argument" &&
		len(x.Stack) > 2
}

// failedWith: a launcher ends those that have not ended when the first failed.
func failedWith(status int) func(r *model.Rank) bool {
	return func(r *model.Rank) bool {
		return r.End == model.Exited && r.EndDetail == status || r.Phase >= model.Finalizing && r.End != model.Exited
	}
}

// TestBehaviour: a program with signal handlers, children, plug-ins and ways of
// its own to end does the same under the recorder, and is recorded.
func TestBehaviour(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, behaviours(f, t), f.checkBehaviour)
	})
}

func (b behaviour) String() string {
	if len(b.args) == 1 && b.source != "throws.c" || b.source == "bindings.c" {
		return b.source + "-" + b.args[0]
	}
	return b.source
}

func (b behaviour) stdinReader() io.Reader {
	if b.stdin == "" {
		return nil
	}
	return strings.NewReader(b.stdin)
}

func (f family) checkBehaviour(t *testing.T, b behaviour) {
	env := f.runEnvironment(t)
	command := append([]string{f.buildProgram(t, b.source, append([]string{"-O0"}, b.flags...)...)}, b.args...)
	dir := filepath.Join(t.TempDir(), "run")
	plain := f.runPlain(t, env, b.stdinReader(), command...)
	got := f.runPreloaded(t, env, dir, nil, b.stdinReader(), command...)
	if !b.status {
		got.status = plain.status
	}
	for _, line := range compareWithPlain(t, plain, got) {
		if b.says == "" || !strings.Contains(line, b.says) {
			t.Errorf("unexpected: %s", line)
		}
	}
	run := musttest.Get(runfiles.Open(dir))(t)
	for _, p := range run.Problems {
		// Where the file could not grow, what was to come is missing.
		if b.says == "" || !errors.Is(p.Err, model.ErrTruncated) {
			t.Error(p.Err)
		}
	}
	if len(run.Ranks) != preloadRanks || len(run.Others) > 0 {
		t.Errorf("%d ranks and %d others are recorded, want %d and none", len(run.Ranks), len(run.Others), preloadRanks)
	}
	for _, r := range run.Ranks {
		b.checkRank(t, r)
	}
}

func (b behaviour) checkRank(t *testing.T, r *model.Rank) {
	t.Helper()
	sums := map[string]uint64{}
	for _, th := range r.Threads {
		for i, s := range th.Model.States {
			sums[s.Call] += th.Model.Visits[i]
		}
	}
	for call, want := range b.visits {
		checktest.Equal(t, want, sums[call], "rank", r.Rank, call, "times")
	}
	if b.end != nil && !b.end(r) {
		t.Errorf("rank %d: end %d, detail %d", r.Rank, r.End, r.EndDetail)
	}
}

// TestInputThroughRun: what comes in goes on through laggard run and the
// launcher to rank 0, and a failing program's status comes back.
func TestInputThroughRun(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		env := f.runEnvironment(t)
		program := f.buildProgram(t, "endings.c", "-O0")
		for _, c := range []struct {
			mode, want string
			status     int
		}{{"stdin", "got one\ngot two\ndone\n", 0}, {"status", "done\n", 7}} {
			got := startJob(t, env, strings.NewReader("one\ntwo\n"),
				f.underRun(t, filepath.Join(t.TempDir(), "run"), nil, preloadRanks, program, c.mode)...).wait()
			if got.stdout != c.want || got.status != c.status {
				t.Errorf("%s: %q and status %d, want %q and %d", c.mode, got.stdout, got.status, c.want, c.status)
			}
		}
	})
}

// TestExec places laggard behind the launcher: the ranks agree on one run, and
// the watcher beside rank 0 finds the hang and ends the job.
func TestExec(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		s := scenarioOf(t, "before_collective.c")
		env := f.runEnvironment(t)
		program := f.buildProgram(t, s.source, "-O0")
		dir := filepath.Join(t.TempDir(), "run")
		args := append(f.launchCommand(s.rankCount()), laggardPath(t), "exec", "-o", dir, "--timeout",
			"2s", "--", program, s.mode)
		got := startJob(t, env, nil, args...).wait()
		if got.status == 0 {
			t.Error("a job that was ended has exit status 0")
		}
		if n := strings.Count(got.stderr, "least progressed"); n == 0 {
			t.Errorf("no diagnosis on stderr:\n%s", got.stderr)
		}
		a := runDiagnose(t, env, dir)
		if a.LeastProgressed == nil || a.LeastProgressed.Set != "3" {
			t.Errorf("afterwards: %+v", a.LeastProgressed)
		}
	})
}

// TestExecFailed has a rank exit in the midst of a job. Where the launcher still listens, as Hydra does, the
// watcher beside rank 0 says which.
func TestExecFailed(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
		args := append(f.launchCommand(4), laggardPath(t), "exec", "-o", dir, "--",
			f.buildProgram(t, "departs.c", "-O0"), "exit", "2", "1000")
		got := startJob(t, env, nil, args...).wait()
		if got.status == 0 {
			t.Error("a job of which a rank failed has exit status 0")
		}
		said := namesRank(got.stderr, 2)
		if !said && f.killsJobOnDeath() {
			t.Errorf("no diagnosis on stderr:\n%s", got.stderr)
		}
	})
}
