package model

import (
	"encoding/binary"
	"slices"
)

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
		if t.Captured != nil && !b.names(t.Captured.Stack) {
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
