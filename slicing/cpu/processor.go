package cpu

import (
	"slices"

	"laggard/binary/processor"
)

// Architecture is a kind of processor as the slicer sees it, and how functions call each other on it.
type Architecture struct {
	// Decode appends what the instruction at the beginning of code does to out: one Inst,
	// or several that follow each other. There is one for any bytes, also for none.
	Decode func(out []Inst, code []byte, addr uint64) []Inst
	Kind   *processor.Processor
	// General is how many registers hold addresses and integers: those below this number.
	General Reg
	SP, FP  Reg // the stack pointer and the frame pointer
	Flags   Reg // all flags
	Vector  Reg // the first of the vector registers, which have the last numbers
	// Args pass integers and addresses, in order. What comes after them is on the stack.
	Args []Reg
	// Floats are the first two registers that pass floating-point numbers.
	Floats RegSet
	// Result has what a function returns that is an integer or an address; Single are it
	// and the register of a floating-point number; Results are all that returns anything.
	Result          Reg
	Single, Results RegSet
	// Selector has, where an exception is handled, which handler is meant; Result has the
	// exception.
	Selector Reg
	// CallerSaved are the registers that a call may change.
	CallerSaved RegSet
	// Passes are the registers that a function may find something of its caller in: what
	// arguments come in, and what a call keeps.
	Passes RegSet
	// ReturnAddress is how many bytes a call puts on the stack.
	ReturnAddress int64
	// DWARF are the numbers that the debug information has for the general registers.
	DWARF []int
}

// IsGeneral reports whether a register is a general one.
func (p *Architecture) IsGeneral(r Reg) bool { return r >= 0 && r < p.General }

// RegByDWARF returns the general register that has a number in the debug information; false: it is another
// one, as of vectors, in which compilers keep pointers, too.
func (p *Architecture) RegByDWARF(number int) (Reg, bool) {
	i := slices.Index(p.DWARF, number)
	return Reg(i), i >= 0
}
