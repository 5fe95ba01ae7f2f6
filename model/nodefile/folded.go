package nodefile

import (
	"encoding/binary"
	"fmt"
	"slices"

	"laggard/model"
	"laggard/model/format"
)

// likeRecord is what a LIKE record says: the slot whose modules, states and edges
// are those of this one too, and by how much the counts differ.
type likeRecord struct {
	off    int64
	slot   uint32
	counts int
	diffs  []byte // varints
}

func (r *slotReader) takeLike(rec record) error {
	if r.like != nil {
		return fmt.Errorf("%w: a second one in the slot", model.ErrCorrupt)
	}
	le32, _ := wordReaders(rec.fixed)
	diffs := rec.fixed[format.SizeofLikeFixed:]
	if n := le32(format.LikeCounts); uint64(n) > uint64(len(diffs)) {
		return fmt.Errorf("%w: %d counts in %d bytes", model.ErrCorrupt, n, len(diffs))
	}
	r.like = &likeRecord{off: rec.off, slot: le32(format.LikeSlot), counts: int(le32(format.LikeCounts)), diffs: r.room.copyBytes(diffs)}
	return nil
}

func (r *slotReader) takeRest(rec record) error {
	_, op, stack, err := restParts(rec.fixed)
	if err != nil {
		return err
	}
	t, err := r.beginThread(rec)
	if err != nil {
		return err
	}
	t.op, t.stack, t.copied = r.room.copyBytes(op), r.room.copyBytes(stack), true
	return nil
}

// restParts splits a REST record: the fixed part of a THREAD record, and its two blocks
// with the pending operations and the frames that are in use.
func restParts(fixed []byte) (thread, op, stack []byte, err error) {
	if len(fixed) < format.SizeofThreadFixed+format.ThreadPending+format.CaptureFrames {
		return nil, nil, nil, fmt.Errorf("%w: %d bytes", model.ErrCorrupt, len(fixed))
	}
	thread, b := fixed[:format.SizeofThreadFixed], fixed[format.SizeofThreadFixed:]
	le32, _ := wordReaders(b)
	n := int64(le32(format.ThreadNlisted))
	if n > format.MaxPending || format.ThreadPending+n*format.SizeofPending+format.CaptureFrames > int64(len(b)) {
		return nil, nil, nil, fmt.Errorf("%w: %d pending operations listed in %d bytes", model.ErrCorrupt, n, len(b))
	}
	op, stack = b[:format.ThreadPending+n*format.SizeofPending], b[format.ThreadPending+n*format.SizeofPending:]
	le32, _ = wordReaders(stack)
	if n := int64(le32(format.CaptureNframes)); n > format.MaxFrames || format.CaptureFrames+8*n > int64(len(stack)) {
		return nil, nil, nil, fmt.Errorf("%w: %d frames in %d bytes", model.ErrCorrupt, n, len(stack))
	}
	return thread, op, stack, nil
}

// assembleFolded assembles a folded slot, with the modules and the models of the slot
// it is like; nil: there is no such slot.
func (r *slotReader) assembleFolded(base *slotReader) {
	r.noteFault(r.img.guardReads(func() {
		r.adoptModels(base)
		slotAssembler{r}.assembleRank()
	}))
}

func (r *slotReader) adoptModels(base *slotReader) {
	if base == nil || base.like != nil || numCounts(base.threads) != r.like.counts || len(base.threads) != len(r.threads) {
		r.probs.addErrorf(format.LikeRecord.String(), r.like.off, model.ErrLost, "of slot %d, which it is like", r.like.slot)
		return
	}
	if len(r.modules.list) > 0 {
		r.probs.addCorrupt(format.LikeRecord.String(), r.like.off, "modules in a slot that has those of slot %d", r.like.slot)
	}
	r.modules = base.modules
	diffs := r.like.diffs
	for _, index := range threadOrder(base.threads) {
		diffs = r.threadAt(index).adoptModel(r, base, base.threads[index], diffs)
	}
	if diffs == nil {
		r.probs.addCorrupt(format.LikeRecord.String(), r.like.off, "its counts are cut short")
	}
}

// numCounts returns how many counts the models of some threads have.
func numCounts(threads map[uint32]*threadReader) int {
	n := 0
	for _, t := range threads {
		n += len(t.states.list) + len(t.edges)
	}
	return n
}

// adoptModel takes the model of another thread, with counts that differ from its by
// diffs. It returns the diffs that are left, nil if they ran out.
func (t *threadReader) adoptModel(r, base *slotReader, like *threadReader, diffs []byte) []byte {
	next := func(off int64) uint64 {
		n, size := binary.Varint(diffs)
		if diffs = diffs[max(size, 0):]; size <= 0 {
			diffs = nil
		}
		return base.img.u64(off) + uint64(n)
	}
	t.own, t.readModel, t.folded = t.readModel, like.readModel, true
	m, from := &t.thread.Model, &like.thread.Model
	m.States, m.Visits, m.Edges = from.States, r.room.newVisits(len(from.States)), r.room.copyEdges(from.Edges)
	for i, s := range like.states.list {
		m.Visits[like.position[i]] += next(s.live + format.StateVisits)
	}
	for i, e := range like.edges {
		if n := next(e.count); like.passage[i] >= 0 {
			m.Edges[like.passage[i]].Count += n
		}
	}
	return diffs
}

// ---- writing ----

// Folder writes node files that no longer change: a slot has one chunk of
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
	text    part
}

// NewFolder returns a Folder that has seen nothing.
func NewFolder() *Folder { return &Folder{groups: map[*int]rangesOf{}} }

// Encode is Encode in this form.
func (f *Folder) Encode(h Header, ranks []*model.Rank) ([]byte, error) {
	f.bases = nil
	return encodeNode(h, ranks, f)
}

// WriteNode is WriteNode in this form.
func (f *Folder) WriteNode(dir string, h Header, ranks []*model.Rank) (name string, err error) {
	return writeFile(dir, h, ranks, f.Encode)
}

// encodeRanges writes the members as runs of equal stride. Those of big groups are
// remembered.
func (f *Folder) encodeRanges(members []int) (part, int) {
	if f == nil || len(members) < bigGroup {
		return encodeRanges(members)
	}
	known := f.groups[&members[0]]
	if known.size != len(members) {
		known.size = len(members)
		known.text, known.n = encodeRanges(members)
		f.groups[&members[0]] = known
	}
	return known.text, known.n
}

// bigGroup is more members than it is worth looking up.
const bigGroup = 256

// foldBase is a slot that has all its records.
type foldBase struct {
	slot    uint32
	rank    *model.Rank
	modules []*model.Module
	index   map[*model.Module]int
}

// maxBases bounds how many slots are compared with each rank.
const maxBases = 64

// addBase lets later ranks be like the one that was just written.
func (f *Folder) addBase(w *slotWriter, r *model.Rank) {
	if f != nil && len(f.bases) < maxBases {
		f.bases = append(f.bases, &foldBase{w.slot, r, w.modules, w.index})
	}
}

// findBase finds a slot with the same modules, states and edges; nil if there is
// none.
func (f *Folder) findBase(r *model.Rank) *foldBase {
	if f == nil {
		return nil
	}
	for _, b := range f.bases {
		if slices.EqualFunc(r.Threads, b.rank.Threads, sameSkeleton) &&
			slices.EqualFunc(r.Modules, b.rank.Modules, sameModule) && b.coversModules(r) {
			return b
		}
	}
	return nil
}

func sameModule(a, b *model.Module) bool { return a == b || *a == *b }

// sameSkeleton reports whether the models of two threads differ only in counts that a LIKE record has.
func sameSkeleton(a, b *model.Thread) bool {
	return a.Index == b.Index && a.Model.Samples == nil && b.Model.Samples == nil && a.Model.Unfreed == nil && b.Model.Unfreed == nil &&
		len(a.Model.Visits) == len(a.Model.States) &&
		slices.EqualFunc(a.Model.States, b.Model.States, sameState) &&
		slices.EqualFunc(a.Model.Edges, b.Model.Edges, func(x, y model.Edge) bool { return x.From == y.From && x.To == y.To })
}

func sameState(a, b *model.State) bool {
	return a == b ||
		a.ID != model.StateID{} && a.ID == b.ID && a.Call == b.Call && a.Partial == b.Partial && a.Binding == b.Binding
}

// coversModules reports whether the modules of the rank's captured stacks, of other threads', and of those
// below MPI, are among those of the base.
func (b *foldBase) coversModules(r *model.Rank) bool {
	for _, t := range r.Threads {
		if t.Captured != nil && !b.hasModulesOf(t.Captured.Stack) || t.Raised != nil && !b.hasModulesOf(t.Raised.Stack) {
			return false
		}
		if slices.ContainsFunc(t.Buffers, func(x model.Buffer) bool { return !b.hasModulesOf(x.Variable) }) {
			return false
		}
	}
	if slices.ContainsFunc(r.Others, func(o model.OtherThread) bool { return !b.hasModulesOf(o.Stack) }) ||
		slices.ContainsFunc(r.Thrown, func(x model.Raised) bool { return !b.hasModulesOf(x.Stack) }) {
		return false
	}
	return !slices.ContainsFunc(r.Sites, func(s *model.Site) bool { return !b.hasModulesOf(s.Stack) })
}

func (b *foldBase) hasModulesOf(stack []model.Frame) bool {
	return !slices.ContainsFunc(stack, func(f model.Frame) bool {
		_, ok := b.index[f.Module]
		return f.Module != nil && !ok
	})
}

// extendChunk makes room for a record in the only chunk of a slot.
func (w *slotWriter) extendChunk(size int) int {
	if w.chunk == 0 {
		w.chunk = len(w.file)
		w.file = append(w.file, make([]byte, format.SizeofChunk)...)
	}
	at := len(w.file)
	w.file = append(w.file, make([]byte, size)...)
	w.used += size
	return at
}

// closeChunk ends the chunk that extend fills.
func (w *slotWriter) closeChunk() {
	if w.fold == nil {
		return
	}
	n := (format.SizeofChunk + w.used + format.PageSize - 1) / format.PageSize * format.PageSize
	w.file = append(w.file, make([]byte, w.chunk+n-len(w.file))...)
	binary.LittleEndian.PutUint64(w.file[w.chunk+format.ChunkUsed:], uint64(w.used))
	w.putChunk(n)
}

// writeLike writes the counts of a rank as differences to those of its base.
func (w *slotWriter) writeLike(b *foldBase, r *model.Rank) {
	var diffs part
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
	fixed := make(part, format.SizeofLikeFixed)
	fixed.u32(format.LikeSlot, b.slot)
	fixed.i32(format.LikeCounts, n)
	w.writeRecord(format.LikeRecord, 0, append(fixed, diffs...), nil)
}
