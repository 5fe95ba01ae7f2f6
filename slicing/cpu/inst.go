package cpu

// Mem is a memory operand: Base + Index*Scale + Disp; Scale 0 is a factor that is not
// known. An operand relative to
// the instruction pointer has no Base, and the address in Disp.
type Mem struct {
	Base, Index Reg
	Scale       int64
	Disp        int64
	Size        int  // bytes, 0 unknown
	Thread      bool // relative to the thread's block
	Signed      bool // what is read there, or the index, keeps its sign when it is widened
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
	Halt // it does not go on
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
	LeaveMove      // the stack pointer = Dst + 8; Dst, the frame pointer, = [Dst]
	AddLoad        // Dst = Dst + [Load]
	JoinHigh       // the upper eight bytes of Dst, a vector, = those of Src, the lower ones if that is one, or [Load]
)

// Inst is one instruction, or a part of one that does several things; the parts
// share the bytes of the instruction. There are many: the order of the fields leaves no gaps.
type Inst struct {
	Addr   uint64
	Target uint64 // of a direct jump, branch or call
	Len    int
	Imm    int64
	Bound  int64 // of a comparison with a constant: the constant
	// SP is what is added to the stack pointer by push, pop, call and return.
	SP          int64
	Load, Store *Mem // nil none
	Load2       *Mem // of string instructions that read twice
	Address     *Mem // of lea, which computes an address and reads nothing there
	// Def and Use are the registers written and read, without the stack
	// pointer and without those in memory operands.
	Def, Use RegSet
	// Kills is Def without the registers that keep a part of their value.
	Kills    RegSet
	Kind     Kind
	Indirect bool // the target comes from a register or memory
	Move     Move
	Dst, Src Reg
	// Unfixed: the stack pointer changes by what neither Move nor SP says.
	Unfixed bool
	Opaque  bool // it may do more than is said here
}

// End is the address behind the instruction.
func (i *Inst) End() uint64 { return i.Addr + uint64(i.Len) }

// FallsThrough reports whether control may reach the next instruction without a jump.
func (i *Inst) FallsThrough() bool { return i.Kind == Next || i.Kind == Branch || i.Kind == Call }

// Regs returns the registers in a memory operand.
func (m *Mem) Regs() RegSet {
	if m == nil {
		return RegSet{}
	}
	return Set(m.Base, m.Index)
}
