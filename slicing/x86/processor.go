package x86

import (
	"slices"

	"laggard/binary/processor"
	"laggard/slicing/cpu"
)

// The registers. The general ones keep their numbers from the encoding. A vector
// register stands for its 128, 256 and 512 bit forms; FPU for the whole x87 and MMX
// state, Flags for all flags.
const (
	RAX cpu.Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	Flags
	FPU
	Mask
	X0 // the first of the vector registers
)

// General is the number of general registers, and Registers that of all.
const (
	General   = 16
	vectors   = 32
	Registers = int(X0) + vectors
)

// args are the registers of the first arguments (System V ABI, section 3.2.3).
var args = []cpu.Reg{RDI, RSI, RDX, RCX, R8, R9}

// Architecture is x86-64 with the calling convention of System V.
var Architecture = &cpu.Architecture{
	Decode: func(out []cpu.Inst, code []byte, addr uint64) []cpu.Inst {
		return append(out, Decode(code, addr))
	},
	Kind:     processor.X86,
	General:  General,
	SP:       RSP,
	FP:       RBP,
	Flags:    Flags,
	Vector:   X0,
	Args:     args,
	Floats:   cpu.Set(X0, X0+1),
	Result:   RAX,
	Single:   cpu.Set(RAX, X0),
	Results:  cpu.Set(RAX, RDX, X0, X0+1, FPU),
	Selector: RDX,
	CallerSaved: cpu.Set(RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11, Flags, FPU, Mask).
		Or(cpu.Range(X0, vectors)),
	Passes: cpu.Set(slices.Concat(args, []cpu.Reg{R10, RBX, RBP, R12, R13, R14, R15})...).
		Or(cpu.Range(X0, vectors)),
	ReturnAddress: 8,
	DWARF: []int{
		RAX: 0, RDX: 1, RCX: 2, RBX: 3, RSI: 4, RDI: 5, RBP: 6, RSP: 7,
		R8: 8, R9: 9, R10: 10, R11: 11, R12: 12, R13: 13, R14: 14, R15: 15,
	},
}
