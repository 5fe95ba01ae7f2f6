package model

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
)

// likeness is what a LIKE record says: the slot whose modules, states and edges
// are those of this one too, and by how much the counts differ.
type likeness struct {
	off    int64
	slot   uint32
	counts int
	diffs  []byte // varints
}

func (r *slotReader) takeLike(rec record) error {
	if r.like != nil {
		return fmt.Errorf("%w: a second one in the slot", ErrCorrupt)
	}
	le32, _ := fields(rec.fixed)
	diffs := rec.fixed[likeFixed:]
	if n := le32(likeCounts); uint64(n) > uint64(len(diffs)) {
		return fmt.Errorf("%w: %d counts in %d bytes", ErrCorrupt, n, len(diffs))
	}
	r.like = &likeness{off: rec.off, slot: le32(likeSlot), counts: int(le32(likeCounts)), diffs: bytes.Clone(diffs)}
	return nil
}

func (r *slotReader) takeRest(rec record) error {
	op, stack, err := restBlocks(rec.fixed[threadFixed:])
	if err != nil {
		return err
	}
	op, stack = bytes.Clone(op), bytes.Clone(stack)
	t, err := r.beginThread(rec)
	if err != nil {
		return err
	}
	t.op, t.stack, t.copied = op, stack, true
	return nil
}

// restBlocks splits what follows the thread's number in a REST record.
func restBlocks(b []byte) (op, stack []byte, err error) {
	le32, _ := fields(b)
	n := int64(le32(opNListed))
	if n > maxPending || opPending+n*pendingSize+stackFrames > int64(len(b)) {
		return nil, nil, fmt.Errorf("%w: %d pending operations listed in %d bytes", ErrCorrupt, n, len(b))
	}
	op, stack = b[:opPending+n*pendingSize], b[opPending+n*pendingSize:]
	le32, _ = fields(stack)
	if n := int64(le32(stackNFrames)); n > maxFrames || stackFrames+8*n > int64(len(stack)) {
		return nil, nil, fmt.Errorf("%w: %d frames in %d bytes", ErrCorrupt, n, len(stack))
	}
	return op, stack, nil
}

// unfold assembles a folded slot, with the modules and the models of the slot
// it is like; nil: there is no such slot.
func (r *slotReader) unfold(base *slotReader) {
	r.faulted(r.img.guard(func() {
		r.adopt(base)
		r.assemble()
	}))
}

func (r *slotReader) adopt(base *slotReader) {
	if base == nil || base.like != nil || base.counts() != r.like.counts || len(base.threads) != len(r.threads) {
		r.probs.note(recLike.String(), r.like.off, ErrLost, "of slot %d, which it is like", r.like.slot)
		return
	}
	if len(r.modules.list) > 0 {
		r.probs.corrupt(recLike.String(), r.like.off, "modules in a slot that has those of slot %d", r.like.slot)
	}
	r.modules = base.modules
	diffs := r.like.diffs
	for _, index := range base.threadOrder() {
		diffs = r.thread(index).adopt(base, base.threads[index], diffs)
	}
	if diffs == nil {
		r.probs.corrupt(recLike.String(), r.like.off, "its counts are cut short")
	}
}

// counts returns how many counts the models of the slot have.
func (r *slotReader) counts() int {
	n := 0
	for _, t := range r.threads {
		n += len(t.states.list) + len(t.edges)
	}
	return n
}

// adopt takes the model of another thread, with counts that differ from its by
// diffs. It returns the diffs that are left, nil if they ran out.
func (t *threadReader) adopt(base *slotReader, like *threadReader, diffs []byte) []byte {
	next := func(off int64) uint64 {
		n, size := binary.Varint(diffs)
		if diffs = diffs[max(size, 0):]; size <= 0 {
			diffs = nil
		}
		return base.img.u64(off) + uint64(n)
	}
	t.states, t.position, t.folded = like.states, like.position, true
	m, from := &t.thread.Model, &like.thread.Model
	m.States, m.Visits, m.Edges = from.States, make([]uint64, len(from.States)), slices.Clone(from.Edges)
	for i, s := range like.states.list {
		m.Visits[like.position[i]] += next(s.visits)
	}
	for i := range m.Edges {
		m.Edges[i].Count = 0
	}
	for i, e := range like.edges {
		if n := next(e.count); like.passage[i] >= 0 {
			m.Edges[like.passage[i]].Count += n
		}
	}
	return diffs
}

// slotCache collects each slot of a file once, though others may be like it.
// Several goroutines may use it.
type slotCache struct {
	states *stateCache
	brief  bool // as in slotReader
	mu     sync.Mutex
	slots  map[uint32]func() *slotReader
}

// read decodes a slot of the file; it is called once for each.
func (c *slotCache) read(img *image, l *layout, slot uint32) *slotReader {
	r := c.collected(img, l, slot)
	if r.like == nil {
		return r
	}
	var base *slotReader
	if l.slots[r.like.slot] != nil {
		base = c.collected(img, l, r.like.slot)
	}
	r.unfold(base)
	return r
}

func (c *slotCache) collected(img *image, l *layout, slot uint32) *slotReader {
	c.mu.Lock()
	if c.slots == nil {
		c.slots = map[uint32]func() *slotReader{}
	}
	read := c.slots[slot]
	if read == nil {
		read = sync.OnceValue(func() *slotReader { return readSlot(img, l, slot, c.states, c.brief) })
		c.slots[slot] = read
	}
	c.mu.Unlock()
	return read()
}

// ---- writing ----

// Folder writes node files that nobody changes any more: a slot has one chunk of
// the least size, its records have no room to grow, and a rank whose model has
// the states and edges of an earlier one in the file has only its counts. One
// Folder is for one goroutine. It remembers the lists of members it has seen,
// which must not change between files.
type Folder struct {
	bases  []*foldBase // of the file
	groups map[*int]rangesOf
}

// rangesOf is a list of members as it is written.
type rangesOf struct {
	size, n int
	text    fill
}

// NewFolder returns a Folder that has seen nothing.
func NewFolder() *Folder { return &Folder{groups: map[*int]rangesOf{}} }

// Encode is Encode in this form.
func (f *Folder) Encode(h Header, ranks []*Rank) ([]byte, error) {
	f.bases = nil
	return encode(h, ranks, f)
}

// WriteNode is WriteNode in this form.
func (f *Folder) WriteNode(dir string, h Header, ranks []*Rank) (name string, err error) {
	return writeFile(dir, h, ranks, f.Encode)
}

// ranges writes the members as runs of equal stride. Those of big groups are
// remembered.
func (f *Folder) ranges(members []int) (fill, int) {
	if f == nil || len(members) < bigGroup {
		return ranges(members)
	}
	known := f.groups[&members[0]]
	if known.size != len(members) {
		known.size = len(members)
		known.text, known.n = ranges(members)
		f.groups[&members[0]] = known
	}
	return known.text, known.n
}

// bigGroup is more members than it is worth looking up.
const bigGroup = 256

// foldBase is a slot that has all its records.
type foldBase struct {
	slot    uint32
	rank    *Rank
	modules []*Module
	index   map[*Module]int
}

// maxBases bounds how many slots are compared with each rank.
const maxBases = 64

// add lets later ranks be like the one that was just written.
func (f *Folder) add(w *slotWriter, r *Rank) {
	if f != nil && len(f.bases) < maxBases {
		f.bases = append(f.bases, &foldBase{w.slot, r, w.modules, w.index})
	}
}

// baseOf finds a slot with the same modules, states and edges; nil if there is
// none.
func (f *Folder) baseOf(r *Rank) *foldBase {
	if f == nil {
		return nil
	}
	for _, b := range f.bases {
		if slices.EqualFunc(r.Threads, b.rank.Threads, sameSkeleton) &&
			slices.EqualFunc(r.Modules, b.rank.Modules, sameModule) && b.covers(r) {
			return b
		}
	}
	return nil
}

func sameModule(a, b *Module) bool { return a == b || *a == *b }

// sameSkeleton tells whether the models of two threads differ in counts only.
func sameSkeleton(a, b *Thread) bool {
	return a.Index == b.Index && len(a.Model.Visits) == len(a.Model.States) &&
		slices.EqualFunc(a.Model.States, b.Model.States, sameState) &&
		slices.EqualFunc(a.Model.Edges, b.Model.Edges, func(x, y Edge) bool { return x.From == y.From && x.To == y.To })
}

func sameState(a, b *State) bool {
	return a == b ||
		a.ID != StateID{} && a.ID == b.ID && a.Call == b.Call && a.Partial == b.Partial && a.Binding == b.Binding
}

// covers tells whether the modules of the rank's captured stacks, and of those
// below MPI, are among those of the base.
func (b *foldBase) covers(r *Rank) bool {
	for _, t := range r.Threads {
		if t.Captured != nil && !b.names(t.Captured.Stack) || t.Raised != nil && !b.names(t.Raised.Stack) {
			return false
		}
	}
	return !slices.ContainsFunc(r.Sites, func(s *Site) bool { return !b.names(s.Stack) })
}

func (b *foldBase) names(stack []Frame) bool {
	return !slices.ContainsFunc(stack, func(f Frame) bool {
		_, ok := b.index[f.Module]
		return f.Module != nil && !ok
	})
}

// like writes the counts of a rank as differences to those of its base.
func (w *slotWriter) like(b *foldBase, r *Rank) {
	var fixed, diffs fill
	n := 0
	diff := func(own, base uint64) {
		diffs = binary.AppendVarint(diffs, int64(own-base))
		n++
	}
	for i, t := range r.Threads {
		m, base := &t.Model, &b.rank.Threads[i].Model
		for j := range m.Visits {
			diff(m.Visits[j], base.Visits[j])
		}
		for j := range m.Edges {
			diff(m.Edges[j].Count, base.Edges[j].Count)
		}
	}
	fixed.u32(b.slot).i32(n)
	w.record(recLike, 0, append(fixed, diffs...), nil)
}

// extend makes room for a record in the only chunk of a slot.
func (w *slotWriter) extend(size int) int {
	if w.chunk == 0 {
		w.chunk = len(w.file)
		w.file = append(w.file, make([]byte, chunkHeader)...)
	}
	at := len(w.file)
	w.file = append(w.file, make([]byte, size)...)
	w.used += size
	return at
}

// close ends the chunk that extend fills.
func (w *slotWriter) close() {
	if w.fold == nil {
		return
	}
	n := (chunkHeader + w.used + pageSize - 1) / pageSize * pageSize
	w.file = append(w.file, make([]byte, w.chunk+n-len(w.file))...)
	binary.LittleEndian.PutUint64(w.file[w.chunk+chunkUsed:], uint64(w.used))
	w.putChunk(n)
}
