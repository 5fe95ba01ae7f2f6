package replay

import (
	"laggard/analysis/usage/recorded"
	"laggard/model/mpi"
)

// datatypes follows which of those that the rank makes are not committed yet.
type datatypes struct {
	t           *recorded.Trace
	objects     *objects
	uncommitted map[int64]int // by handle: the call that made it
}

func newDatatypes(t *recorded.Trace, o *objects) *datatypes {
	return &datatypes{t: t, objects: o, uncommitted: map[int64]int{}}
}

// endCall follows the return of a call that makes, commits or frees datatypes.
func (d *datatypes) endCall(a args) {
	switch {
	case !a.succeeded():
	case a.c.Func.Name == "MPI_Type_commit":
		delete(d.uncommitted, int64(a.handle("datatype")))
	case a.c.Func.Class == mpi.ClassTypeFree:
		if handle := int64(a.handle("datatype")); !d.objects.isAlive("MPI_Datatype", handle) {
			delete(d.uncommitted, handle)
		}
	case a.c.Func.InClass(mpi.ClassNewtype, mpi.ClassLocal):
		d.trackNew(a)
	}
}

// trackNew follows a call that makes datatypes, or tells of some that are in use.
func (d *datatypes) trackNew(a args) {
	for kind, handle := range returnedObjects(a) {
		switch {
		case kind != "MPI_Datatype":
		case !a.has("newtype"):
			delete(d.uncommitted, handle) // MPI had it in use
		case d.objects.madeOnce(kind, handle) && !d.isCommittedDup(a, handle):
			d.uncommitted[handle] = a.i
		}
	}
}

// isCommittedDup reports whether a datatype was made by MPI_Type_dup of one that may be used
// for communication: then it may be, too (MPI-3.1 §4.1.10).
func (d *datatypes) isCommittedDup(a args, handle int64) bool {
	t := d.t.Datatype(handle)
	if t == nil || t.Combiner != "MPI_COMBINER_DUP" || !a.has("oldtype") {
		return false
	}
	_, uncommitted := d.uncommitted[a.intOr(recorded.Invalid, "oldtype")]
	return !uncommitted
}
