//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/model"
	"laggard/model/process"
	"laggard/model/runfiles"
)

// jobEnding is a way in which a job ends, and what must be said of it.
type jobEnding struct {
	on     string // the only MPI that does so; "": all
	name   string
	source string // howends.c if empty
	mode   string // "": the ranks go on until the test ends them
	end    func(run *model.Run, j *job)
	want   expectedVerdict
	reason string // that must be part of the reason, where a rank is named
	short  bool   // in the default suite
}

// expectedVerdict is what must be said of a job that ended.
type expectedVerdict int

const (
	byRank  expectedVerdict = iota // the victim is named, and nothing from outside
	outside                        // it was ended from outside, and no rank is to blame
	oneRank                        // likewise, and the victim alone was ended
	nobody                         // no rank is named for certain
	perhaps                        // the victim is named, or nobody: it depends on how far the others are
)

const howendsVictim, howendsAfter = 2, 700

// sendSignalTo sends a signal to processes.
func sendSignalTo(sig syscall.Signal, whom func(run *model.Run, j *job) []int) func(*model.Run, *job) {
	return func(run *model.Run, j *job) {
		for _, pid := range whom(run, j) {
			_ = syscall.Kill(pid, sig)
		}
	}
}

func runProcess(_ *model.Run, j *job) []int { return []int{j.cmd.Process.Pid} }
func runGroup(_ *model.Run, j *job) []int   { return []int{-j.cmd.Process.Pid} }
func victimRank(run *model.Run, _ *job) []int {
	return []int{run.Ranks[howendsVictim].PID}
}

func allRanks(run *model.Run, _ *job) (pids []int) {
	for _, r := range run.Ranks {
		pids = append(pids, r.PID)
	}
	return pids
}

// launcherProcesses is empty if it is gone.
func launcherProcesses(_ *model.Run, j *job) []int {
	tree := descendants(j.cmd.Process.Pid)
	return tree[1:min(2, len(tree))]
}

func stopThenKillVictim(run *model.Run, j *job) {
	_ = syscall.Kill(run.Ranks[howendsVictim].PID, syscall.SIGSTOP)
	time.Sleep(300 * time.Millisecond)
	_ = syscall.Kill(run.Ranks[howendsVictim].PID, syscall.SIGKILL)
}

// termThenKill is what `timeout -k` and batch systems do.
func termThenKill(run *model.Run, j *job) {
	sendSignalTo(syscall.SIGTERM, runGroup)(run, j)
	time.Sleep(time.Second)
	sendSignalTo(syscall.SIGKILL, launcherProcesses)(run, j)
}

var howEnds = []jobEnding{
	{name: "term-group", end: sendSignalTo(syscall.SIGTERM, runGroup), want: outside, short: true},
	{name: "term-run", end: sendSignalTo(syscall.SIGTERM, runProcess), want: outside},
	{name: "int-group", end: sendSignalTo(syscall.SIGINT, runGroup), want: outside},
	{name: "hup-group", end: sendSignalTo(syscall.SIGHUP, runGroup), want: outside},
	{name: "quit-group", end: sendSignalTo(syscall.SIGQUIT, runGroup), want: outside},
	{name: "term-then-kill", end: termThenKill, want: outside},
	{name: "term-launcher", end: sendSignalTo(syscall.SIGTERM, launcherProcesses), want: outside},
	{name: "int-launcher", end: sendSignalTo(syscall.SIGINT, launcherProcesses), want: outside},
	{name: "usr1-launcher", on: "openmpi", end: sendSignalTo(syscall.SIGUSR1, launcherProcesses), want: outside},
	{name: "kill-launcher", end: sendSignalTo(syscall.SIGKILL, launcherProcesses), want: outside, short: true},
	{name: "term-all", end: sendSignalTo(syscall.SIGTERM, allRanks), want: outside},
	{name: "segv-all", end: sendSignalTo(syscall.SIGSEGV, allRanks), want: outside},
	{name: "kill-all", end: sendSignalTo(syscall.SIGKILL, allRanks), want: nobody},
	{name: "term-rank", end: sendSignalTo(syscall.SIGTERM, victimRank), want: oneRank, reason: "SIGTERM", short: true},
	{name: "usr1-rank", on: "openmpi", end: sendSignalTo(syscall.SIGUSR1, victimRank), want: oneRank, reason: "SIGUSR1"},
	{name: "segv-rank", end: sendSignalTo(syscall.SIGSEGV, victimRank), want: oneRank, reason: "SIGSEGV"},
	{name: "abrt-rank", end: sendSignalTo(syscall.SIGABRT, victimRank), want: oneRank, reason: "SIGABRT"},
	{name: "xcpu-rank", end: sendSignalTo(syscall.SIGXCPU, victimRank), want: oneRank, reason: "SIGXCPU"},
	{name: "kill-rank", end: sendSignalTo(syscall.SIGKILL, victimRank), want: byRank, reason: "killed"},
	{name: "stop-kill-rank", end: stopThenKillVictim, want: byRank},
	{name: "checkpoint", mode: "checkpoint", end: sendSignalTo(syscall.SIGTERM, runGroup), want: outside, short: true},
	{name: "checkpoint-all", mode: "checkpoint", end: sendSignalTo(syscall.SIGTERM, allRanks), want: outside},
	{name: "checkpoint-exit", mode: "checkpoint-exit", end: sendSignalTo(syscall.SIGTERM, runGroup), want: outside},
	{name: "checkpoint-fail", mode: "checkpoint-fail", end: sendSignalTo(syscall.SIGTERM, launcherProcesses), want: outside},
	{name: "exit", mode: "exit", reason: "exit", short: true},
	{name: "exit0", mode: "exit0", reason: "exit"},
	{name: "_exit", mode: "_exit", reason: "exit"},
	{name: "quick_exit", mode: "quick_exit", reason: "status 3"},
	{name: "exit-handler", mode: "exit-handler", reason: "exit"},
	{name: "return", mode: "return", reason: "exit"},
	{name: "before-init", mode: "before-init", want: byRank},
	{name: "after-finalize", mode: "after-finalize", want: perhaps},
	{name: "abort", mode: "abort", reason: "aborted"},
	{name: "assert", mode: "assert", reason: "aborted"},
	{name: "segv", mode: "segv", reason: "segmentation", short: true},
	{name: "segv-abort", mode: "segv-abort", reason: "segmentation", short: true},
	{name: "segv-left", mode: "segv-left", reason: "aborted"},
	{name: "fpe", mode: "fpe", reason: "floating"},
	{name: "bus", mode: "bus", reason: "bus error"},
	{name: "term-self", mode: "term-self", reason: "SIGTERM"},
	{name: "mpiabort", mode: "mpiabort", reason: "MPI_Abort"},
	{name: "error", mode: "error", reason: " and ended the job: ", short: true}, // and what MPI says of the error
	{name: "thread-exit", mode: "thread-exit", reason: "exit"},
	{name: "thread-segv", mode: "thread-segv", reason: "segmentation"},
	{name: "self-check", mode: "self-check", want: nobody},
	{name: "self-mpiabort", mode: "self-mpiabort", want: nobody},
	{name: "self-abort", on: "openmpi", mode: "self-abort", want: nobody},
	{name: "main-ends", mode: "main-ends", on: "mpich", want: nobody, short: true},
	{name: "file", mode: "file", reason: "file size"},
	{name: "cpu", mode: "cpu", want: oneRank, reason: "SIGXCPU"},
	{name: "alarm", mode: "alarm", reason: "alarm"},
	{name: "exec", mode: "exec", reason: "exec"},
	{name: "terminate", source: "howends.cc", mode: "-", reason: "std::runtime_error: no convergence"},
	{name: "stop", source: "howends.f90", mode: "stop", reason: "Fortran STOP: 3 (howends.f90:20)"},
	{name: "errorstop", source: "howends.f90", mode: "errorstop", reason: "Fortran ERROR STOP: 4 (howends.f90:21)"},
	{name: "stoptext", source: "howends.f90", mode: "stoptext", reason: "Fortran STOP: no convergence (howends.f90:22)"},
	{name: "bounds", source: "howends.f90", mode: "bounds", short: true,
		reason: "Fortran runtime error: Index '5' of dimension 1 of array 'a' above upper bound of 4 (howends.f90:33)"},
	{name: "open", source: "howends.f90", mode: "open", reason: "exit"},
	{name: "py-raise", source: "howends.py", mode: "raise"},
	{name: "py-exit", source: "howends.py", mode: "sys.exit"},
	{name: "py-_exit", source: "howends.py", mode: "os._exit", reason: "exit"},
	{name: "py-interrupt", source: "howends.py", mode: "interrupt"},
	{name: "py-term", source: "howends.py", mode: "stay", end: sendSignalTo(syscall.SIGTERM, runGroup), want: outside},
	{name: "py-int", source: "howends.py", mode: "stay", end: sendSignalTo(syscall.SIGINT, allRanks), want: nobody},
}

// TestHowEnds ends jobs in many ways: who is at fault is named, and nobody is for what came from outside.
func TestHowEnds(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, h := range howEnds {
			if (h.short || runEverything()) && (h.on == "" || h.on == f.name) {
				t.Run(h.name, func(t *testing.T) { f.checkJobEnding(t, h) })
			}
		}
	})
}

func (f family) checkJobEnding(t *testing.T, h jobEnding) {
	env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
	j := startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", "6s"}, 4, f.howEndsCommand(t, h)...)...)
	if h.end != nil {
		h.end(f.awaitAllRunning(j, dir), j)
	}
	got := j.wait()
	a := runDiagnose(t, env, dir)
	t.Logf("%s: ended %+v, least %+v", h.name, a.Ended, a.LeastProgressed)
	if problem := h.diagnosisProblem(a, dir); problem != "" {
		t.Errorf("%s\nended %+v\nleast %+v\ncause %+v\nlost %v\n%s", problem, a.Ended, a.LeastProgressed, a.Cause, a.Lost,
			got.stderr)
	}
}

// howEndsCommand is the command of the program.
func (f family) howEndsCommand(t *testing.T, h jobEnding) []string {
	words := []string{h.mode, strconv.Itoa(howendsVictim), strconv.Itoa(howendsAfter)}
	if h.mode == "" {
		words[0] = "stay"
	}
	switch source := h.source; filepath.Ext(source) {
	case ".py":
		if f.name != "openmpi" {
			t.Skip("mpi4py is built for Open MPI")
		}
		return append(pythonCommand(t, source), words...)
	case ".cc":
		return append([]string{f.buildProgram(t, source, "-O0")}, words[1:]...)
	case ".f90":
		return append([]string{f.buildProgram(t, source, "-O0", "-fcheck=bounds")}, words...)
	}
	return append([]string{f.buildProgram(t, "howends.c", "-O0")}, words...)
}

// awaitAllRunning waits until all ranks have gone on for a moment.
func (f family) awaitAllRunning(j *job, dir string) *model.Run {
	run := j.awaitRunning(dir, 4)
	time.Sleep(howendsAfter * time.Millisecond)
	return run
}

// awaitRunning waits until all ranks of a job are past MPI_Init, or it has ended.
func (j *job) awaitRunning(dir string, ranks int) (run *model.Run) {
	j.t.Helper()
	j.eventually("all ranks", func() bool {
		run, _ = runfiles.Open(dir)
		return j.hasEnded() || run != nil && len(run.Ranks) == ranks &&
			!slices.ContainsFunc(run.Ranks, func(r *model.Rank) bool { return r.Phase != model.Running })
	})
	return run
}

// diagnosisProblem says what is wrong with a diagnosis; "": nothing is.
func (h jobEnding) diagnosisProblem(a *diagnosisJSON, dir string) string {
	named, sure, reason := "", 0.0, ""
	if l := a.LeastProgressed; l != nil {
		named, sure, reason = l.Set, l.Confidence, l.Reason
	}
	victim := strconv.Itoa(howendsVictim)
	arrived, _ := process.ReadSignals(dir)
	switch {
	case h.want == nobody && sure > 0.5, h.want == perhaps && sure > 0.5 && named != victim:
		return "a rank is blamed"
	case h.want >= nobody:
		return ""
	case (h.want != byRank) != (a.Ended != nil):
		return "whether it was ended from outside is wrong"
	case h.want == outside && (a.Cause != nil || sure > 0.5):
		return "a rank is blamed for an end from outside"
	case h.want == outside && len(arrived) > 0 && a.Ended.By != "signal":
		return "it is not said that a signal came"
	case h.want != outside && named != victim:
		return fmt.Sprintf("%q is named, not %s", named, victim)
	case h.want != outside && !strings.Contains(reason, h.reason):
		return fmt.Sprintf("the reason is %q, want %q in it", reason, h.reason)
	}
	return ""
}
