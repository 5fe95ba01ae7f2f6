package chain

// buffer is a piece of allocated memory.
type buffer struct {
	lo, hi uint64
	site   int32
	within int32 // the buffer that it was cut out of, by an allocator on top of another; -1 none
	live   bool
}

// memory knows the live buffers of a rank and which call site allocated each
// (§4.2, correlating operations with allocations). A freed buffer's record is
// used again, so its size follows the most buffers that were live at once.
type memory struct {
	buffers []buffer
	spare   []int32
	begins  map[uint64]int32 // the innermost live buffer that begins there
	spans   intervals        // addresses to the innermost live buffer
}

// allocSite returns the call site that allocated the byte at addr, 0 (no site) for
// memory that was never seen to be allocated: static, stack, or older.
func (m *memory) allocSite(addr uint64) int32 {
	i, ok := m.spans.valueAt(addr)
	if !ok {
		return 0
	}
	return m.buffers[i].site
}

func (m *memory) alloc(lo, hi uint64, site int32) {
	if i, ok := m.begins[lo]; ok && m.buffers[i].hi <= hi {
		m.removeBuffer(i) // allocated anew: its free was not seen
	}
	within := int32(-1)
	if i, ok := m.spans.valueAt(lo); ok && m.buffers[i].hi >= hi {
		within = i
	}
	i := m.addBuffer(buffer{lo, hi, site, within, true})
	m.begins[lo] = i
	m.spans.setRange(lo, hi, i)
}

// addBuffer stores a buffer.
func (m *memory) addBuffer(b buffer) int32 {
	if n := len(m.spare); n > 0 {
		i := m.spare[n-1]
		m.spare = m.spare[:n-1]
		m.buffers[i] = b
		return i
	}
	m.buffers = append(m.buffers, b)
	return int32(len(m.buffers) - 1)
}

// free removes the buffer that begins at lo, if there is one.
func (m *memory) free(lo uint64) {
	if i, ok := m.begins[lo]; ok {
		m.removeBuffer(i)
	}
}

// removeBuffer removes a buffer; what it was cut out of shows again.
func (m *memory) removeBuffer(i int32) {
	b := m.buffers[i]
	outer := b.within
	if outer >= 0 && !(m.buffers[outer].live && m.buffers[outer].lo <= b.lo && m.buffers[outer].hi >= b.hi) {
		outer = -1
	}
	for _, s := range m.spans.appendOverlaps(b.lo, b.hi, nil) {
		if s.v != i {
			continue
		}
		m.spans.clearRange(s.lo, s.hi)
		if outer >= 0 {
			m.spans.setRange(s.lo, s.hi, outer)
		}
	}
	delete(m.begins, b.lo)
	if outer >= 0 && m.buffers[outer].lo == b.lo {
		m.begins[b.lo] = outer
	}
	m.buffers[i] = buffer{within: -1}
	m.spare = append(m.spare, i)
}

// resize moves the end of the buffer that begins at lo and returns the old one.
func (m *memory) resize(lo, hi uint64) (old uint64, ok bool) {
	i, ok := m.begins[lo]
	if !ok {
		return 0, false
	}
	old = m.buffers[i].hi
	if hi < old {
		m.spans.clearRange(hi, old)
	} else if hi > old {
		m.spans.setRange(old, hi, i)
	}
	m.buffers[i].hi = hi
	return old, true
}

// bufferEnd returns where the buffer that begins at lo ends; lo if there is none.
func (m *memory) bufferEnd(lo uint64) uint64 {
	if i, ok := m.begins[lo]; ok {
		return m.buffers[i].hi
	}
	return lo
}
