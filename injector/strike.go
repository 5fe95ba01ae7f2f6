package injector

import (
	"encoding/binary"
	"fmt"
	"time"

	"laggard/injector/ptrace"
)

// slowSlice is how long a slowed rank runs at a time: short against any time limit,
// long against what stopping it takes.
const slowSlice = 20 * time.Millisecond

// applyFault brings the fault about in the thread that stands at a breakpoint. It
// takes effect when the process is let go (release).
func applyFault(p *ptrace.Process, at *ptrace.Stop, f Fault) error {
	switch f.Kind {
	case Hang:
		return hangThread(p, at.Thread)
	case Spin:
		return at.Thread.Spin(at.At)
	case Segv:
		return at.Thread.Fault(at.At)
	case Kill, Slow:
		return nil // nothing to prepare, see releaseProcess
	case Exit:
		return callExit(p, at.Thread, f.Status)
	}
	return fmt.Errorf("injector: %q: %w", f.Kind, ErrFault)
}

// releaseProcess lets the process go, or keeps it slow until it ends.
func releaseProcess(p *ptrace.Process, f Fault) error {
	switch f.Kind {
	case Slow:
		return p.Slow(f.Factor, slowSlice)
	case Kill:
		return p.Kill()
	}
	return p.Detach()
}

// hangThread has the thread wait for a mutex that is locked for good. Unlike sleep and
// pause, which return when a signal was handled, the C library's lock goes back
// to waiting; and unlike a loop planted in the function it leaves the code, and
// so the other threads, alone.
func hangThread(p *ptrace.Process, t *ptrace.Thread) error {
	lock, err := p.LibcFunction("pthread_mutex_lock")
	if err != nil {
		return err
	}
	mutex, err := t.MapPage()
	if err != nil {
		return err
	}
	// glibc: a pthread_mutex_t begins with its lock word, 2 being locked with
	// waiters; all zero otherwise is an ordinary mutex.
	if err := p.Write(mutex, binary.LittleEndian.AppendUint32(nil, 2)); err != nil {
		return err
	}
	return t.Call(lock, mutex)
}

// callExit has the thread call exit, which runs what the program left for its end.
func callExit(p *ptrace.Process, t *ptrace.Thread, status int) error {
	function, err := p.LibcFunction("exit")
	if err != nil {
		return err
	}
	if err := t.MakeRoom(); err != nil {
		return err
	}
	return t.Call(function, uint64(status))
}
