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
	// Brief: of a [model.History] there is only the latest call, and no [model.Rank.Series]. What is decoded is valid until
	// DecodeSlots is called again, but for modules, states and lists of members.
	Brief   bool
	readers []*slotReader // their memory serves for more slots
}

// NewDecoder returns a Decoder for files of so many bytes together, which bound the memory that it takes.
func NewDecoder(bytes int64) *Decoder { return &Decoder{in: newInterner(bytes)} }

// DecodeSlots decodes slots of the files, which it finds by name. f is called for one after the other, in the order of the list. A slot
// that cannot be read any more keeps what the scan knew.
func (d *Decoder) DecodeSlots(files map[string]*File, slots []SlotInfo, f func(i int, rank *model.Rank, wrong *SlotProblems)) {
	for len(d.readers) < len(slots) {
		d.readers = append(d.readers, d.newReader())
	}
	readers := d.readers[:len(slots)]
	parallel.ForEach(len(slots), func(i int) { files[slots[i].File].readSlot(readers[i], slots[i]) })
	bases := d.findBases(files, slots)
	parallel.ForEach(len(slots), func(i int) {
		if r := readers[i]; r.like != nil {
			r.assembleFolded(bases[slotPlace{slots[i].File, r.like.slot}])
		}
	})
	for i, r := range readers {
		r.internMembers(d.in)
		d.in.internRank(r.rank)
		f(i, r.rank, (*SlotProblems)(&r.probs))
	}
	d.in.clearLists()
}

func (d *Decoder) newReader() *slotReader {
	return &slotReader{states: &d.in.cache, brief: d.Brief, threads: map[uint32]*threadReader{}}
}

// slotPlace is where a slot is.
type slotPlace struct {
	file string
	slot uint32
}

// findBases returns the slots that others are like: nearly always they are in the list, too.
func (d *Decoder) findBases(files map[string]*File, slots []SlotInfo) map[slotPlace]*slotReader {
	bases := make(map[slotPlace]*slotReader, len(slots))
	for i, s := range slots {
		bases[slotPlace{s.File, uint32(s.Slot)}] = d.readers[i]
	}
	for i, s := range slots {
		like := d.readers[i].like
		if like == nil {
			continue
		}
		place, f := slotPlace{s.File, like.slot}, files[s.File]
		if _, known := bases[place]; !known && f.layout.slots[like.slot] != nil {
			bases[place] = d.newReader()
			bases[place].readSlot(f.img, f.layout, like.slot)
		}
	}
	return bases
}

// SlotProblems are what was wrong with a slot.
type SlotProblems problems

// OfRank returns them as problems of a rank; -1 unknown.
func (p *SlotProblems) OfRank(rank int) []model.Problem { return (*problems)(p).asProblems(rank) }

// readSlot decodes a slot as far as it stands alone; one that cannot be read any more keeps what the scan knew.
func (f *File) readSlot(r *slotReader, s SlotInfo) {
	if f.err == nil && f.layout.slots[uint32(s.Slot)] != nil {
		r.readSlot(f.img, f.layout, uint32(s.Slot))
		return
	}
	*r = slotReader{states: r.states, brief: r.brief, threads: map[uint32]*threadReader{}, probs: problems{file: s.File, slot: s.Slot}}
	r.rank = &model.Rank{Rank: s.Rank, Size: s.Size, Host: s.Host, File: s.File, Slot: s.Slot, Start: s.Start,
		Spawned: s.Spawned, EndDetail: -1, ThreadLevel: -1, Threads: []*model.Thread{{Op: model.Op{State: -1}}}}
	if f.err != nil {
		r.probs.add("", -1, f.err)
	} else {
		r.probs.addErrorf("", -1, model.ErrLost, "the slot is gone since the scan")
	}
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
