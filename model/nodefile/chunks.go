package nodefile

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"time"

	"laggard/model"
	"laggard/model/format"
)

// Where a file header has what is read while the job runs.
const (
	// SlotCountAt is where a number of 32 bits counts the slots.
	SlotCountAt = format.FileNslots
	// EndingsAt is where there is a number of 32 bits for each of the first MaxEndings
	// slots, in which the kernel notes that a thread of its process has ended.
	EndingsAt = format.FileEndings
	// MaxEndings bounds the slots that have such a number.
	MaxEndings = format.Endings
)

// Header is what the header of a node file says.
type Header struct {
	RunID   uint64 // the same in all files of a run
	Host    string // at most 63 bytes
	Created time.Time
}

// chunk is a piece of a file that belongs to one slot.
type chunk struct {
	off, size int64
	slot, seq uint32
	stream    bool // holds a block of a stream, and has no seq
}

// layout is what the walk through a file found.
type layout struct {
	header  Header
	sure    bool // the checksum of the header is right
	slots   map[uint32][]chunk
	streams map[uint32][]int64 // offsets of the stream chunks of a slot
	end     int64              // behind the last chunk
	size    int64              // of the file at that time
}

// readLayout reads the file header and walks the chunks. Whatever is wrong goes
// to p; an error means that nothing of the file can be used.
func (m *image) readLayout(p *problems) (*layout, error) {
	size := m.size()
	if size < format.FileEndings {
		return nil, fmt.Errorf("%w: %d bytes are not a file header", model.ErrTruncated, size)
	}
	l := &layout{streams: map[uint32][]int64{}, end: format.PageSize, size: size}
	if err := m.readHeader(l, p); err != nil {
		return nil, err
	}
	l.size = m.awaitEnd(p)
	all := m.walkChunks(format.PageSize, l.size, p)
	l.slots = make(map[uint32][]chunk, len(all))
	for i, c := range all {
		switch known := l.slots[c.slot]; {
		case c.stream:
			l.streams[c.slot] = append(l.streams[c.slot], c.off)
		case known == nil: // nearly always the only one
			l.slots[c.slot] = all[i : i+1 : i+1]
		default:
			l.slots[c.slot] = append(known, c)
		}
		l.end = c.off + c.size
	}
	for slot, chunks := range l.slots {
		if len(chunks) > 1 {
			l.slots[slot] = inOrder(chunks)
		}
	}
	m.checkSlots(l, p)
	return l, nil
}

// readHeader checks and reads the file header. One of magic and checksum may
// be damaged, the chunks are protected by checksums of their own.
func (m *image) readHeader(l *layout, p *problems) error {
	head := m.appendWords(nil, 0, format.FileEndings)
	le32, le64 := wordReaders(head)
	magic := le64(0) == format.Magic
	l.sure = crc32.Checksum(head[format.FileVersion:format.FileCRC], castagnoli) == le32(format.FileCRC)
	switch {
	case !magic && !l.sure:
		return model.ErrMagic
	case !magic:
		p.add("file header", 0, model.ErrMagic)
	case !l.sure:
		p.add("file header", 0, model.ErrChecksum)
	}
	if v := le32(format.FileVersion); l.sure && v != format.Version {
		return fmt.Errorf("%w: version %d, this program reads %d", model.ErrVersion, v, format.Version)
	}
	if page := le32(format.FilePage); l.sure && page != format.PageSize {
		return fmt.Errorf("%w: page size %d", model.ErrCorrupt, page)
	}
	host, _, _ := bytes.Cut(head[format.FileHost:format.FileHost+format.SizeofFileHost], []byte{0})
	l.header = Header{RunID: le64(format.FileRunID), Host: string(host), Created: timeOf(le64(format.FileCreated))}
	return nil
}

// awaitEnd returns the size of the file, and complains if chunks are reserved
// behind it. A live process reserves first and lengthens the file right after.
func (m *image) awaitEnd(p *problems) int64 {
	for wait := 5; ; wait-- {
		end, size := m.u64(format.FileEnd), m.size()
		if end <= uint64(size) {
			return size
		}
		if m.file == nil || wait == 0 {
			p.add("file header", 0, fmt.Errorf("%w: %d bytes of %d are there", model.ErrTruncated, size, end))
			return size
		}
		time.Sleep(time.Millisecond)
	}
}

// walkChunks returns the chunks from off to size, in the order of the file. Between
// two of them it goes from page to page.
func (m *image) walkChunks(off, size int64, p *problems) []chunk {
	var out []chunk
	gap := off
	for off < size {
		c, ok := m.chunkAt(off, size)
		if !ok {
			off = m.nextOffset(off, gap, size)
			continue
		}
		m.checkGap(gap, off, p)
		out = append(out, c)
		off += c.size
		gap = off
	}
	m.checkGap(gap, size, p)
	return out
}

// chunkAt reads the chunk header at off, if there is a whole and sound one.
func (m *image) chunkAt(off, size int64) (chunk, bool) {
	if size-off < format.SizeofChunk {
		return chunk{}, false
	}
	magic, crcAt := m.u32(off), int64(format.ChunkCRC)
	switch magic {
	case format.MagicChunk:
	case format.MagicStream:
		crcAt = format.StreamChunkCRC
	default:
		return chunk{}, false
	}
	var room [format.SizeofChunk]byte
	head := m.appendWords(room[:0], off, format.SizeofChunk)
	le32, _ := wordReaders(head)
	c := chunk{off: off, size: int64(le32(format.ChunkSize)), slot: le32(format.ChunkSlot), seq: le32(format.ChunkSeq),
		stream: magic == format.MagicStream}
	ok := crc32.Checksum(head[:crcAt], castagnoli) == le32(int(crcAt)) && c.size >= format.PageSize && c.size%format.PageSize == 0
	return c, ok
}

// checkGap complains about bytes that are in no chunk, unless a process only
// had no time to use them.
func (m *image) checkGap(off, end int64, p *problems) {
	if off < end && !m.zeroPages(off, end) {
		p.addCorrupt("chunk", off, "%d bytes belong to no chunk", end-off)
	}
}

// inOrder sorts the chunks of a slot by their number. Of two with one number
// the first in the file stays; slotReader complains about the gaps.
func inOrder(chunks []chunk) []chunk {
	slices.SortStableFunc(chunks, func(a, b chunk) int { return int(int64(a.seq) - int64(b.seq)) })
	return slices.CompactFunc(chunks, func(a, b chunk) bool { return a.seq == b.seq })
}

// checkSlots compares the slots handed out with those that have chunks.
func (m *image) checkSlots(l *layout, p *problems) {
	n := m.u32(format.FileNslots)
	if uint64(n) > uint64(l.size)/format.PageSize {
		p.addCorrupt("file header", 0, "%d slots in %d bytes", n, l.size)
		return
	}
	order := l.slotOrder()
	more := len(order) > 0 && order[len(order)-1] >= n
	if len(order) != int(n) || more {
		var there model.RankSet // of slots, printed the same way
		for _, slot := range order {
			there.Add(int(slot))
		}
		if lost := there.MissingBelow(int(n)); lost.Len() > 0 {
			p.add("", -1, fmt.Errorf("%w: slot %s is missing", model.ErrLost, lost))
		}
	}
	if more {
		p.addCorrupt("file header", 0, "%d slots, but more are in use", n)
	}
}

// CopyRecords copies a node file that may be in use, so that a reader sees it as it
// is now. The packed blocks of its streams, which never change, stay where they are.
func CopyRecords(from, to string) error {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	end := int64(format.PageSize)
	for range passes {
		if end, err = copyFrom(from, out, end); err != nil {
			break
		}
	}
	return errors.Join(err, out.Close())
}

// passes: a block that is packed moves to the end of the file, and the chunk that it was filled in takes a later
// one. If that was copied first, the packed one is in what was added meanwhile.
const passes = 2

// copyFrom copies the header, and the chunks from an offset on. It returns where the next ones will be.
func copyFrom(from string, out *os.File, at int64) (end int64, err error) {
	img, err := openImage(from, filepath.Base(from))
	if err != nil {
		return at, err
	}
	defer img.close()
	list, end, err := img.piecesToCopy(at)
	if err == nil {
		err = img.copyPieces(out, list)
	}
	return end, errors.Join(err, out.Truncate(end))
}

// piecesToCopy are the header, and what is to be copied of the chunks from an offset to the end.
func (m *image) piecesToCopy(at int64) (list []chunk, end int64, err error) {
	var p problems
	l, err := m.readLayout(&p)
	if err != nil {
		return nil, at, err
	}
	list = []chunk{{off: 0, size: format.PageSize}}
	for _, c := range m.walkChunks(at, l.end, &p) {
		if c.stream && m.u32(c.off+format.StreamChunkPacked) > 0 {
			c.size = format.SizeofStreamChunk
		}
		list = append(list, c)
	}
	return list, l.end, nil
}

func (m *image) copyPieces(out *os.File, list []chunk) error {
	for _, c := range list {
		if err := m.copyPiece(out, c); err != nil {
			return err
		}
	}
	return nil
}

// copyPiece copies a piece once it has been read twice alike: blocks that change
// together are then whole.
func (m *image) copyPiece(out *os.File, c chunk) error {
	read := func() ([]byte, error) {
		b := make([]byte, c.size)
		_, err := m.file.ReadAt(b, c.off)
		return b, err
	}
	last, err := read()
	for range spins {
		var again []byte
		if again, err = read(); err != nil || bytes.Equal(last, again) {
			break
		}
		last = again
	}
	if err != nil {
		return err
	}
	_, err = out.WriteAt(last, c.off)
	return err
}
