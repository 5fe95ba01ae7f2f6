package symbol

import (
	"debug/elf"
	"sort"
)

// Pointer encodings of the unwinding information (LSB, section 10.5.1).
const (
	encodeAbsolute = 0x00
	encodeSigned4  = 0x0b
	encodeSigned8  = 0x0c
	encodeUnsign4  = 0x03
	encodeUnsign8  = 0x04
	encodeDataRel  = 0x30
	encodeOmit     = 0xff
)

// unwindRange finds the function around pc in .eh_frame_hdr, and its length in .eh_frame.
func (m *image) unwindRange(pc uint64) (lo, hi uint64, ok bool) {
	lo, fde, ok := m.unwindEntry(pc)
	if !ok {
		return 0, 0, false
	}
	size, ok := m.entryRange(fde)
	return lo, lo + size, ok && pc < lo+size
}

// unwindEntry finds in .eh_frame_hdr, a sorted table of addresses, the last function that
// begins at or before pc, and its FDE.
func (m *image) unwindEntry(pc uint64) (lo, fde uint64, ok bool) {
	head := uint64(0)
	for _, p := range m.elf.Progs {
		if p.Type == elf.PT_GNU_EH_FRAME {
			head = p.Vaddr
		}
	}
	b := m.at(head)
	if head == 0 || len(b) < 12 || b[0] != 1 || b[2] != encodeUnsign4 || b[3] != encodeDataRel|encodeSigned4 {
		return 0, 0, false
	}
	order := m.elf.ByteOrder
	skip := 8
	if b[1]&0xf == encodeSigned8 || b[1]&0xf == encodeUnsign8 || b[1]&0xf == encodeAbsolute {
		skip = 12
	}
	if len(b) < skip+4 {
		return 0, 0, false
	}
	table := b[skip+4:]
	n := min(int(order.Uint32(b[skip:])), len(table)/8)
	at := func(off int) uint64 { return head + uint64(int64(int32(order.Uint32(table[off:])))) }
	i := sort.Search(n, func(i int) bool { return at(i*8) > pc }) - 1
	if i < 0 {
		return 0, 0, false
	}
	return at(i * 8), at(i*8 + 4), true
}

// entryRange reads the length of the code of an FDE.
func (m *image) entryRange(fde uint64) (uint64, bool) {
	n, _, _, ok := m.entryHead(fde)
	return n, ok
}

// entryHead reads an FDE up to its augmentation: the length of the code.
func (m *image) entryHead(fde uint64) (n uint64, f cieForms, rest cursor, ok bool) {
	c := cursor{b: m.at(fde), order: m.elf.ByteOrder}
	c.length()
	cie := c.offset(false)
	if c.bad || cie == 0 {
		return 0, f, c, false
	}
	f = m.forms(fde + 4 - uint64(cie))
	size := 4
	switch f.pointer & 0xf {
	case encodeSigned8, encodeUnsign8, encodeAbsolute:
		size = 8
	case encodeSigned4, encodeUnsign4:
	default:
		return 0, f, c, false
	}
	c.take(uint64(size))
	n = c.offset(size == 8)
	return n, f, c, !c.bad
}

// cieForms is what a CIE says of its FDEs: how they write addresses, and how the address of
// the table that says where exceptions are handled; encodeOmit: they have none.
type cieForms struct{ pointer, handlers byte }

// forms reads a CIE.
func (m *image) forms(cie uint64) cieForms {
	out := cieForms{encodeAbsolute, encodeOmit}
	c := cursor{b: m.at(cie), order: m.elf.ByteOrder}
	c.length()
	c.take(4)
	version := c.u8()
	start := c.off
	n := c.cstring()
	if c.bad || n == 0 || c.b[start] != 'z' {
		return out
	}
	augmentation := string(c.b[start : start+n])
	c.uleb()
	c.uleb()
	if version == 1 {
		c.u8()
	} else {
		c.uleb()
	}
	c.uleb()
	for _, a := range augmentation[1:] {
		switch a {
		case 'R':
			out.pointer = c.u8()
		case 'L':
			out.handlers = c.u8()
		case 'P':
			if enc := c.u8(); enc&0xf == encodeSigned8 || enc&0xf == encodeUnsign8 || enc&0xf == encodeAbsolute {
				c.take(8)
			} else {
				c.take(4)
			}
		case 'S', 'B':
		default:
			return cieForms{encodeOmit, encodeOmit}
		}
	}
	return out
}

// Further encodings of the tables for exceptions (LSB, section 10.5.1).
const (
	encodeULEB     = 0x01
	encodeUnsign2  = 0x02
	encodeSLEB     = 0x09
	encodeSigned2  = 0x0a
	encodePCRel    = 0x10
	encodeRelative = 0x70 // which bits say what an address is relative to
	encodeIndirect = 0x80
)

// Pad is where control goes after an exception: from the calls between Lo and Hi to the
// landing pad At. An address of a call is that of its last byte.
type Pad struct{ Lo, Hi, At uint64 }

// maxPads bounds the landing pads of one function.
const maxPads = 1 << 14

// Pads reads the landing pads of the function around pc, nil if it has none. They are in
// the table for the language (LSDA) that its unwinding information names, whose form is
// that of the Itanium C++ ABI, which all compilers have.
func (c *Code) Pads(pc uint64) (out []Pad) {
	m := c.m.image
	if err := guard(m.path, func() error { out = m.pads(pc); return nil }); err != nil {
		return nil
	}
	return out
}

func (m *image) pads(pc uint64) []Pad {
	lo, fde, ok := m.unwindEntry(pc)
	if !ok {
		return nil
	}
	n, forms, c, ok := m.entryHead(fde)
	if !ok || pc-lo >= n || forms.handlers == encodeOmit {
		return nil
	}
	c.uleb() // the length of the augmentation
	table, ok := c.encoded(fde, forms.handlers)
	if !ok || table == 0 {
		return nil
	}
	return handlers(cursor{b: m.at(table), order: m.elf.ByteOrder}, table, lo, n)
}

// handlers reads the table at an address for a function of n bytes at lo.
func handlers(c cursor, table, lo, n uint64) (out []Pad) {
	base := lo
	if form := c.u8(); form != encodeOmit {
		b, ok := c.encoded(table, form)
		if !ok {
			return nil
		}
		base = b
	}
	if c.u8() != encodeOmit {
		c.uleb() // where the types are
	}
	form := c.u8()
	end := c.uleb()
	if c.bad || end > uint64(c.left()) || form&(encodeRelative|encodeIndirect) != 0 {
		return nil
	}
	for c.b = c.b[:c.off+int(end)]; c.left() > 0 && len(out) < maxPads; {
		from, size, pad := c.number(form), c.number(form), c.number(form)
		c.uleb() // what is done there
		if c.bad || from > n || size > n-from {
			break
		}
		if pad != 0 {
			out = append(out, Pad{lo + from, lo + from + size, base + pad})
		}
	}
	return out
}

// encoded reads an address; the bytes of the cursor begin at another one.
func (c *cursor) encoded(begin uint64, form byte) (uint64, bool) {
	at := begin + uint64(c.off)
	v := c.number(form)
	switch {
	case c.bad || form&encodeIndirect != 0:
		return 0, false
	case form&encodeRelative == encodePCRel && v != 0:
		v += at
	case form&encodeRelative != 0 && form&encodeRelative != encodePCRel:
		return 0, false
	}
	return v, true
}

// number reads a number of the form that the low bits of an encoding say.
func (c *cursor) number(form byte) uint64 {
	switch form & 0xf {
	case encodeAbsolute, encodeUnsign8, encodeSigned8:
		return c.order.Uint64(c.take(8))
	case encodeULEB:
		return c.uleb()
	case encodeSLEB:
		return c.sleb()
	case encodeUnsign2:
		return uint64(c.u16())
	case encodeSigned2:
		return uint64(int64(int16(c.u16())))
	case encodeUnsign4:
		return c.offset(false)
	case encodeSigned4:
		return uint64(int64(int32(c.offset(false))))
	}
	c.bad = true
	return 0
}

// sleb reads a signed LEB128 number.
func (c *cursor) sleb() uint64 {
	start := c.off
	v := c.uleb()
	if bits := 7 * (c.off - start); !c.bad && bits < 64 && c.b[c.off-1]&0x40 != 0 {
		v |= ^uint64(0) << bits
	}
	return v
}
