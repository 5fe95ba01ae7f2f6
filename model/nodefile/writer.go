package nodefile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
	"time"

	"laggard/internal/regular"
	"laggard/model"
	"laggard/model/format"
)

// Encode writes the ranks as a node file, rank i of the list in slot i; Host,
// File and Slot of the ranks do not matter. What the format has no room for is
// an error that wraps ErrEncode.
func Encode(h Header, ranks []*model.Rank) ([]byte, error) { return encodeNode(h, ranks, nil) }

func encodeNode(h Header, ranks []*model.Rank, fold *Folder) ([]byte, error) {
	if len(h.Host) >= format.SizeofFileHost || strings.ContainsRune(h.Host, 0) {
		return nil, fmt.Errorf("model: host %q: %w", h.Host, model.ErrEncode)
	}
	file := make([]byte, format.PageSize)
	for slot, r := range ranks {
		w := &slotWriter{file: file, slot: uint32(slot), fold: fold}
		w.writeAll(r)
		w.closeChunk()
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
func WriteNode(dir string, h Header, ranks []*model.Rank) (name string, err error) {
	return writeFile(dir, h, ranks, Encode)
}

func writeFile(
	dir string, h Header, ranks []*model.Rank, encode func(Header, []*model.Rank) ([]byte, error),
) (name string, err error) {
	if strings.ContainsAny(h.Host, "/\x00") || h.Host == "" {
		return "", fmt.Errorf("model: host %q names no file: %w", h.Host, model.ErrEncode)
	}
	data, err := encode(h, ranks)
	if err != nil {
		return "", err
	}
	name = "node-" + h.Host + ".lgd"
	if err := regular.WriteNew(filepath.Join(dir, name), data); err != nil {
		return name, fmt.Errorf("model: %w", err)
	}
	return name, nil
}

func putHeader(file []byte, h Header, slots int) {
	le := binary.LittleEndian
	le.PutUint64(file, format.Magic)
	le.PutUint32(file[format.FileVersion:], format.Version)
	le.PutUint32(file[format.FilePage:], format.PageSize)
	le.PutUint64(file[format.FileRunID:], h.RunID)
	le.PutUint64(file[format.FileCreated:], unixNanos(h.Created))
	copy(file[format.FileHost:], h.Host)
	le.PutUint32(file[format.FileCRC:], crc32.Checksum(file[format.FileVersion:format.FileCRC], castagnoli))
	le.PutUint64(file[format.FileEnd:], uint64(len(file)))
	le.PutUint32(file[format.FileNslots:], uint32(slots))
}

// unixNanos is the inverse of timeOf.
func unixNanos(t time.Time) uint64 {
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
	modules []*model.Module
	index   map[*model.Module]int
	fold    *Folder // nil: as a recorder writes it
	err     error
}

// writeAll appends all records of a rank. The communicators come early, since Scan
// reads up to the record of MPI_COMM_WORLD.
func (w *slotWriter) writeAll(r *model.Rank) {
	w.writeRankRecord(r)
	base := w.fold.findBase(r)
	if base != nil {
		w.modules, w.index = base.modules, base.index
	} else {
		w.index = map[*model.Module]int{}
		for _, m := range r.Modules {
			w.writeModule(m)
		}
		w.addModulesOf(r)
	}
	for i, t := range r.Threads {
		if i > 0 && t.Index <= r.Threads[i-1].Index {
			w.setError("threads are not in order of index")
		}
		w.writeThread(r, t)
	}
	for i, c := range r.Comms {
		w.writeComm(r, i, c)
	}
	if base != nil {
		w.writeLike(base, r)
	} else {
		for _, t := range r.Threads {
			w.writeModel(t)
		}
		w.fold.addBase(w, r)
	}
	w.writeRemaining(r)
}

// writeRemaining appends the records that nothing refers to.
func (w *slotWriter) writeRemaining(r *model.Rank) {
	for _, t := range r.Threads {
		w.writeSent(t)
		w.writeRaised(t.Raised, t.Index)
		w.writeFileLock(t)
		w.writeFailed(t)
		w.writeBuffers(t)
	}
	for i := range r.Thrown {
		w.writeRaised(&r.Thrown[i], format.NoThread)
	}
	w.writeOthers(r)
	w.writeSites(r)
	w.writeSeries(r)
	w.writeArguments(r)
	w.writeTables(r)
	if r.Library != "" {
		w.writeRecord(format.LibraryRecord, 0, []byte(r.Library), nil)
	}
	for _, note := range r.Notes {
		w.writeRecord(format.NoteRecord, 0, []byte(note), nil)
	}
}

// setError notes the first value that the format has no room for.
func (w *slotWriter) setError(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%w: "+format, append([]any{model.ErrEncode}, args...)...)
	}
}

// checkRange notes a failure unless low <= v <= high.
func (w *slotWriter) checkRange(what string, v, low, high int) {
	if v < low || v > high {
		w.setError("%s is %d, not in %d..%d", what, v, low, high)
	}
}

// writeRecord appends a record: a fixed and a mutable part.
func (w *slotWriter) writeRecord(typ format.Record, thread int, fixed, live []byte) {
	w.checkRange("thread", thread, 0, 1<<16-1)
	fixed = append(fixed, make([]byte, pad8(len(fixed))-len(fixed))...)
	size := pad8(format.SizeofRec + len(fixed) + len(live))
	at := w.reserveRecord(size)
	le := binary.LittleEndian
	head := w.file[at:]
	le.PutUint16(head, uint16(typ))
	le.PutUint16(head[format.RecThread:], uint16(thread))
	le.PutUint32(head[format.RecSize:], uint32(size))
	le.PutUint32(head[format.RecFixed:], uint32(len(fixed)))
	le.PutUint32(head[format.RecCRC:], recordCRC(head, fixed))
	copy(head[format.SizeofRec:], fixed)
	copy(head[format.SizeofRec+len(fixed):], live)
}

// reserveRecord makes room for a record and returns where it starts. A record that
// does not fit any more opens the next chunk.
func (w *slotWriter) reserveRecord(size int) int {
	if w.fold != nil {
		return w.extendChunk(size)
	}
	if w.chunk == 0 || format.SizeofChunk+w.used+size > len(w.file)-w.chunk {
		w.openChunk(size)
	}
	at := w.chunk + format.SizeofChunk + w.used
	w.used += size
	binary.LittleEndian.PutUint64(w.file[w.chunk+format.ChunkUsed:], uint64(w.used))
	return at
}

func (w *slotWriter) openChunk(size int) {
	n := format.NextChunkSize
	if w.seq == 0 {
		n = format.FirstChunkSize
	}
	n = max(n, (format.SizeofChunk+size+format.PageSize-1)/format.PageSize*format.PageSize)
	w.chunk, w.used = len(w.file), 0
	w.file = append(w.file, make([]byte, n)...)
	w.putChunk(n)
}

// putChunk writes the header of the current chunk, which has n bytes.
func (w *slotWriter) putChunk(n int) {
	le := binary.LittleEndian
	head := w.file[w.chunk:]
	le.PutUint32(head, format.MagicChunk)
	le.PutUint32(head[format.ChunkSize:], uint32(n))
	le.PutUint32(head[format.ChunkSlot:], w.slot)
	le.PutUint32(head[format.ChunkSeq:], w.seq)
	le.PutUint32(head[format.ChunkCRC:], crc32.Checksum(head[:format.ChunkCRC], castagnoli))
	w.seq++
}

// part is a part of a record under construction: fields are put at the offsets that
// package format has for them, and arrays appended.
type part []byte

func (p part) u16(at int, v int)    { binary.LittleEndian.PutUint16(p[at:], uint16(v)) }
func (p part) u32(at int, v uint32) { binary.LittleEndian.PutUint32(p[at:], v) }
func (p part) u64(at int, v uint64) { binary.LittleEndian.PutUint64(p[at:], v) }
func (p part) i32(at int, v int)    { p.u32(at, uint32(int32(v))) }
func (p part) putFlag(at int, v bool) {
	if v {
		p.u32(at, 1)
	}
}
func (p part) putTime(at int, t time.Time) { p.u64(at, unixNanos(t)) }

// bitIf is a bit that is set if something is so.
type bitIf struct {
	bit uint32
	set bool
}

// bitsOf returns the bits that are set.
func bitsOf(all ...bitIf) (bits uint32) {
	for _, f := range all {
		if f.set {
			bits |= f.bit
		}
	}
	return bits
}

// appendZeros appends n zero bytes and returns them, to be filled in.
func (p *part) appendZeros(n int) part {
	*p = append(*p, make([]byte, n)...)
	return (*p)[len(*p)-n:]
}
