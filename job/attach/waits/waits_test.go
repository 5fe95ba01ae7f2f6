package waits

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/intake/library"
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
	worldAt     = 0x7f0000001000 // where Open MPI has MPI_COMM_WORLD
	otherAt     = 0x7f0000002000
	windowAt    = 0x7f0000003000
	worldNumber = 0x44000000
	cells       = 0x5000 // where Fortran has its constants
)

// fake is a library with three communicators and two requests.
type fake struct{}

const (
	world = iota
	self
	half // the communicator, window or file that is met
)

func (fake) Comm(handle uint64, fortran bool) *model.Comm {
	all := []*model.Comm{
		{ID: 1, Kind: model.World, Rank: 1, Size: 4, Members: []int{0, 1, 2, 3}},
		{ID: 2, Kind: model.Self, Size: 1, Members: []int{1}},
		{ID: 3, Rank: 1, Size: 2, Members: []int{3, 1}},
	}
	switch handle {
	case worldAt, worldNumber:
		return all[world]
	case otherAt:
		return all[half]
	case 0:
		if fortran {
			return all[world]
		}
	}
	return nil
}

func (f fake) Request(handle uint64, _ bool) (library.Request, bool) {
	switch handle {
	case 10:
		return library.Request{Done: true}, true
	case 11:
		return library.Request{Kind: model.Recv, Comm: f.Comm(otherAt, false), Peer: 0, Tag: 5}, true
	}
	return library.Request{}, false
}

func (fake) Of(handle uint64, _ bool) *model.Comm {
	if handle == windowAt {
		return &model.Comm{ID: 7, Kind: model.Window, Size: 4, Members: []int{0, 1, 2, 3}}
	}
	return nil
}

func process(family string) *Process {
	f := fake{}
	return &Process{Family: family, Library: f,
		Comms: []*model.Comm{f.Comm(worldAt, false), {ID: 2, Kind: model.Self, Size: 1, Members: []int{1}}},
		Read: func(addr uint64, b []byte) bool { // the cell at 0x5000 + 8 n has n - 8
			if addr < cells || addr > cells+0x100 {
				return false
			}
			for i := 0; i+4 <= len(b); i += 4 {
				binary.LittleEndian.PutUint32(b[i:], uint32(int32(addr-cells)/8-8)+uint32(i/4))
			}
			return true
		},
	}
}

func TestOf(t *testing.T) {
	cell := func(n int) int { return cells + 8*(n+8) }
	pending := func(kind model.Kind, comm, peer, tag int) []model.Pending {
		return []model.Pending{{Kind: kind, Comm: comm, Peer: peer, Tag: tag, State: -1}}
	}
	one := []Count{{"count", 1}}
	for name, c := range map[string]struct {
		family  string
		call    string
		binding model.Binding
		values  []argument.Value
		want    Wait
	}{
		"receive, Open MPI": {"openmpi", "MPI_Recv", model.C, known(1, 1, 1, 3, 7, worldAt, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, world, 3, 7), Counts: one}},
		"any source and tag": {"openmpi", "MPI_Recv", model.C, known(1, 1, 1, -1, -1, worldAt, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, world, model.Any, model.Any),
				Counts: one}},
		"null of one is any of the other": {"mpich", "MPI_Recv", model.C, known(1, 1, 1, -1, 5, worldNumber, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, world, model.ProcNull, 5), Counts: one}},
		"any source, MPICH": {"mpich", "MPI_Probe", model.C, known(-2, 5, worldNumber, 0),
			Wait{Kind: model.Probe, Pending: pending(model.Probe, world, model.Any, 5)}},
		"nothing known": {"mpich", "MPI_Send", model.C, known(nil, nil, nil, nil, nil, nil),
			Wait{Kind: model.Send, Pending: pending(model.Send, unknown, unknown, model.None)}},
		"no such rank": {"mpich", "MPI_Send", model.C, known(1, 1, 1, 4, 5, worldNumber),
			Wait{Kind: model.Send, Pending: pending(model.Send, world, unknown, 5), Counts: one}},
		"another communicator": {"openmpi", "MPI_Barrier", model.C, known(otherAt),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, half, model.None, model.None)}},
		"none of the library's": {"openmpi", "MPI_Barrier", model.C, known(otherAt + 8),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, unknown, model.None, model.None)}},
		"no such rank of its own": {"openmpi", "MPI_Recv", model.C, known(1, 1, 1, 2, 5, otherAt, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, half, unknown, 5), Counts: one}},
		"a window": {"openmpi", "MPI_Win_fence", model.C, known(0, windowAt),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, half, model.None, model.None)}},
		"a root": {"mpich", "MPI_Bcast", model.C, known(1, 1, 1, 2, worldNumber),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, world, 2, model.None), Counts: one}},
		"both ways": {"mpich", "MPI_Sendrecv", model.C, known(1, 1, 1, 2, 8, 1, 1, 1, 0, 9, worldNumber, 0),
			Wait{Kind: model.Wait,
				Pending: append(pending(model.Send, world, 2, 8), pending(model.Recv, world, 0, 9)...),
				Counts:  []Count{{"sendcount", 1}, {"recvcount", 1}}}},
		"Fortran, Open MPI": {"openmpi", "MPI_Recv", model.Fortran,
			known(1, cell(4), 1, cell(2), cell(6), cell(0), 0, 0), Wait{Kind: model.Recv,
				Pending: pending(model.Recv, world, 2, 6), Inferred: []string{"comm", "source", "tag", "count"},
				Counts: []Count{{"count", 4}}}},
		"Fortran, no memory": {"openmpi", "MPI_Recv", model.Fortran, known(1, 1, 1, 16, 16, 16, 0, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, unknown, unknown, model.None)}},
		"requests, one is complete": {"mpich", "MPI_Waitall", model.C, known(2, cell(10), 1), Wait{Kind: model.Wait,
			Pending: pending(model.Recv, half, 0, 5), Inferred: []string{"requests"}}},
		"requests, one is not known": {"mpich", "MPI_Waitany", model.C, known(2, cell(11), 1, 1),
			Wait{Kind: model.WaitAny, Pending: pending(model.Recv, half, 0, 5), Unlisted: true,
				Inferred: []string{"requests"}}},
		"all are complete": {"mpich", "MPI_Wait", model.C, known(cell(10), 1), Wait{Kind: model.Wait, Unlisted: true}},
		"no memory":        {"mpich", "MPI_Waitall", model.C, known(2, 16, 1), Wait{Kind: model.Wait, Unlisted: true}},
		"a test":           {"mpich", "MPI_Test", model.C, known(16, 16, 1), Wait{Kind: model.Poll, Unlisted: true}},
		"the end":          {"mpich", "MPI_Finalize", model.C, nil, Wait{Kind: model.Finalize}},
		"no MPI":           {"mpich", "MPI_Whatever", model.C, known(1), Wait{Kind: model.Other}},
	} {
		got := Of(process(c.family), Call{Name: c.call, Binding: c.binding, Values: c.values})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
