package replay

import (
	"fmt"

	"laggard/analysis/usage/typemap"
	"laggard/model"
)

// transferred are the ways that the data of an access takes, by the operation. Those with one type
// for all buffers are not here.
var transferred = map[string][]struct{ from, to string }{
	"MPI_Put":            {{"origin", "target"}},
	"MPI_Accumulate":     {{"origin", "target"}},
	"MPI_Get":            {{"target", "origin"}},
	"MPI_Get_accumulate": {{"target", "result"}, {"origin", "target"}},
}

// checkTransfer compares what an access moves with where it goes: its buffers must fit as those of a message must
// (MPI-3.1 §11.3.1).
func (s *windows) checkTransfer(a args) {
	if a.intOr(model.None, "target_rank") == model.ProcNull || s.wrong[a.i] {
		return
	}
	for _, way := range transferred[a.c.Func.Operation.Name] {
		if way.from == "origin" && a.isNoOp() {
			continue
		}
		sent, taken := s.sideLayout(a, way.from), s.sideLayout(a, way.to)
		if sent == nil || taken == nil {
			continue
		}
		s.checkFit(a, way.from, way.to, sent, taken)
	}
}

// checkFit reports a buffer of an access that does not fit the other.
func (s *windows) checkFit(a args, from, to string, sent, taken *typemap.Layout) {
	place := s.Place(a.i, "call")
	switch sent.FitInto(taken) {
	case typemap.TooLong:
		f := s.report("truncation", fmt.Sprintf("%s moves %s out of the %s buffer, but the %s buffer has room for %s",
			place.Call, sent.Amount(), from, to, taken.Amount()), place)
		f.Standard, f.Change = "MPI-3.1 §11.3", "give both buffers the same amount of data"
	case typemap.Differs:
		at, _ := sent.FirstDifference(taken)
		f := s.report("type_mismatch", fmt.Sprintf("element %d that %s moves is %s in the %s buffer and %s in the %s "+
			"buffer", at, place.Call, sent.DescribeElement(at), from, taken.DescribeElement(at), to), place)
		f.Standard = "MPI-3.1 §11.3"
	}
}

// sideLayout returns the layout of a buffer of an access, nil if it is not known.
func (s *windows) sideLayout(a args, name string) *typemap.Layout {
	n, ok := a.int(name + "_count")
	typ := a.handle(name + "_datatype")
	if !ok || n < 0 || s.t.Datatype(int64(typ)) == nil {
		return nil
	}
	return s.layouts.OfBuffer(typ, n)
}
