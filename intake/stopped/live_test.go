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
		if _, err := p.Look(pid, true); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// victim starts a process and returns its number.
func victim(t *testing.T, command ...string) int {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	time.Sleep(50 * time.Millisecond) // for its program to be loaded
	return c.Process.Pid
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
		pid := victim(t, "sh", "-c", c.command)
		p, err := Open(pid)
		if err != nil {
			t.Fatal(err)
		}
		tids, err := p.TIDs()
		if err != nil || len(tids) != 1 || tids[0] != pid {
			t.Fatalf("%s: threads %v, %v", c.command, tids, err)
		}
		th, err := p.Look(pid, c.hold)
		for range 50 { // until its program runs
			if err != nil || th.Held == c.held {
				break
			}
			time.Sleep(50 * time.Millisecond)
			th, err = p.Look(pid, c.hold)
		}
		if err != nil || th.Held != c.held || len(th.Stack) == 0 {
			t.Errorf("%s: held %v, %d bytes of stack, %v", c.command, th.Held, len(th.Stack), err)
		}
		pc, ok := th.Registers.Get(p.Machine.PC)
		if m := p.Map(pc); !ok || m == nil || !m.Executable {
			t.Errorf("%s: no code at %#x", c.command, pc)
		}
		if _, ok := th.Registers.Get(p.Machine.keeps[0]); ok != c.held {
			t.Errorf("%s: a register that functions keep is known: %v", c.command, ok)
		}
		if len(p.Modules()) == 0 || p.Variable("PATH") != os.Getenv("PATH") {
			t.Errorf("%s: %d modules, PATH %q", c.command, len(p.Modules()), p.Variable("PATH"))
		}
	}
}

// TestKilled kills whoever looks, 200 times in the midst of it: the process that it held
// runs on each time.
func TestKilled(t *testing.T) {
	pid := victim(t, "sh", "-c", "while :; do :; done")
	kills := 200
	if testing.Short() {
		kills = 20
	}
	for n := range kills {
		looker := exec.Command(os.Args[0])
		looker.Env = append(os.Environ(), fmt.Sprintf("STOPPED_TEST_LOOK=%d", pid))
		out, err := looker.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := looker.Start(); err != nil {
			t.Fatal(err)
		}
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
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			t.Fatal(err)
		}
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
		th, ok := X86.parseCall(text)
		if sp, known := th.Registers.Get(RSP); ok != want || known != want || want && sp != 0x7ffe12cf3ca8 {
			t.Errorf("%q: %v, stack at %#x", text, ok, sp)
		}
	}
	maps, err := readMaps(strings.NewReader("" +
		"7f00-7f80 r-xp 00001000 08:02 135                        /usr/lib/a b.so (deleted)\n" +
		"7f80-8000 rw-p 00000000 00:00 0 \n8000-9000 r-xp 00000000 00:00 0    [vdso]\n"))
	if err != nil || len(maps) != 3 || maps[0].Path != "/usr/lib/a b.so" || !maps[0].Executable ||
		maps[0].Offset != 0x1000 || maps[1].Path != "" || !maps[1].Writable || maps[2].Path != "[vdso]" {
		t.Errorf("%+v, %v", maps, err)
	}
	for _, bad := range []string{"7f00 r-xp 0 0 0", "8000-7000 r-xp 0 00:00 0", "x"} {
		if _, err := readMaps(strings.NewReader(bad)); err == nil {
			t.Errorf("%q can be read", bad)
		}
	}
}
