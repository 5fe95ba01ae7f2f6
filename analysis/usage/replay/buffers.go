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

// sharedBytes returns bytes that two buffers share, by their addresses; empty if there are
// none.
func (b *buffer) sharedBytes(o *buffer) typemap.Span {
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

// blockOverlap returns bytes of the buffer that two of its pieces share.
func (b *buffer) blockOverlap() typemap.Span {
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
func buffersOf(a args, layouts *typemap.Layouts) []buffer {
	if !movesData(a.c.Func) || toProcNull(a) {
		return nil
	}
	var out []buffer
	for _, n := range bufferNames {
		addr, ok := a.int(n.buffer)
		if !ok || addr == recorded.InPlace || addr == recorded.Invalid || !a.isSignificant(n.buffer) {
			continue
		}
		b := buffer{name: n.buffer, addr: addr, writes: a.writesTo(n.buffer)}
		if addr == recorded.Bottom {
			b.addr, b.bottomless = 0, true
		}
		b.blocks = pieces{a, layouts}.ofBuffer(n.buffer, a.firstParam(n.counts), a.firstParam(n.types), a.firstParam(n.displs))
		if len(b.blocks) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// firstParam returns the first of the parameters that the function has, "" if none.
func (a args) firstParam(names []string) string {
	for _, n := range names {
		if a.has(n) {
			return n
		}
	}
	return ""
}

// movesData reports whether a function moves the data of its buffers.
func movesData(f *mpi.Function) bool {
	switch f.Class {
	case mpi.ClassLocal:
		return f.HasTrait(mpi.Reads | mpi.Writes)
	case mpi.ClassNewwin, mpi.ClassNewfile, mpi.ClassDetach, mpi.ClassLight, mpi.ClassNewtype, mpi.ClassTypeCommit, mpi.ClassTypeFree:
		return false
	}
	return !f.HasTrait(mpi.Ends) // of a split collective
}

// toProcNull reports whether the one peer of the call is MPI_PROC_NULL.
func toProcNull(a args) bool {
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

// writesTo reports whether MPI writes to the buffer.
func (a args) writesTo(name string) bool {
	i := a.shape.at[name]
	if strings.HasPrefix(a.c.Func.Params[i].Type, "const") {
		return false
	}
	if a.c.Func.IsFormOf("MPI_Bcast") {
		root, _ := a.int("root")
		c := a.comm()
		return c == nil || c.Kind == model.Inter && root >= 0 || c.Kind != model.Inter && int64(c.Rank) != root
	}
	return true
}

// isSignificant reports whether a buffer matters at this rank (MPI-3.1 §5).
func (a args) isSignificant(name string) bool {
	switch a.c.Func.Class {
	case mpi.ClassRma, mpi.ClassRmaNb, mpi.ClassRmaNow:
		return name != "origin_addr" || !a.isNoOp()
	case mpi.ClassSendrecv, mpi.ClassIsendrecv:
		peer := "dest"
		if name == "recvbuf" {
			peer = "source"
		}
		return a.intOr(0, peer) != model.ProcNull
	}
	atRoot := false
	switch f := a.c.Func; {
	case f.IsFormOf("MPI_Bcast"):
		return a.intOr(0, "root") != model.ProcNull
	case f.HasTrait(mpi.ToRoot):
		atRoot = name == "recvbuf"
	case f.HasTrait(mpi.FromRoot):
		atRoot = name == "sendbuf"
	default:
		return true
	}
	c, root := a.comm(), a.intOr(0, "root")
	if c == nil || c.Kind != model.Inter {
		return !atRoot || c != nil && int64(c.Rank) == root
	}
	isRoot := root < 0 && root != model.ProcNull // MPI_ROOT
	return root != model.ProcNull && atRoot == isRoot
}

// isNoOp reports whether an access only fetches: MPI does not look at what the origin would give (MPI-3.1 §11.3.4).
func (a args) isNoOp() bool {
	op, _ := a.t.Predefined("MPI_Op", a.intOr(recorded.Invalid, "op"))
	return op == "MPI_NO_OP"
}

// pieces makes those of the buffers of a call.
type pieces struct {
	args
	layouts *typemap.Layouts
}

// ofBuffer returns the pieces of a buffer. A count that is not a list may stand for one piece
// for each rank.
func (p pieces) ofBuffer(buffer, counts, types, displs string) []piece {
	n, t, d := p.in(counts), p.in(types), p.in(displs)
	if counts == "" {
		n = recorded.Value{1} // MPI_Fetch_and_op, MPI_Compare_and_swap
	}
	if len(n) == 0 || len(t) == 0 {
		return nil
	}
	if !strings.HasSuffix(counts, "counts") {
		return p.appendRun(nil, 0, n[0]*p.pieceCount(buffer), int(t[0]))
	}
	if d == nil {
		return p.appendRun(nil, 0, p.reduceScatterCount(buffer, n), int(t[0]))
	}
	var out []piece
	for i := range n {
		if i >= len(d) {
			break
		}
		datatype, unit := int(t[min(i, len(t)-1)]), int64(1)
		if old := p.t.Datatype(int64(datatype)); old != nil && !strings.HasSuffix(types, "types") {
			unit = old.Extent // MPI_Alltoallw and its like count in bytes
		}
		out = p.appendRun(out, d[i]*unit, n[i], datatype)
	}
	return out
}

// appendRun appends a run of elements, unless it is empty.
func (p pieces) appendRun(to []piece, at, count int64, datatype int) []piece {
	if count <= 0 || datatype < 0 || datatype >= len(p.t.Types) {
		return to
	}
	l := p.layouts.OfBuffer(datatype, count)
	if l.Bytes == 0 {
		return to
	}
	return append(to, piece{at, count, datatype, l})
}

// reduceScatterCount returns the elements of a buffer of MPI_Reduce_scatter.
func (a args) reduceScatterCount(buffer string, counts recorded.Value) int64 {
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

// pieceCount returns how many pieces of the given count a buffer has.
func (a args) pieceCount(buffer string) int64 {
	c := a.comm()
	n, ok := peerCount(c)
	if a.has("partitions") {
		return a.intOr(1, "partitions")
	}
	if !ok {
		return 1
	}
	recv := buffer == "recvbuf"
	switch a.c.Func.Operation.Name {
	case "MPI_Allgather", "MPI_Gather":
		if recv {
			return n
		}
	case "MPI_Scatter":
		if !recv {
			return n
		}
	case "MPI_Reduce_scatter_block": // what is reduced is scattered among the own group
		if !recv {
			return int64(max(c.Size, len(c.Members)))
		}
	case "MPI_Alltoall":
		return n
	case "MPI_Neighbor_allgather", "MPI_Neighbor_alltoall":
		if c.Neighbours == nil {
			return 1
		}
		if recv {
			return int64(len(c.Neighbours.Sources))
		}
		if a.c.Func.IsFormOf("MPI_Neighbor_alltoall") {
			return int64(len(c.Neighbours.Dests))
		}
	}
	return 1
}
