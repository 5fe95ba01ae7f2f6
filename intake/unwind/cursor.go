package unwind

import "encoding/binary"

// cursor reads numbers from bytes. Beyond the end all are 0, and bad is set.
type cursor struct {
	b   []byte
	off int
	bad bool
}

func (c *cursor) left() int { return len(c.b) - c.off }

func (c *cursor) take(n uint64) []byte {
	if c.bad || n > uint64(c.left()) {
		c.bad = true
		return nil
	}
	b := c.b[c.off:][:n]
	c.off += int(n)
	return b
}

// fixed reads a number of n bytes, at most 8.
func (c *cursor) fixed(n int) uint64 {
	var whole [8]byte
	copy(whole[:], c.take(uint64(n)))
	return binary.LittleEndian.Uint64(whole[:])
}

// signed is fixed with the sign extended.
func (c *cursor) signed(n int) int64 {
	shift := 64 - 8*n
	return int64(c.fixed(n)<<shift) >> shift
}

func (c *cursor) uleb() (v uint64) {
	for shift := 0; ; shift += 7 {
		b := c.fixed(1)
		if shift < 64 {
			v |= b & 0x7f << shift
		}
		if b&0x80 == 0 || c.bad {
			return v
		}
	}
}

func (c *cursor) sleb() (v int64) {
	for shift := 0; ; {
		b := c.fixed(1)
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		shift += 7
		if b&0x80 == 0 || c.bad {
			if b&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// text reads up to a zero byte.
func (c *cursor) text() string {
	start := c.off
	for c.fixed(1) != 0 && !c.bad {
	}
	if c.bad {
		return ""
	}
	return string(c.b[start : c.off-1])
}

// Forms in which pointers are written (LSB 10.5.1).
const (
	formOmit    = 0xff
	formWritten = 0x0f // of a form: how many bytes, and whether signed
	formAdded   = 0x70 // what is to be added
	formPC      = 0x10
	formData    = 0x30
)

// pointer reads one. at is the address of the first byte of the cursor, and data that
// of the table.
func (c *cursor) pointer(form byte, at, data uint64) uint64 {
	if form == formOmit {
		return 0
	}
	here, v := at+uint64(c.off), uint64(0)
	switch form & formWritten {
	case 0x00, 0x04, 0x0c:
		v = c.fixed(8)
	case 0x01:
		v = c.uleb()
	case 0x02:
		v = c.fixed(2)
	case 0x03:
		v = c.fixed(4)
	case 0x09:
		v = uint64(c.sleb())
	case 0x0a:
		v = uint64(c.signed(2))
	case 0x0b:
		v = uint64(c.signed(4))
	default:
		c.bad = true
	}
	switch form & formAdded {
	case formPC:
		v += here
	case formData:
		v += data
	}
	return v
}
