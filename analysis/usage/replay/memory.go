package replay

import (
	"cmp"
	"fmt"

	"github.com/emirpasic/gods/trees/redblacktree"

	"laggard/analysis/usage/typemap"
	"laggard/model/mpi"
)

// memory is what operations under way use. A byte that one of them writes may not
// be used by another; that two read it is legal since MPI-2.2 (MPI-3.1 §3.7.2), and what
// only reads is never compared with its like, of which an epoch may have many.
type memory struct {
	uses          map[int]*use
	reads, writes shelf
	next          int
}

// shelf holds uses by where they begin.
type shelf struct {
	tree   *redblacktree.Tree
	widest int64
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

func newMemory() memory { return memory{uses: map[int]*use{}, reads: newShelf(), writes: newShelf()} }

func newShelf() shelf {
	return shelf{tree: redblacktree.NewWith(func(a, b any) int { return a.(useKey).compare(b.(useKey)) })}
}

func (m *memory) shelf(u *use) *shelf {
	if u.writes {
		return &m.writes
	}
	return &m.reads
}

// take adds a use and returns its number.
func (m *memory) take(u *use) int {
	m.next++
	u.id = m.next
	m.uses[u.id] = u
	s := m.shelf(u)
	s.tree.Put(u.key(), u)
	s.widest = max(s.widest, u.bytes.Hi-u.bytes.Lo)
	return u.id
}

func (m *memory) release(ids []int) {
	for _, id := range ids {
		if u := m.uses[id]; u != nil {
			s := m.shelf(u)
			s.tree.Remove(u.key())
			if s.tree.Empty() {
				s.widest = 0
			}
			delete(m.uses, id)
		}
	}
}

// conflict returns a use that u may not share its bytes with, nil if there is none; of several the first.
func (m *memory) conflict(u *use) *use {
	found := m.writes.sharing(u)
	if !u.writes {
		return found
	}
	if read := m.reads.sharing(u); found == nil || read != nil && read.key().compare(found.key()) < 0 {
		return read
	}
	return found
}

// sharing returns the first use that shares bytes with u.
func (s *shelf) sharing(u *use) *use {
	node, ok := s.tree.Ceiling(useKey{u.bytes.Lo - s.widest, 0})
	if !ok {
		return nil
	}
	for it := s.tree.IteratorAt(node); ; {
		other := it.Value().(*use)
		if other.bytes.Lo >= u.bytes.Hi {
			return nil
		}
		if !u.shared(&other.buffer).Empty() {
			return other
		}
		if !it.Next() {
			return nil
		}
	}
}

// useMemory adds the buffers of a call to those under way, and finds conflicts.
func (r *replay) useMemory(a args, buffers []buffer) {
	switch a.c.Func.Class {
	case mpi.ClassSendInit, mpi.ClassBsendInit, mpi.ClassRecvInit, mpi.ClassCollInit:
		return // used from MPI_Start on
	}
	r.useBuffers(buffers, a.i, r.flight[a.i])
}

// useBuffers is useMemory for an operation that call begins.
func (r *replay) useBuffers(buffers []buffer, call int, act *activation) {
	for _, b := range buffers {
		r.checkTwice(call, &b)
		u := &use{buffer: b, call: call, bytes: b.Span()}
		if u.bytes.Empty() {
			continue
		}
		if other := r.memory.conflict(u); other != nil {
			r.overlap(u, other)
		}
		act.memory = append(act.memory, r.memory.take(u))
	}
}

// overlap reports two uses of the same bytes.
func (r *replay) overlap(u, other *use) {
	if other.call == u.call {
		function := r.t.Calls[u.call].Func
		f := r.report("buffer_overlap", fmt.Sprintf("%s and %s of %s overlap", other.name, u.name, function.Name),
			r.Place(u.call, "call"))
		if other.name == u.name {
			f.Message = fmt.Sprintf("%s starts two operations on the same memory", function.Name)
		}
		f.Standard, f.Change = "MPI-3.1 §3.10", "use two buffers"
		if isCollective(function.Class) {
			f.Standard, f.Change = "MPI-3.1 §5.1", "use two buffers, or MPI_IN_PLACE where the collective allows it"
		}
		if function.Class.OneSided() {
			f.Standard = "MPI-3.1 §2.3, §11.3.4"
		}
		return
	}
	r.overlapping[u.call], r.overlapping[other.call] = true, true
	now, before := r.Place(u.call, u.role()), r.Place(other.call, other.role())
	shared := u.shared(&other.buffer)
	f := r.report("buffer_overlap", fmt.Sprintf("%s %s memory that %s, still under way, %s: %s, which are %s there",
		now.Call, u.verb(), before.Call, other.verb(), u.named(shared), other.named(shared)), now, before)
	if r.t.Calls[other.call].Func.Class.OneSided() {
		f.Standard = "MPI-3.1 §11.3"
		f.Change = "give each operation memory of its own, or complete the first before the second, with the call " +
			"that ends its epoch, a flush, or the wait for its request"
	}
}

// named says which bytes of the buffer these addresses are.
func (b *buffer) named(s typemap.Span) string { return bytesNamed(s.Shift(-b.addr)) + " of " + b.name }

func bytesNamed(s typemap.Span) string { return fmt.Sprintf("bytes %d to %d", s.Lo, s.Hi-1) }

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

// checkTwice finds receive buffers that have a byte twice (MPI-3.1 §4.1.11).
func (r *replay) checkTwice(call int, b *buffer) {
	if !b.writes || b.addr == 0 && b.bottomless {
		return
	}
	place := r.Place(call, "receive")
	for _, k := range b.blocks {
		if k.count <= 0 || k.datatype < 0 || k.datatype >= len(r.t.Types) || r.t.Types[k.datatype].Name != "" {
			continue
		}
		if twice := r.selfOverlap(k.datatype, k.count); !twice.Empty() {
			f := r.report("buffer_overlap", fmt.Sprintf("%s receives with a datatype that has the same bytes more "+
				"than once: %s of %s", place.Call, bytesNamed(twice.Shift(k.at)), b.name), place)
			f.Standard = "MPI-3.1 §4.1.11"
			return
		}
	}
	if shared := b.blocksMeet(); !shared.Empty() {
		f := r.report("buffer_overlap", fmt.Sprintf("blocks of %s of %s overlap: two have %s", b.name, place.Call,
			bytesNamed(shared)), place)
		f.Standard = "MPI-3.1 §5.5, §5.7, §5.8"
	}
}

// maxRow bounds the elements in a row that are compared with each other.
const maxRow = 1024

// selfOverlap returns bytes that count elements of a datatype have twice.
func (r *replay) selfOverlap(datatype int, count int64) typemap.Span {
	count = min(count, maxRow)
	key := [2]int64{int64(datatype), count}
	twice, known := r.twice[key]
	if !known {
		twice = r.Layouts.Buffer(datatype, count).Twice()
		r.twice[key] = twice
	}
	return twice
}
