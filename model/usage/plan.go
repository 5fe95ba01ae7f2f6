package usage

import "laggard/model/mpi"

// plan is which parameters of a function an event has, and in which order: the
// recorder makes the same out of the same table (recorder/value.c).
type plan struct {
	function *mpi.Function
	fields   []field
	nscalars int
	narrays  int
	nothing  []Value // the outputs of a poll in vain
}

// field is a parameter within an event: so many scalars, or an array of values
// that belong together by so many.
type field struct {
	param, scalar, width int
	array                bool
}

func planOf(f *mpi.Function, after bool) plan {
	p := plan{function: f}
	for i := range f.Params {
		q := &f.Params[i]
		if !recorded(q, after) {
			continue
		}
		width := 1
		if q.Kind == mpi.Status {
			width = 4
		}
		p.fields = append(p.fields, field{param: i, scalar: p.nscalars, width: width, array: q.Array()})
		if q.Array() {
			p.narrays++
		} else {
			p.nscalars += width
		}
		if after && (q.Name == "flag" || q.Name == "outcount") {
			p.nothing = make([]Value, len(f.Params))
			p.nothing[i] = Value{0}
		}
	}
	return p
}

// recorded tells whether a parameter is in the event before or after a call.
func recorded(p *mpi.Param, after bool) bool {
	switch p.Kind {
	case mpi.String, mpi.Callback, mpi.Other:
		return false
	case mpi.Buffer:
		return !after
	}
	if after {
		return p.Dir != mpi.In
	}
	return p.Dir != mpi.Out
}
