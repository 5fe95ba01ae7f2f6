package processor

import (
	"debug/elf"
	"runtime"
	"slices"
)

// Numbers of registers of x86-64 in DWARF (System V ABI of x86-64, figure 3.36). X86PC stands for the
// return address.
const (
	RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP = 0, 1, 2, 3, 4, 5, 6, 7
	R8, R9, R10, R11, R12, R13, R14, R15   = 8, 9, 10, 11, 12, 13, 14, 15
	X86PC                                  = 16
)

// Numbers of registers of AArch64 in DWARF (DWARF for the Arm 64-bit Architecture, section 4.1);
// x0 to x30 are 0 to 30.
const (
	ArmFP, ArmLR, ArmSP, ArmPC = 29, 30, 31, 32
	Count                      = 33 // of registers, of any processor
)

// Processor is a kind of processor, as DWARF, the kernel and the ABI of Linux describe it.
type Processor struct {
	ELF elf.Machine
	// LongestInstruction is in bytes, and instructions begin at multiples of Alignment.
	LongestInstruction, Alignment int
	// SP, FP and PC are the numbers of the stack pointer, the frame pointer, and the program counter.
	SP, FP, PC int
	// Link is the register that holds the return address when a function begins: PC where the
	// call pushes it.
	Link int
	// saved are the registers that a function preserves for its caller, besides SP.
	saved []int
	// KernelOrder is the order of the registers in the kernel's struct user_regs_struct or
	// user_pt_regs; -1: of no interest.
	KernelOrder []int
	// SystemCall is the index of the number of the system call in KernelOrder, -1: it is in a
	// register set of its own.
	SystemCall int
	// SystemCallArguments are the registers that pass arguments to the kernel.
	SystemCallArguments [6]int
	// waiting are the system calls that yield, sleep, poll, or wait for another process.
	waiting []int
}

// X86 is x86-64, with registers as in struct user_regs_struct.
var X86 = &Processor{
	ELF: elf.EM_X86_64, LongestInstruction: 15, Alignment: 1, SP: RSP, FP: RBP, PC: X86PC, Link: X86PC,
	saved: []int{RBX, RBP, R12, R13, R14, R15},
	KernelOrder: []int{
		R15, R14, R13, R12, RBP, RBX, R11, R10, R9, R8, RAX, RCX, RDX, RSI, RDI, -1, X86PC, -1, -1, RSP,
		-1, -1, -1, -1, -1, -1, -1,
	},
	SystemCall:          15,
	SystemCallArguments: [6]int{RDI, RSI, RDX, R10, R8, R9},
	waiting:             []int{7, 23, 24, 35, 61, 230, 232, 247, 270, 271, 281, 441},
}

// Arm is AArch64, with registers as in struct user_pt_regs: x0 to x30, SP, PC and the flags.
var Arm = &Processor{
	ELF: elf.EM_AARCH64, LongestInstruction: 4, Alignment: 4, SP: ArmSP, FP: ArmFP, PC: ArmPC, Link: ArmLR,
	saved:               numbers(19, ArmFP),
	KernelOrder:         append(numbers(0, ArmPC), -1),
	SystemCall:          -1,
	SystemCallArguments: [6]int{0, 1, 2, 3, 4, 5},
	// epoll_pwait, pselect6, ppoll, waitid, nanosleep, clock_nanosleep, sched_yield, wait4, epoll_pwait2
	waiting: []int{22, 72, 73, 95, 101, 115, 124, 260, 441},
}

func numbers(first, last int) (out []int) {
	for n := first; n <= last; n++ {
		out = append(out, n)
	}
	return out
}

// byName are the processors by the names that Go has for them.
var byName = map[string]*Processor{"amd64": X86, "arm64": Arm}

// Native returns the processor that this program runs on, nil if it is none of those.
func Native() *Processor { return byName[runtime.GOARCH] }

// OfELF returns the processor of an ELF file, nil if it is none of those.
func OfELF(machine elf.Machine) *Processor {
	for _, p := range byName {
		if p.ELF == machine {
			return p
		}
	}
	return nil
}

// Preserves reports whether a function preserves a register for its caller.
func (p *Processor) Preserves(register int) bool {
	return register == p.SP || slices.Contains(p.saved, register)
}

// PassesLink reports whether a call passes the return address in a register.
func (p *Processor) PassesLink() bool { return p.Link != p.PC }

// Waits reports whether a system call, by its number, yields, sleeps, polls, or waits for another process.
func (p *Processor) Waits(call int) bool { return slices.Contains(p.waiting, call) }

// Registers are those whose value is known, by their numbers in DWARF.
type Registers struct {
	values [Count]uint64
	known  uint64
}

// Get returns the value of a register, false if it is not known.
func (r *Registers) Get(n int) (uint64, bool) {
	if n < 0 || n >= Count {
		return 0, false
	}
	return r.values[n], r.known>>n&1 != 0
}

// Set makes a value known.
func (r *Registers) Set(n int, value uint64) { r.values[n], r.known = value, r.known|1<<n }

// Forget makes a value unknown.
func (r *Registers) Forget(n int) { r.values[n], r.known = 0, r.known&^(1<<n) }
