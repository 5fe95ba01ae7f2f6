package unwind

import (
	"encoding/binary"
	"io"

	"laggard/intake/stopped"
)

// Operations of DWARF expressions that occur in call frame information (DWARF 5,
// section 7.7.1).
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
	exprAnd       = 0x1a
	exprMinus     = 0x1c
	exprMul       = 0x1e
	exprOr        = 0x21
	exprPlus      = 0x22
	exprPlusConst = 0x23
	exprShl       = 0x24
	exprEq        = 0x29
	exprGe        = 0x2a
	exprGt        = 0x2b
	exprLe        = 0x2c
	exprLt        = 0x2d
	exprNe        = 0x2e
	exprLit0      = 0x30
	exprLit31     = 0x4f
	exprBreg0     = 0x70
	exprBreg31    = 0x8f
)

const (
	maxStack = 32   // values of an expression
	maxSteps = 1024 // operations
)

// evaluate runs an expression on a stack that has some values already.
func evaluate(expr []byte, regs *stopped.Registers, mem io.ReaderAt, stack ...uint64) (uint64, bool) {
	c := cursor{b: expr}
	push := func(v uint64) { stack = append(stack, v) }
	for steps := 0; c.left() > 0; steps++ {
		if steps == maxSteps || len(stack) > maxStack {
			return 0, false
		}
		op := byte(c.fixed(1))
		switch {
		case op >= exprBreg0 && op <= exprBreg31:
			v, ok := regs.Get(int(op - exprBreg0))
			if !ok {
				return 0, false
			}
			push(v + uint64(c.sleb()))
		case op >= exprLit0 && op <= exprLit31:
			push(uint64(op - exprLit0))
		case constant(op, &c, push):
		case op == exprDup || op == exprDeref || op == exprPlusConst:
			if len(stack) == 0 {
				return 0, false
			}
			top := &stack[len(stack)-1]
			switch op {
			case exprDup:
				push(*top)
			case exprPlusConst:
				*top += c.uleb()
			default:
				v, ok := word(mem, *top)
				if !ok {
					return 0, false
				}
				*top = v
			}
		default:
			n := len(stack)
			if n < 2 {
				return 0, false
			}
			v, ok := binaryOp(op, stack[n-2], stack[n-1])
			if !ok {
				return 0, false
			}
			stack = append(stack[:n-2], v)
		}
	}
	if len(stack) == 0 || c.bad {
		return 0, false
	}
	return stack[len(stack)-1], true
}

// constant runs the operations that push a number.
func constant(op byte, c *cursor, push func(uint64)) bool {
	switch op {
	case exprAddr, exprConst8u, exprConst8s:
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
