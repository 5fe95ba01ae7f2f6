package chain

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Group is a type of chain: those with the same operations in the same order
// (§4.3).
type Group struct {
	Ops   []Operation
	Count uint64
	// sums has by operation the sum of the uniqueness over covered chains: the
	// packs of one group's chains may differ in their numbers of segments.
	sums    []uint64
	covered uint64
}

// Weight is the uniqueness of operation i (Equation 2), in the mean over the
// group's chains.
func (g Group) Weight(i int) float64 {
	if g.covered == 0 {
		return 0
	}
	return float64(g.sums[i]) / float64(g.covered)
}

// Uniqueness is that of the chain (Equation 1).
func (g Group) Uniqueness() float64 {
	var u float64
	for i := range g.Ops {
		u += g.Weight(i)
	}
	return u
}

// NewGroup returns the group of chains with the operations, of which there are
// none yet.
func NewGroup(ops []Operation) Group { return Group{Ops: ops, sums: make([]uint64, len(ops))} }

// Add counts n more chains, whose operations have the given uniqueness.
func (g *Group) Add(n uint64, weights []uint64) {
	for i, w := range weights {
		g.sums[i] += w * n
	}
	g.Count += n
	g.covered += n
}

// Plus counts the chains of two groups of one type together.
func (g Group) Plus(h Group) Group {
	out := Group{Ops: g.Ops, Count: g.Count + h.Count, covered: g.covered + h.covered, sums: slices.Clone(g.sums)}
	for i, s := range h.sums {
		out.sums[i] += s
	}
	return out
}

// Compare orders groups by their operations.
func (g Group) Compare(h Group) int { return slices.CompareFunc(g.Ops, h.Ops, Operation.Compare) }

// Key names the type of the chains: groups with equal operations, and no others,
// have equal keys.
func (g Group) Key() string {
	var b []byte
	for _, op := range g.Ops {
		b = append(b, byte(op.Kind))
		for _, s := range []string{op.Site, op.Partner, op.Source, op.Dest} {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	return string(b)
}

// SortGroups sorts by falling count, then by operations, and returns the new
// place of each.
func SortGroups(groups []Group) []int32 {
	perm := make([]int32, len(groups))
	for i := range perm {
		perm[i] = int32(i)
	}
	slices.SortFunc(perm, func(a, b int32) int {
		x, y := groups[a], groups[b]
		return cmp.Or(cmp.Compare(y.Count, x.Count), x.Compare(y))
	})
	sorted := make([]Group, len(groups))
	place := make([]int32, len(groups))
	for to, from := range perm {
		sorted[to] = groups[from]
		place[from] = int32(to)
	}
	copy(groups, sorted)
	return place
}
