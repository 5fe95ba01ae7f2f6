package ptrace

import (
	"encoding/binary"
	"fmt"
)

// Entry is what a thread brought with it to the entry of a function: its registers,
// the return address, and as many arguments on the stack as were asked for.
type Entry struct {
	Registers
	Return         uint64
	stackArguments []byte
}

// Entry reads what a thread that stands at the entry of a function was given, of so
// many arguments.
func (t *Thread) Entry(arguments int) (Entry, error) {
	r, err := t.Registers()
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Registers: r, stackArguments: make([]byte, 8*max(arguments-inRegisters, 0))}
	if e.Return, err = t.process.returnAddress(&r); err == nil && len(e.stackArguments) > 0 {
		err = t.process.Read(r.SP()+onStack, e.stackArguments)
	}
	return e, err
}

// Argument returns an argument, counted from 0.
func (e *Entry) Argument(i int) uint64 {
	if i < inRegisters {
		return *e.argumentRegister(i)
	}
	return binary.LittleEndian.Uint64(e.stackArguments[8*(i-inRegisters):])
}

// SetArgument changes an argument; see EnterFunction.
func (e *Entry) SetArgument(i int, value uint64) {
	if i < inRegisters {
		*e.argumentRegister(i) = value
		return
	}
	binary.LittleEndian.PutUint64(e.stackArguments[8*(i-inRegisters):], value)
}

// AdoptRegisters takes registers over but for the stack pointer and those of arguments.
func (e *Entry) AdoptRegisters(now Registers) {
	for i := range inRegisters {
		*now.argumentRegister(i) = *e.argumentRegister(i)
	}
	now.SetSP(e.SP())
	e.Registers = now
}

// EnterFunction lets a thread that stands enter a function at its address with what e says.
func (t *Thread) EnterFunction(function uint64, e Entry) error {
	r := e.Registers
	if err := t.process.setReturn(&r, e.Return); err != nil {
		return err
	}
	if len(e.stackArguments) > 0 {
		if err := t.process.Write(r.SP()+onStack, e.stackArguments); err != nil {
			return err
		}
	}
	r.SetPC(function)
	return t.SetRegisters(r)
}

// ReturnEarly lets a thread that stands at the entry of a function return at once.
func (t *Thread) ReturnEarly(e Entry, value uint64) error {
	r := e.Registers
	r.SetPC(e.Return)
	r.SetSP(r.SP() + onStack)
	r.setResult(value)
	return t.SetRegisters(r)
}

// HasReturned reports whether a thread has come back from the call, as its registers are.
func (e *Entry) HasReturned(now *Registers) bool { return now.SP() == e.SP()+onStack }

func (p *Process) readWord(address uint64) (uint64, error) {
	var word [8]byte
	err := p.Read(address, word[:])
	return binary.LittleEndian.Uint64(word[:]), err
}

// FlipJump sends a thread that stands at a conditional jump the way that it would not
// go, and reports whether that is the jump's target. It wraps ErrInstruction for any
// other instruction.
func (t *Thread) FlipJump(b *Breakpoint) (jumps bool, err error) {
	r, err := t.Registers()
	if err != nil {
		return false, err
	}
	target, next, would, ok := r.decodeJump(b.originalCode(), b.Address)
	if !ok {
		return false, fmt.Errorf("ptrace: %#x: no conditional jump: %w", b.Address, ErrInstruction)
	}
	r.SetPC(target)
	if would {
		r.SetPC(next)
	}
	return !would, t.SetRegisters(r)
}
