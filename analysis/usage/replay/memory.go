package replay

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/emirpasic/gods/trees/redblacktree"

	"laggard/analysis/usage/typemap"
	"laggard/model/mpi"
)

// memory is what operations under way use. A byte that one of them writes may not
// be used by another; that two read it is legal since MPI-2.2 (MPI-3.1 §3.7.2), and what
// only reads is never compared with its like, of which an epoch may have many.
type memory struct {
	*reporter
	layouts       *typemap.Layouts
	uses          map[int]*use
	reads, writes useTree
	next          int
	selfOverlaps  map[[2]int64]typemap.Span // by datatype and count: where entries overlap
	overlapping   map[int]bool              // calls that a buffer_overlap is about
}

// useTree holds uses by where they begin, in a tree for each power of two of their widths: a wide one does not make those
// beside it be looked at when narrow ones are compared.
type useTree struct {
	byWidth [65]*redblacktree.Tree // by bits.Len64 of the width; nil: there was none yet
}

// use is a buffer of an operation under way.
type use struct {
	buffer
	id    int
	call  int // that began it
	bytes typemap.Span
}

type useKey struct {
	lo int64
	id int
}

func (u *use) key() useKey { return useKey{u.bytes.Lo, u.id} }

func (k useKey) compare(o useKey) int {
	return cmp.Or(cmp.Compare(k.lo, o.lo), cmp.Compare(k.id, o.id))
}

func newMemory(r *reporter, layouts *typemap.Layouts) *memory {
	return &memory{reporter: r, layouts: layouts, uses: map[int]*use{}, selfOverlaps: map[[2]int64]typemap.Span{},
		overlapping: map[int]bool{}}
}

func newUseTree() *redblacktree.Tree {
	return redblacktree.NewWith(func(a, b any) int { return a.(useKey).compare(b.(useKey)) })
}

func (s *useTree) put(u *use) {
	class := &s.byWidth[u.widthClass()]
	if *class == nil {
		*class = newUseTree()
	}
	(*class).Put(u.key(), u)
}

func (s *useTree) remove(u *use) { s.byWidth[u.widthClass()].Remove(u.key()) }

// widthClass is the number of bits of the width: it is less than two to that power.
func (u *use) widthClass() int { return bits.Len64(uint64(u.bytes.Hi - u.bytes.Lo)) }

func (m *memory) treeOf(u *use) *useTree {
	if u.writes {
		return &m.writes
	}
	return &m.reads
}

// addUse adds a use and returns its number.
func (m *memory) addUse(u *use) int {
	m.next++
	u.id = m.next
	m.uses[u.id] = u
	m.treeOf(u).put(u)
	return u.id
}

func (m *memory) release(ids []int) {
	for _, id := range ids {
		if u := m.uses[id]; u != nil {
			m.treeOf(u).remove(u)
			delete(m.uses, id)
		}
	}
}

// firstConflict returns a use that u may not share its bytes with, nil if there is none; of several the first.
func (m *memory) firstConflict(u *use) *use {
	found := m.writes.firstOverlap(u)
	if !u.writes {
		return found
	}
	return firstOf(found, m.reads.firstOverlap(u))
}

// firstOf returns the one of two uses that is first, nil is none.
func firstOf(a, b *use) *use {
	if a == nil || b != nil && b.key().compare(a.key()) < 0 {
		return b
	}
	return a
}

// firstOverlap returns the first use that shares bytes with u.
func (s *useTree) firstOverlap(u *use) *use {
	var first *use
	for class, tree := range s.byWidth {
		if tree != nil && !tree.Empty() {
			first = firstOf(first, overlapIn(tree, u, int64(1)<<class))
		}
	}
	return first
}

// overlapIn returns the first use of a tree, whose uses are narrower than a width, that shares bytes with u.
func overlapIn(tree *redblacktree.Tree, u *use, width int64) *use {
	node, ok := tree.Ceiling(useKey{u.bytes.Lo - width, 0})
	if !ok {
		return nil
	}
	for it := tree.IteratorAt(node); ; {
		other := it.Value().(*use)
		if other.bytes.Lo >= u.bytes.Hi {
			return nil
		}
		if !u.sharedBytes(&other.buffer).Empty() {
			return other
		}
		if !it.Next() {
			return nil
		}
	}
}

// beginCall adds the buffers of a call to those under way, and finds conflicts.
func (m *memory) beginCall(a args, buffers []buffer, act *activation) {
	switch a.c.Func.Class {
	case mpi.ClassSendInit, mpi.ClassBsendInit, mpi.ClassRecvInit, mpi.ClassCollInit:
		return // used from MPI_Start on
	}
	m.useBuffers(buffers, a.i, act)
}

// useBuffers is begin for an operation that call begins.
func (m *memory) useBuffers(buffers []buffer, call int, act *activation) {
	for _, b := range buffers {
		m.checkSelfOverlap(call, &b)
		u := &use{buffer: b, call: call, bytes: b.Span()}
		if u.bytes.Empty() {
			continue
		}
		if other := m.firstConflict(u); other != nil {
			m.reportOverlap(u, other)
		}
		act.memory = append(act.memory, m.addUse(u))
	}
}

// reportOverlap reports two uses of the same bytes.
func (m *memory) reportOverlap(u, other *use) {
	if other.call == u.call {
		function := m.calls[u.call].Function()
		f := m.report("buffer_overlap", fmt.Sprintf("%s and %s of %s overlap", other.name, u.name, function.Name),
			m.Place(u.call, "call"))
		if other.name == u.name {
			f.Message = fmt.Sprintf("%s starts two operations on the same memory", function.Name)
		}
		f.Standard, f.Change = "MPI-3.1 §3.10", "use two buffers"
		if isCollective(function.Class) {
			f.Standard, f.Change = "MPI-3.1 §5.1", "use two buffers, or MPI_IN_PLACE where the collective allows it"
		}
		if function.Class.IsOneSided() {
			f.Standard = "MPI-3.1 §2.3, §11.3.4"
		}
		return
	}
	m.overlapping[u.call], m.overlapping[other.call] = true, true
	now, before := m.Place(u.call, u.role()), m.Place(other.call, other.role())
	shared := u.sharedBytes(&other.buffer)
	f := m.report("buffer_overlap", fmt.Sprintf("%s %s memory that %s, still under way, %s: %s, which are %s there",
		now.Call, u.verb(), before.Call, other.verb(), u.describeBytes(shared), other.describeBytes(shared)), now, before)
	if m.calls[other.call].Function().Class.IsOneSided() {
		f.Standard = "MPI-3.1 §11.3"
		f.Change = "give each operation memory of its own, or complete the first before the second, with the call " +
			"that ends its epoch, a flush, or the wait for its request"
	}
}

// describeBytes says which bytes of the buffer these addresses are.
func (b *buffer) describeBytes(s typemap.Span) string {
	return byteRange(s.Shift(-b.addr)) + " of " + b.name
}

func byteRange(s typemap.Span) string { return fmt.Sprintf("bytes %d to %d", s.Lo, s.Hi-1) }

func (u *use) verb() string {
	if u.writes {
		return "writes to"
	}
	return "reads"
}

func (u *use) role() string {
	if u.writes {
		return "receive"
	}
	return "send"
}

// checkSelfOverlap finds receive buffers that have a byte twice (MPI-3.1 §4.1.11).
func (m *memory) checkSelfOverlap(call int, b *buffer) {
	if !b.writes || b.addr == 0 && b.bottomless {
		return
	}
	for _, k := range b.blocks {
		if k.count <= 0 || k.datatype < 0 || k.datatype >= len(m.t.Types) || m.t.Types[k.datatype].Name != "" {
			continue
		}
		if twice := m.selfOverlap(k.datatype, k.count); !twice.Empty() {
			place := m.Place(call, "receive")
			f := m.report("buffer_overlap", fmt.Sprintf("%s receives with a datatype that has the same bytes more "+
				"than once: %s of %s", place.Call, byteRange(twice.Shift(k.at)), b.name), place)
			f.Standard = "MPI-3.1 §4.1.11"
			return
		}
	}
	if shared := b.blockOverlap(); !shared.Empty() {
		place := m.Place(call, "receive")
		f := m.report("buffer_overlap", fmt.Sprintf("blocks of %s of %s overlap: two have %s", b.name, place.Call,
			byteRange(shared)), place)
		f.Standard = "MPI-3.1 §5.5, §5.7, §5.8"
	}
}

// maxRow bounds the elements in a row that are compared with each other.
const maxRow = 1024

// selfOverlap returns bytes that count elements of a datatype have twice.
func (m *memory) selfOverlap(datatype int, count int64) typemap.Span {
	count = min(count, maxRow)
	key := [2]int64{int64(datatype), count}
	twice, known := m.selfOverlaps[key]
	if !known {
		twice = m.layouts.OfBuffer(datatype, count).SelfOverlap()
		m.selfOverlaps[key] = twice
	}
	return twice
}
