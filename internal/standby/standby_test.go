package standby

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/musttest"
)

// TestMain is also the processes of the tests: what a child becomes writes to a file; a parent starts a child.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "become":
		_ = os.WriteFile(os.Args[2], fmt.Append(nil, os.Getpid()), 0o600)
		os.Exit(0)
	case len(os.Args) == 4 && os.Args[3] == "witness":
		w, err := StartSignalMonitor(nil)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(w.pid)
		time.Sleep(time.Hour)
	case len(os.Args) == 4 && os.Args[1] == "parent":
		c, err := Start(Config{Name: "waits", Session: true, Become: []string{"x", "become", os.Args[2]}})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(c.PID)
		if os.Args[3] == "dismiss" {
			c.Dismiss()
			os.Exit(0)
		}
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited 20 s for: " + what)
		}
	}
}

func fileExists(path string) func() bool {
	return func() bool { _, err := os.Stat(path); return err == nil }
}

func processGone(pid int) func() bool {
	return func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(text), ") Z ")
	}
}

// startParent starts a process of this program that has a child.
func startParent(t *testing.T, out, then string) (cmd *exec.Cmd, child int) {
	t.Helper()
	cmd = exec.Command("/proc/self/exe", "parent", out, then)
	pipe := musttest.Get(cmd.StdoutPipe())(t)
	musttest.Succeed(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var line string
	musttest.Get(fmt.Fscanln(pipe, &line))(t)
	return cmd, musttest.Get(strconv.Atoi(line))(t)
}

// TestKilled: the child of a process that is killed becomes what it was told to.
func TestKilled(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	cmd, child := startParent(t, out, "wait")
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		_ = syscall.Kill(child, s) // is for others
	}
	_ = cmd.Process.Kill()
	eventually(t, fmt.Sprintf("what process %d becomes", child), func() bool {
		text, _ := os.ReadFile(out)
		return string(text) == fmt.Sprint(child)
	})
}

// TestHolds: a child has no file of its parent's, nor is it in its session.
func TestHolds(t *testing.T) {
	_, child := startParent(t, filepath.Join(t.TempDir(), "out"), "wait")
	proc := fmt.Sprintf("/proc/%d/", child)
	name := func() string { text, _ := os.ReadFile(proc + "comm"); return strings.TrimSpace(string(text)) }
	eventually(t, "its name", func() bool { return name() == "waits" })
	eventually(t, "files let go", func() bool {
		files, err := os.ReadDir(proc + "fd")
		return err == nil && len(files) == 1
	})
	if sid, err := sessionID(child); sid != child {
		t.Errorf("its session is %d, %v", sid, err)
	}
}

func sessionID(pid int) (int, error) {
	sid, _, errno := syscall.Syscall(syscall.SYS_GETSID, uintptr(pid), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(sid), nil
}

// TestDismissed: a child that is dismissed does nothing, and leaves no zombie.
func TestDismissed(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	cmd, child := startParent(t, out, "dismiss")
	musttest.Succeed(t, cmd.Wait())
	if !processGone(child)() || fileExists(out)() {
		t.Error("the child is still there, or acted")
	}
	var none *Child
	none.Dismiss()
}

// TestMark: a process on its own becomes the program when its mark is there, or the process that it looks after ends.
func TestMark(t *testing.T) {
	for _, what := range []string{"mark", "process"} {
		dir := t.TempDir()
		sleep := exec.Command("sleep", "100")
		musttest.Succeed(t, sleep.Start())
		out, mark := filepath.Join(dir, "out"), filepath.Join(dir, "mark")
		c, err := Start(Config{Session: true, Mark: mark, PID: sleep.Process.Pid, Become: []string{"x", "become", out}})
		if c != nil || err != nil {
			t.Fatal(c, err)
		}
		if what == "mark" {
			_ = os.WriteFile(mark, nil, 0o600)
		} else {
			_ = sleep.Process.Kill()
			_ = sleep.Wait()
		}
		eventually(t, "what the "+what+" brings", fileExists(out))
		_ = sleep.Process.Kill()
		_ = sleep.Wait()
	}
}

// TestMany: children can be had while other goroutines allocate, collect garbage and start processes.
func TestMany(t *testing.T) {
	over := make(chan bool)
	busy := func() {
		for {
			select {
			case <-over:
				return
			default:
				_ = make([]byte, 1<<20)
				_ = exec.Command("true").Run()
			}
		}
	}
	go busy()
	go busy()
	for range 200 {
		c := musttest.Get(Start(Config{Name: "many"}))(t)
		c.Dismiss()
	}
	close(over)
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c := musttest.Get(Start(Config{Name: "cost"}))(b)
		c.Dismiss()
	}
}
