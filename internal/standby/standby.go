package standby

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Config says what a child waits for, and what it does then. A child with neither Mark nor PID waits for the end of
// this process, whichever way that ends.
type Config struct {
	Name    string   // that ps and top show, of at most 15 bytes; "": that of this program
	Session bool     // it starts a session of its own, which signals to this one do not reach
	Become  []string // the command line of this program that it becomes; nil: it just ends
	Mark    string   // it waits for a file of this absolute path …
	PID     int      // … or for the end of this process. It is then nobody's child
}

// Child is a process that waits for the end of this one.
type Child struct {
	PID  int
	pipe *os.File // the kernel closes it with this process
}

// Start starts a child. It returns none for a Config with a Mark or a PID: such a process is on its own.
func Start(c Config) (*Child, error) {
	w, err := c.newWaiter()
	if err != nil {
		return nil, err
	}
	if w.orphan {
		pid, err := w.forkChild()
		if err == nil {
			reapChild(pid)
		}
		return nil, err
	}
	r, end, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	w.pipe = r.Fd()
	pid, err := w.forkChild()
	if err != nil {
		end.Close()
		return nil, err
	}
	return &Child{PID: pid, pipe: end}, nil
}

// Dismiss ends the child, which does nothing more, and waits until it is gone. A nil child is none.
func (c *Child) Dismiss() {
	if c == nil {
		return
	}
	_, _ = c.pipe.Write([]byte{1})
	c.pipe.Close()
	reapChild(c.PID)
}

// reapChild waits for the end of a child, unless something else has done so.
func reapChild(pid int) {
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// waiter is all that the child needs. It is made before the child is, which can allocate nothing.
type waiter struct {
	orphan, session  bool
	pid, pipe, files uintptr // files: how many may be open
	name, exe, mark  *byte
	argv, envp       []*byte
	second, pause    unix.Timespec
	heard            byte
	all              uint64 // signals
	monitor          bool
	line             []byte // the command line that a witness gets
	lineAt           *byte  // where; nil: it keeps this process's
	polled           [2]unix.PollFd
	report           signalReport
}

func (c *Config) newWaiter() (*waiter, error) {
	w := &waiter{
		orphan: c.Mark != "" || c.PID != 0, session: c.Session, pid: uintptr(c.PID),
		second: unix.Timespec{Sec: 1}, all: ^uint64(0),
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil, err
	}
	w.files = uintptr(min(limit.Cur, 1<<16))
	texts, err := syscall.SlicePtrFromStrings([]string{c.Name, "/proc/self/exe", c.Mark})
	if err != nil {
		return nil, err
	}
	w.name, w.exe, w.mark = texts[0], texts[1], texts[2]
	if c.Become == nil {
		return w, nil
	}
	if w.argv, err = syscall.SlicePtrFromStrings(c.Become); err != nil {
		return nil, err
	}
	w.envp, err = syscall.SlicePtrFromStrings(os.Environ())
	return w, err
}
