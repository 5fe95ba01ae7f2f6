package stopped

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"laggard/binary/processor"
	"laggard/internal/musttest"
)

// TestMain is also the one who looks and is killed (TestKilled).
func TestMain(m *testing.M) {
	pid, err := strconv.Atoi(os.Getenv("STOPPED_TEST_LOOK"))
	if err != nil {
		os.Exit(m.Run())
	}
	p, err := Open(pid)
	if err != nil {
		os.Exit(1)
	}
	fmt.Println("looking")
	for {
		if _, err := p.ReadThread(pid, true); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// startVictim starts a process and returns its number when its program runs, or sleeps.
func startVictim(t *testing.T, program string) int {
	t.Helper()
	c := exec.Command("sh", "-c", "echo; "+program)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	musttest.Get(out.Read(make([]byte, 1)))(t)
	want := ") R "
	if strings.HasPrefix(program, "exec sleep") {
		want = "(sleep) S "
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Process.Pid))
		if err != nil || time.Now().After(end) {
			t.Fatalf("%s: state %s, %v", program, stat, err)
		}
		if strings.Contains(string(stat), want) {
			return c.Process.Pid
		}
	}
}

// TestLook: a thread that is asleep is not held, one that runs is.
func TestLook(t *testing.T) {
	for _, c := range []struct {
		command string
		hold    bool
		held    bool
	}{
		{"exec sleep 60", false, false},
		{"exec sleep 60", true, true},
		{"while :; do :; done", false, true},
	} {
		pid := startVictim(t, c.command)
		p := musttest.Get(Open(pid))(t)
		tids, err := p.TIDs()
		if err != nil || len(tids) != 1 || tids[0] != pid {
			t.Fatalf("%s: threads %v, %v", c.command, tids, err)
		}
		th, err := p.ReadThread(pid, c.hold)
		if err != nil || th.Held != c.held || len(th.Stack) == 0 {
			t.Errorf("%s: held %v, %d bytes of stack, %v", c.command, th.Held, len(th.Stack), err)
		}
		pc, ok := th.Registers.Get(p.Machine.PC)
		if m := p.MappingAt(pc); !ok || m == nil || !m.Executable {
			t.Errorf("%s: no code at %#x", c.command, pc)
		}
		if _, ok := th.Registers.Get(p.Machine.FP); ok != c.held {
			t.Errorf("%s: a register that functions keep is known: %v", c.command, ok)
		}
		if len(p.Modules()) == 0 || p.EnvVariable("PATH") != os.Getenv("PATH") {
			t.Errorf("%s: %d modules, PATH %q", c.command, len(p.Modules()), p.EnvVariable("PATH"))
		}
	}
}

// TestKilled kills whoever looks, 200 times in the midst of it: the process that it held
// runs on each time.
func TestKilled(t *testing.T) {
	pid := startVictim(t, "while :; do :; done")
	kills := 200
	if testing.Short() {
		kills = 20
	}
	for n := range kills {
		looker := exec.Command(os.Args[0])
		looker.Env = append(os.Environ(), fmt.Sprintf("STOPPED_TEST_LOOK=%d", pid))
		out := musttest.Get(looker.StdoutPipe())(t)
		musttest.Succeed(t, looker.Start())
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "looking\n" {
			t.Fatalf("kill %d: the looker says %q, %v", n, line, err)
		}
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		_ = looker.Process.Kill()
		_ = looker.Wait()
		if state := stateOf(t, pid); state != "R" {
			t.Fatalf("after kill %d the process is in state %s", n, state)
		}
	}
}

// stateOf is the state of a process that should run, once it has settled.
func stateOf(t *testing.T, pid int) string {
	state := ""
	for range 100 {
		text := musttest.Get(os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")))(t)
		if state = strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[0]; state == "R" {
			return state
		}
		time.Sleep(time.Millisecond)
	}
	return state
}

func TestParse(t *testing.T) {
	for text, want := range map[string]bool{
		"running\n":                          false,
		"-1 0x7ffe12cf3ca8 0x7f34c4710503\n": false,
		"230 0x0 0x0 0x7ffe12cf3cc0 0x0 0x0 0x0 0x7ffe12cf3ca8 0x7f34c4710503": true,
		"x 0x0 0x0 0x7ffe12cf3cc0 0x0 0x0 0x0 0x7ffe12cf3ca8 0x7f34c4710503":   false,
		"": false,
	} {
		th, ok := parseCall(processor.X86, text)
		if sp, known := th.Registers.Get(processor.RSP); ok != want || known != want || want && sp != 0x7ffe12cf3ca8 {
			t.Errorf("%q: %v, stack at %#x", text, ok, sp)
		}
	}
}
