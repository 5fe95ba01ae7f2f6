package process

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

func TestOf(t *testing.T) {
	self := musttest.Get(os.Readlink("/proc/self/exe"))(t)
	maps := musttest.Get(os.ReadFile("/proc/self/maps"))(t)
	mapped := string(regexp.MustCompile(`/\S+`).Find(maps[bytes.LastIndex(maps, []byte(" /")):]))
	for _, c := range []struct {
		name string
		rank model.Rank
		want State
	}{
		{"a program that is mapped", model.Rank{PID: os.Getpid(), Exe: mapped}, Alive},
		{"this process", model.Rank{PID: os.Getpid(), Exe: self}, Alive},
		{"the beginning of the path", model.Rank{PID: os.Getpid(), Exe: self[:len(self)-1]}, Alive},
		{"another program", model.Rank{PID: os.Getpid(), Exe: "/another/program"}, Gone},
		{"no process", model.Rank{PID: 1 << 30, Exe: self}, Gone},
		{"a thread of the kernel, or another program", model.Rank{PID: 2, Exe: self}, Gone},
	} {
		checktest.Equal(t, c.want, StateOf(&c.rank), c.name, "state")
	}
}

// TestOfChild: stopped and dead are told apart from alive.
func TestOfChild(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("sleep is not installed")
	}
	child := exec.Command(sleep, "60")
	musttest.Succeed(t, child.Start())
	defer child.Wait()
	defer child.Process.Kill()
	rank := &model.Rank{PID: child.Process.Pid}
	await := func(want State) {
		t.Helper()
		for range 500 {
			if StateOf(rank) == want {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("state %d, want %d", StateOf(rank), want)
	}
	await(Alive)
	musttest.Succeed(t, child.Process.Signal(syscall.SIGSTOP))
	await(Stopped)
	musttest.Succeed(t, child.Process.Kill())
	await(Gone)
}

// TestHere: a number that counts in a container only is no process of this host.
func TestHere(t *testing.T) {
	if ownPIDNamespace() == 0 {
		t.Skip("/proc tells no pid namespace")
	}
	for _, c := range []struct {
		name            string
		host            string
		space           uint64
		here, contained bool
	}{
		{"not known", "n1", 0, true, false},
		{"the same", "n1", ownPIDNamespace(), true, false},
		{"a container here", "n1", ownPIDNamespace() + 1, false, true},
		{"another host", "n2", initialPIDNamespace, false, false},
		{"a container there", "n2", initialPIDNamespace + 1, false, true},
		{"another host, not known", "n2", 0, false, false},
	} {
		r := &model.Rank{Host: c.host, PID: 12, PIDSpace: c.space}
		if here, contained := IsLocal(r, "n1"), IsContained(r, "n1"); here != c.here || contained != c.contained {
			t.Errorf("%s: here %v, contained %v", c.name, here, contained)
		}
	}
}
