package nodefile

import (
	"fmt"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/format"
)

// slotReader decodes one slot, the records of one process; begin makes it ready for another one.
type slotReader struct {
	img       *image
	slot      uint32
	probs     problems
	cursor    cursor
	wait      patience
	rank      *model.Rank
	ranked    bool // the RANK record was found
	takesBack bool // its recorder takes back an end by a signal with which the program deals
	modules   table[*model.Module]
	threads   map[uint32]*threadReader
	comms     table[commReader]
	tables    []tableReader
	histories []historyReader
	held      []record // that are decoded behind all others
	series    []seriesReader
	like      *likeRecord // of a folded slot, else nil
	states    *stateCache
	brief     bool   // of histories only the newest call is read, of series nothing; what is decoded is valid until begin
	key       []byte // of a state, behind the number of the list of modules
	room      room
	trail     []int64 // where the slot before was read, and then this one; see preload
}

// room is the memory that a slotReader works in, for one slot after the other. Nothing decoded points into it, but for
// what a brief reading made.
type room struct {
	bytes   []byte    // copies of what records say
	live    [2][]byte // copies of the mutable part of a communicator
	entry   []byte    // of a table
	threads []*threadReader
	made
}

// made is what a rank consists of, as far as each one has its own.
type made struct {
	rank   model.Rank
	visits []uint64
	edges  []model.Edge
	comms  []model.Comm
	begun  []oneBegun
}

// copyBytes copies bytes that are needed until the slot is decoded. They are not nil.
func (m *room) copyBytes(b []byte) []byte {
	begin := len(m.bytes)
	m.bytes = append(m.bytes, b...)
	if len(b) == 0 {
		return []byte{}
	}
	return m.bytes[begin:len(m.bytes):len(m.bytes)]
}

// newComm returns a new communicator.
func (m *made) newComm() *model.Comm {
	m.comms = append(m.comms, model.Comm{})
	return &m.comms[len(m.comms)-1]
}

// newVisits returns so many counts, all zero; nil for none.
func (m *made) newVisits(n int) []uint64 {
	if n == 0 {
		return nil
	}
	begin := len(m.visits)
	m.visits = slices.Grow(m.visits, n)[:begin+n]
	clear(m.visits[begin:])
	return m.visits[begin : begin+n : begin+n]
}

// copyEdges copies the edges of a model, without their counts.
func (m *made) copyEdges(edges []model.Edge) []model.Edge {
	begin := len(m.edges)
	m.edges = append(m.edges, edges...)
	out := m.edgesFrom(begin)
	for i := range out {
		out[i].Count = 0
	}
	return out
}

// edgesFrom returns the edges that were added from an index on; nil for none.
func (m *made) edgesFrom(begin int) []model.Edge {
	if begin == len(m.edges) {
		return nil
	}
	return m.edges[begin:len(m.edges):len(m.edges)]
}

// again returns the memory for the next rank: the same, or as much of what that of the last one needed.
func (m *made) again(same bool) made {
	if same {
		return made{visits: m.visits[:0], edges: m.edges[:0], comms: m.comms[:0], begun: m.begun[:0]}
	}
	return made{comms: make([]model.Comm, 0, max(minComms, len(m.comms)))}
}

// minComms is how many communicators there is room for at least.
const minComms = 4

// table holds what records define by index. A damaged record leaves a hole.
type table[T any] struct {
	list []T
	at   map[uint32]int // position in list by recorded index; nil: they are the same
}

// add puts v under the index; it fails if the index is taken.
func (t *table[T]) add(index uint32, v T) error {
	if at, ok := t.find(index); ok && at >= 0 || index == format.NoIndex {
		return fmt.Errorf("%w: a second one with index %d", model.ErrCorrupt, index)
	}
	if t.at == nil && uint64(index) != uint64(len(t.list)) {
		t.at = make(map[uint32]int, len(t.list)+1)
		for i := range t.list {
			t.at[uint32(i)] = i
		}
	}
	if t.at != nil {
		t.at[index] = len(t.list)
	}
	t.list = append(t.list, v)
	return nil
}

// find returns the position of a recorded index in list: -1 if the index names
// nothing; ok is false if it should name something that is not there.
func (t *table[T]) find(index uint32) (position int, ok bool) {
	switch at, known := t.at[index]; {
	case index == format.NoIndex:
		return -1, true
	case known:
		return at, true
	case t.at == nil && uint64(index) < uint64(len(t.list)):
		return int(index), true
	}
	return -1, false
}

// recordedIndices lists the recorded indices in the order of the list.
func (t *table[T]) recordedIndices() []uint32 {
	out := make([]uint32, len(t.list))
	for i := range out {
		out[i] = uint32(i)
	}
	for index, at := range t.at {
		out[at] = index
	}
	return out
}

// readSlot decodes a slot. What is wrong with it is in probs; the Rank is never
// nil, with Rank -1 if nothing said which rank it is. Communicators are
// complete but for their members, see internMembers. A folded slot is only
// collected; assembleFolded has the rest.
func (r *slotReader) readSlot(img *image, l *layout, slot uint32) {
	r.begin(img, l, slot)
	err := img.guardReads(func() {
		r.preload(l)
		for first := true; r.collectRecords(); first = false {
			if first {
				noteCalls(r)
			}
			// What a block refers to was recorded before it was filled. So new
			// records are read once more behind the blocks, until no new block
			// turns up.
			r.copyBlocks()
			r.cursor.addNewChunks(l, slot)
		}
		findPassing(r)
		if r.like == nil {
			slotAssembler{r}.assembleRank()
			if !r.takesBack {
				dropSurvivedEnd(r.rank)
			}
		}
	})
	r.noteFault(err)
}

// noteFault notes that the reading ended early, and sees to it that there is a
// thread whatever happened.
func (r *slotReader) noteFault(err error) {
	if err != nil {
		r.probs.add("", -1, err)
	}
	if len(r.rank.Threads) == 0 && (r.like == nil || err != nil) {
		r.rank.Threads = []*model.Thread{{Op: model.Op{State: -1}}}
	}
}

// preload loads words where the slot before was read: most are laid out alike. The processor waits for many such words at
// the same time, but for one record after the other where each tells where the next one is.
func (r *slotReader) preload(l *layout) {
	first := l.slots[r.slot][0]
	end := min(first.off+first.size, l.size) - 8
	for _, at := range r.trail {
		if at += first.off; at <= end {
			r.img.u64(at)
		}
	}
	r.trail = r.trail[:0]
}

// leaveTrail notes that the slot is read at an offset of the file, if that is in its first chunk.
func (r *slotReader) leaveTrail(off int64) {
	if first := r.cursor.chunks[0]; off >= first.off && off < first.off+first.size {
		r.trail = append(r.trail, (off-first.off)&^7)
	}
}

// begin makes the reader ready for a slot, in the memory that it worked in before.
func (r *slotReader) begin(img *image, l *layout, slot uint32) {
	room, scratch := r.room, r.cursor.scratch
	for _, t := range r.threads {
		room.threads = append(room.threads, t)
	}
	clear(r.threads)
	room.bytes, room.made = room.bytes[:0], room.made.again(r.brief)
	*r = slotReader{img: img, slot: slot, wait: manyWaits, states: r.states, brief: r.brief, room: room,
		trail: r.trail, threads: r.threads, tables: r.tables[:0], histories: r.histories[:0], held: r.held[:0],
		comms: table[commReader]{list: r.comms.list[:0]}}
	r.probs = problems{file: img.name, slot: int(slot)}
	if r.rank = &r.room.rank; !r.brief {
		r.rank = new(model.Rank)
	}
	*r.rank = model.Rank{Rank: -1, Size: -1, Host: l.header.Host, File: img.name, Slot: int(slot), EndDetail: -1,
		ThreadLevel: -1}
	r.cursor = newCursor(img, l, slot, &r.probs)
	r.cursor.scratch = scratch
}

// collectRecords reads the records that are new and reports whether one of them has a
// block to be copied.
func (r *slotReader) collectRecords() bool {
	fresh := false
	for {
		rec, ok := r.cursor.next()
		if !ok {
			return fresh
		}
		r.leaveTrail(rec.off)
		if err := r.takeRecord(rec); err != nil {
			r.probs.add(rec.typ.String(), rec.off, err)
		}
		fresh = fresh || rec.typ == format.ThreadRecord || rec.typ == format.HistoryRecord || entrySizes[rec.typ] > 0
	}
}

func (r *slotReader) takeRecord(rec record) error {
	switch rec.typ {
	case format.RankRecord:
		return r.takeRank(rec)
	case format.ThreadRecord:
		return r.takeThread(rec)
	case format.ModuleRecord:
		return r.takeModule(rec)
	case format.StateRecord:
		return r.takeState(rec)
	case format.EdgeRecord:
		return r.takeEdge(rec)
	case format.CommRecord:
		return r.takeComm(rec)
	case format.ChannelsRecord, format.OriginsRecord, format.PersistentsRecord, format.LocksRecord, format.TakenRecord, format.ProbedRecord,
		format.WildcardsRecord:
		r.takeTable(rec)
	case format.HistoryRecord:
		r.takeHistory(rec)
	case format.SentRecord, format.BufferRecord:
		return r.hold(rec, nil)
	case format.SiteRecord:
		_, _, err := stateParts(rec.fixed)
		return r.hold(rec, err)
	case format.OtherRecord:
		_, err := otherFrames(rec.fixed)
		return r.hold(rec, err)
	case format.RaisedRecord:
		_, _, _, err := raisedParts(rec.fixed)
		return r.hold(rec, err)
	case format.FilelockRecord:
		_, _, err := fileLockTexts(rec.fixed)
		return r.hold(rec, err)
	case format.FailedRecord:
		_, err := failedText(rec.fixed)
		return r.hold(rec, err)
	case format.SeriesRecord:
		r.takeSeries(rec)
	case format.ArgumentsRecord:
		return r.takeArguments(rec)
	case format.RestRecord:
		return r.takeRest(rec)
	case format.LikeRecord:
		return r.takeLike(rec)
	case format.NoteRecord:
		r.rank.Notes = append(r.rank.Notes, trimPadding(rec.fixed))
	case format.LibraryRecord:
		r.rank.Library = strings.Join(strings.Fields(trimPadding(rec.fixed)), " ")
	}
	return nil
}

// copyBlocks copies the blocks that were found since the last time.
func (r *slotReader) copyBlocks() {
	for _, index := range threadOrder(r.threads) {
		r.threads[index].copyBlocks(r)
	}
	for i := range r.tables {
		if !r.tables[i].copied {
			r.tables[i].copyEntries(r)
		}
	}
	for i := range r.histories {
		if !r.histories[i].copied {
			r.histories[i].copyLive(r)
		}
	}
}

func threadOrder(threads map[uint32]*threadReader) []uint32 {
	order := make([]uint32, 0, len(threads))
	for index := range threads {
		order = append(order, index)
	}
	slices.Sort(order)
	return order
}

// checkRange returns v if it lies in low..high; else it complains and returns
// instead.
func (r *slotReader) checkRange(rec record, field string, v, low, high, instead int) int {
	if v < low || v > high {
		r.probs.addCorrupt(rec.typ.String(), rec.off, "%s %d", field, v)
		return instead
	}
	return v
}

// slotAssembler makes the rank of the records that a slotReader has collected.
type slotAssembler struct{ *slotReader }

// assembleRank builds the Rank from the records.
func (r slotAssembler) assembleRank() {
	if !r.ranked {
		r.probs.addErrorf(format.RankRecord.String(), -1, model.ErrLost, "of slot %d", r.slot)
	}
	r.rank.Modules = r.modules.list
	position := r.assembleThreads()
	r.assembleComms(position)
	r.assembleHistories(position)
	r.assembleTables(position)
	r.assembleHeld()
	r.assembleSeries(position)
	r.identifyRank()
}
