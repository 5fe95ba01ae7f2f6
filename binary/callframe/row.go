package callframe

import (
	"fmt"
	"io"

	"laggard/binary/cursor"
	"laggard/binary/expression"
	"laggard/binary/processor"
)

// kind says how a register is restored.
type kind uint8

const (
	unset      kind = iota // nothing is said: it is as it was
	undefined              // it cannot be restored
	same                   // it is as it was
	atCFA                  // saved at the canonical frame address + n
	cfaPlus                // it is that address + n
	inRegister             // it is in register n
	atExpr                 // saved where the expression says
	isExpr                 // what the expression says
)

// rule restores a register, or gives the canonical frame address, which is the stack
// pointer before the call.
type rule struct {
	kind kind
	n    int64
	reg  int // for the canonical frame address with inRegister, to which n is added
	expr []byte
}

// Row holds the rules that restore the registers of the caller from those at one address.
type Row struct {
	// ReturnAddress is the register whose rule is that of the return address.
	ReturnAddress int
	// Signal: the frame is that of a signal handler's caller, whose PC is no return address.
	Signal bool
	// Signed: the return address has a signature in its upper bits (AArch64).
	Signed bool

	cfa       rule
	registers [processor.Count]rule
}

// Outermost reports whether the frame has no caller.
func (r *Row) Outermost() bool { return r.registers[r.ReturnAddress].kind == undefined }

// Keeps reports whether a register is still as the caller left it.
func (r *Row) Keeps(register int) bool {
	kind := r.registers[register].kind
	return kind == unset || kind == same
}

// CFA is the canonical frame address, the stack pointer before the call; false if it is not known.
func (r *Row) CFA(registers *processor.Registers, memory io.ReaderAt) (uint64, bool) {
	if r.cfa.kind == isExpr {
		s := expression.Scope{Registers: registers, Memory: memory}
		return s.Evaluate(r.cfa.expr)
	}
	v, ok := registers.Get(r.cfa.reg)
	return v + uint64(r.cfa.n), ok && r.cfa.kind == inRegister
}

// Restore returns the caller's value of a register. Those that a call may change are not known
// of a caller unless a rule says so.
func (r *Row) Restore(
	register int, was *processor.Registers, cfa uint64, memory io.ReaderAt, p *processor.Processor,
) (uint64, bool) {
	s := expression.Scope{Registers: was, Memory: memory}
	switch x := &r.registers[register]; x.kind {
	case unset:
		switch {
		case register == p.SP:
			return cfa, true
		case !p.Preserves(register):
			return 0, false
		}
		return was.Get(register)
	case same:
		return was.Get(register)
	case atCFA:
		return expression.Word(memory, cfa+uint64(x.n))
	case cfaPlus:
		return cfa + uint64(x.n), true
	case inRegister:
		return was.Get(int(x.n))
	case atExpr:
		at, ok := s.Evaluate(x.expr, cfa)
		if !ok {
			return 0, false
		}
		return expression.Word(memory, at)
	case isExpr:
		return s.Evaluate(x.expr, cfa)
	}
	return 0, false
}

// Operations of call frame information (DWARF 5, section 6.4.2), those with an operand
// in the low bits first.
const (
	opAdvance = 1
	opOffset  = 2
	opRestore = 3

	opNop            = 0x00
	opSetLoc         = 0x01
	opAdvance1       = 0x02
	opAdvance2       = 0x03
	opAdvance4       = 0x04
	opOffsetExt      = 0x05
	opRestoreExt     = 0x06
	opUndefined      = 0x07
	opSame           = 0x08
	opRegister       = 0x09
	opRemember       = 0x0a
	opRestoreState   = 0x0b
	opDefCFA         = 0x0c
	opDefCFARegister = 0x0d
	opDefCFAOffset   = 0x0e
	opDefCFAExpr     = 0x0f
	opExpr           = 0x10
	opOffsetExtS     = 0x11
	opDefCFAS        = 0x12
	opDefCFAOffsetS  = 0x13
	opValOffset      = 0x14
	opValOffsetS     = 0x15
	opValExpr        = 0x16
	opNegateSigned   = 0x2d // of AArch64
	opArgsSize       = 0x2e
)

// maxRemembered bounds the rows that are set aside.
const maxRemembered = 32

// machine runs the instructions of an entry.
type machine struct {
	entry        *Entry
	row, initial Row
	saved        []Row
	at           uint64
}

// RowAt returns the rules that hold before the instruction at pc. Errors wrap ErrMalformed.
func (e *Entry) RowAt(pc uint64) (*Row, error) {
	if e.returnRegister >= processor.Count {
		return nil, fmt.Errorf("%w: a return address in register %d", ErrMalformed, e.returnRegister)
	}
	m := machine{entry: e, at: e.Start}
	if err := m.run(e.common, e.commonAt, ^uint64(0)); err != nil {
		return nil, err
	}
	m.initial, m.at = m.row, e.Start
	if err := m.run(e.own, e.ownAt, pc); err != nil {
		return nil, err
	}
	m.row.ReturnAddress, m.row.Signal = int(e.returnRegister), e.signal
	return &m.row, nil
}

func (m *machine) run(code []byte, at, pc uint64) error {
	c := m.entry.table.cursor(code)
	for c.Left() > 0 {
		op := c.U8()
		low := uint64(op & 0x3f)
		switch op >> 6 {
		case opAdvance:
			m.at += low * m.entry.codeAlign
		case opOffset:
			m.set(low, rule{kind: atCFA, n: int64(c.ULEB()) * m.entry.dataAlign})
		case opRestore:
			m.restore(low)
		default:
			if err := m.extended(op, &c, at); err != nil {
				return err
			}
		}
		if c.Bad {
			return fmt.Errorf("%w: instructions that end early", ErrMalformed)
		}
		if m.at > pc {
			return nil
		}
	}
	return nil
}

func (m *machine) set(reg uint64, r rule) {
	if reg < processor.Count {
		m.row.registers[reg] = r
	}
}

func (m *machine) restore(reg uint64) {
	if reg < processor.Count {
		m.row.registers[reg] = m.initial.registers[reg]
	}
}

// advance runs the operations that move on, and those that say nothing.
func (m *machine) advance(op byte, c *cursor.Cursor, at uint64) bool {
	switch op {
	case opNop:
	case opSetLoc:
		m.at = c.Pointer(m.entry.form, at, m.entry.table.Address)
	case opAdvance1:
		m.at += c.Fixed(1) * m.entry.codeAlign
	case opAdvance2:
		m.at += c.Fixed(2) * m.entry.codeAlign
	case opAdvance4:
		m.at += c.Fixed(4) * m.entry.codeAlign
	case opArgsSize:
		c.ULEB()
	case opNegateSigned:
		m.row.Signed = !m.row.Signed
	default:
		return false
	}
	return true
}

// define runs the operations about the canonical frame address.
func (m *machine) define(op byte, c *cursor.Cursor) bool {
	cfa, align := &m.row.cfa, m.entry.dataAlign
	switch op {
	case opDefCFA:
		*cfa = rule{kind: inRegister, reg: int(c.ULEB()), n: int64(c.ULEB())}
	case opDefCFAS:
		*cfa = rule{kind: inRegister, reg: int(c.ULEB()), n: c.SLEB() * align}
	case opDefCFARegister:
		cfa.kind, cfa.reg = inRegister, int(c.ULEB())
	case opDefCFAOffset:
		cfa.n = int64(c.ULEB())
	case opDefCFAOffsetS:
		cfa.n = c.SLEB() * align
	case opDefCFAExpr:
		*cfa = rule{kind: isExpr, expr: c.Take(c.ULEB())}
	default:
		return false
	}
	return true
}

func (m *machine) extended(op byte, c *cursor.Cursor, at uint64) error {
	if m.advance(op, c, at) || m.define(op, c) {
		return nil
	}
	align := m.entry.dataAlign
	switch op {
	case opRemember:
		if len(m.saved) == maxRemembered {
			return fmt.Errorf("%w: rows set aside", ErrMalformed)
		}
		m.saved = append(m.saved, m.row)
		return nil
	case opRestoreState:
		if len(m.saved) == 0 {
			return fmt.Errorf("%w: no row was set aside", ErrMalformed)
		}
		m.row, m.saved = m.saved[len(m.saved)-1], m.saved[:len(m.saved)-1]
		return nil
	}
	reg := c.ULEB()
	switch op {
	case opOffsetExt:
		m.set(reg, rule{kind: atCFA, n: int64(c.ULEB()) * align})
	case opOffsetExtS:
		m.set(reg, rule{kind: atCFA, n: c.SLEB() * align})
	case opRestoreExt:
		m.restore(reg)
	case opUndefined:
		m.set(reg, rule{kind: undefined})
	case opSame:
		m.set(reg, rule{kind: same})
	case opRegister:
		m.set(reg, rule{kind: inRegister, n: int64(c.ULEB())})
	case opValOffset:
		m.set(reg, rule{kind: cfaPlus, n: int64(c.ULEB()) * align})
	case opValOffsetS:
		m.set(reg, rule{kind: cfaPlus, n: c.SLEB() * align})
	case opExpr:
		m.set(reg, rule{kind: atExpr, expr: c.Take(c.ULEB())})
	case opValExpr:
		m.set(reg, rule{kind: isExpr, expr: c.Take(c.ULEB())})
	default:
		return fmt.Errorf("%w: operation %#x", ErrMalformed, op)
	}
	return nil
}
