package nodefile

import (
	"slices"

	"laggard/internal/parallel"
	"laggard/model"
	"laggard/model/format"
)

// Decoder decodes slots of node files. Ranks share what they have alike: modules, states and lists of members. It is
// for one goroutine.
type Decoder struct {
	in *interner
	// Brief: of a [model.History] there is only the latest call, and no [model.Rank.Series].
	Brief bool
}

// NewDecoder returns a Decoder for files of so many bytes together, which bound the memory that it takes.
func NewDecoder(bytes int64) *Decoder { return &Decoder{in: newInterner(bytes)} }

// DecodeSlots decodes slots of the files, which it finds by name. f is called for one after the other, in the order of the list. A slot
// that cannot be read any more keeps what the scan knew.
func (d *Decoder) DecodeSlots(files map[string]*File, slots []SlotInfo, f func(i int, rank *model.Rank, wrong *SlotProblems)) {
	for _, file := range files {
		file.slots.states, file.slots.brief = &d.in.cache, d.Brief
	}
	readers := make([]*slotReader, len(slots))
	parallel.ForEach(len(slots), func(i int) { readers[i] = files[slots[i].File].readSlot(slots[i]) })
	for i, r := range readers {
		r.internMembers(d.in)
		d.in.internRank(r.rank)
		f(i, r.rank, (*SlotProblems)(&r.probs))
		r.releaseRoom()
	}
	d.in.clearLists()
}

// SlotProblems are what was wrong with a slot.
type SlotProblems problems

// OfRank returns them as problems of a rank; -1 unknown.
func (p *SlotProblems) OfRank(rank int) []model.Problem { return (*problems)(p).asProblems(rank) }

// readSlot decodes a slot; one that cannot be read any more keeps what the scan knew.
func (f *File) readSlot(s SlotInfo) *slotReader {
	if f.err == nil && f.layout.slots[uint32(s.Slot)] != nil {
		return f.slots.readSlot(f.img, f.layout, uint32(s.Slot))
	}
	r := &slotReader{probs: problems{file: s.File, slot: s.Slot}}
	r.rank = &model.Rank{Rank: s.Rank, Size: s.Size, Host: s.Host, File: s.File, Slot: s.Slot, Start: s.Start,
		Spawned: s.Spawned, EndDetail: -1, ThreadLevel: -1, Threads: []*model.Thread{{Op: model.Op{State: -1}}}}
	if f.err != nil {
		r.probs.add("", -1, f.err)
	} else {
		r.probs.addErrorf("", -1, model.ErrLost, "the slot is gone since the scan")
	}
	return r
}

// RecordCount says how often a type of record occurs.
type RecordCount struct {
	Type   string // as in the errors, such as "STATE"; of blocks of events "usage", "movement"
	Events bool   // they are such blocks
	Count  int
	Bytes  int64
}

// CountRecords counts the records by type, in the order of the types; those that occur. A fault is left to those who decode.
func (f *File) CountRecords() (counts []RecordCount) {
	_ = f.img.guardReads(func() { counts = f.img.countRecords(f.layout) })
	return counts
}

func (m *image) countRecords(l *layout) []RecordCount {
	var counts [format.Records]RecordCount
	for slot := range l.slots {
		var said problems // by the load
		c := newCursor(m, l, slot, &said)
		for rec, ok := c.next(); ok; rec, ok = c.next() {
			counts[rec.typ].Count++
			counts[rec.typ].Bytes += format.SizeofRec + int64(len(rec.fixed)) + rec.nlive
		}
	}
	var out []RecordCount
	for typ := format.RankRecord; typ < format.Records; typ++ {
		if counts[typ].Count > 0 {
			counts[typ].Type = typ.Name()
			out = append(out, counts[typ])
		}
	}
	return append(out, m.countBlocks(l)...)
}

// countBlocks counts the blocks of the streams, as they are in the file.
func (m *image) countBlocks(l *layout) []RecordCount {
	counts := []RecordCount{UsageStream: {Type: "usage", Events: true},
		MovementStream: {Type: "movement", Events: true}}
	for _, offsets := range l.streams {
		for _, off := range offsets {
			if kind := int(StreamKind(m.u32(off + format.StreamChunkKind))); kind < len(counts) {
				counts[kind].Count++
				counts[kind].Bytes += int64(m.u64(off + format.StreamChunkUsed))
			}
		}
	}
	return slices.DeleteFunc(counts, func(c RecordCount) bool { return c.Count == 0 })
}
