package unwind

import (
	"encoding/binary"
	"io"
)

// Scope is what the places of variables are told from, in one frame.
type Scope struct {
	Frame  *Frame
	Caller *Frame // the frame that called it; nil: it is not known
	Memory io.ReaderAt
	Base   []byte // an expression for the frame base of the function; empty: it has none
}

// bias is added to an address of the file.
func (s *Scope) bias() uint64 {
	if s == nil || s.Frame.Module == nil {
		return 0
	}
	return s.Frame.Module.Bias
}

// Datum is where a variable is, or, if it is nowhere, what its value is.
type Datum struct {
	Address uint64
	Value   []byte // nil: it is in memory
}

// Find evaluates a location expression (DWARF 5, section 2.6). A variable that is in several
// parts is not known, nor one that is what a register was when the function was called.
func (s *Scope) Find(expr []byte) (Datum, bool) {
	if len(expr) == 0 {
		return Datum{}, false
	}
	c := cursor{b: expr[1:]}
	switch op := expr[0]; {
	case op >= exprReg0 && op <= exprReg31 && len(expr) == 1:
		v, ok := s.Frame.Registers.Get(int(op - exprReg0))
		return Datum{Value: bytesOf(v)}, ok
	case op == exprImplicit:
		b := c.take(c.uleb())
		return Datum{Value: b}, !c.bad && c.left() == 0
	}
	e := evaluation{cursor: cursor{b: expr}, regs: &s.Frame.Registers, mem: s.Memory, scope: s}
	v, ok := e.run()
	if e.value {
		return Datum{Value: bytesOf(v)}, ok
	}
	return Datum{Address: v}, ok
}

// word64 is the size of a register in bytes.
const word64 = 8

func bytesOf(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// ofFrame pushes what is told from the frame.
func (e *evaluation) ofFrame(op byte) bool {
	switch {
	case e.scope == nil:
		return false
	case op == exprCFA && e.scope.Caller == nil:
		return false
	case op == exprCFA: // the stack pointer before the call
		v, ok := e.scope.Caller.SP()
		return e.push(v, ok)
	}
	base := *e.scope
	base.Base = nil // which cannot be told from itself
	d, ok := base.Find(e.scope.Base)
	if len(d.Value) == word64 { // it is in a register
		d.Address = binary.LittleEndian.Uint64(d.Value)
	}
	return e.push(d.Address+uint64(e.sleb()), ok)
}
