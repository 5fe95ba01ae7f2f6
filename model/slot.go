package model

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// slotReader decodes one slot, the records of one process.
type slotReader struct {
	img       *image
	slot      uint32
	probs     problems
	cursor    *cursor
	wait      patience
	rank      *Rank
	ranked    bool // the RANK record was found
	modules   table[*Module]
	threads   map[uint32]*threadReader
	comms     table[commReader]
	tables    []tableReader // channels and locks
	histories []historyReader
	sent      []trafficReader
	sites     []siteReader
	raised    []raisedReader
	like      *likeness // of a folded slot, else nil
	states    *stateCache
	brief     bool   // of histories, only the newest call is read
	key       []byte // of a state, behind the number of the list of modules
	room      *room
}

// room is the memory that a slotReader works in and that nothing decoded points into,
// but for the Comms, of which each slot gets new ones. Another one can use it afterwards.
type room struct {
	scratch   []byte    // the last record
	bytes     []byte    // copies of what records say
	live      [2][]byte // copies of the mutable part of a communicator
	readers   []commReader
	histories []historyReader
	comms     []Comm // those that are not used yet
	expected  int    // communicators: as many as the slot before had
}

// keep copies bytes that are needed until the slot is decoded. They are not nil.
func (m *room) keep(b []byte) []byte {
	begin := len(m.bytes)
	m.bytes = append(m.bytes, b...)
	if len(b) == 0 {
		return []byte{}
	}
	return m.bytes[begin:len(m.bytes):len(m.bytes)]
}

// comm returns a new communicator. They are made as many at a time as are expected.
func (m *room) comm() *Comm {
	if len(m.comms) == 0 {
		m.comms = make([]Comm, max(minComms, m.expected))
		m.expected = 0
	}
	c := &m.comms[0]
	m.comms = m.comms[1:]
	return c
}

// minComms is how many communicators are made at once at least.
const minComms = 4

// rooms are those that no slotReader uses.
var rooms = sync.Pool{New: func() any { return new(room) }}

// leave lets another slotReader have the room. This one reads no more.
func (r *slotReader) leave() {
	m := r.room
	if m == nil {
		return
	}
	m.expected = len(r.comms.list)
	clear(r.comms.list)
	clear(r.histories)
	m.readers, m.histories = r.comms.list[:0], r.histories[:0]
	m.scratch, m.bytes, m.comms = r.cursor.scratch[:0], m.bytes[:0], nil
	r.room, r.comms.list, r.histories = nil, nil, nil
	rooms.Put(m)
}

// table holds what records define by index. A damaged record leaves a hole.
type table[T any] struct {
	list []T
	at   map[uint32]int // position in list by recorded index; nil: they are the same
}

// add puts v under the index; it fails if the index is taken.
func (t *table[T]) add(index uint32, v T) error {
	if at, ok := t.find(index); ok && at >= 0 || index == noIndex {
		return fmt.Errorf("%w: a second one with index %d", ErrCorrupt, index)
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
	case index == noIndex:
		return -1, true
	case known:
		return at, true
	case t.at == nil && uint64(index) < uint64(len(t.list)):
		return int(index), true
	}
	return -1, false
}

// indices lists the recorded indices in the order of the list.
func (t *table[T]) indices() []uint32 {
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
// collected; unfold has the rest.
func readSlot(img *image, l *layout, slot uint32, states *stateCache, brief bool) *slotReader {
	r := newSlotReader(img, l, slot)
	r.states, r.brief = states, brief
	err := img.guard(func() {
		for r.collect() {
			// What a block refers to was recorded before it was filled. So new
			// records are read once more behind the blocks, until no new block
			// turns up.
			r.snapshot()
			r.cursor.grow(l, slot)
		}
		if r.like == nil {
			r.assemble()
		}
	})
	r.faulted(err)
	return r
}

// faulted notes that the reading ended early, and sees to it that there is a
// thread whatever happened.
func (r *slotReader) faulted(err error) {
	if err != nil {
		r.probs.add("", -1, err)
	}
	if len(r.rank.Threads) == 0 && (r.like == nil || err != nil) {
		r.rank.Threads = []*Thread{{Op: Op{State: -1}}}
	}
}

func newSlotReader(img *image, l *layout, slot uint32) *slotReader {
	r := &slotReader{img: img, slot: slot, wait: manyWaits, threads: map[uint32]*threadReader{},
		room: rooms.Get().(*room)}
	r.comms.list, r.histories = r.room.readers, r.room.histories
	r.probs = problems{file: img.name, slot: int(slot)}
	r.rank = &Rank{Rank: -1, Size: -1, Host: l.header.Host, File: img.name, Slot: int(slot), EndDetail: -1,
		ThreadLevel: -1}
	r.cursor = newCursor(img, l, slot, &r.probs)
	r.cursor.scratch = r.room.scratch
	return r
}

// collect reads the records that are new and tells whether one of them has a
// block to be copied.
func (r *slotReader) collect() bool {
	fresh := false
	for {
		rec, ok := r.cursor.next()
		if !ok {
			return fresh
		}
		if err := r.take(rec); err != nil {
			r.probs.add(rec.typ.String(), rec.off, err)
		}
		fresh = fresh || rec.typ == recThreadRec || rec.typ == recChannels || rec.typ == recLocks ||
			rec.typ == recTaken || rec.typ == recHistory
	}
}

func (r *slotReader) take(rec record) error {
	switch rec.typ {
	case recRank:
		return r.takeRank(rec)
	case recThreadRec:
		return r.takeThread(rec)
	case recModule:
		return r.takeModule(rec)
	case recState:
		return r.takeState(rec)
	case recEdge:
		return r.takeEdge(rec)
	case recComm:
		return r.takeComm(rec)
	case recChannels:
		r.takeTable(rec, channelSize)
	case recLocks:
		r.takeTable(rec, lockSize)
	case recTaken:
		r.takeTable(rec, takeSize)
	case recHistory:
		r.takeHistory(rec)
	case recSite:
		return r.takeSite(rec)
	case recSent:
		return r.takeSent(rec)
	case recRaised:
		return r.takeRaised(rec)
	case recArguments:
		return r.takeArguments(rec)
	case recRest:
		return r.takeRest(rec)
	case recLike:
		return r.takeLike(rec)
	case recNote:
		r.rank.Notes = append(r.rank.Notes, padded(rec.fixed))
	case recLibrary:
		r.rank.Library = strings.Join(strings.Fields(padded(rec.fixed)), " ")
	}
	return nil
}

// snapshot copies the blocks that were found since the last time.
func (r *slotReader) snapshot() {
	for _, index := range r.threadOrder() {
		r.threads[index].snapshot(r)
	}
	for i := range r.tables {
		if !r.tables[i].copied {
			r.tables[i].snapshot(r)
		}
	}
	for i := range r.histories {
		if !r.histories[i].copied {
			r.histories[i].snapshot(r)
		}
	}
}

func (r *slotReader) threadOrder() []uint32 {
	order := make([]uint32, 0, len(r.threads))
	for index := range r.threads {
		order = append(order, index)
	}
	slices.Sort(order)
	return order
}

var families = [...]string{"", "openmpi", "mpich", "abi"}

func (r *slotReader) takeRank(rec record) error {
	if r.ranked {
		return fmt.Errorf("%w: a second one in the slot", ErrCorrupt)
	}
	r.ranked = true
	le32, le64 := fields(rec.fixed)
	rank := r.rank
	rank.PID = int(le32(rankPID))
	rank.Start = timeOf(le64(rankStart))
	rank.Exe = string(rec.fixed[rankExe:][:min(le32(rankExeLen), rankExeMax)])
	family := le32(rankFamily)
	if family < uint32(len(families)) {
		rank.Family = families[family]
	} else {
		r.probs.note(rec.typ.String(), rec.off, ErrUnknown, "MPI family %d", family)
	}
	if slot := le32(rankSlot); slot != r.slot {
		r.probs.corrupt(rec.typ.String(), rec.off, "it says slot %d", slot)
	}
	r.takeRankLive(rec)
	return nil
}

// takeRankLive reads the mutable fields, which change one by one.
func (r *slotReader) takeRankLive(rec record) {
	rank := r.rank
	i32 := func(at int64) int { return int(int32(r.img.u32(rec.live + at))) }
	clock := func(at int64) time.Time { return timeOf(r.img.u64(rec.live + at)) }
	rank.Rank = r.ranged(rec, "rank", i32(rankRank), -1, MaxRank, -1)
	rank.Size = r.ranged(rec, "size", i32(rankSize), -1, MaxRank, -1)
	rank.Phase = Phase(r.ranged(rec, "status", i32(rankStatus), int(Starting), int(Finalized), 0))
	rank.End = End(r.ranged(rec, "end", i32(rankEnd), int(NoEnd), int(Aborted), 0))
	rank.EndDetail = i32(rankDetail)
	rank.ThreadLevel = r.ranged(rec, "thread level", i32(rankThreadLevel), -1, 3, -1)
	rank.Heartbeat = clock(rankHeartbeat)
	rank.EndTime = clock(rankEndTime)
	rank.QuietSince = clock(rankQuietSince)
	rank.LongestQuiet = time.Duration(min(r.img.u64(rec.live+rankLongest), math.MaxInt64))
	rank.Evicted = r.img.u64(rec.live + rankEvicted)
	rank.LostRequests = r.img.u64(rec.live + rankLost)
	rank.Off = i32(rankOff) != 0
	rank.Spawned = i32(rankSpawned) != 0
	if rec.nlive >= rankLive {
		rank.PIDSpace = r.img.u64(rec.live + rankPIDSpace)
	}
}

// ranged returns v if it lies in low..high; else it complains and returns
// instead.
func (r *slotReader) ranged(rec record, field string, v, low, high, instead int) int {
	if v < low || v > high {
		r.probs.corrupt(rec.typ.String(), rec.off, "%s %d", field, v)
		return instead
	}
	return v
}

func (r *slotReader) takeModule(rec record) error {
	le32, le64 := fields(rec.fixed)
	id, path, err := moduleTexts(rec.fixed)
	if err != nil {
		return err
	}
	return r.modules.add(le32(moduleIndex), &Module{
		BuildID: hex.EncodeToString(id),
		Path:    string(path),
		Base:    le64(moduleBase),
		Size:    le64(moduleSize),
	})
}

// moduleTexts returns the build-id and the path in a MODULE record.
func moduleTexts(fixed []byte) (id, path []byte, err error) {
	le32, _ := fields(fixed)
	lens := le32(moduleBuildIDLen)
	nid, npath := int(lens&0xffff), int(lens>>16)
	rest := fixed[moduleFixed:]
	if nid+npath > len(rest) {
		return nil, nil, fmt.Errorf("%w: %d bytes for build-id and path of %d", ErrCorrupt, len(rest), nid+npath)
	}
	return rest[:nid], rest[nid:][:npath], nil
}

// frames turns frame words into frames. A module that is not there is
// complained about once per stack; then lost is true.
func (r *slotReader) frames(words []byte, section string, off int64) (out []Frame, lost bool) {
	if len(words) == 0 {
		return nil, false
	}
	out = make([]Frame, len(words)/8)
	_, le64 := fields(words)
	for i := range out {
		w := le64(8 * i)
		out[i].Offset = w & MaxOffset
		index := uint32(w >> offsetBits)
		if index == noModule {
			continue
		}
		at, ok := r.modules.find(index)
		if ok {
			out[i].Module = r.modules.list[at]
		}
		lost = lost || !ok
	}
	if lost {
		r.probs.note(section, off, ErrLost, "a module of its stack")
	}
	return out, lost
}

// assemble builds the Rank from the records.
func (r *slotReader) assemble() {
	if !r.ranked {
		r.probs.note(recRank.String(), -1, ErrLost, "of slot %d", r.slot)
	}
	r.rank.Modules = r.modules.list
	position := r.assembleThreads()
	r.assembleComms(position)
	r.assembleHistories(position)
	r.assembleTables(position)
	r.assembleTraffic()
	r.assembleRaised()
	r.identify()
}

// identify settles which rank this is. The RANK record says it in words that no
// checksum covers, because they are filled in late; the record of
// MPI_COMM_WORLD says it under a checksum.
func (r *slotReader) identify() {
	for _, c := range r.rank.Comms {
		if c.Kind != World || c.Rank < 0 {
			continue
		}
		if r.rank.Rank >= 0 && r.rank.Phase != Starting && (r.rank.Rank != c.Rank || r.rank.Size != c.Size) {
			r.probs.corrupt(recRank.String(), -1, "rank %d of %d, but MPI_COMM_WORLD has it as %d of %d",
				r.rank.Rank, r.rank.Size, c.Rank, c.Size)
		}
		r.rank.Rank, r.rank.Size = c.Rank, c.Size
		return
	}
	if r.rank.Size >= 0 && r.rank.Rank >= r.rank.Size {
		r.probs.corrupt(recRank.String(), -1, "rank %d of %d", r.rank.Rank, r.rank.Size)
		r.rank.Rank = -1
	}
}

// padded is a text without the zero bytes behind it.
func padded(text []byte) string { return strings.TrimRight(string(text), "\x00") }
