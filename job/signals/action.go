package signals

import (
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// action is a struct sigaction of the kernel, with room to spare. All zero is what the kernel does by default.
// os/signal can only give a signal back to the Go runtime, which handles some in its own way.
type action [8]uint64

func swapAction(s syscall.Signal, to, from *action) {
	_, _, _ = syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(to)),
		uintptr(unsafe.Pointer(from)), 8, 0, 0)
}

// EndBy ends this process by a signal, so that its parent sees what it would have seen of the launcher. It leaves no
// core file. It returns only if the signal does not end a process.
func EndBy(s syscall.Signal) {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // for a core_pattern that is a program
	var byDefault, before action
	swapAction(s, &byDefault, &before)
	_ = unix.Kill(os.Getpid(), s)
	time.Sleep(time.Second) // another thread may be the one that gets it
}

// stopSelf stops this process as SIGTSTP does, which a shell sees as usual, until it is continued.
func stopSelf() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var byDefault, before, none action
	swapAction(unix.SIGTSTP, &byDefault, &before)
	_ = unix.Kill(os.Getpid(), unix.SIGTSTP)
	time.Sleep(glance) // another thread may be the one that gets it
	swapAction(unix.SIGTSTP, &before, &none)
}

// isStopped reports whether a signal has stopped a child of this process.
func isStopped(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}
