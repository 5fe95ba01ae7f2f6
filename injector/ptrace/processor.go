package ptrace

import (
	"bytes"

	"laggard/binary/processor"
)

// patches are the instructions that are written into a program, and how one is moved elsewhere, by the kind of
// processor. native is the one that this program runs on; its registers are in the files that are built for it alone.
type patches struct {
	*processor.Processor
	trap       []byte // the instruction of a breakpoint
	trapOffset uint64 // how far behind a trap a thread stands that has met it
	reach      uint64 // how far a copy may be from its place
	// move returns code that, executed at to, does what the first instruction of code does
	// at from and then goes on behind that. It wraps ErrInstruction if there is none, or if
	// to is too far away for what it refers to.
	move        func(code []byte, from, to uint64) ([]byte, error)
	selfJump    []byte // a jump in place
	fault       []byte // an instruction for which the kernel sends SIGSEGV
	syscallCode []byte // the instruction that calls the system
}

// findSyscall looks for the instruction that calls the system, -1 if there is none.
func (p *patches) findSyscall(code []byte) int {
	for from := 0; ; {
		at := bytes.Index(code[from:], p.syscallCode)
		if at < 0 {
			return -1
		}
		if from += at; from%p.Alignment == 0 {
			return from
		}
		from++
	}
}

// Spin has the thread that stands at a breakpoint jump in place, and each that comes there.
func (t *Thread) Spin(b *Breakpoint) error { return t.process.plantCode(b, native.selfJump) }

// Fault has the thread that stands at a breakpoint receive SIGSEGV from an instruction there.
func (t *Thread) Fault(b *Breakpoint) error {
	r, err := t.Registers()
	if err != nil {
		return err
	}
	r.prepareFault()
	if err := t.SetRegisters(r); err != nil {
		return err
	}
	return t.process.plantCode(b, native.fault)
}

// plantCode writes an instruction where a thread stands.
func (p *Process) plantCode(b *Breakpoint, code []byte) error {
	if err := p.Remove(b); err != nil {
		return err
	}
	return p.Write(b.Address, code)
}
