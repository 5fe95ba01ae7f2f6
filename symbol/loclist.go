package symbol

import "laggard/binary/cursor"

// listing is where a variable is while the program is between two addresses.
type listing struct {
	lo, hi uint64
	expr   []byte
}

// listOffset is where list n of a unit is.
func (f *debugFile) listOffset(u *unit, n uint64) uint64 {
	base, size := uint64(u.locBase), uint64(len(f.loclists))
	if n > size || base+4*n > size {
		return size
	}
	c := cursor.Cursor{Bytes: f.loclists, Off: int(base + 4*n), Order: f.order}
	return base + c.Offset(false)
}

// locations reads the list of places of a variable, in the forms of DWARF 5
// (section 7.7.3) and of DWARF 4.
func (f *debugFile) locations(u *unit, at uint64) []listing {
	switch {
	case len(f.loclists) == 0:
		return f.locations4(u, at)
	case at > uint64(len(f.loclists)):
		return nil
	}
	c := cursor.Cursor{Bytes: f.loclists, Off: int(at), Order: f.order}
	base := u.low
	var out []listing
	for !c.Bad {
		l, next, more := f.readListEntry(u, &c, base)
		if !more {
			break
		}
		base = next
		if l.lo < l.hi {
			out = append(out, l)
		}
	}
	return out
}

// Kinds of entries in a list of locations (DWARF 5, section 7.7.3).
const (
	lleEnd          = 0
	lleBaseAddressx = 1
	lleStartxEndx   = 2
	lleStartxLength = 3
	lleOffsetPair   = 4
	lleDefault      = 5
	lleBaseAddress  = 6
	lleStartEnd     = 7
	lleStartLength  = 8
)

// readListEntry reads one entry of a list.
func (f *debugFile) readListEntry(u *unit, c *cursor.Cursor, base uint64) (l listing, newBase uint64, more bool) {
	word := func() uint64 { return c.Fixed(8) }
	indexed := func() uint64 {
		a, bad := f.indexedAddress(u, c.ULEB())
		c.Bad = c.Bad || bad
		return a
	}
	switch c.U8() {
	case lleBaseAddressx:
		return l, indexed(), !c.Bad
	case lleBaseAddress:
		return l, word(), !c.Bad
	case lleStartxEndx:
		l.lo, l.hi = indexed(), indexed()
	case lleStartxLength:
		l.lo = indexed()
		l.hi = l.lo + c.ULEB()
	case lleOffsetPair:
		l.lo, l.hi = base+c.ULEB(), base+c.ULEB()
	case lleDefault:
	case lleStartEnd:
		l.lo, l.hi = word(), word()
	case lleStartLength:
		l.lo = word()
		l.hi = l.lo + c.ULEB()
	default:
		return l, base, false
	}
	l.expr = c.Take(c.ULEB())
	return l, base, !c.Bad
}

func (f *debugFile) locations4(u *unit, at uint64) []listing {
	if at > uint64(len(f.loc)) {
		return nil
	}
	c := cursor.Cursor{Bytes: f.loc, Off: int(at), Order: f.order}
	base := u.low
	var out []listing
	for {
		lo, hi := c.Fixed(8), c.Fixed(8)
		switch {
		case c.Bad || lo == 0 && hi == 0:
			return out
		case lo == ^uint64(0):
			base = hi
			continue
		}
		expr := c.Take(uint64(c.Fixed(2)))
		if lo < hi && !c.Bad {
			out = append(out, listing{base + lo, base + hi, expr})
		}
	}
}

// indexedAddress is entry n of the unit's table of addresses.
func (f *debugFile) indexedAddress(u *unit, n uint64) (addr uint64, bad bool) {
	at := uint64(u.addrBase) + 8*n
	if n > uint64(len(f.addrs)) || at+8 > uint64(len(f.addrs)) {
		return 0, true
	}
	return f.order.Uint64(f.addrs[at:]), false
}
