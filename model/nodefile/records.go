package nodefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"laggard/model"
	"laggard/model/format"
)

// record is a record whose checksum is right.
type record struct {
	typ    format.Record
	thread uint32
	off    int64  // in the file
	fixed  []byte // a copy of the fixed part, valid until the next record is read
	live   int64  // where the mutable part starts, and
	nlive  int64  // its bytes
}

// hasField reports whether the live part has the field at an offset: that of an older
// recorder ends before the fields that were added later. It ends with a word, so what
// begins in it is whole.
func (r *record) hasField(at int64) bool { return at < r.nlive }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// recordCRC is the checksum of a record: of its header up to the checksum, then of the
// fixed part.
func recordCRC(header, fixed []byte) uint32 {
	return crc32.Update(crc32.Checksum(header[:format.RecCRC], castagnoli), castagnoli, fixed)
}

// pad8 rounds up to a multiple of 8.
func pad8[T ~int | ~int64 | ~uint32 | ~uint64](n T) T { return (n + 7) &^ 7 }

// wordReaders returns how to read the little-endian words of b.
func wordReaders(b []byte) (le32 func(int) uint32, le64 func(int) uint64) {
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

func newCursor(img *image, l *layout, slot uint32, p *problems) cursor {
	c := cursor{img: img, chunks: l.slots[slot], size: l.size, probs: p, budget: format.NextChunkSize}
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
			c.probs.addErrorf("chunk", -1, model.ErrLost, "chunk %d of the slot", next)
		case ch.seq > next:
			c.probs.addErrorf("chunk", -1, model.ErrLost, "chunks %d to %d of the slot", next, ch.seq-1)
		}
		next = ch.seq + 1
	}
}

// next returns the next committed record, false if there is none yet.
func (c *cursor) next() (record, bool) {
	for c.current < len(c.chunks) {
		c.refreshLimit()
		for c.pos < c.limit {
			rec, size, err := c.recordAt(c.pos)
			if err != nil {
				c.skipDamaged(rec.typ, err)
				continue
			}
			c.pos += size
			if c.isUsable(rec) {
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

// refreshLimit looks how far the current chunk is filled by now.
func (c *cursor) refreshLimit() {
	ch := c.chunks[c.current]
	start := ch.off + format.SizeofChunk
	fresh := c.pos == 0
	if fresh {
		c.pos = start
	}
	used, room := c.img.u64(ch.off+format.ChunkUsed), uint64(ch.size-format.SizeofChunk)
	if fresh && (used > room || used%8 != 0) {
		c.probs.addCorrupt("chunk", ch.off, "%d bytes used of %d", used, room)
	}
	c.limit = start + int64(min(used, room)&^7)
	c.cut = c.limit > c.size
	if fresh && c.cut {
		c.probs.addErrorf("chunk", ch.off, model.ErrTruncated, "its records end at %d, the file at %d", c.limit, c.size)
	}
	c.limit = min(c.limit, c.size&^7)
}

// addNewChunks takes in chunks that were added to the file since it was walked.
func (c *cursor) addNewChunks(l *layout, slot uint32) {
	size := c.img.size()
	if c.img.file == nil || size <= l.end {
		return
	}
	var quiet problems // the walk at the start has said what there is to say
	last := c.chunks[len(c.chunks)-1]
	for _, ch := range c.img.walkChunks(max(l.end, last.off+last.size), size, &quiet) {
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
	errNoHeader = fmt.Errorf("%w: too few bytes for the header of a record", model.ErrTruncated)
	errRecCut   = fmt.Errorf("%w: it continues after the last committed byte", model.ErrTruncated)
	errSizes    = fmt.Errorf("%w: type or sizes of the record", model.ErrCorrupt)
)

// recordAt reads the record at off and returns how many bytes it has. With an
// error the type is what the header says, which may be damaged.
func (c *cursor) recordAt(off int64) (record, int64, error) {
	rec, size, err := c.headerAt(off)
	if err != nil {
		return rec, 0, err
	}
	n := rec.live - off
	c.scratch = c.img.appendWords(c.scratch[:0], off, pad8(n))[:n]
	le32, _ := wordReaders(c.scratch)
	// The header is checked again, as it may have changed before the copy.
	if format.Record(le32(0)&0xffff) != rec.typ || int64(le32(format.RecSize)) != size ||
		format.SizeofRec+int64(le32(format.RecFixed)) != n ||
		recordCRC(c.scratch, c.scratch[format.SizeofRec:]) != le32(format.RecCRC) {
		return rec, 0, model.ErrChecksum
	}
	rec.thread = le32(0) >> 16
	rec.fixed = c.scratch[format.SizeofRec:]
	return rec, size, nil
}

// headerAt reads the header of the record at off, if the sizes in it are
// possible ones.
func (c *cursor) headerAt(off int64) (record, int64, error) {
	if c.limit-off < format.SizeofRec {
		return record{}, 0, errNoHeader
	}
	rec := record{typ: format.Record(c.img.u32(off)), off: off}
	size, fixed := int64(c.img.u32(off+format.RecSize)), int64(c.img.u32(off+format.RecFixed))
	switch {
	case rec.typ == 0 || size%8 != 0 || format.SizeofRec+fixed > size:
		return rec, 0, errSizes
	case size > c.limit-off:
		return rec, 0, errRecCut
	}
	rec.live = off + format.SizeofRec + fixed
	rec.nlive = size - format.SizeofRec - fixed
	return rec, size, nil
}

// skipDamaged complains about the record at the current position and continues with the
// next sound one. Only the checksum of that one can be trusted, the size in the
// damaged one cannot.
func (c *cursor) skipDamaged(typ format.Record, err error) {
	if !c.cut || !errors.Is(err, model.ErrTruncated) { // else it was said of the chunk
		c.probs.add(typ.String(), c.pos, err)
	}
	for at := c.pos + 8; at < c.limit && c.budget > 0; at += 8 {
		if c.isSound(at) {
			c.pos = at
			return
		}
	}
	c.pos = c.limit
}

// isSound reports whether a record of a known type with the right checksum starts
// at off.
func (c *cursor) isSound(off int64) bool {
	rec, _, err := c.headerAt(off)
	if err != nil || !rec.typ.IsKnown() {
		return false
	}
	c.budget -= rec.live - off
	_, _, err = c.recordAt(off)
	return err == nil
}

// isUsable reports whether this version can use the record, and complains if not.
func (c *cursor) isUsable(rec record) bool {
	if !rec.typ.IsKnown() {
		if !c.unknown {
			c.probs.addErrorf("record", rec.off, model.ErrUnknown, "record type %d", rec.typ)
		}
		c.unknown = true
		return false
	}
	fixed, live := rec.typ.MinSizes()
	if int64(len(rec.fixed)) < int64(fixed) || rec.nlive < int64(live) || live > 0 && rec.live%8 != 0 {
		c.probs.addCorrupt(rec.typ.String(), rec.off, "fixed part %d, mutable part %d", len(rec.fixed), rec.nlive)
		return false
	}
	return true
}
