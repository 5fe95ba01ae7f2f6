package replay

import (
	"fmt"
	"strings"

	"laggard/model/mpi"
)

// attached is the buffer for buffered sends; call -1: none.
type attached struct {
	call int
	size int64
}

// leastOverhead is what a message needs beside its data in every MPI there is
// (MPI_BSEND_OVERHEAD: 96 in the MPICH family, 128 in Open MPI).
const leastOverhead = 90

// beginBuffered checks calls that use or change the attached buffer (MPI-3.1 §3.6).
func (r *replay) beginBuffered(a args) {
	b, name := &r.buffers, a.c.Func.Name
	switch {
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
	case bytes+leastOverhead > b.size:
		r.report("bsend_buffer", fmt.Sprintf(
			"%s of %d bytes and its overhead do not fit the attached buffer of %d bytes", a.c.Func.Name, bytes, b.size),
			r.Place(a.i, "send"), r.Place(b.call, "attach"))
	}
}

// followBuffered notes what is attached.
func (r *replay) followBuffered(a args) {
	switch {
	case strings.HasPrefix(a.c.Func.Name, "MPI_Buffer_attach"):
		r.buffers = attached{call: a.i, size: a.num(0, "size")}
	case a.c.Func.Class == mpi.ClassDetach:
		r.buffers = attached{call: -1}
	}
}
