package arm64

import (
	"laggard/binary/processor"
	"laggard/slicing/cpu"
)

// The registers. X0 to X30 keep their numbers from the encoding, where 31 is either
// the stack pointer or zero; a vector register stands for all of its forms.
const (
	X0    cpu.Reg = 0
	X8    cpu.Reg = 8
	FP    cpu.Reg = 29
	LR    cpu.Reg = 30
	SP    cpu.Reg = 31
	Flags cpu.Reg = 32
	V0    cpu.Reg = 33 // the first of the vector registers
)

// General is the number of general registers, and Registers that of all.
const (
	General   = 32
	vectors   = 32
	Registers = int(V0) + vectors
)

// dwarfNumbers are the numbers of the general registers in the debug information.
func dwarfNumbers() []int {
	out := make([]int, General)
	for r := range out {
		out[r] = r
	}
	return out
}

// Architecture is AArch64 with the calling convention AAPCS64.
var Architecture = &cpu.Architecture{
	Decode:   Decode,
	Kind:     processor.Arm,
	General:  General,
	SP:       SP,
	FP:       FP,
	Flags:    Flags,
	Vector:   V0,
	Args:     []cpu.Reg{0, 1, 2, 3, 4, 5, 6, 7},
	Floats:   cpu.Set(V0, V0+1),
	Result:   X0,
	Single:   cpu.Set(X0, V0),
	Results:  cpu.Set(X0, X0+1, V0, V0+1, V0+2, V0+3),
	Selector: X0 + 1,
	CallerSaved: cpu.Range(X0, 19).Or(cpu.Set(LR, Flags)).
		Or(cpu.Range(V0, 8)).Or(cpu.Range(V0+16, 16)),
	Passes: cpu.Range(X0, 8).Or(cpu.Set(X8, FP)).
		Or(cpu.Range(X0+19, 10)).Or(cpu.Range(V0, 16)),
	DWARF: dwarfNumbers(),
}
