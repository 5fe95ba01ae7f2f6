package symbol

// listing is where a variable is while the program is between two addresses.
type listing struct {
	lo, hi uint64
	expr   []byte
}

// listAt is where list n of a unit is.
func (f *debugFile) listAt(u *unit, n uint64) uint64 {
	base, size := uint64(u.locBase), uint64(len(f.loclists))
	if n > size || base+4*n > size {
		return size
	}
	c := cursor{b: f.loclists, off: int(base + 4*n), order: f.order}
	return base + c.offset(false)
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
	c := cursor{b: f.loclists, off: int(at), order: f.order}
	base := u.low
	var out []listing
	for !c.bad {
		l, next, more := f.listed(u, &c, base)
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

// listed reads one entry of a list.
func (f *debugFile) listed(u *unit, c *cursor, base uint64) (l listing, newBase uint64, more bool) {
	word := func() uint64 { return c.order.Uint64(c.take(8)) }
	indexed := func() uint64 {
		a, bad := f.addrx(u, c.uleb())
		c.bad = c.bad || bad
		return a
	}
	switch c.u8() {
	case lleBaseAddressx:
		return l, indexed(), !c.bad
	case lleBaseAddress:
		return l, word(), !c.bad
	case lleStartxEndx:
		l.lo, l.hi = indexed(), indexed()
	case lleStartxLength:
		l.lo = indexed()
		l.hi = l.lo + c.uleb()
	case lleOffsetPair:
		l.lo, l.hi = base+c.uleb(), base+c.uleb()
	case lleDefault:
	case lleStartEnd:
		l.lo, l.hi = word(), word()
	case lleStartLength:
		l.lo = word()
		l.hi = l.lo + c.uleb()
	default:
		return l, base, false
	}
	l.expr = c.take(c.uleb())
	return l, base, !c.bad
}

func (f *debugFile) locations4(u *unit, at uint64) []listing {
	if at > uint64(len(f.loc)) {
		return nil
	}
	c := cursor{b: f.loc, off: int(at), order: f.order}
	base := u.low
	var out []listing
	for {
		lo, hi := c.order.Uint64(c.take(8)), c.order.Uint64(c.take(8))
		switch {
		case c.bad || lo == 0 && hi == 0:
			return out
		case lo == ^uint64(0):
			base = hi
			continue
		}
		expr := c.take(uint64(c.u16()))
		if lo < hi && !c.bad {
			out = append(out, listing{base + lo, base + hi, expr})
		}
	}
}

// addrx is entry n of the unit's table of addresses.
func (f *debugFile) addrx(u *unit, n uint64) (addr uint64, bad bool) {
	at := uint64(u.addrBase) + 8*n
	if n > uint64(len(f.addrs)) || at+8 > uint64(len(f.addrs)) {
		return 0, true
	}
	return f.order.Uint64(f.addrs[at:]), false
}
