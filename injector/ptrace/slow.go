package ptrace

import (
	"errors"
	"slices"
	"time"
)

// patchedCode is code that was replaced for a while.
type patchedCode struct {
	address uint64
	code    []byte
}

// Slow takes all breakpoints away and from then on lets the process get on for a
// slice of time in factor slices, until it ends. In the other slices each thread
// jumps in place at the instruction it has come to. So it looks, to tools that
// ask the system and to signal handlers, like a thread that runs, is where it
// is, and gets nowhere: not like one that is stopped. A thread in a system call
// does so when that returns. A slice should be long against the 0.2 ms that
// stopping the threads takes, twice a round.
func (p *Process) Slow(factor float64, slice time.Duration) error {
	defer p.close()
	if err := errors.Join(p.removeBreakpoints(), p.stopThreads()); err != nil {
		return p.unlessDead(err)
	}
	for !p.Ended {
		began := time.Now()
		if err := p.runUntil(began.Add(slice)); err != nil {
			return p.unlessDead(err)
		}
		p.plantSpins()
		rest := time.Duration(factor * float64(time.Since(began)))
		err := p.runUntil(began.Add(rest))
		p.restoreCode()
		if err != nil {
			return p.unlessDead(err)
		}
	}
	return nil
}

// runUntil lets the threads run until the time has come, and stops them.
func (p *Process) runUntil(end time.Time) error {
	if err := p.resumeThreads(); err != nil {
		return err
	}
	if err := (dispatcher{p}).serveUntil(end); err != nil {
		return err
	}
	return p.stopThreads()
}

// unlessDead waits for the end of a process that is dying, whose error is none.
func (p *Process) unlessDead(err error) error {
	for !p.Ended && p.isDead() {
		if _, failed := (dispatcher{p}).serveEvent(true); failed != nil && !p.isDead() {
			return failed
		}
	}
	if p.Ended {
		return nil
	}
	return err
}

// plantSpins plants the jump wherever a thread stands. Where that cannot be written,
// as in the kernel's own pages, the thread is let run.
func (p *Process) plantSpins() {
	for _, t := range p.threads {
		r, err := t.Registers()
		if t.guest || err != nil {
			continue
		}
		old := patchedCode{r.PC(), make([]byte, len(native.selfJump))}
		if p.Read(old.address, old.code) == nil && p.Write(old.address, native.selfJump) == nil {
			p.patches = append(p.patches, old)
		}
	}
}

// restoreCode puts the code back, last first: two threads may have stood a byte apart.
func (p *Process) restoreCode() {
	for _, old := range slices.Backward(p.patches) {
		if p.Write(old.address, old.code) != nil {
			break // the process is gone
		}
	}
	p.patches = nil
}
