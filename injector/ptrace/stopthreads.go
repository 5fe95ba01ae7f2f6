package ptrace

import (
	"errors"
	"time"

	"laggard/internal/procfs"

	"golang.org/x/sys/unix"
)

// followToCPU moves the tracer, now and then, to the processor of the thread that
// arrives: they take turns anyway, and waking each other across processors
// takes three times as long. Where it cannot be done it is only slower.
func (p *Process) followToCPU(t *Thread) {
	const often = 256
	if p.traps++; p.traps%often != 1 {
		return
	}
	if s, err := procfs.ReadThreadStat(p.PID, t.TID); err == nil {
		var set unix.CPUSet
		set.Set(s.CPU)
		_ = unix.SchedSetaffinity(0, &set)
	}
}

// stopThreads makes every thread of the process stand. Guests run on: a thread that
// waits for its vfork child cannot stop before that has gone its way.
func (p *Process) stopThreads() error {
	p.frozen = true
	for _, t := range p.threads {
		if !t.standing && !t.guest {
			if err := ignoreGone(traceRequest(unix.PTRACE_INTERRUPT, t.TID, 0)); err != nil {
				return err
			}
		}
	}
	for !p.Ended && p.anyRunning() {
		if _, err := (dispatcher{p}).serveEvent(true); err != nil {
			return err
		}
	}
	return nil
}

func (p *Process) anyRunning() bool {
	for _, t := range p.threads {
		if !t.standing && !t.guest {
			return true
		}
	}
	return false
}

// resumeThreads undoes freeze.
func (p *Process) resumeThreads() error {
	p.frozen = false
	for _, t := range p.threads {
		if t.standing {
			if err := p.resume(t, t.signal); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeBreakpoints takes all breakpoints away; threads that already arrived go on uncounted.
func (p *Process) removeBreakpoints() error {
	p.leaving = true
	for _, b := range p.breaks {
		if err := p.setTrap(b, false); err != nil && !p.Ended {
			return err
		}
	}
	return nil
}

// Detach takes all breakpoints away and lets every thread go on by itself. The
// Process is of no use afterwards. An error says what is left behind.
func (p *Process) Detach() error {
	defer p.close()
	if p.Ended {
		return nil
	}
	failed := []error{p.removeBreakpoints(), p.stopThreads()}
	for tid := range p.early {
		failed = append(failed, ignoreGone(traceRequest(unix.PTRACE_DETACH, tid, 0)))
	}
	for _, t := range p.threads {
		if t.guest && !t.standing {
			continue // the kernel lets it go when the tracer ends
		}
		failed = append(failed, ignoreGone(traceRequest(unix.PTRACE_DETACH, t.TID, uintptr(t.signal))))
	}
	return errors.Join(failed...)
}

// Kill ends the process by SIGKILL. No other thread gets further than the one
// that stands.
func (p *Process) Kill() error {
	defer p.close()
	if err := unix.Kill(p.PID, unix.SIGKILL); err != nil {
		return ignoreGone(err)
	}
	for !p.Ended {
		if _, err := (dispatcher{p}).serveEvent(true); err != nil && !p.isDead() {
			return err
		}
	}
	return nil
}

// serveUntil deals with changes until the time has come. Looking again and again
// is what there is: the kernel's wait has no time limit.
func (p dispatcher) serveUntil(end time.Time) error {
	const look = 500 * time.Microsecond
	for !p.Ended && time.Now().Before(end) {
		some, err := p.serveEvent(false)
		if err != nil {
			return err
		}
		if left := time.Until(end); !some && left > 0 {
			time.Sleep(min(look, left))
		}
	}
	return nil
}
