package symbol

import (
	"cmp"
	"slices"
	"sort"
)

// span says that addresses lo ≤ pc < hi belong to item.
type span[T any] struct {
	lo, hi uint64
	item   T
}

// spans finds the span around an address. Spans may nest and overlap: the one
// that starts last wins, which for nested code is the innermost.
type spans[T any] struct {
	list []span[T]
	// reach[i] is the greatest hi of list[:i+1]; it ends a search early.
	reach []uint64
}

func newSpans[T any](list []span[T]) spans[T] {
	slices.SortStableFunc(list, func(x, y span[T]) int { return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(y.hi, x.hi)) })
	s := spans[T]{list, make([]uint64, len(list))}
	var top uint64
	for i, sp := range list {
		top = max(top, sp.hi)
		s.reach[i] = top
	}
	return s
}

// countBefore returns how many spans start at or before pc.
func (s spans[T]) countBefore(pc uint64) int {
	return sort.Search(len(s.list), func(i int) bool { return s.list[i].lo > pc })
}

func (s spans[T]) find(pc uint64) (item T, ok bool) {
	for i := s.countBefore(pc) - 1; i >= 0 && s.reach[i] > pc; i-- {
		if pc < s.list[i].hi {
			return s.list[i].item, true
		}
	}
	return item, false
}
