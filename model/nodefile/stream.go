package nodefile

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"laggard/model"
	"laggard/model/format"
)

// StreamKind says what the events of a stream are about.
type StreamKind uint16

const (
	UsageStream    StreamKind = format.StreamUsage    // MPI calls with their arguments, see analysis/usage/recorded
	MovementStream StreamKind = format.StreamMovement // allocations, copies and messages, see analysis/movement

	streamKinds = 3
)

// Stream is the events of one thread of a process, in the order they happened,
// in blocks that no event crosses. The bytes of the blocks are what the recorder
// of that kind wrote.
type Stream struct {
	Kind   StreamKind
	Thread int  // Thread.Index; -1 of a thread that never called MPI
	Number int  // tells apart the streams of a process
	Cut    bool // it ends early: the recorder ran out of room
	// LeftOut blocks of the process, from some on, are in no stream: see Index.LimitEvents.
	LeftOut bool
	file    string
	slot    int
	blocks  []block
}

// block is one of a stream, as it is in the file.
type block struct {
	off    int64 // of its chunk
	number uint64
	packed int // bytes when packed by zstd; 0: it is not packed
	data   []byte
}

// unpacker refuses blocks that no recorder writes.
var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(4*format.BlockSize))
	return d
})

// Blocks yields the blocks from the first on. A block that is damaged or missing
// yields an error that says where, and nil; those behind it follow. The bytes
// are the caller's.
func (s *Stream) Blocks() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		next := uint64(0)
		for _, b := range s.blocks {
			if b.number != next &&
				!yield(nil, s.errorAt(b.off, fmt.Errorf("%w: blocks %d to %d", model.ErrLost, next, b.number-1))) {
				return
			}
			next = b.number + 1
			data, err := b.unpack()
			if err != nil {
				data, err = nil, s.errorAt(b.off, err)
			}
			if !yield(data, err) {
				return
			}
		}
	}
}

func (s *Stream) errorAt(off int64, err error) error {
	return &model.FormatError{File: s.file, Rank: -1, Slot: s.slot, Section: "stream", Offset: off, Err: err}
}

func (b *block) unpack() ([]byte, error) {
	if b.packed == 0 {
		return slices.Clone(b.data), nil
	}
	data, err := unpacker().DecodeAll(b.data, make([]byte, 0, b.packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", model.ErrChecksum, err)
	}
	if len(data) != b.packed {
		return nil, fmt.Errorf("%w: %d bytes of %d in a block", model.ErrTruncated, len(data), b.packed)
	}
	return data, nil
}

// LimitStreams keeps the first blocks of the streams of a slot, up to a number of bytes of events.
func LimitStreams(streams []*Stream, most int64) {
	for block := 0; ; block++ {
		more := false
		for _, s := range streams {
			if block >= len(s.blocks) {
				continue
			}
			if most -= s.blocks[block].eventBytes(); most < 0 {
				for _, s := range streams {
					s.LeftOut, s.blocks = true, s.blocks[:min(block, len(s.blocks))]
				}
				return
			}
			more = true
		}
		if !more {
			return
		}
	}
}

// EventBytes is the size of the events, unpacked.
func (s *Stream) EventBytes() (bytes int64) {
	for i := range s.blocks {
		bytes += s.blocks[i].eventBytes()
	}
	return bytes
}

// eventBytes is that of the events, in bytes.
func (b *block) eventBytes() int64 { return int64(max(b.packed, len(b.data))) }

// countEvents counts the bytes of events, unpacked, in the stream chunks at the offsets.
func (m *image) countEvents(offsets []int64) (bytes [streamKinds]int64) {
	for _, off := range offsets {
		if kind := int(m.u32(off+format.StreamChunkKind) & 0xffff); kind < streamKinds {
			bytes[kind] += min(int64(max(uint64(m.u32(off+format.StreamChunkPacked)), m.u64(off+format.StreamChunkUsed))), format.BlockSize)
		}
	}
	return bytes
}

// StreamsOf returns the streams of a kind that a rank recorded, and what is wrong with them.
func (f *File) StreamsOf(r *model.Rank, kind StreamKind) (out []*Stream, err error) {
	if f.err != nil {
		return nil, &model.FormatError{File: r.File, Rank: r.Rank, Slot: r.Slot, Offset: -1, Err: f.err}
	}
	fault := f.img.guardReads(func() { out, err = f.img.readStreams(f.layout.streams[uint32(r.Slot)], r, kind) })
	if fault != nil {
		err = errors.Join(err,
			&model.FormatError{File: r.File, Rank: r.Rank, Slot: r.Slot, Section: "stream", Offset: -1, Err: fault})
	}
	return out, err
}

// readStreams copies the streams of a kind from the chunks at the offsets.
func (m *image) readStreams(offsets []int64, r *model.Rank, kind StreamKind) ([]*Stream, error) {
	of := map[int]*Stream{}
	var errs []error
	for _, off := range offsets {
		if StreamKind(m.u32(off+format.StreamChunkKind)) != kind {
			continue
		}
		head := m.appendWords(nil, off, format.SizeofStreamChunk)
		le32, _ := wordReaders(head)
		number := int(le32(format.StreamChunkNumber))
		if of[number] == nil {
			of[number] = &Stream{Kind: kind, Thread: threadOf(le32(format.StreamChunkKind) >> 16), Number: number, file: r.File,
				slot: r.Slot}
		}
		if b, err := m.readBlock(off); err != nil {
			errs = append(errs, of[number].errorAt(off, err))
		} else {
			of[number].blocks = append(of[number].blocks, b)
			of[number].Cut = of[number].Cut || le32(format.StreamChunkCut) != 0
		}
	}
	var out []*Stream
	for _, stream := range of {
		stream.sortBlocks()
		out = append(out, stream)
	}
	slices.SortFunc(out, func(a, b *Stream) int { return a.Number - b.Number })
	return out, errors.Join(errs...)
}

func threadOf(v uint32) int {
	if v == format.NoThread {
		return -1
	}
	return int(v)
}

// readBlock copies the block in the chunk at off, which a live process may be
// filling.
func (m *image) readBlock(off int64) (b block, err error) {
	if m.present != nil && m.u32(off+format.StreamChunkPacked) > 0 {
		m = m.present
	}
	size := int64(m.u32(off+format.ChunkSize)) - format.SizeofStreamChunk
	for range spins {
		b = block{off: off, number: m.u64(off + format.StreamChunkBlock), packed: int(m.u32(off + format.StreamChunkPacked))}
		used := m.u64(off + format.StreamChunkUsed)
		whole := int64(used+7) &^ 7
		if used > uint64(size) || off+format.SizeofStreamChunk+whole > m.size() || b.packed > format.BlockSize {
			return b, fmt.Errorf("%w: a block of %d bytes, unpacked %d, in a chunk of %d", model.ErrCorrupt, used, b.packed,
				size)
		}
		b.data = m.appendWords(nil, off+format.SizeofStreamChunk, whole)[:used]
		if m.u64(off+format.StreamChunkBlock) == b.number && m.u64(off+format.StreamChunkUsed) >= used {
			return b, nil
		}
	}
	return b, model.ErrTorn
}

// sortBlocks sorts the blocks and drops what is there twice: a process that was
// killed while it packed a block left it live too.
func (s *Stream) sortBlocks() {
	slices.SortStableFunc(s.blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(b.packed, a.packed))
	})
	s.blocks = slices.CompactFunc(s.blocks, func(a, b block) bool { return a.number == b.number })
	if n := len(s.blocks); n > 0 && s.blocks[n-1].packed == 0 && len(s.blocks[n-1].data) == 0 {
		s.blocks = s.blocks[:n-1]
	}
}
