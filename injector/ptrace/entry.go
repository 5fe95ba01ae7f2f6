package ptrace

import (
	"encoding/binary"
	"fmt"
)

// Entry is what a thread brought with it to the entry of a function: its registers,
// the return address, and as many arguments on the stack as were asked for.
type Entry struct {
	Registers
	Return uint64
	more   []byte
}

// Entry reads what a thread that stands at the entry of a function was given, of so
// many arguments.
func (t *Thread) Entry(arguments int) (Entry, error) {
	r, err := t.Registers()
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Registers: r, more: make([]byte, 8*max(arguments-inRegisters, 0))}
	if e.Return, err = t.process.returns(&r); err == nil && len(e.more) > 0 {
		err = t.process.Read(r.SP()+onStack, e.more)
	}
	return e, err
}

// Argument returns an argument, counted from 0.
func (e *Entry) Argument(i int) uint64 {
	if i < inRegisters {
		return *e.argument(i)
	}
	return binary.LittleEndian.Uint64(e.more[8*(i-inRegisters):])
}

// Set changes an argument; see Enter.
func (e *Entry) Set(i int, value uint64) {
	if i < inRegisters {
		*e.argument(i) = value
		return
	}
	binary.LittleEndian.PutUint64(e.more[8*(i-inRegisters):], value)
}

// Keep takes registers over but for the stack pointer and those of arguments.
func (e *Entry) Keep(now Registers) {
	for i := range inRegisters {
		*now.argument(i) = *e.argument(i)
	}
	now.SetSP(e.SP())
	e.Registers = now
}

// Enter lets a thread that stands enter a function at its address with what e says.
func (t *Thread) Enter(function uint64, e Entry) error {
	r := e.Registers
	if err := t.process.setReturn(&r, e.Return); err != nil {
		return err
	}
	if len(e.more) > 0 {
		if err := t.process.Write(r.SP()+onStack, e.more); err != nil {
			return err
		}
	}
	r.SetPC(function)
	return t.SetRegisters(r)
}

// Leave lets a thread that stands at the entry of a function return at once.
func (t *Thread) Leave(e Entry, value uint64) error {
	r := e.Registers
	r.SetPC(e.Return)
	r.SetSP(r.SP() + onStack)
	r.setResult(value)
	return t.SetRegisters(r)
}

// Returned tells whether a thread has come back from the call, as its registers are.
func (e *Entry) Returned(now *Registers) bool { return now.SP() == e.SP()+onStack }

func (p *Process) word(address uint64) (uint64, error) {
	var word [8]byte
	err := p.Read(address, word[:])
	return binary.LittleEndian.Uint64(word[:]), err
}

// Turn sends a thread that stands at a conditional jump the way that it would not
// go, and tells whether that is the jump's target. It wraps ErrInstruction for any
// other instruction.
func (t *Thread) Turn(b *Breakpoint) (jumps bool, err error) {
	r, err := t.Registers()
	if err != nil {
		return false, err
	}
	target, next, would, ok := r.jump(b.code(), b.Address)
	if !ok {
		return false, fmt.Errorf("ptrace: %#x: no conditional jump: %w", b.Address, ErrInstruction)
	}
	r.SetPC(target)
	if would {
		r.SetPC(next)
	}
	return !would, t.SetRegisters(r)
}
