package replay

import (
	"fmt"
	"math"

	"laggard/analysis/usage/typemap"
	"laggard/model/mpi"
)

// attached follows the buffer for buffered sends; call -1: there is none.
type attached struct {
	*reporter
	layouts *typemap.Layouts
	call    int
	size    int64
	// others: communicators or sessions may have buffers of their own (MPI-4.1 §3.6), so what a send uses is not known.
	others bool
}

func newAttached(r *reporter, layouts *typemap.Layouts) *attached {
	return &attached{reporter: r, layouts: layouts, call: -1}
}

// beginCall checks calls that use or change the attached buffer (MPI-3.1 §3.6).
func (b *attached) beginCall(a args) {
	switch {
	case b.others, isScopedAttach(a.c.Func):
	case a.c.Func.IsFormOf("MPI_Buffer_attach"):
		if b.call >= 0 {
			b.report("bsend_buffer", "MPI_Buffer_attach while a buffer is attached: there can be one at a time",
				b.Place(a.i, "attach"), b.Place(b.call, "attach before")).Change = "call MPI_Buffer_detach first"
		}
	case a.c.Func.Class == mpi.ClassDetach:
		refused := a.c.Refused || a.c.Return != 0 && a.c.Code != 0 // MPI may well take it (MPI-4.1 §3.6)
		if refused && b.call < 0 && b.t.Complete {
			b.report("bsend_buffer", "MPI_Buffer_detach without an attached buffer", b.Place(a.i, "detach"))
		}
	case a.c.Func.Class == mpi.ClassBsend || a.c.Func.Class == mpi.ClassIbsend:
		b.checkSpace(a)
	}
}

// checkSpace finds a buffered send that the attached buffer has no room for.
func (b *attached) checkSpace(a args) {
	bytes := b.layouts.OfType(a.handle("datatype")).Bytes * a.intOr(0, "count")
	overhead, _ := b.t.Family.NumberOf("least_bsend_overhead")
	switch {
	case !b.t.Complete || a.intOr(0, "dest") < 0:
	case b.call < 0:
		b.report("bsend_buffer", fmt.Sprintf("%s of %d bytes without an attached buffer", a.c.Func.Name, bytes),
			b.Place(a.i, "send"))
	case bytes+overhead > b.size:
		b.report("bsend_buffer", fmt.Sprintf(
			"%s of %d bytes and its overhead do not fit the attached buffer of %d bytes", a.c.Func.Name, bytes, b.size),
			b.Place(a.i, "send"), b.Place(b.call, "attach"))
	}
}

// endCall notes what is attached, after the call.
func (b *attached) endCall(a args) {
	switch {
	case !a.succeeded():
	case isScopedAttach(a.c.Func):
		b.others = b.others || a.has("buffer")
	case a.c.Func.IsFormOf("MPI_Buffer_attach"):
		b.call, b.size = a.i, a.intOr(0, "size")
		if automatic, ok := b.t.Family.NumberOf("buffer_automatic"); ok && a.intOr(0, "buffer") == automatic {
			b.size = math.MaxInt64
		}
	case a.c.Func.Class == mpi.ClassDetach:
		b.call = -1
	}
}

// reportLeftovers reports a buffer that is attached when call finalize leaves MPI.
func (b *attached) reportLeftovers(finalize int) {
	if b.call < 0 || b.size == 0 { // as programs do to be rid of one
		return
	}
	f := b.report("leak", "the buffer that MPI_Buffer_attach attached was not detached before MPI_Finalize",
		b.Place(b.call, "creation"), b.Place(finalize, "finalize"))
	f.Change = "call MPI_Buffer_detach, which also waits for what is still in the buffer"
	f.Standard = "MPI-3.1 §3.6"
}

// isScopedAttach reports whether a call attaches or detaches the buffer of a communicator or session.
func isScopedAttach(f *mpi.Function) bool {
	return f.IsFormOf("MPI_Comm_attach_buffer") || f.IsFormOf("MPI_Comm_detach_buffer") || f.IsFormOf("MPI_Session_attach_buffer") ||
		f.IsFormOf("MPI_Session_detach_buffer")
}
