package stopped

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"runtime"
	"slices"
)

// Numbers of registers of x86-64, as call frame information has them (System V ABI of
// x86-64, figure 3.36). X86PC stands for the return address.
const (
	RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP = 0, 1, 2, 3, 4, 5, 6, 7
	R8, R9, R10, R11, R12, R13, R14, R15   = 8, 9, 10, 11, 12, 13, 14, 15
	X86PC                                  = 16
)

// Numbers of registers of AArch64 (DWARF for the Arm 64-bit Architecture, section 4.1);
// x0 to x30 are 0 to 30.
const (
	ArmFP, ArmLR, ArmSP, ArmPC = 29, 30, 31, 32
	Count                      = 33 // of registers, of any machine
)

// Machine is a kind of processor, as call frame information and the kernel have it.
type Machine struct {
	ELF elf.Machine
	// SP, FP and PC are the numbers of the stack pointer, the frame pointer, and where the
	// processor is.
	SP, FP, PC int
	// Link has the return address when a function begins; that of PC where it is on the stack.
	Link int
	// keeps are the registers that a function gives back as they were, besides SP.
	keeps []int
	// user is the order of the registers in the kernel's struct; -1: of no interest.
	user []int
	// call is where the number of the system call is in it, -1: in a set of its own.
	call int
	// arguments are where a system call finds its arguments.
	arguments [6]int
	// idle are the system calls that yield, sleep, poll, or wait for another process.
	idle []int
}

// X86 is x86-64, with registers as in struct user_regs_struct.
var X86 = &Machine{
	ELF: elf.EM_X86_64, SP: RSP, FP: RBP, PC: X86PC, Link: X86PC,
	keeps: []int{RBX, RBP, R12, R13, R14, R15},
	user: []int{R15, R14, R13, R12, RBP, RBX, R11, R10, R9, R8, RAX, RCX, RDX, RSI, RDI, -1, X86PC, -1, -1, RSP,
		-1, -1, -1, -1, -1, -1, -1},
	call:      15,
	arguments: [6]int{RDI, RSI, RDX, R10, R8, R9},
	idle:      []int{7, 23, 24, 35, 61, 230, 232, 247, 270, 271, 281, 441},
}

// Arm is AArch64, with registers as in struct user_pt_regs: x0 to x30, SP, PC and the flags.
var Arm = &Machine{
	ELF: elf.EM_AARCH64, SP: ArmSP, FP: ArmFP, PC: ArmPC, Link: ArmLR,
	keeps:     span(19, ArmFP),
	user:      append(span(0, ArmPC), -1),
	call:      -1,
	arguments: [6]int{0, 1, 2, 3, 4, 5},
	// epoll_pwait, pselect6, ppoll, waitid, nanosleep, clock_nanosleep, sched_yield, wait4, epoll_pwait2
	idle: []int{22, 72, 73, 95, 101, 115, 124, 260, 441},
}

func span(first, last int) (out []int) {
	for n := first; n <= last; n++ {
		out = append(out, n)
	}
	return out
}

// machines are those whose processes can be read, by the names that Go has for them.
var machines = map[string]*Machine{"amd64": X86, "arm64": Arm}

// Native is the machine that this program runs on, nil if it is none of those.
func Native() *Machine { return machines[runtime.GOARCH] }

// machineOf returns the machine of an ELF file, nil if it is none of those.
func machineOf(kind elf.Machine) *Machine {
	for _, m := range machines {
		if m.ELF == kind {
			return m
		}
	}
	return nil
}

// Keeps tells whether a function gives a register back as it was.
func (m *Machine) Keeps(register int) bool {
	return register == m.SP || slices.Contains(m.keeps, register)
}

// Idle tells whether a system call yields, sleeps, polls, or waits for another process.
func (m *Machine) Idle(call int) bool { return slices.Contains(m.idle, call) }

// size is that of the kernel's struct in bytes.
func (m *Machine) size() int { return 8 * len(m.user) }

// thread reads the kernel's struct, of which b has the size.
func (m *Machine) thread(tid int, b []byte) Thread {
	le := binary.LittleEndian
	t := Thread{TID: tid, SystemCall: -1, Held: true}
	for i, register := range m.user {
		if register >= 0 {
			t.Registers.Set(register, le.Uint64(b[8*i:]))
		}
	}
	if m.call >= 0 {
		t.SystemCall = numberOfCall(int64(le.Uint64(b[8*m.call:])))
	}
	return t
}

// service is the instruction of AArch64 by which a system is called.
const service = 0xd4000001

// called finds the number of the system call that a thread of AArch64 is in, which the kernel forgets where it stops
// one: the instruction is behind the thread, or before it if the call is to be begun again, and x8 has the number.
func (m *Machine) called(t *Thread, memory io.ReaderAt) {
	pc, _ := t.Registers.Get(m.PC)
	var code [8]byte
	if _, err := memory.ReadAt(code[:], int64(pc-4)); m != Arm || t.SystemCall >= 0 || err != nil {
		return
	}
	le := binary.LittleEndian
	if x8, ok := t.Registers.Get(8); ok && (le.Uint32(code[:]) == service || le.Uint32(code[4:]) == service) {
		t.SystemCall = numberOfCall(int64(x8))
	}
}

// numberOfCall is that of a system call, -1 of what cannot be one.
func numberOfCall(n int64) int {
	if n < 0 || n >= 1<<16 {
		return -1
	}
	return int(n)
}
