package standby

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"laggard/internal/procfs"

	"golang.org/x/sys/unix"
)

// SignalMonitor is a child that takes no signal but tells this process of each one it gets, which shows whether a signal
// was sent to this process alone or to others as well. It ends with this process.
type SignalMonitor struct {
	pid, pipe int
}

// Received is a signal that a witness got.
type Received struct {
	Signal syscall.Signal
	At     time.Time
}

// monitorName is what ps and top show. It must have nothing of this program's name, by which killall finds processes.
const monitorName = "signal-witness"

// StartSignalMonitor starts a witness whose command line is that one, as far as this program's command line and environment
// have room for it. Tools that choose processes by their command line, such as pkill -f, then treat it like the process
// that really has this line.
func StartSignalMonitor(command []string) (*SignalMonitor, error) {
	c := Config{Name: monitorName}
	w, err := c.newWaiter()
	if err != nil {
		return nil, err
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	defer unix.Close(ends[1])
	if err := unix.SetNonblock(ends[0], true); err != nil {
		unix.Close(ends[0])
		return nil, err
	}
	w.monitor, w.pipe = true, uintptr(ends[1])
	if at, length, room := commandLine(); at != nil {
		w.line, w.lineAt = processTitle(command, length, room), at
	}
	pid, err := w.forkChild()
	if err != nil {
		unix.Close(ends[0])
		return nil, err
	}
	return &SignalMonitor{pid, ends[0]}, nil
}

// TakeSignals returns the signals that the witness got since the last call.
func (w *SignalMonitor) TakeSignals() (got []Received) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return nil
	}
	for {
		var one signalReport
		n, err := unix.Read(w.pipe, unsafe.Slice((*byte)(unsafe.Pointer(&one)), unsafe.Sizeof(one)))
		if err == unix.EINTR {
			continue
		}
		if n != int(unsafe.Sizeof(one)) {
			return got
		}
		age := time.Duration(now.Nano() - one.at.Nano())
		got = append(got, Received{syscall.Signal(one.info.Signo), time.Now().Add(-age)})
	}
}

// IsIdle reports whether the witness is there, and whether it has told of all signals that it got.
func (w *SignalMonitor) IsIdle() (idle, there bool) {
	status, err := procfs.ReadStatus(w.pid)
	if err != nil {
		return false, false
	}
	idle = strings.HasPrefix(status["State"], "S")
	for _, name := range []string{"SigPnd", "ShdPnd"} {
		pending, err := strconv.ParseUint(status[name], 16, 64)
		idle = idle && err == nil && pending == 0
	}
	return idle, !strings.HasPrefix(status["State"], "Z")
}

// Dismiss ends the witness and waits until it is gone.
func (w *SignalMonitor) Dismiss() {
	unix.Close(w.pipe)
	reapChild(w.pid)
}

// commandLine is where the kernel finds the command line of this process, its length, and how much room there is with the
// environment that follows; nil: not known.
func commandLine() (at *byte, length, room int) {
	if len(os.Args) == 0 || os.Args[0] == "" {
		return nil, 0, 0
	}
	at = unsafe.StringData(os.Args[0])
	first := uintptr(unsafe.Pointer(at))
	for _, arg := range os.Args {
		if len(arg) > 0 && uintptr(unsafe.Pointer(unsafe.StringData(arg))) != first+uintptr(length) {
			return nil, 0, 0 // not as the kernel has passed it
		}
		length += len(arg) + 1
	}
	room = length
	if s, err := procfs.ReadStat(os.Getpid()); err == nil && s.ArgStart == uint64(first) && s.EnvEnd > s.ArgStart {
		room = max(room, int(s.EnvEnd-s.ArgStart))
	}
	return at, length, room
}

// processTitle is what to write over a command line of that length to make it that of another process. The kernel takes the
// environment for part of the line, up to the first NUL, if the line does not end with one (proc_pid_cmdline(5)).
func processTitle(command []string, length, room int) []byte {
	line := strings.Join(command, "\x00")
	if len(line) < length {
		return append([]byte(line), make([]byte, length-len(line))...)
	}
	line = strings.Join(command, " ")
	return append([]byte(line[:min(len(line), room-1)]), 0)
}

// signalReport is what a witness writes for each signal.
type signalReport struct {
	info unix.SignalfdSiginfo
	at   unix.Timespec // of CLOCK_MONOTONIC
}

// reportSignals writes a testimony for each signal until the other end of the pipe is closed.
//
//go:nosplit
//go:norace
func (w *waiter) reportSignals() {
	for i := uintptr(0); w.lineAt != nil && i < uintptr(len(w.line)); i++ {
		*(*byte)(unsafe.Add(unsafe.Pointer(w.lineAt), i)) = *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(w.line)), i))
	}
	fd, _, errno := syscall.RawSyscall6(unix.SYS_SIGNALFD4, ^uintptr(0), uintptr(unsafe.Pointer(&w.all)),
		unsafe.Sizeof(w.all), 0, 0, 0)
	if errno != 0 {
		exitProcess()
	}
	w.polled[0].Fd, w.polled[0].Events = int32(fd), unix.POLLIN
	for { // pipe's end is 0; poll tells of its other end without being asked
		_, _, errno = syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&w.polled)), 2, 0, 0, 0, 0)
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 || w.polled[1].Revents != 0 {
			exitProcess()
		}
		_, _, errno = syscall.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&w.report.info)), unsafe.Sizeof(w.report.info))
		if errno != 0 {
			continue
		}
		_, _, _ = syscall.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&w.report.at)), 0)
		_, _, _ = syscall.RawSyscall(unix.SYS_WRITE, 0, uintptr(unsafe.Pointer(&w.report)), unsafe.Sizeof(w.report))
	}
}
