package replay

import (
	"fmt"

	"laggard/analysis/usage/typemap"
	"laggard/model"
)

// transferred are the ways that the data of an access takes, by the base name of the function. Those with one type
// for all buffers are not here.
var transferred = map[string][]struct{ from, to string }{
	"Put":            {{"origin", "target"}},
	"Accumulate":     {{"origin", "target"}},
	"Get":            {{"target", "origin"}},
	"Get_accumulate": {{"target", "result"}, {"origin", "target"}},
}

// checkTransfer compares what an access moves with where it goes: its buffers must fit as those of a message must
// (MPI-3.1 §11.3.1).
func (r *replay) checkTransfer(a args) {
	if a.num(model.None, "target_rank") == model.ProcNull || r.wrong[a.i] {
		return
	}
	for _, way := range transferred[a.shape.base] {
		if way.from == "origin" && r.noOp(a) {
			continue
		}
		sent, taken := r.side(a, way.from), r.side(a, way.to)
		if sent == nil || taken == nil {
			continue
		}
		r.fits(a, way.from, way.to, sent, taken)
	}
}

// fits reports a buffer of an access that does not fit the other.
func (r *replay) fits(a args, from, to string, sent, taken *typemap.Layout) {
	place := r.Place(a.i, "call")
	switch sent.Into(taken) {
	case typemap.TooLong:
		f := r.report("truncation", fmt.Sprintf("%s moves %s out of the %s buffer, but the %s buffer has room for %s",
			place.Call, sent.Amount(), from, to, taken.Amount()), place)
		f.Standard, f.Change = "MPI-3.1 §11.3", "give both buffers the same amount of data"
	case typemap.Differs:
		at, _ := sent.FirstDifference(taken)
		f := r.report("type_mismatch", fmt.Sprintf("element %d that %s moves is %s in the %s buffer and %s in the %s "+
			"buffer", at, place.Call, sent.DescribeElement(at), from, taken.DescribeElement(at), to), place)
		f.Standard = "MPI-3.1 §11.3"
	}
}

// side returns the layout of a buffer of an access, nil if it is not known.
func (r *replay) side(a args, name string) *typemap.Layout {
	n, ok := a.int(name + "_count")
	typ := a.handle(name + "_datatype")
	if !ok || n < 0 || r.t.Datatype(int64(typ)) == nil {
		return nil
	}
	return r.Layouts.Buffer(typ, n)
}
