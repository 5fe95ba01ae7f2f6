package typemap

import (
	"laggard/analysis/usage/recorded"
	"laggard/model/mpi"
)

// subarrayLayout makes the layout of MPI_Type_create_subarray (MPI-3.1 §4.1.3).
func subarrayLayout(in *contents, old *recorded.Datatype, one *Layout) *Layout {
	n := in.nextCount()
	sizes, subsizes, starts := in.nextInts(n), in.nextInts(n), in.nextInts(n)
	order := in.nextInt()
	l, width, at := one, old.Extent, int64(0)
	for i := range n {
		k := i
		if order == mpi.OrderC {
			k = n - 1 - i // the fastest dimension first
		}
		l = repeatLayout("row", subsizes[k], width, placed{0, l})
		at += starts[k] * width
		width *= sizes[k]
	}
	return repeatLayout("", 1, 0, placed{at, l})
}

// darrayLayout makes the layout of MPI_Type_create_darray (MPI-3.1 §4.1.4).
func darrayLayout(in *contents, old *recorded.Datatype, one *Layout) *Layout {
	in.nextInt() // number of processes
	rank := in.nextInt()
	n := in.nextCount()
	gsizes, distribs, dargs, psizes := in.nextInts(n), in.nextInts(n), in.nextInts(n), in.nextInts(n)
	order := in.nextInt()
	coords := make([]int64, n)
	for i := n - 1; i >= 0; i-- { // processes are always in row-major order
		if psizes[i] <= 0 {
			return nil
		}
		coords[i], rank = rank%psizes[i], rank/psizes[i]
	}
	l, width := one, old.Extent
	for i := range n {
		k := i
		if order == mpi.OrderC {
			k = n - 1 - i
		}
		parts := ownedIndices(gsizes[k], distribs[k], dargs[k], psizes[k], coords[k])
		if parts == nil {
			return &Layout{}
		}
		var rows []placed
		for _, p := range parts {
			rows = append(rows, placed{p.Lo * width, repeatLayout("row", p.Hi-p.Lo, width, placed{0, l})})
		}
		l = repeatLayout("", 1, 0, rows...)
		width *= gsizes[k]
	}
	return l
}

// maxBlocks bounds the blocks of a cyclic distribution that are followed.
const maxBlocks = 1 << 16

// ownedIndices returns the indices of one dimension that a process has; nil none, or too
// many to say.
func ownedIndices(gsize, dist, darg, psize, coord int64) []Span {
	length := darg
	switch {
	case dist == mpi.DistributeBlock && darg == mpi.DistributeDfltDarg:
		length = (gsize + psize - 1) / psize
	case dist == mpi.DistributeCyclic && darg == mpi.DistributeDfltDarg:
		length = 1
	case dist != mpi.DistributeBlock && dist != mpi.DistributeCyclic:
		return []Span{{0, gsize}}
	}
	if length <= 0 {
		return nil
	}
	var out []Span
	for at := coord * length; at < gsize && len(out) < maxBlocks; at += psize * length {
		out = append(out, Span{at, min(at+length, gsize)})
	}
	return out
}
