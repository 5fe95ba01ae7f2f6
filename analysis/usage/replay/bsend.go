package replay

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"laggard/model/mpi"
)

// attached is the buffer for buffered sends; call -1: none.
type attached struct {
	call int
	size int64
	// others: communicators or sessions may have buffers of their own (MPI-4.1 §3.6), so what a send uses is not known.
	others bool
}

// automatic are the addresses that MPI_BUFFER_AUTOMATIC is: in the standard ABI, in Open MPI and in the MPICH family.
var automatic = []int64{2, 4, -2}

// leastOverhead is what a message needs beside its data (MPI_BSEND_OVERHEAD: 96 in the MPICH family, before MPICH 4
// 88; 128 in Open MPI, 512 in the standard ABI).
func (r *replay) leastOverhead() int64 {
	if r.t.Family == "abi" {
		return 512
	}
	return 88
}

// beginBuffered checks calls that use or change the attached buffer (MPI-3.1 §3.6).
func (r *replay) beginBuffered(a args) {
	b, name := &r.buffers, a.c.Func.Name
	switch {
	case b.others, strings.HasSuffix(mpi.Plain(name), "_detach_buffer"):
	case strings.HasPrefix(name, "MPI_Buffer_attach"):
		if b.call >= 0 {
			r.report("bsend_buffer", "MPI_Buffer_attach while a buffer is attached: there can be one at a time",
				r.Place(a.i, "attach"), r.Place(b.call, "attach before")).Change = "call MPI_Buffer_detach first"
		}
	case a.c.Func.Class == mpi.ClassDetach:
		if b.call < 0 && r.t.Complete {
			r.report("bsend_buffer", "MPI_Buffer_detach without an attached buffer", r.Place(a.i, "detach"))
		}
	case a.c.Func.Class == mpi.ClassBsend || a.c.Func.Class == mpi.ClassIbsend:
		r.checkSpace(a)
	}
}

func (r *replay) checkSpace(a args) {
	bytes := r.Layouts.Of(a.handle("datatype")).Bytes * a.num(0, "count")
	switch b := &r.buffers; {
	case !r.t.Complete || a.num(0, "dest") < 0:
	case b.call < 0:
		r.report("bsend_buffer", fmt.Sprintf("%s of %d bytes without an attached buffer", a.c.Func.Name, bytes),
			r.Place(a.i, "send"))
	case bytes+r.leastOverhead() > b.size:
		r.report("bsend_buffer", fmt.Sprintf(
			"%s of %d bytes and its overhead do not fit the attached buffer of %d bytes", a.c.Func.Name, bytes, b.size),
			r.Place(a.i, "send"), r.Place(b.call, "attach"))
	}
}

// followBuffered notes what is attached.
func (r *replay) followBuffered(a args) {
	switch {
	case strings.HasSuffix(mpi.Plain(a.c.Func.Name), "_attach_buffer"):
		r.buffers.others = true
	case strings.HasSuffix(mpi.Plain(a.c.Func.Name), "_detach_buffer"):
	case strings.HasPrefix(a.c.Func.Name, "MPI_Buffer_attach"):
		r.buffers.call, r.buffers.size = a.i, a.num(0, "size")
		if slices.Contains(automatic, a.num(0, "buffer")) {
			r.buffers.size = math.MaxInt64
		}
	case a.c.Func.Class == mpi.ClassDetach:
		r.buffers.call = -1
	}
}
