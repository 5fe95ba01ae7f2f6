package chain

import (
	"slices"
	"sort"
)

// blockSize bounds the spans of a block: few enough to move them at an insert,
// enough to keep the list of blocks short.
const blockSize = 96

// span gives the addresses lo ≤ a < hi the value v.
type span struct {
	lo, hi uint64
	v      int32
}

// intervals maps disjoint address ranges to values: the active chain table and
// the table of live buffers (§4.2). It is a B-tree of two levels, since a
// lookup, a replacement of a range by the same range and an insert among
// neighbours are all that happens often.
type intervals struct {
	blocks [][]span
	first  []uint64 // first[i] = blocks[i][0].lo
}

// findSpan returns the place of the first span that ends above addr: its block and
// the index in it. The block is len(t.blocks) if there is none.
func (t *intervals) findSpan(addr uint64) (int, int) {
	b, end := 0, len(t.first)
	for b < end { // first block that begins above addr
		if m := (b + end) / 2; t.first[m] <= addr {
			b = m + 1
		} else {
			end = m
		}
	}
	if b == 0 {
		return 0, 0
	}
	block := t.blocks[b-1]
	i, n := 0, len(block)
	for i < n {
		if m := (i + n) / 2; block[m].hi <= addr {
			i = m + 1
		} else {
			n = m
		}
	}
	if i == len(block) {
		return b, 0
	}
	return b - 1, i
}

// valueAt returns the value at an address.
func (t *intervals) valueAt(addr uint64) (int32, bool) {
	b, i := t.findSpan(addr)
	if b == len(t.blocks) || t.blocks[b][i].lo > addr {
		return 0, false
	}
	return t.blocks[b][i].v, true
}

// overlaps reports whether a part of lo ≤ a < hi has a value.
func (t *intervals) overlaps(lo, hi uint64) bool {
	b, i := t.findSpan(lo)
	return b < len(t.blocks) && t.blocks[b][i].lo < hi
}

// appendOverlaps appends the parts of lo ≤ a < hi that have a value, in order.
func (t *intervals) appendOverlaps(lo, hi uint64, out []span) []span {
	for b, i := t.findSpan(lo); b < len(t.blocks); b, i = b+1, 0 {
		for _, s := range t.blocks[b][i:] {
			if s.lo >= hi {
				return out
			}
			out = append(out, span{max(s.lo, lo), min(s.hi, hi), s.v})
		}
	}
	return out
}

// setRange gives lo ≤ a < hi the value v.
func (t *intervals) setRange(lo, hi uint64, v int32) {
	b, i := t.findSpan(lo)
	if b < len(t.blocks) {
		if s := &t.blocks[b][i]; s.lo == lo && s.hi == hi {
			s.v = v
			return
		}
	}
	t.clearRange(lo, hi)
	t.insert(span{lo, hi, v})
}

// clearRange takes the values from lo ≤ a < hi.
func (t *intervals) clearRange(lo, hi uint64) {
	for {
		b, i := t.findSpan(lo)
		if b == len(t.blocks) || t.blocks[b][i].lo >= hi {
			return
		}
		s := &t.blocks[b][i]
		switch {
		case s.lo < lo && s.hi > hi:
			rest := span{hi, s.hi, s.v}
			s.hi = lo
			t.insert(rest)
			return
		case s.lo < lo:
			s.hi = lo
		case s.hi > hi:
			s.lo = hi
			t.first[b] = t.blocks[b][0].lo
			return
		default:
			t.dropSpans(b, i, hi)
		}
	}
}

// dropSpans drops the spans of block b from i on that end at or below hi.
func (t *intervals) dropSpans(b, i int, hi uint64) {
	block := t.blocks[b]
	j := i
	for j < len(block) && block[j].hi <= hi {
		j++
	}
	t.blocks[b] = slices.Delete(block, i, j)
	if len(t.blocks[b]) == 0 {
		t.blocks = slices.Delete(t.blocks, b, b+1)
		t.first = slices.Delete(t.first, b, b+1)
		return
	}
	t.first[b] = t.blocks[b][0].lo
}

// insert puts in a span where there is none.
func (t *intervals) insert(s span) {
	if len(t.blocks) == 0 {
		t.blocks, t.first = append(t.blocks, append(make([]span, 0, blockSize), s)), append(t.first, s.lo)
		return
	}
	b := max(sort.Search(len(t.first), func(i int) bool { return t.first[i] > s.lo })-1, 0)
	if len(t.blocks[b]) == blockSize {
		b = t.splitBlock(b, s.lo)
	}
	block := t.blocks[b]
	i := sort.Search(len(block), func(i int) bool { return block[i].lo > s.lo })
	t.blocks[b] = slices.Insert(block, i, s)
	t.first[b] = t.blocks[b][0].lo
}

// splitBlock halves block b and returns the half that addr belongs to.
func (t *intervals) splitBlock(b int, addr uint64) int {
	half := blockSize / 2
	right := append(make([]span, 0, blockSize), t.blocks[b][half:]...)
	t.blocks[b] = t.blocks[b][:half]
	t.blocks = slices.Insert(t.blocks, b+1, right)
	t.first = slices.Insert(t.first, b+1, right[0].lo)
	if addr > right[0].lo {
		return b + 1
	}
	return b
}
