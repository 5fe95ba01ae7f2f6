package chain

import (
	"cmp"
	"slices"
)

// pair is a send and a receive that the bytes lo ≤ b < hi of a stream or a
// message went through. A transfer that is read in two pieces is two pairs.
type pair struct {
	send, recv int32
	lo, hi     uint64
}

// matchTransfers pairs sends with receives: on a stream by the bytes, on a channel of
// messages by the number of the message and the bytes in it (§4.2, inter-process
// linking). The pairs of a send are in order of bytes.
func matchTransfers(sends, recvs []half, channels int) []pair {
	s, r := sortByChannel(sends, channels), sortByChannel(recvs, channels)
	var out []pair
	for c := range channels {
		out = matchChannel(newCursor(sends, s[c]), newCursor(recvs, r[c]), out)
	}
	return out
}

// sortByChannel sorts transfers: by channel, message and byte.
func sortByChannel(halves []half, channels int) [][]int32 {
	out := make([][]int32, channels)
	for i, h := range halves {
		out[h.channel] = append(out[h.channel], int32(i))
	}
	compare := func(a, b int32) int {
		x, y := &halves[a], &halves[b]
		return cmp.Or(cmp.Compare(x.seq, y.seq), cmp.Compare(x.lo, y.lo), cmp.Compare(a, b))
	}
	for _, list := range out {
		if !slices.IsSortedFunc(list, compare) {
			slices.SortFunc(list, compare)
		}
	}
	return out
}

func matchChannel(s, r *cursor, out []pair) []pair {
	s.next()
	r.next()
	for s.ok && r.ok {
		if lo, hi := max(s.lo, r.lo), min(s.hi, r.hi); s.seq == r.seq && lo < hi {
			out = append(out, pair{s.list[0], r.list[0], lo, hi})
		}
		if s.seq < r.seq || s.seq == r.seq && s.hi <= r.hi {
			s.next()
		} else {
			r.next()
		}
	}
	return out
}

// cursor walks through one side of a channel. Bytes that it has shown are not
// shown again: the second of two sends of the same bytes is superfluous, and
// meets nobody.
type cursor struct {
	halves []half
	list   []int32 // the first is the current one
	ok     bool    // there is one
	lo, hi uint64  // its bytes
	seq    uint64
}

// newCursor returns a cursor before the first of the list.
func newCursor(halves []half, list []int32) *cursor {
	return &cursor{halves: halves, list: append([]int32{-1}, list...)}
}

// next moves to the next half with bytes of its own.
func (c *cursor) next() {
	c.ok = false
	for c.list = c.list[1:]; len(c.list) > 0; c.list = c.list[1:] {
		h := &c.halves[c.list[0]]
		seen := c.hi
		if h.seq != c.seq {
			seen = 0
		}
		c.lo, c.hi, c.seq = max(h.lo, seen), max(h.hi, seen), h.seq
		if c.ok = c.hi > c.lo; c.ok {
			return
		}
	}
}
