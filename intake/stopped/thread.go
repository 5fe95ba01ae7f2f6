package stopped

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"laggard/binary/processor"

	"golang.org/x/sys/unix"
)

// LongestHold is for how long a thread is held at most. It may take longer until it
// stands still, since it must be given a processor for that; it does not wait for us then.
const LongestHold = 5 * time.Millisecond

// patience is how long a thread may take to come to a stop, and noticing how long it
// may stand before that is seen.
const (
	patience = 500 * time.Millisecond
	noticing = LongestHold / 5
)

// stackCopy is how much of a stack is copied, in bytes.
const stackCopy = 256 << 10

// ErrBusy is returned for a thread that did not stop in time; it was let go.
var ErrBusy = errors.New("the thread does not stop")

// ReadThread returns a thread as it is now. It is held only if it runs, or if hold asks for
// all registers.
func (p *Process) ReadThread(tid int, hold bool) (t Thread, err error) {
	asleep := false
	if !hold {
		t, asleep = p.readSleeping(tid)
	}
	if !asleep {
		t, err = p.readHeld(tid)
	}
	t.Ran = p.cpuTime(tid)
	return t, err
}

// cpuTime is for how long a thread was on a processor, which is the first number there.
func (p *Process) cpuTime(tid int) time.Duration {
	text, _ := os.ReadFile(filepath.Join(p.tasks, strconv.Itoa(tid), "schedstat"))
	first, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseInt(first, 10, 64)
	return time.Duration(n)
}

// tries is how often a thread is looked at that wakes up meanwhile.
const tries = 3

// readSleeping looks at a thread that is in a system call. What it was in before and after
// its stack was read must be the same.
func (p *Process) readSleeping(tid int) (Thread, bool) {
	name := filepath.Join(p.tasks, strconv.Itoa(tid), "syscall")
	for range tries {
		before, err := os.ReadFile(name)
		if err != nil {
			return Thread{}, false
		}
		t, ok := parseCall(p.Machine, string(before))
		if !ok {
			return Thread{}, false
		}
		t.TID = tid
		p.copyStack(&t)
		if after, err := os.ReadFile(name); err == nil && string(after) == string(before) {
			return t, true
		}
	}
	return Thread{}, false
}

// parseCall reads "7 0x7f… 0x2 … SP PC": the number of the call, its arguments, the stack
// pointer and where the thread goes on. Of a running thread there is the word "running".
func parseCall(m *processor.Processor, text string) (Thread, bool) {
	f := strings.Fields(text)
	if len(f) != 3+len(m.SystemCallArguments) {
		return Thread{}, false
	}
	number, err := strconv.Atoi(f[0])
	if err != nil || number < 0 {
		return Thread{}, false
	}
	t := Thread{SystemCall: number}
	for i, register := range append(m.SystemCallArguments[:], m.SP, m.PC) {
		v, err := strconv.ParseUint(strings.TrimPrefix(f[1+i], "0x"), 16, 64)
		if err != nil {
			return Thread{}, false
		}
		t.Registers.Set(register, v)
	}
	return t, true
}

// copyStack copies the top of the stack.
func (p *Process) copyStack(t *Thread) {
	sp, _ := t.Registers.Get(p.Machine.SP)
	m := p.MappingAt(sp)
	if m == nil { // the stack has grown, or is new
		if p.RefreshMaps() != nil {
			return
		}
		if m = p.MappingAt(sp); m == nil {
			return
		}
	}
	b := make([]byte, min(m.Hi-sp, stackCopy))
	if n, err := p.Memory.ReadAt(b, int64(sp)); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Stack, t.StackAt = b[:n], sp
	}
}

// readHeld looks at a thread that is held for that. The thread of the system that does it
// belongs to this goroutine alone: if something goes wrong, it ends, and the kernel
// lets go of what it held.
func (p *Process) readHeld(tid int) (Thread, error) {
	type answer struct {
		t   Thread
		err error
	}
	done := make(chan answer, 1)
	go func() {
		runtime.LockOSThread()
		t, released, err := p.seizeAndRead(tid)
		if released {
			runtime.UnlockOSThread()
		}
		done <- answer{t, err}
	}()
	a := <-done
	return a.t, a.err
}

// seizeAndRead stops a thread, copies, and lets it go. released is false if the kernel is to
// do that.
func (p *Process) seizeAndRead(tid int) (t Thread, released bool, err error) {
	if err := unix.PtraceSeize(tid); err != nil {
		return t, true, classifyError(p.PID, fmt.Errorf("hold thread %d: %w", tid, err))
	}
	if err := unix.PtraceInterrupt(tid); err != nil {
		return t, false, classifyError(p.PID, err)
	}
	signal, ran, err := awaitStop(tid)
	if err != nil {
		return t, false, fmt.Errorf("process %d: thread %d: %w", p.PID, tid, err)
	}
	if t, err = readRegisters(p.Machine, tid); err == nil {
		p.copyStack(&t)
		findCall(p.Machine, &t, p.Memory)
	}
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(tid), 0, uintptr(signal), 0, 0)
	p.Holds.add(time.Since(ran))
	return t, errno == 0, err
}

// Holds are the times for which threads of a process were held.
type Holds struct {
	Number  int
	Longest time.Duration // at most: from when it was last seen to run
}

func (h *Holds) add(held time.Duration) {
	h.Number++
	h.Longest = max(h.Longest, held)
}

// awaitStop waits until the thread stands still. If that is because a signal is to be
// delivered to it, the number of that is returned, to be delivered at the end. ran is when it
// was last seen to run.
func awaitStop(tid int) (signal int, ran time.Time, err error) {
	pause := noticing / 50
	ran = time.Now()
	for deadline := time.Now().Add(patience); ; {
		now := time.Now()
		var status unix.WaitStatus
		n, err := unix.Wait4(tid, &status, unix.WALL|unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, ran, err
		case n == tid && !status.Stopped():
			return 0, ran, ErrGone
		case n == tid && int(status)>>16 == unix.PTRACE_EVENT_STOP:
			return 0, ran, nil
		case n == tid:
			return int(status.StopSignal()), ran, nil
		case time.Now().After(deadline):
			return 0, ran, ErrBusy
		default:
			ran = now
			time.Sleep(pause)
			pause = min(2*pause, noticing)
		}
	}
}

// readRegisters reads those of a thread that stands still.
func readRegisters(m *processor.Processor, tid int) (Thread, error) {
	b := make([]byte, kernelSize(m))
	if err := registerSet(tid, notePrstatus, b); err != nil {
		return Thread{}, fmt.Errorf("the registers of thread %d: %w", tid, err)
	}
	t := threadOf(m, tid, b)
	if number := b[:4]; m.SystemCall < 0 && registerSet(tid, noteArmCall, number) == nil {
		t.SystemCall = numberOfCall(int64(int32(binary.LittleEndian.Uint32(number))))
	}
	return t, nil
}

// registerSet reads a set of registers, which the kernel has by the kind of the note that it
// is in a core file.
func registerSet(tid int, kind uintptr, b []byte) error {
	to := unix.Iovec{Base: &b[0]}
	to.SetLen(len(b))
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GETREGSET, uintptr(tid), kind,
		uintptr(unsafe.Pointer(&to)), 0, 0)
	switch {
	case errno != 0:
		return errno
	case to.Len != uint64(len(b)):
		return io.ErrUnexpectedEOF
	}
	return nil
}
