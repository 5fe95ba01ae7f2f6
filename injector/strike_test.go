package injector

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func strikeAt(function string, n int, f Fault) Order {
	return Order{Strike: &Strike{Target: Target{Class: User, Function: function}, Invocation: n, Fault: f}}
}

// threadStateAndPC returns the state and the program counter of a thread.
func threadStateAndPC(t *testing.T, r Report) (state string, pc uint64) {
	t.Helper()
	text := musttest.Get(os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/stat", r.PID, r.TID)))(t)
	state, _, _ = strings.Cut(string(text)[strings.LastIndexByte(string(text), ')')+2:], " ")
	text = musttest.Get(os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/syscall", r.PID, r.TID)))(t)
	fields := strings.Fields(string(text))
	fmt.Sscanf(fields[len(fields)-1], "0x%x", &pc)
	return state, pc
}

func isTraced(t *testing.T, pid int) bool {
	t.Helper()
	text := musttest.Get(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))(t)
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
			l := launchProgram(t, strikeAt("beat", 7, Fault{Kind: Hang}), compileProgram(t, "steady", flags...))
			r := l.waitReport(t)
			if r.State != Injected || r.Hits != 7 {
				t.Fatalf("report %+v", r)
			}
			eventually(t, "asleep and left alone", func() bool {
				state, _ := threadStateAndPC(t, r)
				return state == "S" && !isTraced(t, r.PID)
			})
			for range 3 {
				syscall.Kill(r.PID, syscall.SIGUSR1)
				// One that is sent before the last was taken is lost.
				eventually(t, "signal taken", func() bool { return !hasPendingSignal(t, r.PID) })
			}
			eventually(t, "asleep after signals", func() bool { state, _ := threadStateAndPC(t, r); return state == "S" })
			l.Process.Kill()
			l.waitExit(t)
			out := l.output.String()
			if strings.Count(out, "beat\n") != 6 || strings.Count(out, "signal\n") != 3 {
				t.Errorf("the sixth beat should be the last, and three signals handled: %q", out)
			}
		})
	}
}

// hasPendingSignal reports whether a signal waits to be taken by the process.
func hasPendingSignal(t *testing.T, pid int) bool {
	t.Helper()
	status := musttest.Get(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))(t)
	return !strings.Contains(string(status), "ShdPnd:\t0000000000000000\n")
}

func TestSpinStaysAtThePlace(t *testing.T) {
	l := launchProgram(t, strikeAt("beat", 3, Fault{Kind: Spin}), compileProgram(t, "steady", "-O2"))
	r := l.waitReport(t)
	eventually(t, "running and left alone", func() bool {
		state, _ := threadStateAndPC(t, r)
		return state == "R" && !isTraced(t, r.PID)
	})
	syscall.Kill(r.PID, syscall.SIGUSR1)
	eventually(t, "signal taken", func() bool { return !hasPendingSignal(t, r.PID) })
	eventually(t, "spinning at the place", func() bool {
		l.Process.Signal(syscall.SIGSTOP)
		eventually(t, "stopped", func() bool { state, _ := threadStateAndPC(t, r); return state == "T" })
		if _, pc := threadStateAndPC(t, r); pc == r.Address {
			return true
		}
		l.Process.Signal(syscall.SIGCONT) // it is in the handler still
		return false
	})
	l.Process.Kill()
	l.waitExit(t)
	if out := l.output.String(); strings.Count(out, "beat\n") != 2 || strings.Count(out, "signal\n") != 1 {
		t.Errorf("output %q", out)
	}
}

func TestFaultsThatEnd(t *testing.T) {
	program := compileProgram(t, "counted", "-O2")
	for _, c := range []struct {
		fault  string
		signal syscall.Signal
		status int
	}{{"segv", syscall.SIGSEGV, -1}, {"kill", syscall.SIGKILL, -1}, {"exit:42", 0, 42}} {
		t.Run(c.fault, func(t *testing.T) {
			f := musttest.Get(ParseFault(c.fault))(t)
			l := launchProgram(t, strikeAt("work", 250, f), program, "3", "100")
			state := l.waitExit(t).Sys().(syscall.WaitStatus)
			if c.status >= 0 && state.ExitStatus() != c.status || c.signal != 0 && state.Signal() != c.signal {
				t.Errorf("it ended with %v, signal %v", state.ExitStatus(), state.Signal())
			}
			if r := l.waitReport(t); r.State != Injected || r.Hits != 250 {
				t.Errorf("report %+v", r)
			}
			checktest.Equal(t, "once\n", l.output.String(), "output")
		})
	}
}

func TestSlowDown(t *testing.T) {
	program := compileProgram(t, "busy", "-O2")
	l := launchProgram(t, strikeAt("begin", 1, Fault{Kind: Slow, Factor: 8}), program)
	if state := l.waitExit(t); !state.Success() {
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
	program := compileProgram(t, "counted", "-O2")
	library := compileProgram(t, "late", "-shared", "-fPIC")
	o := strikeAt("late_function", 4, Fault{Kind: Exit, Status: 5})
	o.Strike.Target.Module = "late"
	l := launchProgram(t, o, program, "0", "10", library)
	if state := l.waitExit(t); state.ExitCode() != 5 {
		t.Errorf("%v: %s", state, l.output.String())
	}
	if r := l.waitReport(t); r.State != Injected || r.Hits != 4 {
		t.Errorf("report %+v", r)
	}
}

func TestNotReached(t *testing.T) {
	program := compileProgram(t, "counted", "-O2")
	for function, want := range map[string]State{"work": NotReached, "no_such": NotFound} {
		// 4 threads, 100 rounds; the fork's entry is in another process.
		l := launchProgram(t, strikeAt(function, 401, Fault{Kind: Kill}), program, "3", "100")
		if state := l.waitExit(t); !state.Success() {
			t.Errorf("%s: %v", function, state)
		}
		r := l.waitReport(t)
		if r.State != want || want == NotReached && r.Hits != 400 {
			t.Errorf("%s: report %+v", function, r)
		}
		checktest.Equal(t, "once\nchildren 7 0\nend\n", l.output.String(), function, "output")
	}
}

func TestPlaceByOffset(t *testing.T) {
	program := compileProgram(t, "counted", "-O2")
	list := functionCache{}.functions(program)
	var o Order
	for _, f := range list {
		if f.Names[0] == "leaf" {
			o = Order{Strike: &Strike{Target: Target{Class: User, Module: "counted", Offset: f.Offset},
				Invocation: 10, Fault: Fault{Kind: Exit, Status: 9}}}
		}
	}
	l := launchProgram(t, o, program)
	if state := l.waitExit(t); state.ExitCode() != 9 {
		t.Errorf("%v: %s", state, l.output.String())
	}
}
