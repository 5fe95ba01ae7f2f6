package ptrace

import (
	"encoding/binary"

	"laggard/binary/processor"

	"golang.org/x/sys/unix"
)

var native = arm

// inRegisters is how many arguments a function is given in registers; the others are on the
// stack, where a call puts no return address (AAPCS64, 6.8.2).
const (
	inRegisters = 8
	onStack     = 0
)

// Registers are a thread's general registers.
type Registers struct{ unix.PtraceRegsArm64 }

// generalSet is the number of the set of registers, NT_PRSTATUS.
const generalSet = 1

func (r *Registers) read(tid int) error {
	return unix.PtraceGetRegSetArm64(tid, generalSet, &r.PtraceRegsArm64)
}

func (r *Registers) write(tid int) error {
	return unix.PtraceSetRegSetArm64(tid, generalSet, &r.PtraceRegsArm64)
}

// PC is where the thread is.
func (r *Registers) PC() uint64 { return r.Pc }

// SetPC says where it goes on.
func (r *Registers) SetPC(to uint64) { r.Pc = to }

// SP is the stack pointer.
func (r *Registers) SP() uint64 { return r.Sp }

// SetSP changes the stack pointer.
func (r *Registers) SetSP(to uint64) { r.Sp = to }

func (r *Registers) result() uint64                 { return r.Regs[0] }
func (r *Registers) setResult(value uint64)         { r.Regs[0] = value }
func (r *Registers) argumentRegister(i int) *uint64 { return &r.Regs[i] }

// setSystemCall sets the registers for a system call.
func (r *Registers) setSystemCall(number uint64, arguments []uint64) {
	r.Regs[8] = number
	copy(r.Regs[:], arguments)
}

// prepareFault has the register zero that the instruction of a fault takes for an address.
func (r *Registers) prepareFault() { r.Regs[16] = 0 }

// decodeJump tells where a conditional jump leads, what is behind it, and whether it would be taken.
func (r *Registers) decodeJump(code []byte, at uint64) (target, next uint64, would, ok bool) {
	w := binary.LittleEndian.Uint32(code)
	b, ok := processor.DecodeArmBranch(w)
	ok = ok && b.Conditional()
	return at + uint64(b.Offset), at + 4, ok && b.Taken(w, r.Regs[:], r.Pstate>>28), ok
}

// returnAddress is the return address at the entry of a function.
func (p *Process) returnAddress(r *Registers) (uint64, error) { return r.Regs[30], nil }

func (p *Process) setReturn(r *Registers, to uint64) error {
	r.Regs[30] = to
	return nil
}

// maxPrologue is how many instructions a function may take before it saves its return
// address.
const maxPrologue = 16

// fakeCall makes an instruction of the function that the thread stands at the entry of a call.
// It goes on to where the function has saved its own return address, since a caller's
// cannot be found otherwise; a function that does not save it is left out of the stack.
func (t *Thread) fakeCall(r *Registers) error {
	for range maxPrologue {
		if b := t.process.breaks[r.Pc]; b != nil {
			if err := t.process.Remove(b); err != nil {
				return err
			}
		}
		var code [4]byte
		if err := t.process.Read(r.Pc, code[:]); err != nil {
			return err
		}
		w := binary.LittleEndian.Uint32(code[:])
		if mayBranch(w) {
			return nil
		}
		if err := t.singleStep(*r, r.Pc); err != nil {
			return err
		}
		var err error
		if *r, err = t.Registers(); err != nil {
			return err
		}
		if savesLinkRegister(w) {
			r.Regs[30] = r.Pc + 4 // behind the instruction that now comes
			return nil
		}
	}
	return nil
}

// MakeRoom readies the stack for a call of any function in the middle of another one: it is.
func (t *Thread) MakeRoom() error { return nil }
