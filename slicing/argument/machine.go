package argument

import (
	"encoding/binary"

	"laggard/slicing/arm64"
	"laggard/slicing/calls"
	"laggard/slicing/cpu"
	"laggard/slicing/x86"
)

// language is the machine code of a processor.
type language interface {
	// evalInst goes over an instruction that is no jump and no call; false: it is not understood.
	evalInst(code []byte, in *cpu.Inst) bool
	// branchTaken reports whether a conditional jump is taken; known is false if that cannot be told.
	branchTaken(code []byte) (taken, known bool)
}

// languages are those that are understood.
var languages = map[*cpu.Architecture]func(*machine) language{
	x86.Architecture:   func(m *machine) language { return intel{m} },
	arm64.Architecture: func(m *machine) language { return arm{m} },
}

// machine goes through the instructions of a way.
type machine struct {
	at      *Call
	cpu     *cpu.Architecture
	code    language
	reg     []Value          // the general ones
	stores  []store          // of the way, in order; the first time without knowing what follows
	known   []store          // the same as found the first time; nil then
	written map[uint64]Value // by address: what the way has stored last, and is not overlapped since
	flags   Value            // the processor's, all or none; their places are the language's
	step    int              // position in the way
}

// newMachine is a machine at the begin of a way in code for a processor.
func newMachine(p *cpu.Architecture, at *Call, known []store) *machine {
	m := &machine{at: at, cpu: p, reg: make([]Value, p.General), known: known, written: map[uint64]Value{}}
	m.code = languages[p](m)
	return m
}

// store is a piece of memory that an instruction of a way writes.
type store struct {
	step int
	addr uint64
	size int
	wild bool // its address, or its size, is not known
}

// applyCall goes over a call: what it leaves in registers that functions need not preserve is not
// known, nor what it leaves in memory, but for functions that write none.
func (m *machine) applyCall(callee string) {
	for r := range m.cpu.General {
		if r != m.cpu.SP && m.cpu.CallerSaved.Has(r) {
			m.reg[r] = Value{}
		}
	}
	m.flags = Value{}
	if !writesNoMemory(callee) {
		m.recordStore(Value{}, 0, Value{})
	}
}

// writesNoMemory reports whether a function is known to write no memory of the program. Calls on windows let
// others write there.
func writesNoMemory(callee string) bool {
	f, known := calls.Lookup(callee)
	for i := 0; known && i < f.Args(); i++ {
		if r := f.Role(i); r.Writes() || r == calls.Request {
			return false
		}
	}
	return known && !f.SynchronisesWindow()
}

// loadMemory reads memory as it was at this step: as it is now, unless it was written
// meanwhile.
func (m *machine) loadMemory(addr Value, bits int) Value {
	at, ok := addr.Word()
	if v, there := m.written[at]; ok && there && v.Bits >= bits {
		return v.lowBits(bits)
	}
	if !ok || m.known == nil {
		return Value{}
	}
	size := bits / 8
	for _, s := range m.known {
		if s.step > m.step && (s.wild || at < s.addr+uint64(s.size) && s.addr < at+uint64(size)) {
			return Value{}
		}
	}
	return m.at.readMemory(at, size)
}

// readMemory reads memory as it is now.
func (c *Call) readMemory(at uint64, size int) Value {
	var b [8]byte
	if size <= 0 || size > 8 || !c.Read(at, b[:size]) {
		return Value{}
	}
	return knownValue(binary.LittleEndian.Uint64(b[:]), size*8, !c.fn.IsConstant(at-c.Bias))
}

// recordStore notes a store.
func (m *machine) recordStore(addr Value, size int, v Value) {
	at, ok := addr.Word()
	s := store{m.step, at, size, !ok || size <= 0}
	m.stores = append(m.stores, s)
	if s.wild {
		clear(m.written)
		return
	}
	for other := range m.written {
		if other < at+uint64(size) && at < other+8 {
			delete(m.written, other)
		}
	}
	if v.Bits > 0 {
		m.written[at] = v
	}
}

// executeInst goes over an instruction that is no jump and no call. What it does not know
// leaves unknown values behind.
func (m *machine) executeInst(code []byte, i *cpu.Inst) {
	if i.Opaque || !m.code.evalInst(code, i) {
		m.clobberDefs(i)
	}
}

// clobberDefs makes unknown all that an instruction writes.
func (m *machine) clobberDefs(i *cpu.Inst) {
	for r := range m.cpu.General {
		if i.Opaque || i.Def.Has(r) {
			m.reg[r] = Value{}
		}
	}
	if i.Dst == m.cpu.SP || i.Unfixed || i.Move == cpu.LeaveMove || i.SP != 0 {
		m.reg[m.cpu.SP] = Value{}
	}
	if i.Def.Has(m.cpu.Flags) || i.Opaque {
		m.flags = Value{}
	}
	if i.Store == nil && !i.Opaque {
		return
	}
	addr, size := Value{}, 0
	if s := i.Store; s != nil {
		size = s.Size
		if s.Index == cpu.None && m.cpu.IsGeneral(s.Base) && !s.Thread {
			addr = addValues(m.reg[s.Base], knownValue(uint64(s.Disp), 64, false), 64)
		}
	}
	m.recordStore(addr, size, Value{})
}

func addValues(a, b Value, bits int) Value {
	return binaryOp(a, b, bits, func(x, y uint64) uint64 { return x + y })
}

func binaryOp(a, b Value, bits int, f func(x, y uint64) uint64) Value {
	if a.Bits < bits || b.Bits < bits {
		return Value{}
	}
	return knownValue(f(a.Number, b.Number), bits, a.Inferred || b.Inferred)
}
