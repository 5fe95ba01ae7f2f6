package subprocess

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxAnswer bounds one answer, in bytes.
const maxAnswer = 256 << 20

// maxStderr bounds what is kept of a process's standard error, in bytes at each end.
const maxStderr = 4096

// Process is a running subprocess. Its methods are for one goroutine at a time.
type Process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan answer
	stderr  stderrBuffer
	endOnce sync.Once
	endErr  error
}

// answer is a line, or why there is none.
type answer struct {
	line []byte
	err  error
}

// stderrBuffer keeps the beginning and the end of what is written to it.
type stderrBuffer struct {
	mu         sync.Mutex
	head, tail []byte
}

func (c *stderrBuffer) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head = append(c.head, p[:min(len(p), maxStderr-len(c.head))]...)
	c.tail = append(c.tail, p...)
	c.tail = c.tail[max(0, len(c.tail)-maxStderr):]
	return len(p), nil
}

// fatal begins the line in which the Go runtime says why it ends a process.
const fatal = "fatal error: "

// errorLine is the line that says most: that of the Go runtime's fatal error, else the last one.
func (c *stderrBuffer) errorLine() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range strings.Lines(string(c.head)) {
		if strings.HasPrefix(line, fatal) {
			return strings.ToValidUTF8(strings.TrimSpace(line), "?")
		}
	}
	lines := strings.Split(strings.TrimSpace(string(c.tail)), "\n")
	return strings.ToValidUTF8(lines[len(lines)-1], "?")
}

// StartTied starts cmd in a group of its own, so that a terminal's signals do not reach it, and ends it with this process. The
// kernel does that when the thread ends that started it, as threads of a Go program do that hold others by ptrace. So a thread
// that lives as long as the process starts it. The caller calls cmd.Wait.
func StartTied(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		for err == nil { // until it has ended, or was waited for
			if ended := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); ended != unix.EINTR {
				return
			}
		}
	}()
	return <-started
}

// Start starts cmd as StartTied does. The caller calls End.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, lines: make(chan answer, 1)}
	p.cmd.Stderr = &p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := StartTied(p.cmd); err != nil {
		return nil, err
	}
	go p.readLines(out)
	return p, nil
}

// MaxRSS is the most memory that the process had, in bytes; 0 before its end.
func (p *Process) MaxRSS() int64 {
	if usage, ok := p.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}

// readLines passes on the lines that the process writes.
func (p *Process) readLines(out io.Reader) {
	defer close(p.lines)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		p.lines <- answer{line: append([]byte(nil), lines.Bytes()...)}
	}
	p.lines <- answer{err: lines.Err()}
}

// ErrTimeout says that a process did not answer in time.
var ErrTimeout = errors.New("its share of the time is over")

// Send sends a line that has no answer. After an error the process is of no more use.
func (p *Process) Send(line []byte) error {
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return p.failureReason(err)
	}
	return nil
}

// Ask sends a line and returns the line that answers it. An answer that takes longer than wait is
// an error that wraps ErrTime. After any error the process is of no more use.
func (p *Process) Ask(line []byte, wait time.Duration) ([]byte, error) {
	if err := p.Send(line); err != nil {
		return nil, err
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case a := <-p.lines:
		if a.line == nil {
			return nil, p.failureReason(a.err)
		}
		return a.line, nil
	case <-late.C:
		return nil, fmt.Errorf("%w (%s)", ErrTimeout, wait.Round(time.Millisecond))
	}
}

// failureReason ends the process and says why it ended.
func (p *Process) failureReason(err error) error {
	status := p.End()
	if err == nil {
		err = errors.New("it ended")
	}
	if status != nil {
		err = fmt.Errorf("%w: %w", err, status)
	}
	if text := p.stderr.errorLine(); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// endGrace is how long a process may take to end by itself.
const endGrace = 200 * time.Millisecond

// End closes the input of the process, and kills it and all that it started if it does not end
// soon. It returns how the process ended, as exec.Cmd.Wait does.
func (p *Process) End() error {
	p.endOnce.Do(func() {
		_ = p.in.Close()
		timer := time.AfterFunc(endGrace, func() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) })
		for range p.lines {
			// Wait must not be called before everything is read.
		}
		p.endErr = p.cmd.Wait()
		timer.Stop()
	})
	return p.endErr
}
