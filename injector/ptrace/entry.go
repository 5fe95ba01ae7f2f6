package ptrace

import (
	"encoding/binary"
	"fmt"
)

// inRegisters is how many arguments a function is given in registers; the others
// are on the stack, behind the return address (System V ABI for AMD64, 3.2.3).
const inRegisters = 6

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
	if e.Return, err = t.process.word(r.Rsp); err == nil && len(e.more) > 0 {
		err = t.process.Read(r.Rsp+8, e.more)
	}
	return e, err
}

// Argument returns an argument, counted from 0.
func (e *Entry) Argument(i int) uint64 {
	if i < inRegisters {
		return *e.register(i)
	}
	return binary.LittleEndian.Uint64(e.more[8*(i-inRegisters):])
}

// Set changes an argument; see Enter.
func (e *Entry) Set(i int, value uint64) {
	if i < inRegisters {
		*e.register(i) = value
		return
	}
	binary.LittleEndian.PutUint64(e.more[8*(i-inRegisters):], value)
}

func (e *Entry) register(i int) *uint64 {
	return []*uint64{&e.Rdi, &e.Rsi, &e.Rdx, &e.Rcx, &e.R8, &e.R9}[i]
}

// Enter lets a thread that stands enter a function at its address with what e says.
func (t *Thread) Enter(function uint64, e Entry) error {
	if err := t.process.Write(e.Rsp, binary.LittleEndian.AppendUint64(nil, e.Return)); err != nil {
		return err
	}
	if len(e.more) > 0 {
		if err := t.process.Write(e.Rsp+8, e.more); err != nil {
			return err
		}
	}
	r := e.Registers
	r.Rip = function
	return t.SetRegisters(r)
}

// Leave lets a thread that stands at the entry of a function return at once.
func (t *Thread) Leave(e Entry, value uint64) error {
	r := e.Registers
	r.Rip, r.Rsp, r.Rax = e.Return, e.Rsp+8, value
	return t.SetRegisters(r)
}

func (p *Process) word(address uint64) (uint64, error) {
	var word [8]byte
	err := p.Read(address, word[:])
	return binary.LittleEndian.Uint64(word[:]), err
}

// Turn sends a thread that stands at a conditional jump the way that it would not
// go, and tells whether that is the jump's target. It wraps ErrInstruction for any
// other instruction.
func (t *Thread) Turn(b *Breakpoint) (jumps bool, err error) {
	s, err := measure(b.original[:])
	if err != nil {
		return false, err
	}
	condition, ok := s.condition(b.original[:])
	if !ok {
		return false, fmt.Errorf("ptrace: %#x: no conditional jump: %w", b.Address, ErrInstruction)
	}
	r, err := t.Registers()
	if err != nil {
		return false, err
	}
	jumps = !holds(condition, r.Eflags)
	if r.Rip = b.Address + uint64(s.size); jumps {
		r.Rip += s.offset(b.original[:])
	}
	return jumps, t.SetRegisters(r)
}

// condition is the number of a conditional jump's condition.
func (s shape) condition(code []byte) (byte, bool) {
	if s.relLen == 0 {
		return 0, false
	}
	op := code[s.rel-1]
	short := s.relLen == 1 && op&0xf0 == 0x70
	long := s.relLen == 4 && s.rel >= 2 && code[s.rel-2] == 0x0f && op&0xf0 == 0x80
	return op & 0xf, short || long
}

// holds tells whether a condition holds (Intel SDM volume 1, appendix B).
func holds(condition byte, flags uint64) bool {
	carry, parity, zero := flags&1 != 0, flags&(1<<2) != 0, flags&(1<<6) != 0
	sign, overflow := flags&(1<<7) != 0, flags&(1<<11) != 0
	var is bool
	switch condition >> 1 {
	case 0:
		is = overflow
	case 1:
		is = carry
	case 2:
		is = zero
	case 3:
		is = carry || zero
	case 4:
		is = sign
	case 5:
		is = parity
	case 6:
		is = sign != overflow
	case 7:
		is = zero || sign != overflow
	}
	return is != (condition&1 == 1)
}
