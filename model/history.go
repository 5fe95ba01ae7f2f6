package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"laggard/model/mpi"
)

// History is what collectives were begun on a communicator, window or file: the
// latest ones, and checkpoints of all before them. Two members whose hashes
// agree at a number began the same collectives up to there.
type History struct {
	Latest []Begun // without a gap, by rising number
	Marks  []Mark  // by rising number
}

// Begun is a collective that was begun.
type Begun struct {
	Mark
	Order  uint32 // among all collectives of the process, from 1; its low bits
	Thread int    // index into Rank.Threads; -1 unknown
	State  int    // index into its Model.States: the call; -1 unknown
	Root   int    // rank in the communicator; None where there is none, or members may differ in it
	Op     string // of a reduction, such as "MPI_SUM"; "" none
	Bytes  int64  // of one block, which all members must give alike; -1: nothing must
}

// Mark is the state of the hashes after so many collectives.
type Mark struct {
	Number uint64 // of collectives on the communicator
	Calls  uint64 // hash of function, root, operation and bytes of all of them
	Sites  uint64 // hash of the call stacks of all of them
}

// OwnOp is the Op of an operation that the program made.
const OwnOp = "user-defined"

// At returns the hashes after n collectives; ok is false where they are not known.
func (h *History) At(n uint64) (m Mark, ok bool) {
	i, found := slices.BinarySearchFunc(h.Latest, n, func(b Begun, n uint64) int { return cmp.Compare(b.Number, n) })
	if found {
		return h.Latest[i].Mark, true
	}
	i, found = slices.BinarySearchFunc(h.Marks, n, func(m Mark, n uint64) int { return cmp.Compare(m.Number, n) })
	if found {
		return h.Marks[i], true
	}
	return Mark{}, n == 0
}

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
	le32, _ := fields(rec.fixed)
	r.histories = append(r.histories, historyReader{comm: le32(historyComm), off: rec.off, at: rec.live, n: rec.nlive})
}

// newest copies the newest entry. It looks for it where the number of collectives on
// the communicator says; if it is not there, it reports false.
func (h *historyReader) newest(r *slotReader) bool {
	at, ok := r.comms.find(h.comm)
	if !ok || at < 0 {
		return false
	}
	n := r.img.u64(r.comms.list[at].live + commColl)
	if n == 0 || h.number(r, n+1) == uint32(n+1) || h.number(r, n) != uint32(n) {
		return false
	}
	begin := len(r.room.bytes)
	r.room.bytes = r.img.words(r.room.bytes, h.entry(n), begunSize)
	h.live = r.room.bytes[begin:len(r.room.bytes):len(r.room.bytes)]
	return binary.LittleEndian.Uint32(h.live[begunNumber:]) == uint32(n) && h.number(r, n) == uint32(n) &&
		hashed(h.live)
}

// entry is where the n-th collective is, and number what number it has there; 0: it has
// no place.
func (h *historyReader) entry(n uint64) int64 {
	return h.at + historyBegun + int64((n-1)%begunPerRec)*begunSize
}

func (h *historyReader) number(r *slotReader, n uint64) uint32 {
	if at := h.entry(n); at+begunSize <= h.at+h.n {
		return r.img.u32(at + begunNumber)
	}
	return 0
}

// snapshot copies the mutable part. An entry that changed meanwhile has number 0.
func (h *historyReader) snapshot(r *slotReader) {
	h.copied = true
	if r.brief && h.newest(r) {
		return
	}
	live, ok := r.img.block(nil, h.at, h.n, 64, &r.wait)
	if !ok {
		r.probs.add(recHistory.String(), h.off, ErrTorn)
		live = live[:0]
	}
	h.live = live
	for at := historyBegun; at+begunSize <= len(live); at += begunSize {
		number := live[at+begunNumber:][:4]
		if r.img.u32(h.at+int64(at+begunNumber)) != binary.LittleEndian.Uint32(number) {
			clear(number)
		}
	}
}

// oneBegun is a History of one collective.
type oneBegun struct {
	History
	begun [1]Begun
}

// assembleHistories fills in Comm.History.
func (r *slotReader) assembleHistories(position map[uint32]int) {
	var short []oneBegun
	if r.brief {
		short = make([]oneBegun, len(r.histories))
	}
	for i := range r.histories {
		h := &r.histories[i]
		comm, ok := r.comms.find(h.comm)
		if !ok || comm < 0 {
			r.probs.note(recHistory.String(), h.off, ErrLost, "communicator %d", h.comm)
			continue
		}
		c := r.rank.Comms[comm]
		switch len(h.live) {
		case 0:
		case begunSize: // no whole history is that short
			one := &short[i]
			one.begun[0] = r.begun(h, upper(c.Coll, binary.LittleEndian.Uint32(h.live[begunNumber:])), h.live, position)
			one.Latest, c.History = one.begun[:], &one.History
		default:
			c.History = &History{Latest: r.latest(h, c.Coll, position), Marks: marks(h.live)}
			if n := len(c.History.Latest); r.brief && n > 0 {
				c.History = &History{Latest: c.History.Latest[n-1:]}
			}
		}
	}
}

// hashed tells whether an entry was written to its end: no recorder makes a hash zero,
// which is what a file that was cut short has.
func hashed(entry []byte) bool {
	_, le64 := fields(entry)
	return le64(begunCalls) != 0 && le64(begunSites) != 0
}

// upper completes the low bits of a number by what is near to it.
func upper(near uint64, low uint32) uint64 { return near + uint64(int64(int32(low-uint32(near)))) }

// latest reads the entries from the newest one back. coll is about how many
// collectives there were: it tells the upper bits of the numbers.
func (r *slotReader) latest(h *historyReader, coll uint64, position map[uint32]int) []Begun {
	entries := h.live[historyBegun:]
	newest := uint64(0)
	for at := 0; at+begunSize <= len(entries); at += begunSize {
		if low := binary.LittleEndian.Uint32(entries[at+begunNumber:]); low != 0 {
			newest = max(newest, upper(coll, low))
		}
	}
	var out []Begun
	for n := newest; n > 0 && newest-n < begunPerRec; n-- {
		at := int((n-1)%begunPerRec) * begunSize
		if at+begunSize > len(entries) || binary.LittleEndian.Uint32(entries[at+begunNumber:]) != uint32(n) {
			break
		}
		if !hashed(entries[at:]) {
			r.probs.corrupt(recHistory.String(), h.off, "collective %d has no hashes", n)
			break
		}
		out = append(out, r.begun(h, n, entries[at:], position))
	}
	slices.Reverse(out)
	return out
}

func (r *slotReader) begun(h *historyReader, n uint64, entry []byte, position map[uint32]int) Begun {
	le32, le64 := fields(entry)
	le16 := func(at int) uint32 { return uint32(binary.LittleEndian.Uint16(entry[at:])) }
	thread, op := le16(begunThread), le16(begunOp)
	out := Begun{
		Mark:  Mark{Number: n, Calls: le64(begunCalls), Sites: le64(begunSites)},
		Order: le32(begunOrder), Thread: -1, State: -1,
		Root: int(int32(le32(begunRoot))), Bytes: int64(le64(begunBytes)),
	}
	out.Bytes = max(out.Bytes, -1)
	switch {
	case op == opOwn:
		out.Op = OwnOp
	case op > uint32(len(mpi.Operations)):
		r.probs.add(recHistory.String(), h.off, fmt.Errorf("%w: operation %d", ErrUnknown, op))
	case op > 0:
		out.Op = mpi.Operations[op-1]
	}
	if t := r.threads[thread]; t != nil {
		out.Thread, out.State = position[thread], t.state(r, le32(begunState), recHistory.String(), h.off)
	} else {
		r.probs.add(recHistory.String(), h.off, fmt.Errorf("%w: thread %d", ErrLost, thread))
	}
	return out
}

// marks reads the checkpoints: of each level the last two.
func marks(live []byte) []Mark {
	_, le64 := fields(live)
	marked := le64(historyMarked)
	var out []Mark
	for level, step := 0, uint64(markStep); level < markLevels; level, step = level+1, step*4 {
		last := marked / step
		for k := last; k > 0 && last-k < 2; k-- {
			at := historyMarks + (2*level+int(k%2))*markSize
			out = append(out, Mark{Number: k * step, Calls: le64(at + markCalls), Sites: le64(at + markSites)})
		}
	}
	slices.SortFunc(out, func(a, b Mark) int { return cmp.Compare(a.Number, b.Number) })
	return slices.CompactFunc(out, func(a, b Mark) bool { return a.Number == b.Number })
}

// history writes a HISTORY record. Of a folded slot the unused entries at the end
// are left out.
func (w *slotWriter) history(r *Rank, comm int, h *History) {
	var fixed, live fill
	fixed.i32(comm).u32(0)
	w.marks(&live, h.Marks)
	var entries [begunPerRec]fill
	used := 0
	for _, b := range h.Latest {
		at := int((b.Number - 1) % begunPerRec)
		w.begun(&entries[at], r, b)
		used = max(used, at+1)
	}
	if w.fold == nil {
		used = begunPerRec
	}
	for _, e := range entries[:used] {
		live.text(string(*e.zeros(begunSize)))
	}
	w.record(recHistory, 0, fixed, live)
}

// marks writes the checkpoints to their places, as the recorder has them.
func (w *slotWriter) marks(live *fill, marks []Mark) {
	at := map[uint64]Mark{}
	marked := uint64(0)
	for _, m := range marks {
		at[m.Number] = m
		marked = max(marked, m.Number)
	}
	live.u64(0).u64(marked)
	for level, step := 0, uint64(markStep); level < markLevels; level, step = level+1, step*4 {
		last := marked / step
		pair := [2]uint64{last - last%2, last - 1 + last%2} // the even one, then the odd one
		for _, k := range pair {
			m := at[k*step]
			live.u64(m.Calls).u64(m.Sites)
		}
	}
}

func (w *slotWriter) begun(entry *fill, r *Rank, b Begun) {
	w.fits("thread of a collective", b.Thread, 0, len(r.Threads)-1)
	if w.err != nil {
		return
	}
	t := r.Threads[b.Thread]
	w.fits("state of a collective", b.State, -1, len(t.Model.States)-1)
	op := slices.Index(mpi.Operations[:], b.Op) + 1
	if b.Op == OwnOp {
		op = opOwn
	}
	entry.u32(uint32(b.Number)).u32(b.Order).i32(b.State).u16(uint16(t.Index)).u16(uint16(op))
	entry.u64(uint64(b.Bytes)).i32(b.Root).u32(0).u64(b.Calls).u64(b.Sites)
}
