package waits

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/model"
	"laggard/slicing/argument"
)

// known are values of a call; a nil one is unknown.
func known(values ...any) []argument.Value {
	out := make([]argument.Value, len(values))
	for i, v := range values {
		if n, ok := v.(int); ok {
			out[i] = argument.Value{Number: uint64(n), Bits: 64}
		}
	}
	return out
}

const (
	worldAt = 0x7f0000001000 // where Open MPI has MPI_COMM_WORLD
	otherAt = 0x7f0000002000
	cells   = 0x5000 // where Fortran has its constants
)

func process(family string) *Process {
	return &Process{Rank: 1, Size: 4, Family: family,
		Variable: func(addr uint64) string {
			return map[uint64]string{worldAt: "ompi_mpi_comm_world", otherAt: "ompi_mpi_comm_null"}[addr]
		},
		Read: func(addr uint64, b []byte) bool { // the cell at 0x5000 + 8 n has n - 8
			if addr < cells || addr > cells+0x100 || len(b) != 4 {
				return false
			}
			binary.LittleEndian.PutUint32(b, uint32(int32(addr-cells)/8-8))
			return true
		},
	}
}

func TestOf(t *testing.T) {
	cell := func(n int) int { return cells + 8*(n+8) }
	pending := func(kind model.Kind, comm, peer, tag int) []model.Pending {
		return []model.Pending{{Kind: kind, Comm: comm, Peer: peer, Tag: tag, State: -1}}
	}
	for name, c := range map[string]struct {
		family  string
		call    string
		binding model.Binding
		values  []argument.Value
		want    Wait
	}{
		"receive, Open MPI": {"openmpi", "MPI_Recv", model.C, known(1, 1, 1, 3, 7, worldAt, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, world, 3, 7)}},
		"any source and tag": {"openmpi", "MPI_Recv", model.C, known(1, 1, 1, -1, -1, worldAt, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, world, model.Any, model.Any)}},
		"null of one is any of the other": {"mpich", "MPI_Recv", model.C, known(1, 1, 1, -1, 5, mpichWorld, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, world, model.ProcNull, 5)}},
		"any source, MPICH": {"mpich", "MPI_Probe", model.C, known(-2, 5, mpichWorld, 0),
			Wait{Kind: model.Probe, Pending: pending(model.Probe, world, model.Any, 5)}},
		"nothing known": {"mpich", "MPI_Send", model.C, known(nil, nil, nil, nil, nil, nil),
			Wait{Kind: model.Send, Pending: pending(model.Send, unknown, unknown, model.None)}},
		"no such rank": {"mpich", "MPI_Send", model.C, known(1, 1, 1, 4, 5, mpichWorld),
			Wait{Kind: model.Send, Pending: pending(model.Send, world, unknown, 5)}},
		"another communicator": {"openmpi", "MPI_Barrier", model.C, known(otherAt),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, unknown, model.None, model.None)}},
		"a root": {"mpich", "MPI_Bcast", model.C, known(1, 1, 1, 2, mpichWorld),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, world, 2, model.None)}},
		"both ways": {"mpich", "MPI_Sendrecv", model.C, known(1, 1, 1, 2, 8, 1, 1, 1, 0, 9, mpichWorld, 0),
			Wait{Kind: model.Wait,
				Pending: append(pending(model.Send, world, 2, 8), pending(model.Recv, world, 0, 9)...)}},
		"Fortran, Open MPI": {"openmpi", "MPI_Recv", model.Fortran,
			known(1, 1, 1, cell(2), cell(6), cell(0), 0, 0), Wait{Kind: model.Recv,
				Pending: pending(model.Recv, world, 2, 6), Inferred: []string{"comm", "source", "tag"}}},
		"Fortran, no memory": {"openmpi", "MPI_Recv", model.Fortran, known(1, 1, 1, 16, 16, 16, 0, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, unknown, unknown, model.None)}},
		"requests": {"mpich", "MPI_Waitall", model.C, known(2, 16, 1), Wait{Kind: model.Wait, Unlisted: true}},
		"a test":   {"mpich", "MPI_Test", model.C, known(16, 16, 1), Wait{Kind: model.Poll, Unlisted: true}},
		"the end":  {"mpich", "MPI_Finalize", model.C, nil, Wait{Kind: model.Finalize}},
		"no MPI":   {"mpich", "MPI_Whatever", model.C, known(1), Wait{Kind: model.Other}},
	} {
		got := Of(process(c.family), Call{Name: c.call, Binding: c.binding, Values: c.values})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
