package waits

import (
	"encoding/binary"
	"testing"

	"laggard/intake/library"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/slicing/argument"
)

// knownValues are values of a call; a nil one is unknown.
func knownValues(values ...any) []argument.Value {
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
	groupAt     = 0x7f0000004000
	groupOfOwn  = 0x7f0000004100
	worldNumber = 0x44000000
	cells       = 0x5000 // where Fortran has its constants
)

// fakeLibrary is a library with three communicators and two requests.
type fakeLibrary struct{}

const (
	world = iota
	self
	half // the communicator, window or file that is met
	made // the one that is met next
)

func (fakeLibrary) ResolveComm(handle uint64, fortran bool) *model.Comm {
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

func (f fakeLibrary) ResolveRequest(handle uint64, _ bool) (library.Request, bool) {
	switch handle {
	case 10:
		return library.Request{Done: true}, true
	case 11:
		return library.Request{Kind: model.Recv, Comm: f.ResolveComm(otherAt, false), Peer: 0, Tag: 5}, true
	}
	return library.Request{}, false
}

func (fakeLibrary) ResolveFile(uint64, bool) *model.Comm { return nil }

// ResolveWindow has a window of all ranks, which ranks 0 and 3 may access, and which accesses rank 2.
func (fakeLibrary) ResolveWindow(handle uint64, _ bool) *library.Window {
	if handle != windowAt {
		return nil
	}
	return &library.Window{
		Comm:   &model.Comm{ID: 7, Kind: model.Window, Size: 4, Members: []int{0, 1, 2, 3}},
		Access: []int{2}, Exposure: []int{0, 3},
		Locks: []library.Lock{{Target: 2, Type: model.Exclusive}, {Target: 3, Type: model.Either}},
	}
}

func (fakeLibrary) ListWindows() []*library.Window { return nil }

func (fakeLibrary) GroupRanks(handle uint64, _ bool) []int {
	return map[uint64][]int{groupAt: {3, 0}, groupOfOwn: {3, 1}}[handle]
}

func newProcess(family mpi.Family) *Process {
	f := fakeLibrary{}
	return &Process{Family: family, Rank: 1, Library: f,
		Comms: []*model.Comm{f.ResolveComm(worldAt, false), {ID: 2, Kind: model.Self, Size: 1, Members: []int{1}}},
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
		family  mpi.Family
		call    string
		binding mpi.Binding
		values  []argument.Value
		want    Wait
	}{
		"receive, Open MPI": {"openmpi", "MPI_Recv", mpi.C, knownValues(1, 1, 1, 3, 7, worldAt, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, world, 3, 7), Counts: one}},
		"any source and tag": {"openmpi", "MPI_Recv", mpi.C, knownValues(1, 1, 1, -1, -1, worldAt, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, world, model.Any, model.Any),
				Counts: one}},
		"null of one is any of the other": {"mpich", "MPI_Recv", mpi.C, knownValues(1, 1, 1, -1, 5, worldNumber, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, world, model.ProcNull, 5), Counts: one}},
		"any source, MPICH": {"mpich", "MPI_Probe", mpi.C, knownValues(-2, 5, worldNumber, 0),
			Wait{Kind: model.Probe, Pending: pending(model.Probe, world, model.Any, 5)}},
		"nothing known": {"mpich", "MPI_Send", mpi.C, knownValues(nil, nil, nil, nil, nil, nil),
			Wait{Kind: model.Send, Pending: pending(model.Send, unknown, unknown, model.None)}},
		"no such rank": {"mpich", "MPI_Send", mpi.C, knownValues(1, 1, 1, 4, 5, worldNumber),
			Wait{Kind: model.Send, Pending: pending(model.Send, world, unknown, 5), Counts: one}},
		"another communicator": {"openmpi", "MPI_Barrier", mpi.C, knownValues(otherAt),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, half, model.None, model.None)}},
		"none of the library's": {"openmpi", "MPI_Barrier", mpi.C, knownValues(otherAt + 8),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, unknown, model.None, model.None)}},
		"no such rank of its own": {"openmpi", "MPI_Recv", mpi.C, knownValues(1, 1, 1, 2, 5, otherAt, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, half, unknown, 5), Counts: one}},
		"a window": {"openmpi", "MPI_Win_fence", mpi.C, knownValues(0, windowAt),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, half, model.None, model.None)}},
		"start": {"openmpi", "MPI_Win_start", mpi.C, knownValues(groupAt, 0, windowAt), Wait{Kind: model.Wait,
			Pending: append(pending(model.Recv, half, 3, model.TagPost),
				pending(model.Recv, half, 0, model.TagPost)...)}},
		"start, the group is not known": {"openmpi", "MPI_Win_start", mpi.C, knownValues(nil, 0, windowAt),
			Wait{Kind: model.RMA, Pending: pending(model.RMA, half, model.None, model.None)}},
		"complete": {"openmpi", "MPI_Win_complete", mpi.C, knownValues(windowAt),
			Wait{Kind: model.Wait, Pending: pending(model.Recv, half, 2, model.TagPost)}},
		"wait": {"openmpi", "MPI_Win_wait", mpi.C, knownValues(windowAt), Wait{Kind: model.Wait, Pending: append(
			pending(model.Recv, half, 0, model.TagComplete), pending(model.Recv, half, 3, model.TagComplete)...)}},
		"test of a window that is not known": {"openmpi", "MPI_Win_test", mpi.C, knownValues(nil, 0),
			Wait{Kind: model.RMA, Pending: pending(model.RMA, unknown, model.None, model.None)}},
		"post does not wait": {"openmpi", "MPI_Win_post", mpi.C, knownValues(nil, 0, windowAt), Wait{Kind: model.Local}},
		"exclusive lock": {"openmpi", "MPI_Win_lock", mpi.C, knownValues(1, 2, 0, windowAt),
			Wait{Kind: model.RMA, Pending: pending(model.RMA, half, 2, int(model.Exclusive))}},
		"shared lock, MPICH": {"mpich", "MPI_Win_lock", mpi.C, knownValues(235, nil, 0, windowAt&0xffffffff),
			Wait{Kind: model.RMA, Pending: pending(model.RMA, unknown, unknown, int(model.Shared))}},
		"a lock of no type": {"openmpi", "MPI_Win_lock", mpi.C, knownValues(7, 2, 0, windowAt),
			Wait{Kind: model.RMA, Pending: pending(model.RMA, half, 2, model.None)}},
		"lock of all": {"openmpi", "MPI_Win_lock_all", mpi.C, knownValues(0, windowAt),
			Wait{Kind: model.RMA, Pending: pending(model.RMA, half, model.None, int(model.Shared))}},
		"flush under a lock": {"openmpi", "MPI_Win_flush", mpi.C, knownValues(2, windowAt),
			Wait{Kind: model.RMA, Pending: pending(model.RMA, half, 2, int(model.Exclusive))}},
		"unlock of a type that only the target knows": {"openmpi", "MPI_Win_unlock", mpi.C, knownValues(3, windowAt),
			Wait{Kind: model.RMA, Pending: pending(model.RMA, half, 3, model.None)}},
		"operation after a start": {"openmpi", "MPI_Fetch_and_op", mpi.C, knownValues(1, 1, 1, 2, 0, 1, windowAt),
			Wait{Kind: model.RMA, Pending: pending(model.Recv, half, 2, model.TagPost)}},
		"operation of a window alone": {"openmpi", "MPI_Put", mpi.C, knownValues(1, 1, 1, 0, 0, 1, 1, windowAt),
			Wait{Kind: model.RMA, Pending: pending(model.RMA, half, 0, model.None),
				Counts: []Count{{"origin_count", 1}, {"target_count", 1}}}},
		"making an intercommunicator, its leader": {"openmpi", "MPI_Intercomm_create", mpi.C,
			knownValues(otherAt, 1, worldAt, 2, 17, 1), Wait{Kind: model.Wait, Pending: append(
				pending(model.Collective, half, model.None, model.None),
				pending(model.Collective, made, model.None, model.None)...)}},
		"making an intercommunicator, another": {"openmpi", "MPI_Intercomm_create", mpi.C,
			knownValues(otherAt, 0, worldAt, 2, 17, 1),
			Wait{Kind: model.Wait, Pending: pending(model.Collective, half, model.None, model.None)}},
		"making an intercommunicator, with nobody knows whom": {"openmpi", "MPI_Intercomm_create", mpi.C,
			knownValues(otherAt, 1, worldAt, nil, 17, 1), Wait{Kind: model.Wait, Unlisted: true,
				Pending: pending(model.Collective, half, model.None, model.None)}},
		"a communicator of a group": {"openmpi", "MPI_Comm_create_group", mpi.C, knownValues(worldAt, groupOfOwn, 3, 1),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, half, model.None, model.None)}},
		"a communicator of a group that is not known": {"openmpi", "MPI_Comm_create_group", mpi.C,
			knownValues(worldAt, nil, 3, 1), Wait{Kind: model.Other}},
		"a root": {"mpich", "MPI_Bcast", mpi.C, knownValues(1, 1, 1, 2, worldNumber),
			Wait{Kind: model.Collective, Pending: pending(model.Collective, world, 2, model.None), Counts: one}},
		"both ways": {"mpich", "MPI_Sendrecv", mpi.C, knownValues(1, 1, 1, 2, 8, 1, 1, 1, 0, 9, worldNumber, 0),
			Wait{Kind: model.Wait,
				Pending: append(pending(model.Send, world, 2, 8), pending(model.Recv, world, 0, 9)...),
				Counts:  []Count{{"sendcount", 1}, {"recvcount", 1}}}},
		"Fortran, Open MPI": {"openmpi", "MPI_Recv", mpi.Fortran,
			knownValues(1, cell(4), 1, cell(2), cell(6), cell(0), 0, 0), Wait{Kind: model.Recv,
				Pending: pending(model.Recv, world, 2, 6), Inferred: []string{"comm", "source", "tag", "count"},
				Counts: []Count{{"count", 4}}}},
		"Fortran, no memory": {"openmpi", "MPI_Recv", mpi.Fortran, knownValues(1, 1, 1, 16, 16, 16, 0, 0),
			Wait{Kind: model.Recv, Pending: pending(model.Recv, unknown, unknown, model.None)}},
		"requests, one is complete": {"mpich", "MPI_Waitall", mpi.C, knownValues(2, cell(10), 1), Wait{Kind: model.Wait,
			Pending: pending(model.Recv, half, 0, 5), Inferred: []string{"requests"}}},
		"requests, one is not known": {"mpich", "MPI_Waitany", mpi.C, knownValues(2, cell(11), 1, 1),
			Wait{Kind: model.WaitAny, Pending: pending(model.Recv, half, 0, 5), Unlisted: true,
				Inferred: []string{"requests"}}},
		"all are complete": {"mpich", "MPI_Wait", mpi.C, knownValues(cell(10), 1), Wait{Kind: model.Wait, Unlisted: true}},
		"no memory":        {"mpich", "MPI_Waitall", mpi.C, knownValues(2, 16, 1), Wait{Kind: model.Wait, Unlisted: true}},
		"a test":           {"mpich", "MPI_Test", mpi.C, knownValues(16, 16, 1), Wait{Kind: model.Poll, Unlisted: true}},
		"the end":          {"mpich", "MPI_Finalize", mpi.C, nil, Wait{Kind: model.Finalize}},
		"no MPI":           {"mpich", "MPI_Whatever", mpi.C, knownValues(1), Wait{Kind: model.Other}},
	} {
		got := Of(newProcess(c.family), Call{Name: c.call, Binding: c.binding, Values: c.values})
		checktest.Equal(t, c.want, got, name)
	}
}
