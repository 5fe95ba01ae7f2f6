package symbol

import (
	"debug/elf"
	"io"

	"laggard/binary/callframe"
	"laggard/binary/cursor"
)

// unwindRange finds the range of code around pc in the unwinding information: a function, or a part of one.
func (m *image) unwindRange(pc uint64) (lo, hi uint64, ok bool) {
	e := m.unwindEntry(pc)
	if e == nil {
		return 0, 0, false
	}
	return e.Start, e.Start + e.Size, true
}

// unwindEntry returns what the unwinding information says of the code around pc, nil if it says nothing.
func (m *image) unwindEntry(pc uint64) *callframe.Entry {
	for _, p := range m.elf.Progs {
		if p.Type == elf.PT_GNU_EH_FRAME {
			table := callframe.Table{Memory: loaded{m}, Address: p.Vaddr, Order: m.elf.ByteOrder}
			e, _ := table.Find(pc)
			return e
		}
	}
	return nil
}

// loaded reads an image by the addresses at which it asks to be loaded.
type loaded struct{ *image }

// BytesAt implements callframe.InPlace.
func (l loaded) BytesAt(address uint64) []byte { return l.bytesAt(address) }

// ReadAt implements io.ReaderAt.
func (l loaded) ReadAt(b []byte, address int64) (int, error) {
	n := copy(b, l.bytesAt(uint64(address)))
	if n < len(b) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}

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
	if err := guardFile(m.path, func() error { out = m.pads(pc); return nil }); err != nil {
		return nil
	}
	return out
}

func (m *image) pads(pc uint64) []Pad {
	e := m.unwindEntry(pc)
	if e == nil || e.Handlers == 0 {
		return nil
	}
	c := cursor.Cursor{Bytes: m.bytesAt(e.Handlers), Order: m.elf.ByteOrder}
	return handlers(c, e.Handlers, e.Start, e.Size)
}

// handlers reads the table at an address for a function of n bytes at lo.
func handlers(c cursor.Cursor, table, lo, n uint64) (out []Pad) {
	base := lo
	if form := c.U8(); form != cursor.FormOmit {
		base = c.Pointer(form, table, 0)
		if c.Bad || form&(cursor.FormRelative|cursor.FormIndirect)&^cursor.FormPC != 0 {
			return nil
		}
	}
	if c.U8() != cursor.FormOmit {
		c.ULEB() // where the types are
	}
	form := c.U8()
	end := c.ULEB()
	if c.Bad || end > uint64(c.Left()) || form&(cursor.FormRelative|cursor.FormIndirect) != 0 {
		return nil
	}
	for c.Bytes = c.Bytes[:c.Off+int(end)]; c.Left() > 0 && len(out) < maxPads; {
		from, size, pad := c.Encoded(form), c.Encoded(form), c.Encoded(form)
		c.ULEB() // what is done there
		if c.Bad || from > n || size > n-from {
			break
		}
		if pad != 0 {
			out = append(out, Pad{lo + from, lo + from + size, base + pad})
		}
	}
	return out
}
