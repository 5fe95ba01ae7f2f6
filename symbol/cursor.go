package symbol

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

func byteOrder(ident byte) binary.ByteOrder {
	if elf.Data(ident) == elf.ELFDATA2MSB {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// cursor reads little pieces of DWARF. Past the end it gives zeros and sets
// bad, so that callers check once.
type cursor struct {
	b     []byte
	off   int
	order binary.ByteOrder
	bad   bool
}

func (c *cursor) left() int { return len(c.b) - c.off }

func (c *cursor) take(n uint64) []byte {
	if c.bad || n > uint64(c.left()) {
		c.bad = true
		return make([]byte, min(n, 16))
	}
	c.off += int(n)
	return c.b[c.off-int(n) : c.off]
}

func (c *cursor) u8() byte    { return c.take(1)[0] }
func (c *cursor) u16() uint16 { return c.order.Uint16(c.take(2)) }

// offset reads four bytes, or eight in 64-bit DWARF.
func (c *cursor) offset(is64 bool) uint64 {
	if is64 {
		return c.order.Uint64(c.take(8))
	}
	return uint64(c.order.Uint32(c.take(4)))
}

// length reads the initial length of a unit.
func (c *cursor) length() (n uint64, is64 bool) {
	n = c.offset(false)
	if n == 0xffffffff {
		return c.offset(true), true
	}
	return n, false
}

// uleb reads an unsigned LEB128 number. Signed ones may be skipped with it.
func (c *cursor) uleb() uint64 {
	var v uint64
	for shift := uint(0); !c.bad; shift += 7 {
		x := c.u8()
		if shift < 64 {
			v |= uint64(x&0x7f) << shift
		}
		if x&0x80 == 0 {
			break
		}
	}
	return v
}

// cstring skips a NUL-terminated string and returns its length.
func (c *cursor) cstring() int {
	if c.bad {
		return 0
	}
	n := bytes.IndexByte(c.b[c.off:], 0)
	if n < 0 {
		c.bad = true
		return 0
	}
	c.off += n + 1
	return n
}
