package x86

import "math/bits"

// Reg is a place inside the processor. The general registers keep their numbers
// from the encoding; their parts are not told apart.
type Reg int8

// The registers. A vector register stands for its 128, 256 and 512 bit forms;
// FPU for the whole x87 and MMX state, Flags for all flags.
const (
	RAX Reg = iota
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
	X0       // the first of 32 vector registers
	None Reg = -1
)

// General is the number of general registers.
const General = 16

// Registers is the number of registers.
const Registers = int(X0) + 32

// RegSet is a set of registers.
type RegSet uint64

// Set returns the set of regs.
func Set(regs ...Reg) RegSet {
	var s RegSet
	for _, r := range regs {
		s.add(r)
	}
	return s
}

func (s *RegSet) add(r Reg) {
	if r != None {
		*s |= 1 << uint(r)
	}
}

// Has tells whether r is in the set.
func (s RegSet) Has(r Reg) bool { return r != None && s>>uint(r)&1 != 0 }

// Each calls f with the registers of the set, in order.
func (s RegSet) Each(f func(Reg)) {
	for ; s != 0; s &= s - 1 {
		f(Reg(bits.TrailingZeros64(uint64(s))))
	}
}

// Mem is a memory operand: Base + Index*Scale + Disp. An operand relative to
// the instruction pointer has no Base, and the address in Disp.
type Mem struct {
	Base, Index Reg
	Scale       int64
	Disp        int64
	Size        int  // bytes, 0 unknown
	Thread      bool // relative to the thread's block (fs, gs)
}

// Kind says where control goes after an instruction.
type Kind uint8

// The kinds. Bad: the bytes are no instruction that is known.
const (
	Next Kind = iota
	Jump
	Branch // a conditional jump
	Call
	Return
	Halt // it does not go on: ud2, hlt
	Bad
)

// Move says which value an instruction moves, if it is a simple one.
type Move uint8

// The moves. Dst, Src and Imm of the Inst belong to them.
const (
	NoMove    Move = iota
	Copy           // Dst = Src
	SetImm         // Dst = Imm
	AddImm         // Dst = Src + Imm
	Lea            // Dst = the address that Address says
	LoadReg        // Dst = [Load]
	StoreReg       // [Store] = Src
	StoreImm       // [Store] = Imm
	AddReg         // Dst = Dst + Src
	AndImm         // Dst = Src & Imm, which for the stack pointer aligns it
	PushReg        // StoreReg, and the stack pointer moves
	PopReg         // LoadReg, and the stack pointer moves
	LeaveMove      // rsp = rbp + 8; Dst, which is rbp, = [rbp]
	AddLoad        // Dst = Dst + [Load]
)

// Inst is one instruction.
type Inst struct {
	Addr     uint64
	Len      int
	Kind     Kind
	Target   uint64 // of a direct jump, branch or call
	Indirect bool   // the target comes from a register or memory
	// Def and Use are the registers written and read, without the stack
	// pointer and without those in memory operands.
	Def, Use RegSet
	// Kills is Def without the registers that keep a part of their value.
	Kills       RegSet
	Load, Store *Mem // nil none
	Load2       *Mem // of string instructions that read twice
	Address     *Mem // of lea, which computes an address and reads nothing there
	Move        Move
	Dst, Src    Reg
	Imm         int64
	Bound       int64 // of a comparison with a constant: the constant
	// SP is what is added to the stack pointer by push, pop, call and return.
	SP     int64
	Opaque bool // it may do more than is said here
}

// End is the address behind the instruction.
func (i *Inst) End() uint64 { return i.Addr + uint64(i.Len) }

// Falls tells whether control may reach the next instruction without a jump.
func (i *Inst) Falls() bool { return i.Kind == Next || i.Kind == Branch || i.Kind == Call }

// Regs returns the registers in a memory operand, without the stack pointer.
func (m *Mem) Regs() RegSet {
	if m == nil {
		return 0
	}
	return Set(m.Base, m.Index) &^ Set(RSP)
}
