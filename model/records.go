package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// record is a record whose checksum is right.
type record struct {
	typ    recType
	thread uint32
	off    int64  // in the file
	fixed  []byte // a copy of the fixed part, valid until the next record is read
	live   int64  // where the mutable part starts, and
	nlive  int64  // its bytes
}

// fields returns how to read the little-endian words of b.
func fields(b []byte) (le32 func(int) uint32, le64 func(int) uint64) {
	return func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) },
		func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
}

// timeOf turns nanoseconds since 1970 into a time; 0 is the zero time.
func timeOf(ns uint64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(min(ns, math.MaxInt64))).UTC()
}

// cursor goes through the committed records of a slot. It can be asked again
// later for what a live process has added.
type cursor struct {
	img     *image
	chunks  []chunk
	size    int64 // of the file
	probs   *problems
	current int   // index of the chunk
	pos     int64 // where the next record starts; 0: the current chunk is not begun
	limit   int64 // where the records of the current chunk end
	cut     bool  // the file ends before them
	scratch []byte
	budget  int64 // bytes that may still be summed in the search for a record behind damage
	unknown bool  // a record of unknown type was reported
}

func newCursor(img *image, l *layout, slot uint32, p *problems) *cursor {
	c := &cursor{img: img, chunks: l.slots[slot], size: l.size, probs: p, budget: chunkSize}
	for _, ch := range c.chunks {
		c.budget += 4 * min(ch.size, l.size)
	}
	c.checkSequence()
	return c
}

// checkSequence complains about chunks that are not there.
func (c *cursor) checkSequence() {
	next := uint32(0)
	for _, ch := range c.chunks {
		switch {
		case ch.seq == next+1:
			c.probs.note("chunk", -1, ErrLost, "chunk %d of the slot", next)
		case ch.seq > next:
			c.probs.note("chunk", -1, ErrLost, "chunks %d to %d of the slot", next, ch.seq-1)
		}
		next = ch.seq + 1
	}
}

// next returns the next committed record, false if there is none yet.
func (c *cursor) next() (record, bool) {
	for c.current < len(c.chunks) {
		c.refresh()
		for c.pos < c.limit {
			rec, size, err := c.record(c.pos)
			if err != nil {
				c.skip(rec.typ, err)
				continue
			}
			c.pos += size
			if c.known(rec) {
				return rec, true
			}
		}
		if c.current == len(c.chunks)-1 {
			return record{}, false
		}
		c.current++
		c.pos = 0
	}
	return record{}, false
}

// refresh looks how far the current chunk is filled by now.
func (c *cursor) refresh() {
	ch := c.chunks[c.current]
	start := ch.off + chunkHeader
	fresh := c.pos == 0
	if fresh {
		c.pos = start
	}
	used, room := c.img.u64(ch.off+chunkUsed), uint64(ch.size-chunkHeader)
	if fresh && (used > room || used%8 != 0) {
		c.probs.corrupt("chunk", ch.off, "%d bytes used of %d", used, room)
	}
	c.limit = start + int64(min(used, room)&^7)
	c.cut = c.limit > c.size
	if fresh && c.cut {
		c.probs.note("chunk", ch.off, ErrTruncated, "its records end at %d, the file at %d", c.limit, c.size)
	}
	c.limit = min(c.limit, c.size&^7)
}

// grow takes in chunks that were added to the file since it was walked.
func (c *cursor) grow(l *layout, slot uint32) {
	size := c.img.size()
	if c.img.file == nil || size <= l.end {
		return
	}
	var quiet problems // the walk at the start has said what there is to say
	last := c.chunks[len(c.chunks)-1]
	for _, ch := range c.img.walk(max(l.end, last.off+last.size), size, &quiet) {
		if ch.slot == slot && ch.seq == last.seq+1 {
			c.chunks = append(c.chunks, ch)
			last = ch
		}
	}
	c.size = size
}

// What can be wrong with a record. They are made once: the search for the next
// sound record meets them at every word.
var (
	errNoHeader = fmt.Errorf("%w: too few bytes for the header of a record", ErrTruncated)
	errRecCut   = fmt.Errorf("%w: it goes on behind the last committed byte", ErrTruncated)
	errSizes    = fmt.Errorf("%w: type or sizes of the record", ErrCorrupt)
)

// record reads the record at off and returns how many bytes it has. With an
// error the type is what the header says, which may be damaged.
func (c *cursor) record(off int64) (record, int64, error) {
	rec, size, err := c.header(off)
	if err != nil {
		return rec, 0, err
	}
	n := rec.live - off
	c.scratch = c.img.words(c.scratch[:0], off, pad8(n))[:n]
	le32, _ := fields(c.scratch)
	// The header is checked again, as it may have changed before the copy.
	if recType(le32(0)&0xffff) != rec.typ || int64(le32(recSize)) != size || recHeader+int64(le32(recFixed)) != n ||
		recordCRC(c.scratch, c.scratch[recHeader:]) != le32(recCRC) {
		return rec, 0, ErrChecksum
	}
	rec.thread = le32(0) >> 16
	rec.fixed = c.scratch[recHeader:]
	return rec, size, nil
}

// header reads the header of the record at off, if the sizes in it are
// possible ones.
func (c *cursor) header(off int64) (record, int64, error) {
	if c.limit-off < recHeader {
		return record{}, 0, errNoHeader
	}
	rec := record{typ: recType(c.img.u32(off)), off: off}
	size, fixed := int64(c.img.u32(off+recSize)), int64(c.img.u32(off+recFixed))
	switch {
	case rec.typ == 0 || size%8 != 0 || recHeader+fixed > size:
		return rec, 0, errSizes
	case size > c.limit-off:
		return rec, 0, errRecCut
	}
	rec.live = off + recHeader + fixed
	rec.nlive = size - recHeader - fixed
	return rec, size, nil
}

// skip complains about the record at the current position and goes on to the
// next sound one. Only the checksum of that one can be trusted, the size in the
// damaged one cannot.
func (c *cursor) skip(typ recType, err error) {
	if !c.cut || !errors.Is(err, ErrTruncated) { // else it was said of the chunk
		c.probs.add(typ.String(), c.pos, err)
	}
	for at := c.pos + 8; at < c.limit && c.budget > 0; at += 8 {
		if c.sound(at) {
			c.pos = at
			return
		}
	}
	c.pos = c.limit
}

// sound tells whether a record of a known type with the right checksum starts
// at off.
func (c *cursor) sound(off int64) bool {
	rec, _, err := c.header(off)
	if err != nil || !rec.typ.known() {
		return false
	}
	c.budget -= rec.live - off
	_, _, err = c.record(off)
	return err == nil
}

// known tells whether this version can use the record, and complains if not.
func (c *cursor) known(rec record) bool {
	if !rec.typ.known() {
		if !c.unknown {
			c.probs.note("record", rec.off, ErrUnknown, "record type %d", rec.typ)
		}
		c.unknown = true
		return false
	}
	least := minSize[rec.typ]
	if int64(len(rec.fixed)) < int64(least.fixed) || rec.nlive < int64(least.live) ||
		least.live > 0 && rec.live%8 != 0 {
		c.probs.corrupt(rec.typ.String(), rec.off, "fixed part %d, mutable part %d", len(rec.fixed), rec.nlive)
		return false
	}
	return true
}
