package replay

import (
	"slices"
	"strings"

	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/typemap"
	"laggard/model"
	"laggard/model/mpi"
)

// buffer is memory that a call hands to MPI.
type buffer struct {
	name   string
	addr   int64
	writes bool // MPI writes to it, else reads
	// bottomless: the address is not known to be of a buffer.
	bottomless bool
	blocks     []piece
}

// piece is a run of elements of one type in a buffer.
type piece struct {
	at       int64 // bytes from the buffer
	count    int64
	datatype int
	layout   *typemap.Layout
}

// span returns the bytes from the first to the last.
func (b *buffer) Span() typemap.Span {
	var s typemap.Span
	for i, k := range b.blocks {
		one := k.layout.Span().Shift(b.addr + k.at)
		if i == 0 {
			s = one
		}
		s = s.Union(one)
	}
	return s
}

// shared returns bytes that two buffers share, by their addresses; empty if there are
// none.
func (b *buffer) shared(o *buffer) typemap.Span {
	if !b.Span().Overlaps(o.Span()) {
		return typemap.Span{}
	}
	for _, k := range b.blocks {
		for _, m := range o.blocks {
			if s := k.layout.Overlap(b.addr+k.at, m.layout, o.addr+m.at); !s.Empty() {
				return s
			}
		}
	}
	return typemap.Span{}
}

// blocksMeet returns bytes of the buffer that two of its pieces share.
func (b *buffer) blocksMeet() typemap.Span {
	sorted := slices.Clone(b.blocks)
	slices.SortFunc(sorted, func(x, y piece) int { return int(min(max(x.at+x.layout.Lo-y.at-y.layout.Lo, -1), 1)) })
	for i, k := range sorted {
		for _, m := range sorted[i+1:] {
			if m.at+m.layout.Lo >= k.at+k.layout.Hi {
				break
			}
			if s := k.layout.Overlap(k.at, m.layout, m.at); !s.Empty() {
				return s
			}
		}
	}
	return typemap.Span{}
}

// The parameters that describe a buffer go by its name: its counts, types and
// displacements are the first of these that the function has.
var bufferNames = []struct {
	buffer                string
	counts, types, displs []string
}{
	{"buf", []string{"count"}, []string{"datatype"}, nil},
	{"buffer", []string{"count"}, []string{"datatype"}, nil},
	{"sendbuf", []string{"sendcount", "sendcounts", "count", "recvcount", "recvcounts"},
		[]string{"sendtype", "sendtypes", "datatype"}, []string{"sdispls", "displs"}},
	{"recvbuf", []string{"recvcount", "recvcounts", "count"}, []string{"recvtype", "recvtypes", "datatype"},
		[]string{"rdispls", "displs"}},
	{"origin_addr", []string{"origin_count"}, []string{"origin_datatype", "datatype"}, nil},
	{"compare_addr", nil, []string{"datatype"}, nil},
	{"result_addr", []string{"result_count"}, []string{"result_datatype", "datatype"}, nil},
}

// buffersOf returns the buffers that a call uses, those that matter at this rank
// and have bytes.
func (r *replay) buffersOf(a args) []buffer {
	class := a.c.Func.Class
	if !transfers(class, a.c.Func.Name) || toNobody(a) {
		return nil
	}
	var out []buffer
	for _, n := range bufferNames {
		addr, ok := a.int(n.buffer)
		if !ok || addr == recorded.InPlace || addr == recorded.Invalid || !r.significant(a, n.buffer) {
			continue
		}
		b := buffer{name: n.buffer, addr: addr, writes: r.writes(a, n.buffer)}
		if addr == recorded.Bottom {
			b.addr, b.bottomless = 0, true
		}
		b.blocks = r.blocks(a, n.buffer, a.first(n.counts), a.first(n.types), a.first(n.displs))
		if len(b.blocks) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// first returns the first of the parameters that the function has, "" if none.
func (a args) first(names []string) string {
	for _, n := range names {
		if a.has(n) {
			return n
		}
	}
	return ""
}

// transfers reports whether a class of functions moves the data of its buffers.
func transfers(class mpi.Class, name string) bool {
	switch class {
	case mpi.ClassLocal:
		return strings.HasPrefix(name, "MPI_File_read") || strings.HasPrefix(name, "MPI_File_write")
	case mpi.ClassNewwin, mpi.ClassNewfile, mpi.ClassDetach, mpi.ClassLight, mpi.ClassTypeFree:
		return false
	}
	return !strings.HasSuffix(strings.TrimSuffix(name, "_c"), "_end") // of a split collective
}

// toNobody reports whether the one peer of the call is MPI_PROC_NULL.
func toNobody(a args) bool {
	n, none := 0, 0
	for _, name := range []string{"dest", "source", "target_rank"} {
		if v, ok := a.int(name); ok {
			if n++; v == model.ProcNull {
				none++
			}
		}
	}
	return n == 1 && none == 1
}

// writes reports whether MPI writes to the buffer.
func (r *replay) writes(a args, name string) bool {
	i := a.shape.at[name]
	if strings.HasPrefix(a.c.Func.Params[i].Type, "const") {
		return false
	}
	if a.shape.base == "Bcast" {
		root, _ := a.int("root")
		c := a.comm()
		return c == nil || c.Kind == model.Inter && root >= 0 || c.Kind != model.Inter && int64(c.Rank) != root
	}
	return true
}

// significant reports whether a buffer matters at this rank (MPI-3.1 §5).
func (r *replay) significant(a args, name string) bool {
	switch a.c.Func.Class {
	case mpi.ClassRma, mpi.ClassRmaNb, mpi.ClassRmaNow:
		return name != "origin_addr" || !r.noOp(a)
	case mpi.ClassSendrecv, mpi.ClassIsendrecv:
		peer := "dest"
		if name == "recvbuf" {
			peer = "source"
		}
		return a.num(0, peer) != model.ProcNull
	}
	atRoot := false
	switch a.shape.base {
	case "Gather", "Gatherv", "Reduce":
		atRoot = name == "recvbuf"
	case "Scatter", "Scatterv":
		atRoot = name == "sendbuf"
	case "Bcast":
		return a.num(0, "root") != model.ProcNull
	default:
		return true
	}
	c, root := a.comm(), a.num(0, "root")
	if c == nil || c.Kind != model.Inter {
		return !atRoot || c != nil && int64(c.Rank) == root
	}
	isRoot := root < 0 && root != model.ProcNull // MPI_ROOT
	return root != model.ProcNull && atRoot == isRoot
}

// noOp reports whether an access only fetches: MPI does not look at what the origin would give (MPI-3.1 §11.3.4).
func (r *replay) noOp(a args) bool {
	op, _ := r.t.Predefined("MPI_Op", a.num(recorded.Invalid, "op"))
	return op == "MPI_NO_OP"
}

// blocks returns the pieces of a buffer. A count that is not a list may stand for
// one piece for each rank.
func (r *replay) blocks(a args, buffer, counts, types, displs string) []piece {
	n, t, d := a.in(counts), a.in(types), a.in(displs)
	if counts == "" {
		n = recorded.Value{1} // MPI_Fetch_and_op, MPI_Compare_and_swap
	}
	if len(n) == 0 || len(t) == 0 {
		return nil
	}
	if !strings.HasSuffix(counts, "counts") {
		return r.piece(nil, 0, n[0]*r.times(a, buffer), int(t[0]))
	}
	if d == nil {
		return r.piece(nil, 0, reduced(a, buffer, n), int(t[0]))
	}
	var out []piece
	for i := range n {
		if i >= len(d) {
			break
		}
		datatype, unit := int(t[min(i, len(t)-1)]), int64(1)
		if old := r.t.Datatype(int64(datatype)); old != nil && !strings.HasSuffix(types, "types") {
			unit = old.Extent // MPI_Alltoallw and its like count in bytes
		}
		out = r.piece(out, d[i]*unit, n[i], datatype)
	}
	return out
}

// piece appends a run of elements, unless it is empty.
func (r *replay) piece(to []piece, at, count int64, datatype int) []piece {
	if count <= 0 || datatype < 0 || datatype >= len(r.t.Types) {
		return to
	}
	l := r.Layouts.Buffer(datatype, count)
	if l.Bytes == 0 {
		return to
	}
	return append(to, piece{at, count, datatype, l})
}

// reduced returns the elements of a buffer of MPI_Reduce_scatter.
func reduced(a args, buffer string, counts recorded.Value) int64 {
	if c := a.comm(); buffer == "recvbuf" {
		if c == nil || c.Rank < 0 || c.Rank >= len(counts) {
			return 0
		}
		return counts[c.Rank]
	}
	var sum int64
	for _, n := range counts {
		sum += n
	}
	return sum
}

// times returns how many pieces of the given count a buffer has.
func (r *replay) times(a args, buffer string) int64 {
	c := a.comm()
	n, ok := peers(c)
	if a.has("partitions") {
		return a.num(1, "partitions")
	}
	if !ok {
		return 1
	}
	recv := buffer == "recvbuf"
	switch a.shape.base {
	case "Allgather", "Gather":
		if recv {
			return n
		}
	case "Scatter":
		if !recv {
			return n
		}
	case "Reduce_scatter_block": // what is reduced is scattered among the own group
		if !recv {
			return int64(max(c.Size, len(c.Members)))
		}
	case "Alltoall":
		return n
	case "Neighbor_allgather", "Neighbor_alltoall":
		if c.Neighbours == nil {
			return 1
		}
		if recv {
			return int64(len(c.Neighbours.Sources))
		}
		if a.shape.base == "Neighbor_alltoall" {
			return int64(len(c.Neighbours.Dests))
		}
	}
	return 1
}
