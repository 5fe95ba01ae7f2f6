package expression

import (
	"encoding/binary"
	"io"

	"laggard/binary/cursor"
	"laggard/binary/processor"
)

// Operations of DWARF expressions (DWARF 5, section 7.7.1): those that occur in call
// frame information, and in the locations of variables. Lit, Reg and Breg have 32 forms each.
const (
	Addr      = 0x03
	Deref     = 0x06
	Const1u   = 0x08
	Const1s   = 0x09
	Const2u   = 0x0a
	Const2s   = 0x0b
	Const4u   = 0x0c
	Const4s   = 0x0d
	Const8u   = 0x0e
	Const8s   = 0x0f
	Constu    = 0x10
	Consts    = 0x11
	Dup       = 0x12
	Abs       = 0x19
	And       = 0x1a
	Div       = 0x1b
	Minus     = 0x1c
	Mod       = 0x1d
	Mul       = 0x1e
	Neg       = 0x1f
	Not       = 0x20
	Or        = 0x21
	Plus      = 0x22
	PlusConst = 0x23
	Shl       = 0x24
	Shr       = 0x25
	Shra      = 0x26
	Xor       = 0x27
	Eq        = 0x29
	Ge        = 0x2a
	Gt        = 0x2b
	Le        = 0x2c
	Lt        = 0x2d
	Ne        = 0x2e
	Lit0      = 0x30
	Lit31     = 0x4f
	Reg0      = 0x50
	Reg31     = 0x6f
	Breg0     = 0x70
	Breg31    = 0x8f
	Fbreg     = 0x91
	Piece     = 0x93
	DerefSize = 0x94
	CFA       = 0x9c
	Implicit  = 0x9e
	Value     = 0x9f
	Addrx     = 0xa1
)

const (
	maxStack = 32   // values of an expression
	maxSteps = 1024 // operations
)

// Scope is what an expression is evaluated in: a frame of a stopped thread.
type Scope struct {
	Registers *processor.Registers
	Memory    io.ReaderAt
	Bias      uint64 // added to an address of the file
	// CFA is the canonical frame address, the stack pointer before the call, where HasCFA.
	CFA    uint64
	HasCFA bool
	Base   []byte // an expression for the frame base of the function; empty: it has none
}

// Datum is where a variable is or, if it has no address, its value.
type Datum struct {
	Address uint64
	Value   []byte // nil: it is in memory
}

// Evaluate runs an expression on a stack that has some values already. It returns the topmost value;
// false: the expression is malformed, or needs what is not known.
func (s *Scope) Evaluate(expr []byte, stack ...uint64) (uint64, bool) {
	e := s.evaluation(expr, stack)
	return e.run()
}

// Locate evaluates a location expression (DWARF 5, section 2.6). It returns false for a variable in several
// pieces, and for one that is what a register was at the entry of the function.
func (s *Scope) Locate(expr []byte) (Datum, bool) {
	if len(expr) == 0 {
		return Datum{}, false
	}
	c := cursor.Cursor{Bytes: expr[1:]}
	switch op := expr[0]; {
	case op >= Reg0 && op <= Reg31 && len(expr) == 1:
		v, ok := s.Registers.Get(int(op - Reg0))
		return Datum{Value: bytesOf(v)}, ok
	case op == Implicit:
		b := c.Take(c.ULEB())
		return Datum{Value: b}, !c.Bad && c.Left() == 0
	}
	e := s.evaluation(expr, nil)
	v, ok := e.run()
	if e.isValue {
		return Datum{Value: bytesOf(v)}, ok
	}
	return Datum{Address: v}, ok
}

// registerSize is the size of a register in bytes.
const registerSize = 8

func bytesOf(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// evaluation is of one expression.
type evaluation struct {
	cursor.Cursor
	scope   *Scope
	stack   []uint64
	isValue bool // the result is the value of the variable, not its address
}

func (s *Scope) evaluation(expr []byte, stack []uint64) evaluation {
	return evaluation{Cursor: cursor.Cursor{Bytes: expr}, scope: s, stack: stack}
}

func (e *evaluation) run() (uint64, bool) {
	for steps := 0; e.Left() > 0; steps++ {
		if steps == maxSteps || len(e.stack) > maxStack || e.isValue || !e.step(e.U8()) {
			return 0, false
		}
	}
	if len(e.stack) == 0 || e.Bad {
		return 0, false
	}
	return e.stack[len(e.stack)-1], true
}

func (e *evaluation) push(v uint64, ok bool) bool {
	e.stack = append(e.stack, v)
	return ok
}

func (e *evaluation) step(op byte) bool {
	switch {
	case op == Addr:
		return e.push(e.Fixed(8)+e.scope.Bias, true)
	case op >= Breg0 && op <= Breg31:
		v, ok := e.scope.Registers.Get(int(op - Breg0))
		return e.push(v+uint64(e.SLEB()), ok)
	case op >= Lit0 && op <= Lit31:
		return e.push(uint64(op-Lit0), true)
	case op == Fbreg || op == CFA:
		return e.pushFrame(op)
	case pushConstant(op, &e.Cursor, func(v uint64) { e.push(v, true) }):
		return true
	}
	n := len(e.stack)
	switch {
	case n == 0:
		return false
	case op == Dup:
		return e.push(e.stack[n-1], true)
	case op == Value:
		e.isValue = true
		return true
	}
	top, ok, unary := e.unary(op, e.stack[n-1])
	if unary {
		e.stack[n-1] = top
		return ok
	}
	if n < 2 {
		return false
	}
	e.stack[n-2], ok = binaryOp(op, e.stack[n-2], e.stack[n-1])
	e.stack = e.stack[:n-1]
	return ok
}

// pushFrame pushes an address in the frame.
func (e *evaluation) pushFrame(op byte) bool {
	if op == CFA {
		return e.push(e.scope.CFA, e.scope.HasCFA)
	}
	base := *e.scope
	base.Base = nil // a frame base cannot be computed from itself
	d, ok := base.Locate(e.scope.Base)
	if len(d.Value) == registerSize { // the register holds the address
		d.Address = binary.LittleEndian.Uint64(d.Value)
	}
	return e.push(d.Address+uint64(e.SLEB()), ok)
}

// unary runs the operations on the topmost value; unary is false if op is not among them.
func (e *evaluation) unary(op byte, top uint64) (v uint64, ok, unary bool) {
	switch op {
	case PlusConst:
		return top + e.ULEB(), true, true
	case Neg:
		return -top, true, true
	case Not:
		return ^top, true, true
	case Abs:
		if int64(top) < 0 {
			top = -top
		}
		return top, true, true
	case Deref:
		v, ok = Word(e.scope.Memory, top)
		return v, ok, true
	case DerefSize:
		var b [8]byte
		n := e.Fixed(1)
		if n == 0 || n > 8 {
			return 0, false, true
		}
		_, err := e.scope.Memory.ReadAt(b[:n], int64(top))
		return binary.LittleEndian.Uint64(b[:]), err == nil, true
	}
	return 0, false, false
}

// pushConstant runs the operations that push a number.
func pushConstant(op byte, c *cursor.Cursor, push func(uint64)) bool {
	switch op {
	case Const8u, Const8s:
		push(c.Fixed(8))
	case Const1u:
		push(c.Fixed(1))
	case Const1s:
		push(uint64(c.Signed(1)))
	case Const2u:
		push(c.Fixed(2))
	case Const2s:
		push(uint64(c.Signed(2)))
	case Const4u:
		push(c.Fixed(4))
	case Const4s:
		push(uint64(c.Signed(4)))
	case Constu:
		push(c.ULEB())
	case Consts:
		push(uint64(c.SLEB()))
	default:
		return false
	}
	return true
}

func binaryOp(op byte, a, b uint64) (uint64, bool) {
	is := func(v bool) (uint64, bool) {
		if v {
			return 1, true
		}
		return 0, true
	}
	switch op {
	case And:
		return a & b, true
	case Or:
		return a | b, true
	case Plus:
		return a + b, true
	case Minus:
		return a - b, true
	case Mul:
		return a * b, true
	case Shl:
		return a << b, true
	case Shr:
		return a >> b, true
	case Shra:
		return uint64(int64(a) >> min(b, 63)), true
	case Xor:
		return a ^ b, true
	case Div:
		if b == 0 || int64(b) == -1 {
			return -a, b != 0
		}
		return uint64(int64(a) / int64(b)), true
	case Mod:
		if b == 0 {
			return 0, false
		}
		return a % b, true
	case Eq:
		return is(a == b)
	case Ne:
		return is(a != b)
	case Ge:
		return is(int64(a) >= int64(b))
	case Gt:
		return is(int64(a) > int64(b))
	case Le:
		return is(int64(a) <= int64(b))
	case Lt:
		return is(int64(a) < int64(b))
	}
	return 0, false
}

// Word reads eight bytes of memory, little-endian.
func Word(mem io.ReaderAt, at uint64) (uint64, bool) {
	var b [8]byte
	if _, err := mem.ReadAt(b[:], int64(at)); err != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b[:]), true
}
