package ptrace

import (
	"errors"
	"fmt"
	"strconv"

	"laggard/internal/procfs"

	"golang.org/x/sys/unix"
)

// traceOptions are the events that stop a thread besides signals.
const traceOptions = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC

// traceRequest is the system call. The wrappers of x/sys lack PTRACE_LISTEN, options
// for PTRACE_SEIZE and a signal for PTRACE_DETACH.
func traceRequest(what, tid int, data uintptr) error {
	_, _, e := unix.Syscall6(unix.SYS_PTRACE, uintptr(what), uintptr(tid), 0, data, 0, 0)
	switch e {
	case 0:
		return nil
	case unix.EPERM:
		return fmt.Errorf("ptrace: thread %d: %w", tid, ErrNotPermitted)
	}
	return fmt.Errorf("ptrace: thread %d: %w", tid, e)
}

// ignoreGone drops the error that says that a thread is gone: its end is reported
// by wait.
func ignoreGone(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// waitThread returns the next change of a thread that this thread traces. With block
// false it returns tid 0 when there is none. Without any such thread it returns
// ErrEnded.
func waitThread(which int, block bool) (int, unix.WaitStatus, error) {
	flags := unix.WALL | unix.WNOTHREAD
	if !block {
		flags |= unix.WNOHANG
	}
	for {
		var status unix.WaitStatus
		tid, err := unix.Wait4(which, &status, flags, nil)
		switch err {
		case nil:
			return tid, status, nil
		case unix.EINTR:
		case unix.ECHILD:
			return 0, 0, ErrEnded
		default:
			return 0, 0, fmt.Errorf("ptrace: wait: %w", err)
		}
	}
}

// stopEvent is the PTRACE_EVENT_ number of a stop, 0 for one by a signal.
func stopEvent(status unix.WaitStatus) int { return int(uint32(status) >> 16 & 0xff) }

// isStopSignal tells the signals that stop a whole process.
func isStopSignal(sig unix.Signal) bool {
	return sig == unix.SIGSTOP || sig == unix.SIGTSTP || sig == unix.SIGTTIN || sig == unix.SIGTTOU
}

// processOf returns the process a thread belongs to, 0 if it is gone.
func processOf(tid int) int {
	status, _ := procfs.ReadStatus(tid)
	pid, _ := strconv.Atoi(status["Tgid"])
	return pid
}
