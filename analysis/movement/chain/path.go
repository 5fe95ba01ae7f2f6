package chain

import "cmp"

// step is a node of a pathTree: the path above it, and one operation more.
type step struct {
	parent int32
	symbol int32
}

func (s step) compare(t step) int {
	return cmp.Or(cmp.Compare(s.parent, t.parent), cmp.Compare(s.symbol, t.symbol))
}

// pathTree numbers sequences of symbols. Path 0 is the empty one.
//
// No path has an operation twice. A program that moves data in a circle (halo,
// compute, halo) would otherwise make one chain that never ends and is like no
// other.
type pathTree struct {
	interner[step]
	depth []int32
	// next caches what follows a path: the number of the longer path, or again.
	next map[step]int32
}

// notExtended says that a path has the operation already.
const notExtended = -1

// maxLength bounds the operations of a chain. With distinct operations only a
// hostile input comes near.
const maxLength = 64

func newPathTree() *pathTree {
	t := &pathTree{interner: newInterner(step{-1, -1}), depth: []int32{0}, next: map[step]int32{}}
	return t
}

// extend returns the path with one symbol more, or again if the chain must end
// before it.
func (t *pathTree) extend(path, symbol int32, symbols []symbol) int32 {
	key := step{path, symbol}
	if to, ok := t.next[key]; ok {
		return to
	}
	to := int32(notExtended)
	if t.depth[path] < maxLength && !t.hasClass(path, symbols[symbol].class(), symbols) {
		to = t.intern(key)
		if int(to) == len(t.depth) {
			t.depth = append(t.depth, t.depth[path]+1)
		}
	}
	t.next[key] = to
	return to
}

// hasClass reports whether an operation of that type is on the path.
func (t *pathTree) hasClass(path int32, class symbol, symbols []symbol) bool {
	for ; path > 0; path = t.all[path].parent {
		if symbols[t.all[path].symbol].class() == class {
			return true
		}
	}
	return false
}

// class is the symbol without what is no part of the operation's type.
func (s symbol) class() symbol {
	s.segments, s.reread = 0, false
	return s
}

// symbolsOf returns the symbols of a path, first operation first.
func (t *pathTree) symbolsOf(path int32, out []int32) []int32 {
	n := int(t.depth[path])
	for len(out) < n {
		out = append(out, 0)
	}
	for out = out[:n]; path > 0; path = t.all[path].parent {
		n--
		out[n] = t.all[path].symbol
	}
	return out
}
