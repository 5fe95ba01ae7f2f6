package subprocess

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestAsk: lines are answered one by one, and an error says how the process ended.
func TestAsk(t *testing.T) {
	const program = "read a; echo \"<$a>\"; read b; echo \"<$b>\"; read c; echo bad >&2; exit 3"
	p := musttest.Get(Start(exec.Command("sh", "-c", program)))(t)
	for _, text := range []string{"one", "two"} {
		checktest.Equal(t, "<"+text+">", string(musttest.Get(p.Ask([]byte(text), time.Minute))(t)))
	}
	_, err := p.Ask([]byte("three"), time.Minute)
	if err == nil || !strings.Contains(err.Error(), "exit status 3: bad") {
		t.Errorf("error %v", err)
	}
}

// TestSummary: the fatal error of a Go program is named, and not the end of its stacks.
func TestSummary(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"runtime: goroutine stack exceeds 1000-byte limit\nfatal error: stack overflow\n\ngoroutine 1:\n" +
			strings.Repeat("main.f()\n", 10_000) + "exit status 2\n", "fatal error: stack overflow"},
		{"loading\nno memory\n", "no memory"},
		{"", ""},
	} {
		var stderr stderrBuffer
		for part := range strings.SplitSeq(c.text, "\n") {
			fmt.Fprintln(&stderr, part)
		}
		checktest.Equal(t, c.want, stderr.errorLine())
	}
}

// TestDescendants: what a process started ends with it.
func TestDescendants(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pid")
	p := musttest.Get(Start(exec.Command("sh", "-c", fmt.Sprintf("sleep 1000 & echo $! >%s; wait", pids))))(t)
	checktest.Fails(p.Ask(nil, 500*time.Millisecond))(t, ErrTimeout)
	_ = p.End()
	text := musttest.Get(os.ReadFile(pids))(t)
	pid := musttest.Get(strconv.Atoi(strings.TrimSpace(string(text))))(t)
	for range 50 {
		if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil ||
			strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Error("the child of the process is still there")
}

// TestStartTied: processes outlive the threads that asked for them. Several do, as Go's first thread never ends.
func TestStartTied(t *testing.T) {
	commands, started, all := make([]*exec.Cmd, 4), make(chan error), make(chan bool)
	for i := range commands {
		commands[i] = exec.Command("sleep", "60")
		go func() {
			runtime.LockOSThread() // and not unlocked: the thread ends with the goroutine
			started <- StartTied(commands[i])
			<-all
		}()
	}
	for range commands {
		musttest.Succeed(t, <-started)
	}
	close(all)
	time.Sleep(200 * time.Millisecond) // longer than the threads need to end
	for _, cmd := range commands {
		musttest.Succeed(t, syscall.Kill(cmd.Process.Pid, syscall.SIGTERM))
		_ = cmd.Wait()
		if s := cmd.ProcessState.Sys().(syscall.WaitStatus); s.Signal() != syscall.SIGTERM {
			t.Errorf("it was ended by %v", s.Signal())
		}
	}
}
