package unwind

import (
	"fmt"

	"laggard/intake/stopped"
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

// row holds the rules for an address.
type row struct {
	cfa    rule
	regs   [stopped.Count]rule
	ret    int // the register whose rule is that of the return address
	signal bool
	signed bool // the return address has a signature in its upper bits (AArch64)
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
	e            *entry
	row, initial row
	saved        []row
	at           uint64
}

// rowAt returns the rules that hold before the instruction at pc.
func (e *entry) rowAt(pc uint64) (*row, error) {
	m := machine{e: e, at: e.start}
	if err := m.run(e.common, e.commonAt, ^uint64(0)); err != nil {
		return nil, err
	}
	m.initial, m.at = m.row, e.start
	if err := m.run(e.own, e.ownAt, pc); err != nil {
		return nil, err
	}
	m.row.ret, m.row.signal = int(e.ret), e.signal
	return &m.row, nil
}

func (m *machine) run(code []byte, at, pc uint64) error {
	c := cursor{b: code}
	for c.left() > 0 {
		op := byte(c.fixed(1))
		low := uint64(op & 0x3f)
		switch op >> 6 {
		case opAdvance:
			m.at += low * m.e.codeAlign
		case opOffset:
			m.set(low, rule{kind: atCFA, n: int64(c.uleb()) * m.e.dataAlign})
		case opRestore:
			m.restore(low)
		default:
			if err := m.extended(op, &c, at); err != nil {
				return err
			}
		}
		if c.bad {
			return fmt.Errorf("%w: instructions that end early", errBad)
		}
		if m.at > pc {
			return nil
		}
	}
	return nil
}

func (m *machine) set(reg uint64, r rule) {
	if reg < stopped.Count {
		m.row.regs[reg] = r
	}
}

func (m *machine) restore(reg uint64) {
	if reg < stopped.Count {
		m.row.regs[reg] = m.initial.regs[reg]
	}
}

// advance runs the operations that move on, and those that say nothing.
func (m *machine) advance(op byte, c *cursor, at uint64) bool {
	switch op {
	case opNop:
	case opSetLoc:
		m.at = c.pointer(m.e.form, at, m.e.table)
	case opAdvance1:
		m.at += c.fixed(1) * m.e.codeAlign
	case opAdvance2:
		m.at += c.fixed(2) * m.e.codeAlign
	case opAdvance4:
		m.at += c.fixed(4) * m.e.codeAlign
	case opArgsSize:
		c.uleb()
	case opNegateSigned:
		m.row.signed = !m.row.signed
	default:
		return false
	}
	return true
}

// define runs the operations about the canonical frame address.
func (m *machine) define(op byte, c *cursor) bool {
	cfa, align := &m.row.cfa, m.e.dataAlign
	switch op {
	case opDefCFA:
		*cfa = rule{kind: inRegister, reg: int(c.uleb()), n: int64(c.uleb())}
	case opDefCFAS:
		*cfa = rule{kind: inRegister, reg: int(c.uleb()), n: c.sleb() * align}
	case opDefCFARegister:
		cfa.kind, cfa.reg = inRegister, int(c.uleb())
	case opDefCFAOffset:
		cfa.n = int64(c.uleb())
	case opDefCFAOffsetS:
		cfa.n = c.sleb() * align
	case opDefCFAExpr:
		*cfa = rule{kind: isExpr, expr: c.take(c.uleb())}
	default:
		return false
	}
	return true
}

func (m *machine) extended(op byte, c *cursor, at uint64) error {
	if m.advance(op, c, at) || m.define(op, c) {
		return nil
	}
	align := m.e.dataAlign
	switch op {
	case opRemember:
		if len(m.saved) == maxRemembered {
			return fmt.Errorf("%w: rows set aside", errBad)
		}
		m.saved = append(m.saved, m.row)
		return nil
	case opRestoreState:
		if len(m.saved) == 0 {
			return fmt.Errorf("%w: no row was set aside", errBad)
		}
		m.row, m.saved = m.saved[len(m.saved)-1], m.saved[:len(m.saved)-1]
		return nil
	}
	reg := c.uleb()
	switch op {
	case opOffsetExt:
		m.set(reg, rule{kind: atCFA, n: int64(c.uleb()) * align})
	case opOffsetExtS:
		m.set(reg, rule{kind: atCFA, n: c.sleb() * align})
	case opRestoreExt:
		m.restore(reg)
	case opUndefined:
		m.set(reg, rule{kind: undefined})
	case opSame:
		m.set(reg, rule{kind: same})
	case opRegister:
		m.set(reg, rule{kind: inRegister, n: int64(c.uleb())})
	case opValOffset:
		m.set(reg, rule{kind: cfaPlus, n: int64(c.uleb()) * align})
	case opValOffsetS:
		m.set(reg, rule{kind: cfaPlus, n: c.sleb() * align})
	case opExpr:
		m.set(reg, rule{kind: atExpr, expr: c.take(c.uleb())})
	case opValExpr:
		m.set(reg, rule{kind: isExpr, expr: c.take(c.uleb())})
	default:
		return fmt.Errorf("%w: operation %#x", errBad, op)
	}
	return nil
}
