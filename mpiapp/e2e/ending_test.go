//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

// startMethod is how a job is started: a shell command that runs LAUNCH, from a directory that is the test's alone.
type startMethod struct {
	name, command string
	needs         string // a program
}

var ways = []startMethod{
	{name: "launcher", command: "exec LAUNCH"},
	{name: "script", command: "exec ./job.sh"},
	{name: "make", command: "exec make -j2 -f job.mk", needs: "make"},
	{name: "env", command: "exec env A=1 LAUNCH"},
	{name: "sh -c", command: `sh -c "./job.sh; true"`},
	{name: "nohup", command: "exec nohup LAUNCH"},
	{name: "setsid", command: "exec setsid -w ./job.sh"},
	{name: "timeout", command: "exec timeout 300 ./job.sh"},
	{name: "tmux", command: `tmux -S t new-session -d "./job.sh; tmux -S t wait-for -S over"; tmux -S t wait-for over`,
		needs: "tmux"},
	{name: "background", command: "(setsid nohup ./job.sh >out 2>&1 &); sleep 300"},
	{name: "nested", command: `exec NESTED`},
}

// isEndedBy reports whether a job that is started so is meant to end then. Without laggard, too, a shell and make do not end
// on a signal that they alone get while what they wait for goes on.
func (w startMethod) isEndedBy(command, end string) bool {
	alone := slices.Contains([]string{"launcher", "env", "nohup", "nested"}, w.name)
	switch {
	case command == "exec":
		return end == "hang" && w.name != "background"
	case w.name == "nohup":
		return end != "HUP" && end != "terminal"
	case end == "INT":
		return alone
	case end == "HUP":
		return w.name != "make"
	}
	return true
}

// everyEnd is what ends a job: "hang", "terminal", or a signal to laggard alone.
var everyEnd = []string{"hang", "TERM", "INT", "HUP", "KILL", "terminal"}

// ended are the ways, ends and commands of a short test; with LAGGARD_ALL it is each with each.
var ended = []struct{ command, way, end string }{
	{"run", "script", "hang"}, {"test", "make", "hang"}, {"exec", "nested", "hang"}, {"exec", "script", "hang"},
	{"run", "sh -c", "TERM"}, {"run", "setsid", "KILL"}, {"test", "script", "HUP"}, {"run", "tmux", "KILL"},
	{"run", "timeout", "terminal"}, {"run", "background", "TERM"}, {"run", "env", "INT"}, {"test", "nested", "KILL"},
}

// TestEnding ends jobs that were started in all sorts of ways. No process of the job may be left, and no other may be
// touched.
func TestEnding(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "stays.c")
		beside := f.startBystanders(t, program)
		before := processesIn(beside)
		t.Run("jobs", func(t *testing.T) {
			n := 0
			for _, command := range []string{"run", "test", "exec"} {
				for _, w := range ways {
					for _, end := range everyEnd {
						short := slices.Index(ended, struct{ command, way, end string }{command, w.name, end})
						if !w.isEndedBy(command, end) || !runEverything() && (short < 0 || !f.runsCase(short)) {
							continue
						}
						n++
						t.Run(strings.Join([]string{command, w.name, end}, "/"), func(t *testing.T) {
							t.Parallel()
							f.checkJobEnds(t, program, command, w, end)
						})
					}
				}
			}
			t.Logf("%d jobs", n)
		})
		after := processesIn(beside) // which may have started others meanwhile
		for _, p := range before {
			proc, _, _ := strings.Cut(p, " ") // the rest changes when it executes a program
			if !slices.ContainsFunc(after, func(q string) bool { return strings.HasPrefix(q, proc+" ") }) {
				t.Errorf("a process beside the jobs is gone: %s", p)
			}
		}
		if len(before) < 6 {
			t.Errorf("only %d processes were beside the jobs", len(before))
		}
	})
}

// startBystanders starts the same program beside the jobs, with laggard and without.
func (f family) startBystanders(t *testing.T, program string) (dir string) {
	dir = t.TempDir()
	program = copyProgram(t, program, dir)
	without := startJob(t, f.runEnvironment(t), nil, append(f.launchCommand(2), program, "sleep")...)
	with := startJob(t, f.runEnvironment(t), nil,
		f.underRun(t, filepath.Join(dir, "run"), []string{"--timeout", "1h"}, 2, program, "sleep")...)
	with.eventually("four ranks beside", func() bool { return countRunning(program) == 4 })
	t.Cleanup(func() { without.killTree(); with.killTree() })
	return dir
}

func copyProgram(t *testing.T, program, dir string) string {
	text := musttest.Get(os.ReadFile(program))(t)
	program = filepath.Join(dir, filepath.Base(program))
	musttest.Succeed(t, os.WriteFile(program, text, 0o755))
	return program
}

// checkJobEnds starts a job and ends it.
func (f family) checkJobEnds(t *testing.T, program, command string, w startMethod, end string) {
	if w.needs != "" {
		if _, err := exec.LookPath(w.needs); err != nil {
			t.Skipf("%s is not installed", w.needs)
		}
	}
	dir := musttest.Get(os.MkdirTemp("/tmp", "le"))(t) // short: tmux has its socket there
	t.Cleanup(func() { os.RemoveAll(dir) })
	program = copyProgram(t, program, dir)
	line, ranks := f.writeJob(t, dir, program, command, w, end)
	env := f.runEnvironment(t, "LAGGARD_KILL_AFTER=4s")
	j, terminal := startIn(t, dir, env, end == "terminal", line)
	defer killProcessesIn(dir)
	j.eventually("the ranks", func() bool {
		return countRunning(program) >= ranks && countRecorded(filepath.Join(dir, "run")) >= 2 || j.hasEnded()
	})
	switch {
	case end == "terminal":
		terminal.Close()
	case end != "hang":
		_ = j.cmd.Process.Signal(unix.SignalNum("SIG" + end))
	}
	got := j.wait()
	atOnce := command != "exec" && end != "KILL" && end != "terminal"
	if left := processesIn(dir); atOnce && len(left) > 0 {
		t.Errorf("when laggard has ended there are:\n%s", strings.Join(left, "\n"))
	}
	for begin := time.Now(); len(processesIn(dir)) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Since(begin) > slower*20*time.Second {
			t.Errorf("there still are:\n%s", strings.Join(processesIn(dir), "\n"))
			break
		}
	}
	elsewhere := command == "exec" && w.name == "tmux" // in its window
	if end == "hang" && !strings.Contains(got.stderr+got.stdout, "ending the job") && !elsewhere {
		t.Errorf("nothing is said of ending the job:\n%s", got.stderr)
	}
	if t.Failed() {
		t.Logf("status %d\n%s", got.status, got.stderr)
	}
}

// writeJob writes the scripts of a job, and returns the command line and how many ranks there will be.
func (f family) writeJob(t *testing.T, dir, program, command string, w startMethod, end string) (line string, ranks int) {
	laggard := laggardPath(t)
	timeout, behind := "1h", []string(nil)
	if end == "hang" {
		timeout = standstillTimeout(2 * time.Second)
	}
	before := []string{laggard, command, "-o", filepath.Join(dir, "run"), "--timeout", timeout, "--"}
	if command == "exec" {
		before, behind = nil, before
	}
	launch := strings.Join(slices.Concat(f.launchCommand(2), behind, []string{program, "stay"}), " ")
	inner := strings.Join(append(f.launchCommand(2), program, "sleep"), " ") // ended with the outer
	nested := strings.Join(slices.Concat(f.launchCommand(2), behind, []string{program, "stay"}), " ") +
		` "env -u LD_PRELOAD -u LAGGARD_DIR ./inner.sh"`
	more := "sleep 100"
	if command == "exec" {
		more = "false" // it goes on with what comes next
	}
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "job.sh"), []byte("#!/bin/sh\n"+launch+"\n"+more+"\n"), 0o755))
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "inner.sh"), []byte("#!/bin/sh\n"+cleared+inner+" &\n"), 0o755))
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "job.mk"), []byte("all: a b\na:\n\t"+launch+"\nb:\n\t"+more+"\n"), 0o644))
	script := strings.ReplaceAll(strings.ReplaceAll(w.command, "LAUNCH", launch), "NESTED", nested)
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "start.sh"), []byte("cd "+dir+"\n"+script+"\n"), 0o644))
	ranks = 2
	if w.name == "nested" {
		ranks = 4
	}
	return strings.Join(append(before, "sh", filepath.Join(dir, "start.sh")), " "), ranks
}

// cleared has a launcher that a rank starts be one of its own.
const cleared = "for v in $(env | sed -n 's/^\\(\\(OMPI\\|PMIX\\|PMI\\|HYD\\|MPI\\)[A-Za-z_0-9]*\\)=.*/\\1/p'); " +
	"do unset $v; done\n"

// startIn starts a command in a directory, and with a terminal of its own if wanted.
func startIn(t *testing.T, dir string, env []string, terminal bool, line string) (j *job, master *os.File) {
	if !terminal {
		return startJob(t, env, nil, strings.Fields(line)...), nil
	}
	master, slave := openTerminal(t)
	defer slave.Close()
	j = &job{t: t, done: make(chan struct{}), cmd: exec.Command("sh", "-c", line+"; :")}
	j.cmd.Env, j.cmd.Stdin, j.cmd.Stdout, j.cmd.Stderr = env, slave, slave, slave
	j.start(&syscall.SysProcAttr{Setsid: true, Setctty: true})
	return j, master
}

// countRunning counts the processes that run a program.
func countRunning(program string) (n int) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if exe, _ := os.Readlink(link); exe == program {
			n++
		}
	}
	return n
}

// countRecorded counts the ranks that have a record in a run directory and have left MPI_Init.
func countRecorded(dir string) (n int) {
	run, err := runfiles.Open(dir)
	if err != nil {
		return 0
	}
	for _, r := range run.Ranks {
		if r.Phase == model.Running {
			n++
		}
	}
	return n
}

// processesIn lists the processes that have a directory in their command line or their environment.
func processesIn(dir string) (out []string) {
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range procs {
		line, _ := os.ReadFile(proc + "/cmdline")
		environ, _ := os.ReadFile(proc + "/environ")
		if strings.Contains(string(line)+string(environ), dir+"/") {
			out = append(out, proc+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return out
}

// killProcessesIn kills what a failed test leaves.
func killProcessesIn(dir string) {
	for _, p := range processesIn(dir) {
		var pid int
		if _, err := fmt.Sscanf(p, "/proc/%d", &pid); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
