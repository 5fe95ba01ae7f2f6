package ptrace

import (
	"fmt"

	"laggard/internal/procfs"

	"golang.org/x/sys/unix"
)

// Registers reads the registers of a thread that stands.
func (t *Thread) Registers() (r Registers, err error) {
	if err := r.read(t.TID); err != nil {
		return r, fmt.Errorf("ptrace: thread %d: registers: %w", t.TID, err)
	}
	return r, nil
}

// SetRegisters changes the registers of a thread that stands.
func (t *Thread) SetRegisters(r Registers) error {
	if err := r.write(t.TID); err != nil {
		return fmt.Errorf("ptrace: thread %d: registers: %w", t.TID, err)
	}
	return nil
}

// ReturnAddress returns the return address of a thread that stands at the entry of a
// function.
func (t *Thread) ReturnAddress() (uint64, error) {
	r, err := t.Registers()
	if err != nil {
		return 0, err
	}
	return t.process.returnAddress(&r)
}

// Call makes it look as if the instruction the thread stands at had called the
// function, with up to two arguments. The function must not return: the return
// address is inside that instruction, which is what an unwinder needs to find
// the place.
func (t *Thread) Call(function uint64, arguments ...uint64) error {
	r, err := t.Registers()
	if err != nil {
		return err
	}
	if err := t.fakeCall(&r); err != nil {
		return err
	}
	r.SetPC(function)
	for i, a := range arguments {
		*r.argumentRegister(i) = a
	}
	return t.SetRegisters(r)
}

// SystemCall makes the standing thread execute a system call and returns what it
// returned, an error number as an error. The registers are as before.
func (t *Thread) SystemCall(number uint64, arguments ...uint64) (uint64, error) {
	gate, err := t.process.findSyscall()
	if err != nil {
		return 0, err
	}
	before, err := t.Registers()
	if err != nil {
		return 0, err
	}
	r := before
	r.SetPC(gate)
	r.setSystemCall(number, arguments)
	if err := t.singleStep(r, gate); err != nil {
		return 0, err
	}
	after, err := t.Registers()
	if err == nil {
		err = t.SetRegisters(before)
	}
	if err != nil {
		return 0, err
	}
	if e := -int64(after.result()); e > 0 && e < page {
		return 0, fmt.Errorf("ptrace: thread %d: system call %d: %w", t.TID, number, unix.Errno(e))
	}
	return after.result(), nil
}

// singleStep executes one instruction. A signal that comes in between is kept for
// later.
func (t *Thread) singleStep(r Registers, from uint64) error {
	for {
		if err := t.SetRegisters(r); err != nil {
			return err
		}
		if err := traceRequest(unix.PTRACE_SINGLESTEP, t.TID, 0); err != nil {
			return err
		}
		_, status, err := waitThread(t.TID, true)
		if err != nil {
			return err
		}
		if !status.Stopped() {
			return dispatcher{t.process}.applyStatus(t.TID, status)
		}
		now, err := t.Registers()
		if err != nil || now.PC() != from {
			return err
		}
		if stopEvent(status) == 0 && status.StopSignal() != unix.SIGTRAP {
			if err := ignoreGone(unix.Tgkill(t.process.PID, t.TID, status.StopSignal())); err != nil {
				return err
			}
		}
	}
}

// findSyscall looks for the instruction that calls the system in the code that is mapped. Any
// bytes will do, since nothing behind them is executed.
func (p *Process) findSyscall() (uint64, error) {
	if p.gate != 0 {
		return p.gate, nil
	}
	maps, err := procfs.ReadMaps(p.PID)
	if err != nil {
		return 0, err
	}
	for _, m := range maps {
		if !isCode(m) {
			continue
		}
		code := make([]byte, min(m.Hi-m.Lo, 1<<22))
		if err := p.Read(m.Lo, code); err != nil {
			return 0, err
		}
		if at := native.findSyscall(code); at >= 0 {
			p.gate = m.Lo + uint64(at)
			return p.gate, nil
		}
	}
	return 0, fmt.Errorf("ptrace: process %d: no instruction that calls the system: %w", p.PID, ErrInstruction)
}
