package recorded

import "laggard/model/mpi"

// plan says which parameters of a function an event holds, and in which order. The
// recorder has the same plan, generated from the same table (recorder/gen).
type plan struct {
	function *mpi.Function
	fields   []field
	nscalars int
	narrays  int
	nothing  []Value // the outputs of an empty poll
}

// field is a parameter within an event: so many scalars, or an array of values
// that belong together by so many.
type field struct {
	param, scalar, width int
	array                bool
	refers               reference
}

// reference says what the values of a parameter are indices of.
type reference uint8

const (
	toNothing reference = iota
	toComm
	toType
)

// referenceOf returns what the values of a parameter refer to.
func referenceOf(k mpi.Kind) reference {
	switch k {
	case mpi.Comm, mpi.Win, mpi.File:
		return toComm
	case mpi.Datatype:
		return toType
	}
	return toNothing
}

func planOf(f *mpi.Function, after bool) plan {
	p := plan{function: f}
	for i := range f.Params {
		q := &f.Params[i]
		if !f.IsRecorded(i, after) {
			continue
		}
		width := 1
		if q.Kind == mpi.Status {
			width = 4
		}
		p.fields = append(p.fields, field{param: i, scalar: p.nscalars, width: width, array: q.IsArray(), refers: referenceOf(q.Kind)})
		if q.IsArray() {
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
