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
		read = sync.OnceValue(func() *slotReader { return readSlot(img, l, slot, c.states) })
		c.slots[slot] = read
	}
	c.mu.Unlock()
	return read()
}
