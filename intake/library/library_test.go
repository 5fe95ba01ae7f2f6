package library

import (
	"encoding/binary"
	"slices"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/model/mpi"
)

// memory is that of a process, by address.
type memory map[uint64][]byte

func (m memory) readAt(addr uint64, b []byte) bool {
	for at, have := range m {
		if addr >= at && addr-at <= uint64(len(have)) && uint64(len(b)) <= uint64(len(have))-(addr-at) {
			copy(b, have[addr-at:])
			return true
		}
	}
	return false
}

func put32(b []byte, off int, values ...int) {
	for i, v := range values {
		binary.LittleEndian.PutUint32(b[off+4*i:], uint32(v))
	}
}

func put64(b []byte, off int, values ...uint64) {
	for i, v := range values {
		binary.LittleEndian.PutUint64(b[off+8*i:], v)
	}
}

const (
	dataAt    = 0x7f00_0000_0000 // the variables of the library
	dataSize  = 1 << 14
	commSize  = 640
	predefAt  = 0x100  // in the data: the predefined communicators
	madeAt    = 0x1000 // those that the program made
	requestAt = 0x3000
	descAt    = 0x40
	listAt    = 0x6000_0000
	ranksAt   = 400
)

// mpichMemory is the memory of rank 2 of 4, with a library of the shape of MPICH whose own offsets
// are none of its releases.
func mpichMemory() memory {
	data, list := make([]byte, dataSize), make([]byte, 64)
	comm := func(at int, handle uint32, context, rank, size, mode int, more ...int) {
		b := data[at:]
		put32(b, 0, int(handle), 1)
		binary.LittleEndian.PutUint16(b[76:], uint16(context))
		binary.LittleEndian.PutUint16(b[78:], uint16(context))
		put32(b, 80, size, rank)
		put32(b, ranksAt, append([]int{mode, 0, size}, more...)...)
		put64(b, ranksAt+32, listAt+8)
	}
	comm(predefAt, worldHandle, 0, 2, 4, direct)
	copy(data[predefAt+160:], "MPI_COMM_WORLD")
	comm(predefAt+commSize, worldHandle+1, 16, 0, 1, offset, 2)
	copy(data[predefAt+commSize+160:], "MPI_COMM_SELF")
	comm(madeAt, 0x84000000, 32, 1, 2, stride, 0, 2)         // ranks 0 and 2
	comm(madeAt+commSize, 0x84000001, 48, 0, 3, table)       // 2, 3, 1
	comm(madeAt+2*commSize, 0x84000002, 64, 0, 2, table)     // the first two of them
	comm(madeAt+3*commSize, 0x84000003, 80, 1, 2, table)     // the own rank is not where it should be
	comm(madeAt+4*commSize, 0x84000004, 96, 0, 2, 77)        // in no known way
	comm(madeAt+5*commSize, 0x84000009, 96, 0, 2, direct, 0) // another handle's
	put32(list, 8, 2, 3, 1)
	put32(data, descAt-12, commKind, commSize)
	put64(data, descAt, dataAt+madeAt)
	const size = 256
	request := func(i, kind int, comm uint64, left, peer, context, tag int) {
		b := data[requestAt+i*size:]
		put32(b, 0, 0xac000000+i, 1, kind)
		put64(b, 16, dataAt+requestAt+uint64(i*size)+24)
		put32(b, 24, left)
		put64(b, 40, comm)
		put32(b, 120, 0x4c000405, peer, context, tag)
	}
	request(0, receives, dataAt+madeAt+commSize, 1, 2, 48, 7)
	request(1, receives, dataAt+madeAt+commSize, 1, anySource, 48, anyTag)
	request(2, receives, dataAt+madeAt+commSize, 0, 1, 48, 7) // complete
	request(3, sends, dataAt+predefAt, 1, 3, 0, 0)
	request(4, receives, dataAt+madeAt+commSize, 1, 2, 49, 7) // of another communicator
	request(5, receives, dataAt+madeAt+commSize, 1, 3, 48, 7) // no such rank
	put32(data, descAt+64-12, requestKind, size)
	put64(data, descAt+64, dataAt+requestAt)
	return memory{dataAt: data, listAt: list}
}

func openFake(m memory) Library {
	return Open(&Process{Rank: 2, Size: 4, Read: m.readAt, Data: [][2]uint64{{dataAt, dataAt + dataSize}},
		Variable: func(string) (uint64, bool) { return 0, false }}, "mpich")
}

func TestMPICH(t *testing.T) {
	l := openFake(mpichMemory())
	for handle, want := range map[uint64][]int{
		0x44000000: {0, 1, 2, 3}, 0x44000001: {2}, 0x84000000: {0, 2}, 0x84000001: {2, 3, 1}, 0x84000002: {2, 3},
		0x84000003: nil, 0x84000004: nil, 0x84000005: nil, 0x84000006: nil, 0x4c000405: nil, 0x04000000: nil, 0: nil,
	} {
		var got []int
		if c := l.ResolveComm(handle, false); c != nil {
			got = c.Members
		}
		checktest.EqualList(t, want, got, "ranks of", handle)
	}
	for i, want := range []Request{
		{Kind: model.Recv, Peer: 2, Tag: 7},
		{Kind: model.Recv, Peer: model.Any, Tag: model.Any},
		{Done: true, Peer: -1, Tag: model.None},
		{Kind: model.Send, Peer: 3, Tag: model.None},
		{Kind: model.Recv, Peer: -1, Tag: model.None},
		{Kind: model.Recv, Peer: -1, Tag: model.None},
	} {
		got, ok := l.ResolveRequest(0xac000000+uint64(i), false)
		if known := got.Comm != nil; known != (i < 4 && i != 2) {
			t.Errorf("request %d: its communicator is known: %v", i, known)
		}
		if got.Comm = nil; !ok || got != want {
			t.Errorf("request %d is %+v, %v, want %+v", i, got, ok, want)
		}
	}
}

// TestDisagrees: what is known without the library is not what it has; nothing of it is
// believed.
func TestDisagrees(t *testing.T) {
	for name, change := range map[string]func(data []byte){
		"another size":            func(b []byte) { put32(b, predefAt+80, 5) },
		"the same number":         func(b []byte) { put32(b, predefAt+commSize+76, 0) },
		"ranks in another way":    func(b []byte) { put32(b, predefAt+ranksAt, stride) },
		"no name":                 func(b []byte) { b[predefAt+161] = 0 },
		"no second predefined":    func(b []byte) { put32(b, predefAt+commSize, 0) },
		"handles at other places": func(b []byte) { put32(b, madeAt+commSize, 0) },
	} {
		m := mpichMemory()
		change(m[dataAt])
		l := openFake(m)
		if c := l.ResolveComm(0x84000000, false); c != nil {
			t.Errorf("%s: %+v", name, c)
		}
		if q, ok := l.ResolveRequest(0xac000000, false); ok {
			t.Errorf("%s: %+v", name, q)
		}
		if c := l.ResolveComm(0x44000000, false); c == nil || c.Size != 4 {
			t.Errorf("%s: MPI_COMM_WORLD is %+v", name, c)
		}
	}
}

// FuzzMemory: whatever is in the memory, what is said of communicators is possible.
func FuzzMemory(f *testing.F) {
	f.Add(0, []byte{1, 2, 3})
	f.Add(predefAt+80, []byte{3, 0, 0, 0})
	f.Add(madeAt+ranksAt, []byte{9, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, at int, change []byte) {
		for _, family := range []mpi.Family{mpi.MPICH, mpi.OpenMPI} {
			m := withWindows()
			copy(m[dataAt][uint(at)%dataSize:], change)
			l := Open(&Process{Rank: 2, Size: 4, Read: m.readAt, Data: [][2]uint64{{dataAt, dataAt + dataSize}},
				Variable: func(name string) (uint64, bool) { return dataAt + uint64(uint(at)%dataSize), true }}, family)
			for i := range uint64(16) {
				for _, h := range []uint64{
					0x84000000 + i, 0x88000000 + i, 0xa0000000 + i, 0xac000000 + i, dataAt + 64*i, i,
				} {
					c := l.ResolveComm(h, i%2 == 0)
					if c != nil && (c.Rank >= len(c.Members) || c.Members[c.Rank] != 2 || c.Size > 4) {
						t.Errorf("%#x: %+v", h, c)
					}
					if q, ok := l.ResolveRequest(h, i%2 == 0); !ok && q.Done {
						t.Errorf("%#x: %+v", h, q)
					}
					l.ResolveFile(h, false)
					checkWindow(t, l.ResolveWindow(h, i%2 == 0))
					if g := l.GroupRanks(h, i%2 == 0); len(g) > 4 {
						t.Errorf("%#x: %v", h, g)
					}
				}
			}
		}
	})
}

// TestStandard: predefined handles of the standard ABI are known, and no others.
func TestStandard(t *testing.T) {
	l := Open(&Process{Rank: 1, Size: 3}, "abi")
	if c := l.ResolveComm(0x101, false); c == nil || c.Kind != model.World || !slices.Equal(c.Members, []int{0, 1, 2}) {
		t.Errorf("MPI_COMM_WORLD is %+v", c)
	}
	if c := l.ResolveComm(0x102, true); c == nil || c.Kind != model.Self {
		t.Errorf("MPI_COMM_SELF is %+v", c)
	}
	if r, ok := l.ResolveRequest(0x180, false); !ok || !r.Done {
		t.Errorf("MPI_REQUEST_NULL is %+v, %v", r, ok)
	}
	_, ok := l.ResolveRequest(dataAt, false)
	if ok || l.ResolveComm(dataAt, false) != nil || l.ResolveFile(dataAt, false) != nil {
		t.Error("a handle of the library's own is known")
	}
}
