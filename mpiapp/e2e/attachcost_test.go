//go:build e2e && long

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestAttachMany looks at as many ranks as a large node has, each with an MPI of its own: 512, or LAGGARD_RANKS.
func TestAttachMany(t *testing.T) {
	ranks := 512
	if n, err := strconv.Atoi(os.Getenv("LAGGARD_RANKS")); err == nil {
		ranks = n
	}
	eachFamily(t, func(t *testing.T, f family) {
		if f.name != "mpich" {
			return // so many ranks of Open MPI do not come up on two processors in this time
		}
		env := f.runEnvironment(t)
		program := f.buildProgram(t, "asleep.c", "-O2")
		j := startJob(t, env, nil, append(f.launchCommand(ranks), program)...)
		for begin := time.Now(); countAsleep(t, env, program) < ranks; time.Sleep(5 * time.Second) {
			if j.hasEnded() || time.Since(begin) > 10*time.Minute {
				t.Fatalf("%d ranks of %d have come up: %s", countAsleep(t, env, program), ranks, j.err.String())
			}
		}
		dir := filepath.Join(t.TempDir(), "run")
		args := appendPIDs([]string{"attach", "-o", dir}, programPIDs(t, env, program))
		cmd := exec.Command(laggardPath(t), args...)
		cmd.Env = env
		out := musttest.Run(t, cmd)
		used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		cpu := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()) / time.Duration(ranks)
		t.Logf("%d ranks: %v of CPU each, %d MB: %s", ranks, cpu, used.Maxrss>>10, out)
		if cpu > 50*time.Millisecond || used.Maxrss > 1<<20 {
			t.Errorf("want 50 ms and 1024 MB")
		}
		if run := openRun(t, dir); len(run.Ranks) != ranks {
			t.Errorf("%d ranks are in the run directory, want %d", len(run.Ranks), ranks)
		}
	})
}

// countAsleep counts the processes of a program that have come to their sleep.
func countAsleep(t *testing.T, env []string, program string) (n int) {
	for _, pid := range programPIDs(t, env, program) {
		text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "wchan"))
		if strings.Contains(string(text), "nanosleep") {
			n++
		}
	}
	return n
}

// thermo are the lines of LAMMPS with results, and without times.
var thermo = regexp.MustCompile(`(?m)^ +\d+( +[-+\d.e]+){4,} *$`)

// TestAttachLAMMPS looks at LAMMPS with 16 ranks again and again: it prints what it prints without.
func TestAttachLAMMPS(t *testing.T) {
	f := families[0]
	run := func(look bool) (results string) {
		env := f.runEnvironment(t)
		args := append(f.launchCommand(16), "/usr/bin/lmp", "-log", "none", "-in", crackInput)
		begin := time.Now()
		j := startJob(t, env, nil, args...)
		for look && !j.hasEnded() {
			time.Sleep(500 * time.Millisecond)
			pids := programPIDs(t, env, "/usr/bin/lmp")
			if len(pids) < 16 {
				continue
			}
			args := []string{laggardPath(t), "attach", "-o", filepath.Join(t.TempDir(), "run")}
			t.Log(strings.TrimSpace(runCommand(t, env, appendPIDs(args, pids)...).stdout))
		}
		got := j.wait()
		got.mustSucceed(t, "LAMMPS")
		t.Logf("looked at: %v, %v", look, time.Since(begin).Round(time.Second))
		return strings.Join(thermo.FindAllString(got.stdout, -1), "\n")
	}
	plain := run(false)
	if plain == "" {
		t.Fatal("LAMMPS printed no results")
	}
	checktest.Equal(t, plain, run(true), "LAMMPS prints other results when it is looked at")
}

// TestAttachCompared looks at LAMMPS with 16 ranks with attach, and at four of them with each of the debuggers that
// people use for that, one after the other, and says how long the threads stood still, and what it cost.
func TestAttachCompared(t *testing.T) {
	f := families[0]
	env := f.runEnvironment(t)
	startJob(t, env, nil, append(f.launchCommand(16), "/usr/bin/lmp", "-log", "none", "-in", longCrack(t))...)
	var pids []int
	for begin := time.Now(); len(pids) < 16; time.Sleep(time.Second) {
		if pids = programPIDs(t, env, "/usr/bin/lmp"); time.Since(begin) > patience {
			t.Fatalf("only %d ranks of LAMMPS run", len(pids))
		}
	}
	attach := appendPIDs([]string{laggardPath(t), "attach", "--looks", "1"}, pids)
	compareCosts(t, "laggard attach", attach)
	for _, tool := range [][]string{
		{"eu-stack", "-p"}, {"gdb", "-batch", "-ex", "thread apply all backtrace", "-p"},
	} {
		var commands [][]string
		for _, pid := range pids[:4] {
			commands = append(commands, append(slices.Clone(tool), strconv.Itoa(pid)))
		}
		compareCosts(t, tool[0], commands...)
	}
}

// compareCosts runs commands one after the other and logs what they cost; and once more under strace, to see for how long
// each thread was stopped.
func compareCosts(t *testing.T, name string, commands ...[]string) {
	t.Helper()
	for _, tool := range []string{"strace", commands[0][0]} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s: %v", name, err)
		}
	}
	var cpu time.Duration
	var each []time.Duration
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command("timeout", append([]string{"60"}, args...)...)
		cmd.Dir = t.TempDir() // attach makes a run directory there
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("%s: %v: %s", name, err, out)
		}
		return cmd
	}
	for _, command := range commands {
		state := run(command...).ProcessState
		cpu += state.UserTime() + state.SystemTime()
		trace := filepath.Join(t.TempDir(), "trace")
		strace := []string{"strace", "-ttt", "-e", "trace=ptrace", "-o", trace}
		if command[0] != "gdb" { // which tries out ptrace on a child, and waits for ever for one that is traced
			strace = append(strace, "-f")
		}
		run(append(strace, command...)...)
		each = append(each, stoppedTimes(t, trace)...)
	}
	slices.Sort(each)
	if len(each) == 0 {
		t.Fatalf("%s stopped no thread", name)
	}
	t.Logf("%s: %d threads stood still, for %v in the median and %v at most; %v of CPU in all", name, len(each),
		each[len(each)/2].Round(time.Microsecond*10), each[len(each)-1].Round(time.Microsecond*10),
		cpu.Round(time.Millisecond))
}

var ptraces = regexp.MustCompile(`(?m)^(?:\d+ +)?(\d+\.\d+) ptrace\(PTRACE_(ATTACH|INTERRUPT|DETACH), (\d+)`)

// stoppedTimes returns for how long each thread was stopped, from the call that stops it to the one that lets it go.
func stoppedTimes(t *testing.T, trace string) (out []time.Duration) {
	text := musttest.Get(os.ReadFile(trace))(t)
	began := map[string]float64{}
	for _, m := range ptraces.FindAllStringSubmatch(string(text), -1) {
		at := musttest.Get(strconv.ParseFloat(m[1], 64))(t)
		if m[2] != "DETACH" {
			began[m[3]] = at
		} else if from, ok := began[m[3]]; ok {
			out = append(out, time.Duration((at-from)*1e9))
			delete(began, m[3])
		}
	}
	return out
}
