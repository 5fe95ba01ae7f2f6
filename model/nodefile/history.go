package nodefile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"laggard/model"
	"laggard/model/format"
	"laggard/model/mpi"
)

// historyReader is a HISTORY record and a copy of its mutable part; of a brief
// reading, of its newest entry alone.
type historyReader struct {
	comm   uint32
	off    int64
	at, n  int64 // the mutable part
	copied bool
	live   []byte
}

func (r *slotReader) takeHistory(rec record) {
	le32, _ := wordReaders(rec.fixed)
	r.histories = append(r.histories, historyReader{comm: le32(format.HistoryComm), off: rec.off, at: rec.live, n: rec.nlive})
}

// copyNewest copies the newest entry. It looks for it where the number of collectives on
// the communicator says; if it is not there, it reports false.
func (h *historyReader) copyNewest(r *slotReader) bool {
	at, ok := r.comms.find(h.comm)
	if !ok || at < 0 {
		return false
	}
	n := r.img.u64(r.comms.list[at].live + format.CommColl)
	if n == 0 || h.entryNumber(r, n+1) == uint32(n+1) || h.entryNumber(r, n) != uint32(n) {
		return false
	}
	r.leaveTrail(h.entryOffset(n))
	begin := len(r.room.bytes)
	r.room.bytes = r.img.appendWords(r.room.bytes, h.entryOffset(n), format.SizeofBegun)
	h.live = r.room.bytes[begin:len(r.room.bytes):len(r.room.bytes)]
	return binary.LittleEndian.Uint32(h.live[format.BegunNumber:]) == uint32(n) && h.entryNumber(r, n) == uint32(n) &&
		hasHashes(h.live)
}

// entryOffset is where the n-th collective is, and number what number it has there; 0: it has
// no place.
func (h *historyReader) entryOffset(n uint64) int64 {
	return h.at + format.HistoryBegun + int64((n-1)%format.Begun)*format.SizeofBegun
}

func (h *historyReader) entryNumber(r *slotReader, n uint64) uint32 {
	if at := h.entryOffset(n); at+format.SizeofBegun <= h.at+h.n {
		return r.img.u32(at + format.BegunNumber)
	}
	return 0
}

// copyLive copies the mutable part. An entry that changed meanwhile has number 0.
func (h *historyReader) copyLive(r *slotReader) {
	h.copied = true
	if r.brief && h.copyNewest(r) {
		return
	}
	live, ok := r.img.copyBlock(nil, h.at, h.n, 64, &r.wait)
	if !ok {
		r.probs.add(format.HistoryRecord.String(), h.off, model.ErrTorn)
		live = live[:0]
	}
	h.live = live
	for at := format.HistoryBegun; at+format.SizeofBegun <= len(live); at += format.SizeofBegun {
		number := live[at+format.BegunNumber:][:4]
		if r.img.u32(h.at+int64(at+format.BegunNumber)) != binary.LittleEndian.Uint32(number) {
			clear(number)
		}
	}
}

// oneBegun is a History of one collective.
type oneBegun struct {
	model.History
	begun [1]model.Begun
}

// assembleHistories fills in Comm.History.
func (r slotAssembler) assembleHistories(position map[uint32]int) {
	if r.brief {
		r.room.begun = slices.Grow(r.room.begun, len(r.histories))[:len(r.histories)]
	}
	for i := range r.histories {
		h := &r.histories[i]
		comm, ok := r.comms.find(h.comm)
		if !ok || comm < 0 {
			r.probs.addErrorf(format.HistoryRecord.String(), h.off, model.ErrLost, "communicator %d", h.comm)
			continue
		}
		c := r.rank.Comms[comm]
		switch len(h.live) {
		case 0:
		case format.SizeofBegun: // no whole history is that short
			one := &r.room.begun[i]
			one.begun[0] = r.readBegun(h, completeNumber(c.Coll, binary.LittleEndian.Uint32(h.live[format.BegunNumber:])), h.live, position)
			one.History, c.History = model.History{Latest: one.begun[:]}, &one.History
		default:
			c.History = &model.History{Latest: r.readLatest(h, c.Coll, position), Marks: readMarks(h.live)}
			if n := len(c.History.Latest); r.brief && n > 0 {
				c.History = &model.History{Latest: c.History.Latest[n-1:]}
			}
		}
	}
}

// hasHashes reports whether an entry was written to its end: no recorder makes a hash zero,
// which is what a file that was cut short has.
func hasHashes(entry []byte) bool {
	_, le64 := wordReaders(entry)
	return le64(format.BegunCalls) != 0 && le64(format.BegunSites) != 0
}

// completeNumber completes the low bits of a number by what is near to it.
func completeNumber(near uint64, low uint32) uint64 {
	return near + uint64(int64(int32(low-uint32(near))))
}

// readLatest reads the entries from the newest one back. coll is about how many
// collectives there were: it tells the upper bits of the numbers.
func (r slotAssembler) readLatest(h *historyReader, coll uint64, position map[uint32]int) []model.Begun {
	entries := h.live[format.HistoryBegun:]
	newest := uint64(0)
	for at := 0; at+format.SizeofBegun <= len(entries); at += format.SizeofBegun {
		if low := binary.LittleEndian.Uint32(entries[at+format.BegunNumber:]); low != 0 {
			newest = max(newest, completeNumber(coll, low))
		}
	}
	var out []model.Begun
	for n := newest; n > 0 && newest-n < format.Begun; n-- {
		at := int((n-1)%format.Begun) * format.SizeofBegun
		if at+format.SizeofBegun > len(entries) || binary.LittleEndian.Uint32(entries[at+format.BegunNumber:]) != uint32(n) {
			break
		}
		if !hasHashes(entries[at:]) {
			r.probs.addCorrupt(format.HistoryRecord.String(), h.off, "collective %d has no hashes", n)
			break
		}
		out = append(out, r.readBegun(h, n, entries[at:], position))
	}
	slices.Reverse(out)
	return out
}

func (r slotAssembler) readBegun(h *historyReader, n uint64, entry []byte, position map[uint32]int) model.Begun {
	le32, le64 := wordReaders(entry)
	le16 := func(at int) uint32 { return uint32(binary.LittleEndian.Uint16(entry[at:])) }
	thread, op := le16(format.BegunThread), le16(format.BegunOp)
	out := model.Begun{
		Mark:  model.Mark{Number: n, Calls: le64(format.BegunCalls), Sites: le64(format.BegunSites)},
		Order: le32(format.BegunOrder), Thread: -1, State: -1,
		Root: int(int32(le32(format.BegunRoot))), Bytes: int64(le64(format.BegunBytes)),
	}
	out.Bytes = max(out.Bytes, -1)
	switch {
	case op == format.OpOwn:
		out.Op = model.OwnOp
	case op > uint32(len(mpi.Operations)):
		r.probs.add(format.HistoryRecord.String(), h.off, fmt.Errorf("%w: operation %d", model.ErrUnknown, op))
	case op > 0:
		out.Op = mpi.Operations[op-1]
	}
	if t := r.threads[thread]; t != nil {
		out.Thread, out.State = position[thread], t.stateIndex(r.slotReader, le32(format.BegunState), format.HistoryRecord.String(), h.off)
	} else {
		r.probs.add(format.HistoryRecord.String(), h.off, fmt.Errorf("%w: thread %d", model.ErrLost, thread))
	}
	return out
}

// readMarks reads the checkpoints: of each level the last two.
func readMarks(live []byte) []model.Mark {
	_, le64 := wordReaders(live)
	marked := le64(format.HistoryMarked)
	var out []model.Mark
	for level, step := 0, uint64(format.MarkStep); level < format.MarkLevels; level, step = level+1, step*4 {
		last := marked / step
		for k := last; k > 0 && last-k < 2; k-- {
			at := format.HistoryMarks + (2*level+int(k%2))*format.SizeofMark
			out = append(out, model.Mark{Number: k * step, Calls: le64(at + format.MarkCalls), Sites: le64(at + format.MarkSites)})
		}
	}
	slices.SortFunc(out, func(a, b model.Mark) int { return cmp.Compare(a.Number, b.Number) })
	return slices.CompactFunc(out, func(a, b model.Mark) bool { return a.Number == b.Number })
}

// writeHistory writes a HISTORY record. Of a folded slot the unused entries at the end
// are left out.
func (w *slotWriter) writeHistory(r *model.Rank, comm int, h *model.History) {
	fixed, live := make(part, format.SizeofHistoryFixed), make(part, format.SizeofHistoryLive)
	fixed.i32(format.HistoryComm, comm)
	live.putMarks(h.Marks)
	used := 0
	for _, b := range h.Latest {
		at := int((b.Number - 1) % format.Begun)
		w.writeBegun(live[format.HistoryBegun+at*format.SizeofBegun:], r, b)
		used = max(used, at+1)
	}
	if w.fold != nil {
		live = live[:format.HistoryBegun+used*format.SizeofBegun]
	}
	w.writeRecord(format.HistoryRecord, 0, fixed, live)
}

// putMarks writes the checkpoints to their places, as the recorder has them.
func (p part) putMarks(marks []model.Mark) {
	at := map[uint64]model.Mark{}
	marked := uint64(0)
	for _, m := range marks {
		at[m.Number] = m
		marked = max(marked, m.Number)
	}
	p.u64(format.HistoryMarked, marked)
	for level, step := 0, uint64(format.MarkStep); level < format.MarkLevels; level, step = level+1, step*4 {
		last := marked / step
		for _, k := range []uint64{last, last - 1} {
			m, place := at[k*step], p[format.HistoryMarks+(2*level+int(k%2))*format.SizeofMark:]
			place.u64(format.MarkCalls, m.Calls)
			place.u64(format.MarkSites, m.Sites)
		}
	}
}

func (w *slotWriter) writeBegun(entry part, r *model.Rank, b model.Begun) {
	w.checkRange("thread of a collective", b.Thread, 0, len(r.Threads)-1)
	if w.err != nil {
		return
	}
	t := r.Threads[b.Thread]
	w.checkRange("state of a collective", b.State, -1, len(t.Model.States)-1)
	op := slices.Index(mpi.Operations[:], b.Op) + 1
	if b.Op == model.OwnOp {
		op = format.OpOwn
	}
	entry.u32(format.BegunNumber, uint32(b.Number))
	entry.u32(format.BegunOrder, b.Order)
	entry.i32(format.BegunState, b.State)
	entry.u16(format.BegunThread, t.Index)
	entry.u16(format.BegunOp, op)
	entry.u64(format.BegunBytes, uint64(b.Bytes))
	entry.i32(format.BegunRoot, b.Root)
	entry.u64(format.BegunCalls, b.Calls)
	entry.u64(format.BegunSites, b.Sites)
}
