package signals

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"laggard/internal/musttest"
	"laggard/model/process"
)

// TestMain is also the processes of the tests: "relay" passes signals on to a command; "count" says which it gets,
// until SIGPWR.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 2 && os.Args[1] == "relay":
		runRelay(os.Args[2:])
	case len(os.Args) == 2 && os.Args[1] == "count":
		countSignals()
	}
	os.Exit(m.Run())
}

func runRelay(command []string) {
	r := CatchSignals()
	child := exec.Command(command[0], command[1:]...)
	child.Stdout = os.Stdout
	if err := child.Start(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if err := r.Start(child.Process, command, func(a process.ReceivedSignal) { fmt.Println("noted", a.Name, a.Whole) }); err != nil {
		fmt.Println(err)
	}
	fmt.Println("relays")
	_ = child.Wait()
	r.Stop()
	if ws := child.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		EndBy(ws.Signal())
	}
	os.Exit(child.ProcessState.ExitCode())
}

func countSignals() {
	signals := make(chan os.Signal, 100)
	signal.Notify(signals, ExternalSignals()...)
	fmt.Println("counts")
	for over := (<-chan time.Time)(nil); ; {
		select {
		case s := <-signals:
			if s == unix.SIGPWR {
				over = time.After(100 * time.Millisecond)
				continue
			}
			fmt.Println("got", SignalName(s.(syscall.Signal)))
		case <-over:
			os.Exit(7)
		}
	}
}

// relayProcess is a relay that runs, in a process group of its own, and what was said.
type relayProcess struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
	said  []string
}

func startRelay(t *testing.T, shell string, command ...string) *relayProcess {
	t.Helper()
	self := musttest.Get(os.Executable())(t)
	args := append([]string{"-c", shell + ` exec "$@"`, "sh", self, "relay"}, command...)
	r := &relayProcess{t: t, cmd: exec.Command("sh", args...)}
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, w, err := os.Pipe()
	musttest.Succeed(t, err)
	r.cmd.Stdout, r.lines = w, bufio.NewScanner(out)
	musttest.Succeed(t, r.cmd.Start())
	w.Close()
	t.Cleanup(func() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL); _ = r.cmd.Wait(); out.Close() })
	r.awaitLine("relays")
	return r
}

// awaitLine reads until that line was said.
func (r *relayProcess) awaitLine(line string) {
	r.t.Helper()
	for !slices.Contains(r.said, line) {
		if !r.lines.Scan() {
			r.t.Fatalf("no %q in %q", line, r.said)
		}
		r.said = append(r.said, r.lines.Text())
	}
}

// awaitEnd reads the rest, and waits.
func (r *relayProcess) awaitEnd() syscall.WaitStatus {
	for r.lines.Scan() {
		r.said = append(r.said, r.lines.Text())
	}
	_ = r.cmd.Wait()
	return r.cmd.ProcessState.Sys().(syscall.WaitStatus)
}

func (r *relayProcess) countLine(line string) (n int) {
	for _, l := range r.said {
		if l == line {
			n++
		}
	}
	return n
}

// sendSignal sends a signal to the relay, its group, its processes one by one, as timeout(1), or by a pattern as pkill -f.
func (r *relayProcess) sendSignal(to string, s syscall.Signal) {
	pid := r.cmd.Process.Pid
	var pids []int
	switch to {
	case "alone":
		pids = []int{pid}
	case "group":
		pids = []int{-pid}
	case "each":
		pids = append(childPIDs(r.t, pid), pid)
	case "timeout":
		pids = []int{pid, -pid}
	default: // processes of the group by their command lines
		out, err := exec.Command("pkill", "-g", fmt.Sprint(pid), fmt.Sprintf("-%d", s), "-f", "--", to).CombinedOutput()
		if err != nil {
			r.t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, p := range pids {
		musttest.Succeed(r.t, syscall.Kill(p, s))
	}
}

func childPIDs(t *testing.T, pid int) (pids []int) {
	out := musttest.Get(exec.Command("ps", "-o", "pid=", "--ppid", fmt.Sprint(pid)).Output())(t)
	for _, word := range strings.Fields(string(out)) {
		var child int
		fmt.Sscan(word, &child)
		pids = append(pids, child)
	}
	return pids
}

// TestOnce: each signal comes to the launcher once, whoever it was sent to.
func TestOnce(t *testing.T) {
	for to, whole := range map[string]bool{
		"alone": false, "group": true, "each": true, "timeout": true, ".test count": true, ".test relay": false,
	} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			self, _ := os.Executable()
			r := startRelay(t, "", self, "count")
			r.awaitLine("counts")
			for _, s := range []syscall.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1,
				unix.SIGUSR2, unix.SIGXCPU, unix.SIGTSTP, unix.SIGCONT, 40} {
				r.sendSignal(to, s)
				r.awaitLine(fmt.Sprintf("noted %s %v", SignalName(s), whole))
				r.awaitLine("got " + SignalName(s))
			}
			r.sendSignal("group", unix.SIGPWR)
			if ws := r.awaitEnd(); ws.ExitStatus() != 7 {
				t.Errorf("the relay ended with %v, want the launcher's exit status", ws)
			}
			for _, line := range r.said {
				if strings.HasPrefix(line, "got") && r.countLine(line) != 1 {
					t.Errorf("%s %d times", line, r.countLine(line))
				}
			}
		})
	}
}

// TestEnd: a relay ends by the signal that ended its launcher.
func TestEnd(t *testing.T) {
	for _, s := range []syscall.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGQUIT, unix.SIGABRT, unix.SIGUSR1, unix.SIGKILL} {
		r := startRelay(t, "", "sh", "-c", fmt.Sprintf("kill -%d $$", s))
		if ws := r.awaitEnd(); !ws.Signaled() || ws.Signal() != s || ws.CoreDump() {
			t.Errorf("%v: the relay ended with %#x", s, ws)
		}
	}
}

// TestIgnored: what a shell has a command ignore, the launcher ignores as well, but one that has a handler gets it.
func TestIgnored(t *testing.T) {
	ignoring := startRelay(t, "trap '' HUP INT QUIT;", "sleep", "60")
	// What the test itself was started with is inherited as well.
	const three = 1<<(unix.SIGHUP-1) | 1<<(unix.SIGINT-1) | 1<<(unix.SIGQUIT-1)
	launcher := childPIDs(t, ignoring.cmd.Process.Pid)[0]
	if got, want := ignoredBy(t, launcher), ignoredBy(t, os.Getpid())|three; got != want {
		t.Errorf("the launcher ignores %#x, want %#x", got, want)
	}
	self, _ := os.Executable()
	r := startRelay(t, "trap '' HUP INT QUIT;", self, "count")
	r.awaitLine("counts")
	for _, s := range []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT} {
		r.sendSignal("alone", s)
		r.awaitLine("got " + SignalName(s))
	}
	r.sendSignal("group", unix.SIGPWR)
	r.awaitEnd()
}

// ignoredBy returns the set of signals that a process ignores, bit 0 for signal 1.
func ignoredBy(t *testing.T, pid int) (set uint64) {
	in := musttest.Get(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))(t)
	_, rest, _ := strings.Cut(string(in), "SigIgn:")
	musttest.Get(fmt.Sscanf(rest, "%x", &set))(t)
	return set
}

// TestSuspend: a relay stops when its launcher stops upon SIGTSTP, and both go on together.
func TestSuspend(t *testing.T) {
	for _, to := range []string{"alone", "group"} {
		r := startRelay(t, "", "sleep", "60")
		launcher := childPIDs(t, r.cmd.Process.Pid)[0]
		for range 2 {
			r.sendSignal(to, unix.SIGTSTP)
			awaitCondition(
				t,
				"both to stop",
				func() bool { return processState(launcher) == "T" && processState(r.cmd.Process.Pid) == "T" },
			)
			r.sendSignal(to, unix.SIGCONT)
			awaitCondition(
				t,
				"both to go on",
				func() bool { return processState(launcher) != "T" && processState(r.cmd.Process.Pid) != "T" },
			)
		}
		r.sendSignal(to, unix.SIGTERM)
		if ws := r.awaitEnd(); !ws.Signaled() || ws.Signal() != unix.SIGTERM {
			t.Errorf("%s: the relay ended with %#x", to, ws)
		}
	}
}

func awaitCondition(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited 30 s for " + what)
		}
	}
}

func processState(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return after[:1]
}
