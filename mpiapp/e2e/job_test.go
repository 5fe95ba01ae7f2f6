//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

// slower is how many times as long everything takes as on an ordinary machine, from $LAGGARD_SLOWER: under an
// emulator a job may be in MPI_Init for as long as it elsewhere has hung.
var slower = func() time.Duration {
	n, err := strconv.Atoi(os.Getenv("LAGGARD_SLOWER"))
	if err != nil || n < 1 {
		return 1
	}
	return time.Duration(n)
}()

// patience is how long anything may take before a test gives up on it.
var patience = slower * 90 * time.Second

// standstillTimeout is without how much progress a job hangs.
func standstillTimeout(elsewhere time.Duration) string { return (slower * elsewhere).String() }

// outcome is what a finished command showed to its user.
type outcome struct {
	stdout, stderr string
	status         int
}

// programOutput is what the program itself wrote to its standard output. Hydra adds
// there how a job ended, with process numbers.
func (o outcome) programOutput() string {
	text, _, _ := strings.Cut(o.stdout, "\n"+strings.Repeat("=", 60))
	return text
}

// mustSucceed ends the test if the command failed.
func (o outcome) mustSucceed(t *testing.T, what ...any) outcome {
	t.Helper()
	musttest.Equal(t, 0, o.status, append(what, "exit status", o.stdout, o.stderr)...)
	return o
}

// job is a command that runs, in a process group of its own.
type job struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    syncBuffer
	err    syncBuffer
	done   chan struct{}
	status int
}

// syncBuffer is a buffer that is written while it is read.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// startJob starts a command in a process group of its own; whatever is left of it ends with the test.
func startJob(t *testing.T, env []string, stdin io.Reader, args ...string) *job {
	t.Helper()
	return startAs(t, env, stdin, &syscall.SysProcAttr{Setpgid: true}, args...)
}

func startAs(t *testing.T, env []string, stdin io.Reader, attr *syscall.SysProcAttr, args ...string) *job {
	t.Helper()
	j := &job{t: t, done: make(chan struct{}), cmd: exec.Command(args[0], args[1:]...)}
	j.cmd.Env = env
	j.cmd.Dir = t.TempDir()
	j.cmd.Stdin = stdin
	j.cmd.Stdout, j.cmd.Stderr = &j.out, &j.err
	j.cmd.WaitDelay = 5 * time.Second // a rank that is left may hold the pipes
	j.start(attr)
	return j
}

// start starts the command; whatever is left of it ends with the test.
func (j *job) start(attr *syscall.SysProcAttr) {
	j.t.Helper()
	j.cmd.SysProcAttr = attr
	musttest.Succeed(j.t, j.cmd.Start())
	go func() {
		j.status = exitStatus(j.cmd, j.cmd.Wait())
		close(j.done)
	}()
	j.t.Cleanup(j.killTree)
}

func exitStatus(cmd *exec.Cmd, err error) int {
	if cmd.ProcessState == nil {
		return -1
	}
	ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	if err != nil && cmd.ProcessState.Success() && !errors.Is(err, exec.ErrWaitDelay) {
		return -1
	}
	return cmd.ProcessState.ExitCode()
}

// wait returns what the job showed, once it has ended.
func (j *job) wait() outcome {
	j.t.Helper()
	select {
	case <-j.done:
	case <-time.After(patience):
		defer j.killTree()
		j.t.Fatalf("%v has not ended after %s\n%s", j.cmd.Args, patience, j.err.String())
	}
	return outcome{j.out.String(), j.err.String(), j.status}
}

// waitOrEnd is wait for a job whose ranks are dead. OpenMPI's launcher has been
// seen to stay when they died inside MPI_Finalize; it is ended then.
func (j *job) waitOrEnd(after time.Duration) (o outcome, byItself bool) {
	j.t.Helper()
	select {
	case <-j.done:
		return j.wait(), true
	case <-time.After(after):
		j.t.Logf("%v: the launcher outlived its ranks and is ended", j.cmd.Args)
		j.killTree()
		return j.wait(), false
	}
}

// hasEnded reports whether the job has.
func (j *job) hasEnded() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// killTree ends everything the job started, the launcher's children too.
func (j *job) killTree() {
	if j.hasEnded() {
		return
	}
	tree := descendants(j.cmd.Process.Pid)
	for _, pid := range tree {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-j.done
	awaitDeath(tree)
}

// awaitDeath waits until killed processes are gone: a busy machine takes seconds over it.
func awaitDeath(pids []int) {
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(20 * time.Millisecond) {
		if !slices.ContainsFunc(pids, func(pid int) bool { return !strings.Contains("XZ", processState(pid)) }) {
			return
		}
	}
}

// processState is the letter that the kernel has for a process's state; X: it is gone.
func processState(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "X"
	}
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[0]
}

// descendants lists a process and all that it started, as far as they can
// still be told.
func descendants(pid int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		parent, _ := strconv.Atoi(fields[1])
		child, _ := strconv.Atoi(strings.Split(path, "/")[2])
		children[parent] = append(children[parent], child)
	}
	tree := []int{pid}
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children[tree[i]]...)
	}
	return tree
}

// eventually waits until a condition holds.
func (j *job) eventually(what string, holds func() bool) {
	j.t.Helper()
	for begin := time.Now(); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Since(begin) > patience {
			j.t.Fatalf("%v: waited %s for: %s\nstdout: %s\nstderr: %s", j.cmd.Args, patience, what, j.out.String(),
				j.err.String())
		}
	}
}

// runCommand runs a command to its end.
func runCommand(t *testing.T, env []string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = env
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	fault := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(fault)
	}
	return outcome{out.String(), err.String(), exitStatus(cmd, fault)}
}

// startRecorded starts a program under laggard run, which leaves a hung job alone.
func (f family) startRecorded(t *testing.T, dir string, env []string, ranks int, flags []string, command ...string) *job {
	t.Helper()
	f.launcher = slices.Concat(f.launcher, flags)
	keep := []string{"--timeout", standstillTimeout(2 * time.Second), "--on-hang", "keep", "--exit-code"}
	return startJob(t, env, nil, f.underRun(t, dir, keep, ranks, command...)...)
}

// record starts a program so, in an environment and with a run directory of its own.
func (f family) record(t *testing.T, ranks int, command ...string) (j *job, env []string, dir string) {
	t.Helper()
	env, dir = f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
	return f.startRecorded(t, dir, env, ranks, nil, command...), env, dir
}

// diagnoseTwice records a program that hangs, and has it diagnosed while it hangs and once its ranks are killed; where it ends by itself,
// once it has.
func (f family) diagnoseTwice(t *testing.T, ranks int, ends bool, check func(t *testing.T, when string, env []string, dir string),
	command ...string) {
	t.Helper()
	j, env, dir := f.record(t, ranks, command...)
	if ends {
		j.waitOrEnd(20 * time.Second)
	} else {
		j.awaitHang()
		j.yieldToOthers()
		check(t, "hung", env, dir)
		signalRanks(openRun(t, dir), syscall.SIGKILL)
		j.waitOrEnd(15 * time.Second)
	}
	check(t, "ended", env, dir)
}

// openRun reads a run directory that must be sound. A rank that the kernel has put
// aside in the midst of an update is.
func openRun(t *testing.T, dir string) *model.Run {
	t.Helper()
	run := musttest.Get(runfiles.Open(dir))(t)
	for _, p := range run.Problems {
		if !errors.Is(p.Err, model.ErrTorn) {
			t.Errorf("%s: %v", dir, p.Err)
		}
	}
	return run
}

// signalRanks sends a signal to all ranks, as close to one moment as can be.
func signalRanks(run *model.Run, sig syscall.Signal) {
	for _, r := range run.Ranks {
		_ = syscall.Kill(r.PID, sig)
	}
}
