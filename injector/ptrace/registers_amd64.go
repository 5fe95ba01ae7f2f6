package ptrace

import (
	"encoding/binary"

	"laggard/binary/processor"

	"golang.org/x/sys/unix"
)

var native = x86

// inRegisters is how many arguments a function is given in registers; the others are on the
// stack, behind the return address of onStack bytes (System V ABI for AMD64, 3.2.3).
const (
	inRegisters = 6
	onStack     = 8
)

// Registers are a thread's general registers.
type Registers struct{ unix.PtraceRegs }

func (r *Registers) read(tid int) error  { return unix.PtraceGetRegs(tid, &r.PtraceRegs) }
func (r *Registers) write(tid int) error { return unix.PtraceSetRegs(tid, &r.PtraceRegs) }

// PC is where the thread is.
func (r *Registers) PC() uint64 { return r.Rip }

// SetPC says where it goes on.
func (r *Registers) SetPC(to uint64) { r.Rip = to }

// SP is the stack pointer.
func (r *Registers) SP() uint64 { return r.Rsp }

// SetSP changes the stack pointer.
func (r *Registers) SetSP(to uint64) { r.Rsp = to }

func (r *Registers) result() uint64         { return r.Rax }
func (r *Registers) setResult(value uint64) { r.Rax = value }

func (r *Registers) argumentRegister(i int) *uint64 {
	return []*uint64{&r.Rdi, &r.Rsi, &r.Rdx, &r.Rcx, &r.R8, &r.R9}[i]
}

// setSystemCall sets the registers for a system call, and that none is to be begun again.
func (r *Registers) setSystemCall(number uint64, arguments []uint64) {
	r.Rax, r.Orig_rax = number, ^uint64(0)
	for i, a := range arguments {
		*[]*uint64{&r.Rdi, &r.Rsi, &r.Rdx, &r.R10, &r.R8, &r.R9}[i] = a
	}
}

// prepareFault: hlt needs nothing. It is one byte: other threads that have just gone over the
// breakpoint find their code behind it as it was.
func (r *Registers) prepareFault() {}

// decodeJump tells where a conditional jump leads, what is behind it, and whether it would be taken.
func (r *Registers) decodeJump(code []byte, at uint64) (target, next uint64, would, ok bool) {
	s, err := measureInstruction(code)
	if err != nil {
		return 0, 0, false, false
	}
	condition, ok := s.conditionCode(code)
	if !ok {
		return 0, 0, false, false
	}
	next = at + uint64(s.size)
	return next + s.relativeOffset(code), next, processor.X86Holds(condition, r.Eflags), true
}

// returnAddress is the return address at the entry of a function.
func (p *Process) returnAddress(r *Registers) (uint64, error) { return p.readWord(r.Rsp) }

func (p *Process) setReturn(r *Registers, to uint64) error {
	return p.Write(r.Rsp, binary.LittleEndian.AppendUint64(nil, to))
}

// fakeCall makes the instruction that the thread stands at a call: the return address is inside
// it. A called function may take the low byte for the number of vector arguments.
func (t *Thread) fakeCall(r *Registers) error {
	r.Rsp -= 8
	r.Rax = 0
	return t.process.setReturn(r, r.Rip+1)
}

// MakeRoom readies the stack for a call of any function in the middle of another one: it is
// expected 8 bytes off a multiple of 16, and the 128 bytes below may be in use.
func (t *Thread) MakeRoom() error {
	r, err := t.Registers()
	if err != nil {
		return err
	}
	r.Rsp = (r.Rsp - 128) &^ 15
	return t.SetRegisters(r)
}
