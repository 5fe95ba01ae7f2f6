package model

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
	"time"
)

// Encode writes the ranks as a node file, rank i of the list in slot i; Host,
// File and Slot of the ranks do not matter. What the format has no room for is
// an error that wraps ErrEncode.
func Encode(h Header, ranks []*Rank) ([]byte, error) { return encode(h, ranks, nil) }

func encode(h Header, ranks []*Rank, fold *Folder) ([]byte, error) {
	if len(h.Host) >= fileHostLen || strings.ContainsRune(h.Host, 0) {
		return nil, fmt.Errorf("model: host %q: %w", h.Host, ErrEncode)
	}
	file := make([]byte, pageSize)
	for slot, r := range ranks {
		w := &slotWriter{file: file, slot: uint32(slot), fold: fold}
		w.rank(r)
		w.close()
		if w.err != nil {
			return nil, fmt.Errorf("model: rank %d: %w", r.Rank, w.err)
		}
		file = w.file
	}
	putHeader(file, h, len(ranks))
	return file, nil
}

// WriteNode writes the ranks as the node file of the run directory for the
// header's host, which must not have one yet, and returns its name.
func WriteNode(dir string, h Header, ranks []*Rank) (name string, err error) {
	return writeFile(dir, h, ranks, Encode)
}

func writeFile(
	dir string, h Header, ranks []*Rank, encode func(Header, []*Rank) ([]byte, error),
) (name string, err error) {
	if strings.ContainsAny(h.Host, "/\x00") || h.Host == "" {
		return "", fmt.Errorf("model: host %q names no file: %w", h.Host, ErrEncode)
	}
	data, err := encode(h, ranks)
	if err != nil {
		return "", err
	}
	name = "node-" + h.Host + ".lgd"
	return name, writeNew(filepath.Join(dir, name), data)
}

func putHeader(file []byte, h Header, slots int) {
	le := binary.LittleEndian
	le.PutUint64(file, fileMagic)
	le.PutUint32(file[fileVersion:], version)
	le.PutUint32(file[filePage:], pageSize)
	le.PutUint64(file[fileRunID:], h.RunID)
	le.PutUint64(file[fileCreated:], nanos(h.Created))
	copy(file[fileHost:], h.Host)
	le.PutUint32(file[fileCRC:], crc32.Checksum(file[fileVersion:fileCRC], castagnoli))
	le.PutUint64(file[fileEnd:], uint64(len(file)))
	le.PutUint32(file[fileNSlots:], uint32(slots))
}

// nanos is the inverse of timeOf.
func nanos(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixNano())
}

// slotWriter appends the chunks of one slot to a file. The first error stays.
type slotWriter struct {
	file    []byte
	slot    uint32
	seq     uint32
	chunk   int // where the current chunk starts; 0 none
	used    int
	modules []*Module
	index   map[*Module]int
	fold    *Folder // nil: as a recorder writes it
	err     error
}

// fail notes the first value that the format has no room for.
func (w *slotWriter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%w: "+format, append([]any{ErrEncode}, args...)...)
	}
}

// fits notes a failure unless low <= v <= high.
func (w *slotWriter) fits(what string, v, low, high int) {
	if v < low || v > high {
		w.fail("%s is %d, not in %d..%d", what, v, low, high)
	}
}

// record appends a record: a fixed and a mutable part.
func (w *slotWriter) record(typ recType, thread int, fixed, live []byte) {
	w.fits("thread", thread, 0, 1<<16-1)
	fixed = append(fixed, make([]byte, pad8(len(fixed))-len(fixed))...)
	size := pad8(recHeader + len(fixed) + len(live))
	at := w.reserve(size)
	le := binary.LittleEndian
	head := w.file[at:]
	le.PutUint16(head, uint16(typ))
	le.PutUint16(head[recThread:], uint16(thread))
	le.PutUint32(head[recSize:], uint32(size))
	le.PutUint32(head[recFixed:], uint32(len(fixed)))
	le.PutUint32(head[recCRC:], recordCRC(head, fixed))
	copy(head[recHeader:], fixed)
	copy(head[recHeader+len(fixed):], live)
}

// reserve makes room for a record and returns where it starts. A record that
// does not fit any more opens the next chunk.
func (w *slotWriter) reserve(size int) int {
	if w.fold != nil {
		return w.extend(size)
	}
	if w.chunk == 0 || chunkHeader+w.used+size > len(w.file)-w.chunk {
		w.open(size)
	}
	at := w.chunk + chunkHeader + w.used
	w.used += size
	binary.LittleEndian.PutUint64(w.file[w.chunk+chunkUsed:], uint64(w.used))
	return at
}

func (w *slotWriter) open(size int) {
	n := chunkSize
	if w.seq == 0 {
		n = firstChunkSize
	}
	n = max(n, (chunkHeader+size+pageSize-1)/pageSize*pageSize)
	w.chunk, w.used = len(w.file), 0
	w.file = append(w.file, make([]byte, n)...)
	w.putChunk(n)
}

// putChunk writes the header of the current chunk, which has n bytes.
func (w *slotWriter) putChunk(n int) {
	le := binary.LittleEndian
	head := w.file[w.chunk:]
	le.PutUint32(head, chunkMagic)
	le.PutUint32(head[chunkSizeAt:], uint32(n))
	le.PutUint32(head[chunkSlot:], w.slot)
	le.PutUint32(head[chunkSeq:], w.seq)
	le.PutUint32(head[chunkCRC:], crc32.Checksum(head[:chunkCRC], castagnoli))
	w.seq++
}

// fill is a part of a record under construction.
type fill []byte

func (f *fill) u16(v uint16) *fill { *f = binary.LittleEndian.AppendUint16(*f, v); return f }
func (f *fill) u32(v uint32) *fill { *f = binary.LittleEndian.AppendUint32(*f, v); return f }
func (f *fill) u64(v uint64) *fill { *f = binary.LittleEndian.AppendUint64(*f, v); return f }
func (f *fill) i32(v int) *fill    { return f.u32(uint32(int32(v))) }
func (f *fill) flag(v bool) *fill {
	if v {
		return f.u32(1)
	}
	return f.u32(0)
}
func (f *fill) time(t time.Time) *fill { return f.u64(nanos(t)) }
func (f *fill) text(s string) *fill    { *f = append(*f, s...); return f }

// zeros appends zero bytes until the part is n bytes long.
func (f *fill) zeros(n int) *fill { *f = append(*f, make([]byte, n-len(*f))...); return f }
