//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"laggard/internal/musttest"
)

// signalCase is a signal, who it is sent to, and what of laggard is in between.
type signalCase struct {
	signal syscall.Signal // SIGTSTP: SIGCONT follows
	to     string         // see sendTo
	by     string         // run, exec or test
}

func (c signalCase) String() string {
	return fmt.Sprintf("%s/%s/%s", c.by, strings.TrimPrefix(unix.SignalName(c.signal), "SIG"), c.to)
}

// The rows and columns of the table.
var (
	signalKinds = []syscall.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2,
		unix.SIGXCPU, unix.SIGTSTP}
	signalTargets = []string{"alone", "group", "session", "timeout", "terminal", "pattern"}
	keys          = map[syscall.Signal]string{unix.SIGINT: "\x03", unix.SIGQUIT: "\x1c", unix.SIGTSTP: "\x1a"}
)

// someSignals are the cases that are always run, one on this MPI and the next on that. LAGGARD_ALL asks for the whole table.
var someSignals = []signalCase{
	{unix.SIGTERM, "group", "run"}, {unix.SIGTERM, "alone", "run"},
	{unix.SIGINT, "terminal", "run"}, {unix.SIGTSTP, "terminal", "run"},
	{unix.SIGUSR1, "alone", "run"}, {unix.SIGHUP, "group", "exec"},
	{unix.SIGTERM, "session", "test"}, {unix.SIGUSR2, "group", "run"},
	{unix.SIGTERM, "pattern", "run"},
}

func signalCases(f family) (cases []signalCase) {
	if !runEverything() {
		return selectCases(f, someSignals)
	}
	for _, by := range []string{"run", "test", "exec"} {
		for _, s := range signalKinds {
			for _, to := range signalTargets {
				terminal := to != "terminal" || keys[s] != "" || s == unix.SIGHUP
				if terminal && (to != "session" || s != unix.SIGTSTP) { // see runAsUser
					cases = append(cases, signalCase{s, to, by})
				}
			}
		}
	}
	return cases
}

// effect is what a signal did: what the user sees, and what the ranks were told and wrote.
type effect struct {
	ended   string // how the parent saw the command end
	stopped bool   // it stopped meanwhile
	stdout  string
	files   string // counts of signals, checkpoints
}

// TestSignalsReach: what a signal does to a job is what it does without laggard. Launchers have races of their own, so
// the job without laggard runs until it does the same, up to LAGGARD_TRIALS times.
func TestSignalsReach(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "signalled.c", "-O2")
		eachCase(t, signalCases(f), func(t *testing.T, c signalCase) { f.compareSignal(t, c, program) })
	})
}

func (f family) compareSignal(t *testing.T, c signalCase, program string) {
	const ranks = 2
	laggard := laggardPath(t)
	compareSignal(t, c, ranks, f.runEnvironment(t), func(dir, run string) []string {
		launcher, program := f.launchCommand(ranks), []string{program, dir}
		switch {
		case run == "":
			return append(launcher, program...)
		case c.by == "exec":
			return slices.Concat(launcher, []string{laggard, "exec", "-o", run, "--"}, program)
		}
		return slices.Concat([]string{laggard, c.by, "-o", run, "--"}, launcher, program)
	})
}

// compareSignal compares a job with laggard, whose run directory is to be run, and without it, run being "".
func compareSignal(t *testing.T, c signalCase, ranks int, env []string, command func(dir, run string) []string) {
	compareEffects(t, func(with bool) effect {
		e := c.observeEffect(t, ranks, env, command, with)
		if c.by == "test" {
			e.ended = shellStatus(e.ended)
		}
		return e
	})
}

// compareEffects repeats what is done without laggard until it has the effect that it had with laggard. What is done
// with laggard has a second chance, as the first may have been the rare case.
func compareEffects(t *testing.T, try func(with bool) effect) {
	with, without := map[effect]int{try(true): 1}, map[effect]int{}
	trials := envNumber("LAGGARD_TRIALS", 6)
	for i := range trials {
		if i == trials/2 {
			with[try(true)]++
		}
		e := try(false)
		if without[e]++; with[e] > 0 {
			t.Logf("%+v; without laggard in trial %d", e, i+1)
			return
		}
	}
	t.Errorf("with laggard: %+v\nwithout: %+v", with, without)
}

// shellStatus is an end as a shell tells it, and laggard test.
func shellStatus(ended string) string {
	if n, ok := strings.CutPrefix(ended, "signal "); ok {
		number, _ := strconv.Atoi(n)
		return fmt.Sprint("status ", 128+number)
	}
	return ended
}

func (c signalCase) observeEffect(t *testing.T, ranks int, env []string, command func(dir, run string) []string,
	with bool) effect {
	t.Helper()
	dir := t.TempDir()
	run := ""
	if with {
		run = filepath.Join(t.TempDir(), "run")
	}
	args := command(dir, run)
	// What is alone in its session is not stopped.
	attr := &syscall.SysProcAttr{Setsid: c.signal != unix.SIGTSTP, Setpgid: c.signal == unix.SIGTSTP}
	var stdin io.Reader
	var master *os.File
	switch c.to {
	case "timeout":
		args = append([]string{"timeout", "-s", strconv.Itoa(int(c.signal)), "1000"}, args...)
	case "terminal":
		master, stdin = openTerminal(t)
		attr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if c.signal == unix.SIGTSTP {
			args = append([]string{"sh", "-c", `exec 3>&2 2>/dev/tty; exec bash -mc "$@"`, "sh", jobControl, "bash", dir}, args...)
		}
	}
	j := startAs(t, env, stdin, attr, args...)
	count := func(pattern string) int { names, _ := filepath.Glob(filepath.Join(dir, pattern)); return len(names) }
	j.eventually("all ranks", func() bool { return j.hasEnded() || count("rank.*") == ranks })
	c.sendSignal(t, j, master, c.signal)
	var e effect
	if c.signal == unix.SIGTSTP {
		awaitSettled(t, dir, j.hasEnded)
		e.stopped = processState(j.cmd.Process.Pid) == "T" || count("stopped") > 0
		if c.to != "terminal" {
			c.sendSignal(t, j, nil, unix.SIGCONT)
		} else if job := descendants(j.cmd.Process.Pid)[1:]; !e.stopped && len(job) > 0 { // else the shell has sent it
			musttest.Succeed(t, syscall.Kill(-job[0], unix.SIGCONT))
		}
	}
	awaitSettled(t, dir, j.hasEnded)
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "stop"), nil, 0o600))
	e.stdout = j.wait().programOutput()
	e.ended = fmt.Sprint("status ", j.cmd.ProcessState.ExitCode())
	if ws := j.cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		e.ended = fmt.Sprint("signal ", int(ws.Signal()))
	}
	e.files = writtenByRanks(t, dir)
	if c.to == "session" { // ranks are told by the sender and by the launcher; when both come at once, that is one
		e.files = countOfSignals.ReplaceAllString(e.files, "")
	}
	return e
}

// jobControl is a shell that continues its job when that was stopped.
const jobControl = `dir=$1; shift; "$@" 2>&3; s=$?; if [ $s = 148 ]; then : >"$dir/stopped"; fg >/dev/null; s=$?; fi; exit $s`

var countOfSignals = regexp.MustCompile(` [0-9]+`)

// awaitSettled waits until a job has ended, or its ranks have written nothing new for a while.
func awaitSettled(t *testing.T, dir string, ended func() bool) {
	last, since := "", time.Now()
	for begin := time.Now(); !ended() && time.Since(begin) < patience; time.Sleep(20 * time.Millisecond) {
		if now := writtenByRanks(t, dir); now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > 1500*time.Millisecond*slower {
			return
		}
	}
}

// writtenByRanks is what the ranks wrote. Which of them wrote it does not matter, as they do the same.
func writtenByRanks(t *testing.T, dir string) string {
	var all []string
	for _, kind := range []string{"rank", "checkpoint"} {
		names, _ := filepath.Glob(filepath.Join(dir, kind+".*"))
		for _, name := range names {
			text := musttest.Get(os.ReadFile(name))(t)
			all = append(all, kind+": "+strings.Join(strings.Fields(string(text)), " "))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// sendSignal sends a signal to the process that was started; its group; all processes of its session, one by one; the process
// that timeout started, by its timer; the terminal; or those whose command line has that of the launcher as it was typed,
// as pkill -f does.
func (c signalCase) sendSignal(t *testing.T, j *job, terminal *os.File, s syscall.Signal) {
	t.Helper()
	pid := j.cmd.Process.Pid
	switch {
	case c.to == "alone":
		musttest.Succeed(t, syscall.Kill(pid, s))
	case c.to == "session":
		for _, p := range descendants(pid) {
			if sid, err := unix.Getsid(p); err == nil && sid == pid {
				_ = syscall.Kill(p, s) // it may end with another one
			}
		}
	case c.to == "pattern":
		typed := j.cmd.Args[slices.Index(j.cmd.Args, "--")+1:]
		for _, p := range descendants(pid) {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p))
			if strings.Contains(strings.ReplaceAll(string(line), "\x00", " "), strings.Join(typed, " ")) {
				_ = syscall.Kill(p, s) // it may end with another one
			}
		}
	case c.to == "timeout" && s == c.signal:
		musttest.Succeed(t, syscall.Kill(pid, unix.SIGALRM))
	case terminal == nil:
		musttest.Succeed(t, syscall.Kill(-pid, s))
	case s == unix.SIGHUP:
		musttest.Succeed(t, terminal.Close())
	default:
		musttest.Get(terminal.WriteString(keys[s]))(t)
	}
}

// openTerminal makes a terminal.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master = musttest.Get(os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0))(t)
	t.Cleanup(func() { master.Close() })
	musttest.Succeed(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n := musttest.Get(unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN))(t)
	slave = musttest.Get(os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0))(t)
	t.Cleanup(func() { slave.Close() })
	return master, slave
}
