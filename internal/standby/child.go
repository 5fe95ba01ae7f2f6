package standby

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forkChild makes the child. As in package syscall's forkAndExecInChild nothing behind the clone may allocate, grow the
// stack, or lock. Signals are blocked around it: the child keeps them blocked, so that neither a handler nor the
// scheduler ever runs in it.
func (w *waiter) forkChild() (int, error) {
	before := uint64(0)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if errno := setMask(&w.all, &before); errno != 0 {
		return 0, errno
	}
	pid, errno := w.cloneChild()
	_ = setMask(&before, nil)
	runtime.KeepAlive(w)
	if errno != 0 {
		return 0, errno
	}
	return int(pid), nil
}

//go:nosplit
//go:norace
func setMask(set, old *uint64) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(old)), unsafe.Sizeof(*set), 0, 0)
	return errno
}

// cloneChild returns in this process; the child waits, and does not return.
//
//go:nosplit
//go:norace
func (w *waiter) cloneChild() (pid uintptr, errno syscall.Errno) {
	pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		return pid, errno
	}
	if w.orphan {
		if pid, _, _ = syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0); pid != 0 {
			exitProcess()
		}
	}
	w.releaseInherited()
	switch {
	case w.orphan:
		w.awaitMark()
	case w.monitor:
		w.reportSignals()
	default:
		w.awaitEnd()
	}
	if w.argv != nil {
		w.forgetSignals()
		_, _, _ = syscall.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(w.exe)),
			uintptr(unsafe.Pointer(&w.argv[0])), uintptr(unsafe.Pointer(&w.envp[0])))
	}
	exitProcess()
	return 0, 0
}

//go:nosplit
//go:norace
func exitProcess() {
	for {
		_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
}

// releaseInherited lets go of what belongs to the user's processes: files and the terminal. Only the pipe stays, as 0.
//
//go:nosplit
//go:norace
func (w *waiter) releaseInherited() {
	if *w.name != 0 {
		_, _, _ = syscall.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_NAME, uintptr(unsafe.Pointer(w.name)), 0)
	}
	if w.session {
		_, _, _ = syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
	}
	first := uintptr(0)
	if !w.orphan {
		if w.pipe != 0 {
			_, _, _ = syscall.RawSyscall(unix.SYS_DUP3, w.pipe, 0, 0)
		}
		first = 1
	}
	_, _, errno := syscall.RawSyscall(unix.SYS_CLOSE_RANGE, first, ^uintptr(0)>>32, 0)
	for fd := first; errno != 0 && fd < w.files; fd++ { // kernels before 5.9
		_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE, fd, 0, 0)
	}
}

// awaitEnd waits until the pipe is closed; a byte in it dismisses the child.
//
//go:nosplit
//go:norace
func (w *waiter) awaitEnd() {
	for {
		n, _, errno := syscall.RawSyscall(unix.SYS_READ, 0, uintptr(unsafe.Pointer(&w.heard)), 1)
		switch {
		case errno == syscall.EINTR: // a debugger, or the machine slept
		case errno != 0 || n > 0:
			exitProcess()
		default:
			return
		}
	}
}

// awaitMark looks once a second for the mark, and for the process.
//
//go:nosplit
//go:norace
func (w *waiter) awaitMark() {
	for {
		w.pause = w.second
		_, _, _ = syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, uintptr(unsafe.Pointer(&w.pause)), 0, 0, 0)
		if *w.mark != 0 {
			_, _, errno := syscall.RawSyscall(unix.SYS_FACCESSAT, atCWD, uintptr(unsafe.Pointer(w.mark)), 0)
			if errno == 0 {
				return
			}
		}
		if w.pid != 0 {
			if _, _, errno := syscall.RawSyscall(unix.SYS_KILL, w.pid, 0, 0); errno == syscall.ESRCH {
				return
			}
		}
	}
}

// forgetSignals drops the signals that came meanwhile: what the child becomes may unblock them.
//
//go:nosplit
//go:norace
func (w *waiter) forgetSignals() {
	for {
		w.pause = unix.Timespec{}
		_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGTIMEDWAIT, uintptr(unsafe.Pointer(&w.all)), 0,
			uintptr(unsafe.Pointer(&w.pause)), unsafe.Sizeof(w.all), 0, 0)
		if errno != 0 && errno != syscall.EINTR {
			return
		}
	}
}

// atCWD is AT_FDCWD, a negative number, as an argument of a system call.
const atCWD = ^uintptr(0) - 99
