package injector

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func strikeAt(function string, n int, f Fault) Order {
	return Order{Strike: &Strike{Target: Target{Class: User, Function: function}, Invocation: n, Fault: f}}
}

// place returns the state and the program counter of a thread.
func place(t *testing.T, r Report) (state string, pc uint64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/stat", r.PID, r.TID))
	if err != nil {
		t.Fatal(err)
	}
	state, _, _ = strings.Cut(string(text)[strings.LastIndexByte(string(text), ')')+2:], " ")
	text, err = os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/syscall", r.PID, r.TID))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text))
	fmt.Sscanf(fields[len(fields)-1], "0x%x", &pc)
	return state, pc
}

func traced(t *testing.T, pid int) bool {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(string(text), "TracerPid:\t0\n")
}

// eventually gives a condition ten seconds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it never was so", what)
		}
	}
}

// shapes are the ways a program can be built.
var shapes = map[string][]string{
	"pie":     {"-O0", "-fPIE", "-pie"},
	"no pie":  {"-O2", "-no-pie"},
	"dynamic": {"-O2", "-fPIE", "-pie", "-rdynamic", "-s"}, // stripped, but for dynamic symbols
	"native":  {"-O3", "-march=native", protection[runtime.GOARCH]},
}

// protection has a program mark the places that jumps may lead to.
var protection = map[string]string{"amd64": "-fcf-protection=full", "arm64": "-mbranch-protection=bti"}

func TestHangStopsTheThreadForGood(t *testing.T) {
	for name, flags := range shapes {
		t.Run(name, func(t *testing.T) {
			l := launch(t, strikeAt("beat", 7, Fault{Kind: Hang}), build(t, "steady", flags...))
			r := l.report(t)
			if r.State != Injected || r.Hits != 7 {
				t.Fatalf("report %+v", r)
			}
			eventually(t, "asleep and left alone", func() bool {
				state, _ := place(t, r)
				return state == "S" && !traced(t, r.PID)
			})
			for range 3 {
				syscall.Kill(r.PID, syscall.SIGUSR1)
				// One that is sent before the last was taken is lost.
				eventually(t, "signal taken", func() bool { return !pending(t, r.PID) })
			}
			eventually(t, "asleep after signals", func() bool { state, _ := place(t, r); return state == "S" })
			l.Process.Kill()
			l.wait(t)
			out := l.output.String()
			if strings.Count(out, "beat\n") != 6 || strings.Count(out, "signal\n") != 3 {
				t.Errorf("the sixth beat should be the last, and three signals handled: %q", out)
			}
		})
	}
}

// pending tells whether a signal waits to be taken by the process.
func pending(t *testing.T, pid int) bool {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(string(status), "ShdPnd:\t0000000000000000\n")
}

func TestSpinStaysAtThePlace(t *testing.T) {
	l := launch(t, strikeAt("beat", 3, Fault{Kind: Spin}), build(t, "steady", "-O2"))
	r := l.report(t)
	eventually(t, "running and left alone", func() bool {
		state, _ := place(t, r)
		return state == "R" && !traced(t, r.PID)
	})
	syscall.Kill(r.PID, syscall.SIGUSR1)
	time.Sleep(50 * time.Millisecond)
	l.Process.Signal(syscall.SIGSTOP)
	eventually(t, "stopped", func() bool { state, _ := place(t, r); return state == "T" })
	if _, pc := place(t, r); pc != r.Address {
		t.Errorf("it spins at %#x, not at %#x", pc, r.Address)
	}
	l.Process.Kill()
	l.wait(t)
	if out := l.output.String(); strings.Count(out, "beat\n") != 2 || strings.Count(out, "signal\n") != 1 {
		t.Errorf("output %q", out)
	}
}

func TestFaultsThatEnd(t *testing.T) {
	program := build(t, "counted", "-O2")
	for _, c := range []struct {
		fault  string
		signal syscall.Signal
		status int
	}{{"segv", syscall.SIGSEGV, -1}, {"kill", syscall.SIGKILL, -1}, {"exit:42", 0, 42}} {
		t.Run(c.fault, func(t *testing.T) {
			f, err := ParseFault(c.fault)
			if err != nil {
				t.Fatal(err)
			}
			l := launch(t, strikeAt("work", 250, f), program, "3", "100")
			state := l.wait(t).Sys().(syscall.WaitStatus)
			if c.status >= 0 && state.ExitStatus() != c.status || c.signal != 0 && state.Signal() != c.signal {
				t.Errorf("it ended with %v, signal %v", state.ExitStatus(), state.Signal())
			}
			if r := l.report(t); r.State != Injected || r.Hits != 250 {
				t.Errorf("report %+v", r)
			}
			if out := l.output.String(); out != "once\n" {
				t.Errorf("output %q", out)
			}
		})
	}
}

func TestSlowDown(t *testing.T) {
	program := build(t, "busy", "-O2")
	l := launch(t, strikeAt("begin", 1, Fault{Kind: Slow, Factor: 8}), program)
	if state := l.wait(t); !state.Success() {
		t.Fatalf("%v: %s", state, l.output.String())
	}
	var ratio float64
	fmt.Sscan(l.output.String(), &ratio)
	// Other load on the machine only makes it longer.
	if ratio < 4 {
		t.Errorf("the same work took %v times as long, at 1/8 of the speed", ratio)
	}
}

func TestFunctionOfALateLibrary(t *testing.T) {
	program := build(t, "counted", "-O2")
	library := build(t, "late", "-shared", "-fPIC")
	o := strikeAt("late_function", 4, Fault{Kind: Exit, Status: 5})
	o.Strike.Target.Module = "late"
	l := launch(t, o, program, "0", "10", library)
	if state := l.wait(t); state.ExitCode() != 5 {
		t.Errorf("%v: %s", state, l.output.String())
	}
	if r := l.report(t); r.State != Injected || r.Hits != 4 {
		t.Errorf("report %+v", r)
	}
}

func TestNotReached(t *testing.T) {
	program := build(t, "counted", "-O2")
	for function, want := range map[string]State{"work": NotReached, "no_such": NotFound} {
		// 4 threads, 100 rounds; the fork's entry is in another process.
		l := launch(t, strikeAt(function, 401, Fault{Kind: Kill}), program, "3", "100")
		if state := l.wait(t); !state.Success() {
			t.Errorf("%s: %v", function, state)
		}
		r := l.report(t)
		if r.State != want || want == NotReached && r.Hits != 400 {
			t.Errorf("%s: report %+v", function, r)
		}
		if out := l.output.String(); out != "once\nchildren 7 0\nend\n" {
			t.Errorf("%s: output %q", function, out)
		}
	}
}

func TestPlaceByOffset(t *testing.T) {
	program := build(t, "counted", "-O2")
	list := library{}.functions(program)
	var o Order
	for _, f := range list {
		if f.Names[0] == "leaf" {
			o = Order{Strike: &Strike{Target: Target{Class: User, Module: "counted", Offset: f.Offset},
				Invocation: 10, Fault: Fault{Kind: Exit, Status: 9}}}
		}
	}
	l := launch(t, o, program)
	if state := l.wait(t); state.ExitCode() != 9 {
		t.Errorf("%v: %s", state, l.output.String())
	}
}

// apart starts a program that is nobody's child here: a tracer must not also
// wait for the process.
func apart(t *testing.T, program string) int {
	t.Helper()
	out, err := exec.Command("sh", "-c", `"$0" >/dev/null 2>&1 & echo $!`, program).Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	eventually(t, "the program runs", func() bool { path, _ := executable(pid); return path == program })
	return pid
}

func TestAttach(t *testing.T) {
	pid := apart(t, build(t, "steady", "-O2"))
	r, err := Attach(pid, *strikeAt("beat", 5, Fault{Kind: Hang}).Strike)
	if err != nil {
		skipWithoutPtrace(t, err.Error())
		t.Fatal(err)
	}
	if r.State != Injected || r.Hits != 5 {
		t.Errorf("report %+v", r)
	}
	eventually(t, "asleep and left alone",
		func() bool { state, _ := place(t, r); return state == "S" && !traced(t, pid) })
}
