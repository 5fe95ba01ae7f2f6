package typemap

import "laggard/analysis/usage/recorded"

// Constants of the array constructors, which differ between the MPIs: those of
// Open MPI, then of the MPICH family.
func rowMajor(order int64) bool { return order == 0 || order == 56 }
func isBlock(dist int64) bool   { return dist == 0 || dist == 121 }
func isCyclic(dist int64) bool  { return dist == 1 || dist == 122 }
func isDefault(darg int64) bool { return darg == -1 || darg == -49767 }

// subarray makes the layout of MPI_Type_create_subarray (MPI-3.1 §4.1.3).
func subarray(in *contents, old *recorded.Datatype, one *Layout) *Layout {
	n := in.count()
	sizes, subsizes, starts := in.list(n), in.list(n), in.list(n)
	order := in.int()
	l, width, at := one, old.Extent, int64(0)
	for i := range n {
		k := i
		if rowMajor(order) {
			k = n - 1 - i // the fastest dimension first
		}
		l = repeated("row", subsizes[k], width, placed{0, l})
		at += starts[k] * width
		width *= sizes[k]
	}
	return repeated("", 1, 0, placed{at, l})
}

// darray makes the layout of MPI_Type_create_darray (MPI-3.1 §4.1.4).
func darray(in *contents, old *recorded.Datatype, one *Layout) *Layout {
	in.int() // number of processes
	rank := in.int()
	n := in.count()
	gsizes, distribs, dargs, psizes := in.list(n), in.list(n), in.list(n), in.list(n)
	order := in.int()
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
		if rowMajor(order) {
			k = n - 1 - i
		}
		parts := share(gsizes[k], distribs[k], dargs[k], psizes[k], coords[k])
		if parts == nil {
			return &Layout{}
		}
		var rows []placed
		for _, p := range parts {
			rows = append(rows, placed{p.Lo * width, repeated("row", p.Hi-p.Lo, width, placed{0, l})})
		}
		l = repeated("", 1, 0, rows...)
		width *= gsizes[k]
	}
	return l
}

// maxBlocks bounds the blocks of a cyclic distribution that are followed.
const maxBlocks = 1 << 16

// share returns the indices of one dimension that a process has; nil none, or too
// many to say.
func share(gsize, dist, darg, psize, coord int64) []Span {
	length := darg
	switch {
	case isBlock(dist) && isDefault(darg):
		length = (gsize + psize - 1) / psize
	case isCyclic(dist) && isDefault(darg):
		length = 1
	case !isBlock(dist) && !isCyclic(dist):
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
