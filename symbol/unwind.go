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

// unwindRange finds the function around pc in .eh_frame_hdr, a sorted table of
// addresses, and its length in .eh_frame.
func (m *image) unwindRange(pc uint64) (lo, hi uint64, ok bool) {
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
	size, ok := m.entryRange(at(i*8 + 4))
	lo = at(i * 8)
	return lo, lo + size, ok && pc < lo+size
}

// entryRange reads the length of the code of an FDE.
func (m *image) entryRange(fde uint64) (uint64, bool) {
	c := cursor{b: m.at(fde), order: m.elf.ByteOrder}
	c.length()
	cie := c.offset(false)
	if c.bad || cie == 0 {
		return 0, false
	}
	size := 4
	switch enc := m.pointerEncoding(fde + 4 - uint64(cie)); enc & 0xf {
	case encodeSigned8, encodeUnsign8, encodeAbsolute:
		size = 8
	case encodeSigned4, encodeUnsign4:
	default:
		return 0, false
	}
	c.take(uint64(size))
	n := c.offset(size == 8)
	return n, !c.bad
}

// pointerEncoding reads from a CIE how its FDEs write addresses.
func (m *image) pointerEncoding(cie uint64) byte {
	c := cursor{b: m.at(cie), order: m.elf.ByteOrder}
	c.length()
	c.take(4)
	version := c.u8()
	start := c.off
	n := c.cstring()
	if c.bad || n == 0 || c.b[start] != 'z' {
		return encodeAbsolute
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
			return c.u8()
		case 'L':
			c.u8()
		case 'P':
			if enc := c.u8(); enc&0xf == encodeSigned8 || enc&0xf == encodeUnsign8 || enc&0xf == encodeAbsolute {
				c.take(8)
			} else {
				c.take(4)
			}
		case 'S', 'B':
		default:
			return encodeOmit
		}
	}
	return encodeAbsolute
}
