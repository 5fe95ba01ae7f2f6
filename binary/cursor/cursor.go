package cursor

import (
	"bytes"
	"encoding/binary"
)

// Cursor reads numbers from bytes, one after the other. Past the end it returns zeros and sets Bad, so
// that callers check once. It embeds in readers of larger things.
type Cursor struct {
	Bytes []byte
	Off   int              // of the next byte
	Order binary.ByteOrder // nil: little-endian
	Bad   bool             // something was read past the end, or is malformed
}

// Left returns how many bytes are left.
func (c *Cursor) Left() int { return len(c.Bytes) - c.Off }

// Take returns the next n bytes without copying them, nil past the end.
func (c *Cursor) Take(n uint64) []byte {
	if c.Bad || n > uint64(c.Left()) {
		c.Bad = true
		return nil
	}
	c.Off += int(n)
	return c.Bytes[c.Off-int(n) : c.Off]
}

// Fixed reads an unsigned number of n bytes: 1, 2, 4 or 8.
func (c *Cursor) Fixed(n int) uint64 {
	b := c.Take(uint64(n))
	if b == nil {
		return 0
	}
	order := c.Order
	if order == nil {
		order = binary.LittleEndian
	}
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(order.Uint16(b))
	case 4:
		return uint64(order.Uint32(b))
	}
	return order.Uint64(b)
}

// U8 reads one byte.
func (c *Cursor) U8() byte {
	if c.Bad || c.Off >= len(c.Bytes) {
		c.Bad = true
		return 0
	}
	c.Off++
	return c.Bytes[c.Off-1]
}

// Signed reads a number of n bytes whose sign is extended.
func (c *Cursor) Signed(n int) int64 {
	shift := 64 - 8*n
	return int64(c.Fixed(n)<<shift) >> shift
}

// Offset reads four bytes, or eight in 64-bit DWARF.
func (c *Cursor) Offset(is64 bool) uint64 {
	if is64 {
		return c.Fixed(8)
	}
	return c.Fixed(4)
}

// UnitLength reads the initial length of a unit (DWARF 5, section 7.4).
func (c *Cursor) UnitLength() (n uint64, is64 bool) {
	n = c.Offset(false)
	if n == 0xffffffff {
		return c.Offset(true), true
	}
	return n, false
}

// ULEB reads an unsigned LEB128 number. It also skips a signed one.
func (c *Cursor) ULEB() uint64 {
	v, _, _ := c.leb()
	return v
}

// SLEB reads a signed LEB128 number.
func (c *Cursor) SLEB() int64 {
	v, bits, last := c.leb()
	if bits < 64 && last&0x40 != 0 {
		v |= ^uint64(0) << bits
	}
	return int64(v)
}

// leb reads the bits of a LEB128 number, and returns how many there are and the last byte.
func (c *Cursor) leb() (v uint64, bits uint, last byte) {
	for !c.Bad {
		last = c.U8()
		if bits < 64 {
			v |= uint64(last&0x7f) << bits
		}
		bits += 7
		if last&0x80 == 0 {
			break
		}
	}
	return v, bits, last
}

// Text reads up to a zero byte, which it skips, without copying; nil if there is none.
func (c *Cursor) Text() []byte {
	if c.Bad {
		return nil
	}
	n := bytes.IndexByte(c.Bytes[c.Off:], 0)
	if n < 0 {
		c.Bad = true
		return nil
	}
	c.Off += n + 1
	return c.Bytes[c.Off-n-1 : c.Off-1]
}

// Forms in which pointers are encoded (LSB Core 5.0, section 10.5.1).
const (
	FormOmit     = 0xff // there is no pointer
	FormNumber   = 0x0f // mask: how many bytes, and whether signed
	FormRelative = 0x70 // mask: what the number is relative to
	FormPC       = 0x10 // to its own place
	FormData     = 0x30 // to the table
	FormIndirect = 0x80 // it is the address of the pointer
)

// Pointer reads an encoded pointer; 0 stands for none. at is the address of the first byte of the
// cursor, and data that of the table. An indirect one gives the address of the pointer.
func (c *Cursor) Pointer(form byte, at, data uint64) uint64 {
	if form == FormOmit {
		return 0
	}
	here := at + uint64(c.Off)
	v := c.Encoded(form)
	switch form & FormRelative {
	case FormPC:
		if v != 0 {
			v += here
		}
	case FormData:
		if v != 0 {
			v += data
		}
	}
	return v
}

// Encoded reads the number of an encoded pointer, which may be relative to something.
func (c *Cursor) Encoded(form byte) uint64 {
	switch form & FormNumber {
	case 0x00, 0x04, 0x0c:
		return c.Fixed(8)
	case 0x01:
		return c.ULEB()
	case 0x02:
		return c.Fixed(2)
	case 0x03:
		return c.Fixed(4)
	case 0x09:
		return uint64(c.SLEB())
	case 0x0a:
		return uint64(c.Signed(2))
	case 0x0b:
		return uint64(c.Signed(4))
	}
	c.Bad = true
	return 0
}
