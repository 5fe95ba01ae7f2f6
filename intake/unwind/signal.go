package unwind

import (
	"encoding/binary"
	"io"

	"laggard/binary/expression"
	"laggard/binary/processor"
)

// trampoline is what a signal handler of AArch64 returns to: mov x8, #139; svc #0. Since
// Linux 5.8 there is no unwinding information for it.
const trampoline = 0xd4000001d2801168

// Where the kernel puts the registers of the interrupted code, from the stack pointer on: the
// struct rt_sigframe of AArch64 has siginfo_t, and in the ucontext behind it the sigcontext,
// which begins with the address of a fault.
const interruptedAt = 128 + 176 + 8

// interrupted reports whether a frame is that of the return from a signal handler.
func (p *Process) interrupted(f *Frame, mem io.ReaderAt) bool {
	if p.image.Machine != processor.Arm || f.Module != nil && f.Module.Path != "[vdso]" {
		return false
	}
	code, ok := expression.Word(mem, f.pc)
	return ok && code == trampoline
}

// bySignal restores the registers of the code that a signal interrupted: all of them.
func (p *Process) bySignal(f *Frame, mem io.ReaderAt) (Frame, error) {
	m := p.image.Machine
	sp, ok := f.Registers.Get(m.SP)
	if !ok {
		return Frame{}, errRegister
	}
	b := make([]byte, 8*(m.PC+1)) // x0 to x30, SP and PC, in the order of their numbers
	if _, err := mem.ReadAt(b, int64(sp+interruptedAt)); err != nil {
		return Frame{}, errLost
	}
	next := Frame{Exact: true}
	for reg := range m.PC + 1 {
		next.Registers.Set(reg, binary.LittleEndian.Uint64(b[8*reg:]))
	}
	if next.pc, _ = next.Registers.Get(m.PC); next.pc == 0 {
		return Frame{}, errLast
	}
	return next, nil
}
