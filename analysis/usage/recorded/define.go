package recorded

import (
	"fmt"

	"laggard/model/format"
	"laggard/model/mpi"
)

// combiners are those of MPI_Type_get_envelope, in the order that both families
// of MPI number them.
var combiners = [...]string{"MPI_COMBINER_NAMED", "MPI_COMBINER_DUP", "MPI_COMBINER_CONTIGUOUS", "MPI_COMBINER_VECTOR",
	"MPI_COMBINER_HVECTOR_INTEGER", "MPI_COMBINER_HVECTOR", "MPI_COMBINER_INDEXED", "MPI_COMBINER_HINDEXED_INTEGER",
	"MPI_COMBINER_HINDEXED", "MPI_COMBINER_INDEXED_BLOCK", "MPI_COMBINER_STRUCT_INTEGER", "MPI_COMBINER_STRUCT",
	"MPI_COMBINER_SUBARRAY", "MPI_COMBINER_DARRAY", "MPI_COMBINER_F90_REAL", "MPI_COMBINER_F90_COMPLEX",
	"MPI_COMBINER_F90_INTEGER",
	"MPI_COMBINER_RESIZED", "MPI_COMBINER_HINDEXED_BLOCK", "MPI_COMBINER_VALUE_INDEX"}

func (d *decoder) readDefinition(what uint64) error {
	switch what {
	case format.DefType:
		return d.readType()
	case format.DefComm:
		number, record, id, parent := d.readUint(), d.readUint(), d.readUint(), d.readUint()
		thread, state := d.readUint(), d.readUint()
		if d.bad || number > maxObjects || record > maxObjects {
			return errEvent
		}
		if d.b.built {
			return nil
		}
		return d.b.addComm(int(number), int(record), id, parent, int(int32(thread)), int(int32(state))-1)
	case format.DefName:
		kind, value, name := d.readUint(), d.readInt(), d.readText()
		if d.bad {
			return errEvent
		}
		if !d.b.built {
			d.b.addName(mpi.Kind(kind), value, name)
		}
	case format.DefNote:
		n := Note{Kind: NoteKind(d.readUint()), Call: d.readUint(), Seen: d.readUint(), Value: d.readInt()}
		if !d.bad && !d.b.built {
			d.b.addNote(n)
		}
	case format.DefWithin:
		d.within = true
	default:
		return fmt.Errorf("definition of kind %d", what)
	}
	return nil
}

func (d *decoder) readType() error {
	number, combiner, name := d.readUint(), d.readUint(), d.readText()
	if d.bad || number > maxObjects || combiner >= uint64(len(combiners)) {
		return errEvent
	}
	t := &Datatype{Name: name, Size: d.readInt(), LB: d.readInt(), Extent: d.readInt(), TrueLB: d.readInt(), TrueExtent: d.readInt()}
	if combiner > 0 {
		t.Combiner = combiners[combiner]
	}
	var cut [3]bool
	t.Ints, cut[0] = d.readArray(1)
	t.Addresses, cut[1] = d.readArray(1)
	inner, last := d.readArray(1)
	cut[2] = last
	t.Cut = cut[0] || cut[1] || cut[2]
	for _, i := range inner {
		t.Types = append(t.Types, int(i))
	}
	if d.bad {
		return errEvent
	}
	if d.b.built {
		return nil
	}
	d.b.types[int(number)] = t
	d.b.ntypes = max(d.b.ntypes, int(number)+1)
	return nil
}
