package argument

import (
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"laggard/slicing/calls"
	"laggard/slicing/cpu"
	"laggard/slicing/x86"
)

// machine goes through the instructions of a way.
type machine struct {
	at     *Call
	reg    [x86.General]Value
	stores []store          // of the way, in order; the first time without knowing what follows
	known  []store          // the same as found the first time; nil then
	wrote  map[uint64]Value // by address: what the way has stored last, and is not overlapped since
	flags  flags
	step   int // position in the way
}

// store is a piece of memory that an instruction of a way writes.
type store struct {
	step int
	addr uint64
	size int
	wild bool // its address, or its size, is not known
}

// flags are those that an operation has set: of a difference, or of a number. bits 0:
// unknown.
type flags struct {
	a, b Value // what was compared, b being 0 where the result is known alone
	bits int
}

// call goes over a call: what it leaves in registers that functions need not preserve is not
// known, nor what it leaves in memory, but for functions that write none.
func (m *machine) call(callee string) {
	for r := range cpu.Reg(x86.General) {
		if r != x86.RSP && !slices.Contains(preserved, r) {
			m.reg[r] = Value{}
		}
	}
	m.flags = flags{}
	if !silent(callee) {
		m.keep(Value{}, 0, Value{})
	}
}

// silent tells whether a function is known to write no memory of the program. Calls on windows let
// others write there.
func silent(callee string) bool {
	f, known := calls.Lookup(callee)
	for i := 0; known && i < f.Args(); i++ {
		if r := f.Role(i); r.Writes() || r == calls.Request {
			return false
		}
	}
	return known && !strings.HasPrefix(f.Name, "MPI_Win_")
}

// load reads memory as it was at this step: as it is now, unless it was written
// meanwhile.
func (m *machine) load(addr Value, bits int) Value {
	at, ok := addr.Word()
	if v, there := m.wrote[at]; ok && there && v.Bits >= bits {
		return v.low(bits)
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
	return m.at.read(at, size)
}

// read reads memory as it is now.
func (c *Call) read(at uint64, size int) Value {
	var b [8]byte
	if size <= 0 || size > 8 || !c.Read(at, b[:size]) {
		return Value{}
	}
	return number(binary.LittleEndian.Uint64(b[:]), size*8, !c.fn.Constant(at-c.Bias))
}

// keep notes a store.
func (m *machine) keep(addr Value, size int, v Value) {
	at, ok := addr.Word()
	s := store{m.step, at, size, !ok || size <= 0}
	m.stores = append(m.stores, s)
	if s.wild {
		clear(m.wrote)
		return
	}
	for other := range m.wrote {
		if other < at+uint64(size) && at < other+8 {
			delete(m.wrote, other)
		}
	}
	if v.Bits > 0 {
		m.wrote[at] = v
	}
}

// address is that of a memory operand.
func (m *machine) address(in *x86asm.Inst, pc uint64, a x86asm.Mem) Value {
	if a.Segment == x86asm.FS || a.Segment == x86asm.GS {
		return Value{}
	}
	disp := a.Disp
	if disp>>32 == 0 { // x86asm forgets the sign of four bytes
		disp = int64(int32(disp))
	}
	out := number(uint64(disp), 64, false)
	switch a.Base {
	case 0:
	case x86asm.RIP:
		out.Number += pc + uint64(in.Len) + m.at.Bias
	default:
		out = add(out, m.get(a.Base), 64)
	}
	if a.Index != 0 && a.Scale != 0 {
		i := m.get(a.Index)
		i.Number *= uint64(a.Scale)
		out = add(out, i, 64)
	}
	return out
}

func add(a, b Value, bits int) Value {
	return binaryOf(a, b, bits, func(x, y uint64) uint64 { return x + y })
}

func binaryOf(a, b Value, bits int, f func(x, y uint64) uint64) Value {
	if a.Bits < bits || b.Bits < bits {
		return Value{}
	}
	return number(f(a.Number, b.Number), bits, a.Inferred || b.Inferred)
}

// width is that of a register in bits; 0 of one that is not followed.
func width(r x86asm.Reg) int {
	switch {
	case r >= x86asm.AL && r <= x86asm.R15B:
		return 8
	case r >= x86asm.AX && r <= x86asm.R15W:
		return 16
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return 32
	case r >= x86asm.RAX && r <= x86asm.R15:
		return 64
	}
	return 0
}

// high tells whether a register is the second byte of another.
func high(r x86asm.Reg) bool { return r >= x86asm.AH && r <= x86asm.BH }

func (m *machine) get(r x86asm.Reg) Value {
	n := x86.Number(r)
	if n < 0 || n >= x86.General || high(r) {
		return Value{}
	}
	return m.reg[n].low(width(r))
}

func (m *machine) put(r x86asm.Reg, v Value) {
	n, bits := x86.Number(r), width(r)
	switch {
	case n < 0 || n >= x86.General:
	case high(r):
		m.reg[n] = m.reg[n].low(8)
	case bits == 64:
		m.reg[n] = v.low(64)
	case bits == 32: // the upper half becomes zero
		if v = v.low(32); v.Bits > 0 {
			v.Bits = 64
		}
		m.reg[n] = v
	default:
		old := m.reg[n]
		if v = v.low(bits); v.Bits > 0 && old.Bits > bits {
			v = number(old.Number&^mask(bits)|v.Number, old.Bits, v.Inferred || old.Inferred)
		}
		m.reg[n] = v
	}
}

// operand reads an operand; bits is its size.
func (m *machine) operand(in *x86asm.Inst, pc uint64, a x86asm.Arg) (v Value, bits int) {
	switch a := a.(type) {
	case x86asm.Reg:
		return m.get(a), width(a)
	case x86asm.Imm:
		return number(uint64(a), 64, false), 0
	case x86asm.Mem:
		return m.load(m.address(in, pc, a), in.MemBytes*8), in.MemBytes * 8
	}
	return Value{}, 0
}

// set writes an operand.
func (m *machine) set(in *x86asm.Inst, pc uint64, a x86asm.Arg, v Value) {
	switch a := a.(type) {
	case x86asm.Reg:
		m.put(a, v)
	case x86asm.Mem:
		m.keep(m.address(in, pc, a), in.MemBytes, v)
	}
}
