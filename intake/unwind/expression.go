package unwind

import (
	"encoding/binary"
	"io"

	"laggard/intake/stopped"
)

// Operations of DWARF expressions (DWARF 5, section 7.7.1): those that occur in call
// frame information, and in the places of variables.
const (
	exprAddr      = 0x03
	exprDeref     = 0x06
	exprConst1u   = 0x08
	exprConst1s   = 0x09
	exprConst2u   = 0x0a
	exprConst2s   = 0x0b
	exprConst4u   = 0x0c
	exprConst4s   = 0x0d
	exprConst8u   = 0x0e
	exprConst8s   = 0x0f
	exprConstu    = 0x10
	exprConsts    = 0x11
	exprDup       = 0x12
	exprAbs       = 0x19
	exprAnd       = 0x1a
	exprDiv       = 0x1b
	exprMinus     = 0x1c
	exprMod       = 0x1d
	exprMul       = 0x1e
	exprNeg       = 0x1f
	exprNot       = 0x20
	exprOr        = 0x21
	exprPlus      = 0x22
	exprPlusConst = 0x23
	exprShl       = 0x24
	exprShr       = 0x25
	exprShra      = 0x26
	exprXor       = 0x27
	exprEq        = 0x29
	exprGe        = 0x2a
	exprGt        = 0x2b
	exprLe        = 0x2c
	exprLt        = 0x2d
	exprNe        = 0x2e
	exprLit0      = 0x30
	exprLit31     = 0x4f
	exprReg0      = 0x50
	exprReg31     = 0x6f
	exprBreg0     = 0x70
	exprBreg31    = 0x8f
	exprFbreg     = 0x91
	exprDerefSize = 0x94
	exprCFA       = 0x9c
	exprImplicit  = 0x9e
	exprValue     = 0x9f
)

const (
	maxStack = 32   // values of an expression
	maxSteps = 1024 // operations
)

// evaluate runs an expression on a stack that has some values already.
func evaluate(expr []byte, regs *stopped.Registers, mem io.ReaderAt, stack ...uint64) (uint64, bool) {
	e := evaluation{cursor: cursor{b: expr}, regs: regs, mem: mem, stack: stack}
	return e.run()
}

// evaluation is of one expression.
type evaluation struct {
	cursor
	regs  *stopped.Registers
	mem   io.ReaderAt
	stack []uint64
	scope *Scope // nil: of call frame information
	value bool   // what it gives is the value, not the address
}

func (e *evaluation) run() (uint64, bool) {
	for steps := 0; e.left() > 0; steps++ {
		if steps == maxSteps || len(e.stack) > maxStack || e.value || !e.step(byte(e.fixed(1))) {
			return 0, false
		}
	}
	if len(e.stack) == 0 || e.bad {
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
	case op == exprAddr:
		return e.push(e.fixed(8)+e.scope.bias(), true)
	case op >= exprBreg0 && op <= exprBreg31:
		v, ok := e.regs.Get(int(op - exprBreg0))
		return e.push(v+uint64(e.sleb()), ok)
	case op >= exprLit0 && op <= exprLit31:
		return e.push(uint64(op-exprLit0), true)
	case op == exprFbreg || op == exprCFA:
		return e.ofFrame(op)
	case constant(op, &e.cursor, func(v uint64) { e.push(v, true) }):
		return true
	}
	n := len(e.stack)
	switch {
	case n == 0:
		return false
	case op == exprDup:
		return e.push(e.stack[n-1], true)
	case op == exprValue:
		e.value = true
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

// unary runs the operations on the topmost value; unary is false if op is none of them.
func (e *evaluation) unary(op byte, top uint64) (v uint64, ok, unary bool) {
	switch op {
	case exprPlusConst:
		return top + e.uleb(), true, true
	case exprNeg:
		return -top, true, true
	case exprNot:
		return ^top, true, true
	case exprAbs:
		if int64(top) < 0 {
			top = -top
		}
		return top, true, true
	case exprDeref:
		v, ok = word(e.mem, top)
		return v, ok, true
	case exprDerefSize:
		var b [8]byte
		n := e.fixed(1)
		if n == 0 || n > 8 {
			return 0, false, true
		}
		_, err := e.mem.ReadAt(b[:n], int64(top))
		return binary.LittleEndian.Uint64(b[:]), err == nil, true
	}
	return 0, false, false
}

// constant runs the operations that push a number.
func constant(op byte, c *cursor, push func(uint64)) bool {
	switch op {
	case exprConst8u, exprConst8s:
		push(c.fixed(8))
	case exprConst1u:
		push(c.fixed(1))
	case exprConst1s:
		push(uint64(c.signed(1)))
	case exprConst2u:
		push(c.fixed(2))
	case exprConst2s:
		push(uint64(c.signed(2)))
	case exprConst4u:
		push(c.fixed(4))
	case exprConst4s:
		push(uint64(c.signed(4)))
	case exprConstu:
		push(c.uleb())
	case exprConsts:
		push(uint64(c.sleb()))
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
	case exprAnd:
		return a & b, true
	case exprOr:
		return a | b, true
	case exprPlus:
		return a + b, true
	case exprMinus:
		return a - b, true
	case exprMul:
		return a * b, true
	case exprShl:
		return a << b, true
	case exprShr:
		return a >> b, true
	case exprShra:
		return uint64(int64(a) >> min(b, 63)), true
	case exprXor:
		return a ^ b, true
	case exprDiv:
		if b == 0 || int64(b) == -1 {
			return -a, b != 0
		}
		return uint64(int64(a) / int64(b)), true
	case exprMod:
		if b == 0 {
			return 0, false
		}
		return a % b, true
	case exprEq:
		return is(a == b)
	case exprNe:
		return is(a != b)
	case exprGe:
		return is(int64(a) >= int64(b))
	case exprGt:
		return is(int64(a) > int64(b))
	case exprLe:
		return is(int64(a) <= int64(b))
	case exprLt:
		return is(int64(a) < int64(b))
	}
	return 0, false
}

// word reads eight bytes of memory.
func word(mem io.ReaderAt, at uint64) (uint64, bool) {
	var b [8]byte
	if _, err := mem.ReadAt(b[:], int64(at)); err != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b[:]), true
}
