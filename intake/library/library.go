package library

import (
	"encoding/binary"
	"hash/fnv"

	"laggard/model"
	"laggard/model/mpi"
)

// Process is a rank, and what is known of it without its library.
type Process struct {
	Rank, Size int // in MPI_COMM_WORLD
	// Read reads its memory.
	Read func(addr uint64, b []byte) bool
	// Variable returns the address of a variable of the MPI library by its linker name.
	Variable func(name string) (addr uint64, ok bool)
	// Uses reports whether the program may call an MPI function, by a part of its name in
	// lower case; nil: it is not known.
	Uses func(part string) bool
	// Data are the ranges of the MPI library's variables: first address, and the one
	// behind the last.
	Data [][2]uint64
}

// Library reads the objects of one process. Handles are those of C, unless fortran says
// otherwise; both come with the bits above them zero or not.
type Library interface {
	// ResolveComm returns a communicator, nil if it is not known. The same one is returned each time.
	ResolveComm(handle uint64, fortran bool) *model.Comm
	// ResolveRequest returns what a request waits for.
	ResolveRequest(handle uint64, fortran bool) (Request, bool)
	// GroupRanks returns the ranks of a group in MPI_COMM_WORLD, nil if they are not known.
	GroupRanks(handle uint64, fortran bool) []int
	// ResolveFile returns a file as a record has it, nil if it is not known.
	ResolveFile(handle uint64, fortran bool) *model.Comm
	// ResolveWindow returns a window, nil if it is not known.
	ResolveWindow(handle uint64, fortran bool) *Window
	// ListWindows returns all that are known.
	ListWindows() []*Window
}

// Request is a request as its library has it.
type Request struct {
	Done bool        // nothing is to be waited for: it is complete, null or inactive
	Kind model.Kind  // Send, Recv or Collective; Other is not known
	Comm *model.Comm // nil: not known
	Peer int         // as in model.Pending; -1 unknown
	Tag  int         // likewise; model.None unknown
}

// Open finds the library's objects. A library of which nothing can be told knows nothing.
func Open(p *Process, family mpi.Family) Library {
	switch family {
	case mpi.OpenMPI:
		return openOpenMPI(p)
	case mpi.MPICH:
		return openMPICH(p)
	case mpi.Standard:
		return openStandard(p)
	}
	return unknown{}
}

type unknown struct{}

func (unknown) ResolveComm(uint64, bool) *model.Comm        { return nil }
func (unknown) ResolveRequest(uint64, bool) (Request, bool) { return Request{}, false }
func (unknown) GroupRanks(uint64, bool) []int               { return nil }
func (unknown) ResolveFile(uint64, bool) *model.Comm        { return nil }
func (unknown) ResolveWindow(uint64, bool) *Window          { return nil }
func (unknown) ListWindows() []*Window                      { return nil }

// worldComm and self are what all libraries have.
func (p *Process) worldComm() *model.Comm {
	members := make([]int, p.Size)
	for i := range members {
		members[i] = i
	}
	return &model.Comm{ID: 1, Kind: model.World, Rank: p.Rank, Size: p.Size, Members: members, State: -1}
}

func (p *Process) selfComm() *model.Comm {
	return &model.Comm{ID: 2, Kind: model.Self, Size: 1, Members: []int{p.Rank}, State: -1}
}

// newComm makes a communicator that the program made; nil if its groups cannot be right.
// context is a number that is the same at all members, and another for each communicator
// that they have in common.
func (p *Process) newComm(context uint64, rank int, local, remote []int) *model.Comm {
	if rank < 0 || rank >= len(local) || local[rank] != p.Rank || !p.areDistinctRanks(local) || !p.areDistinctRanks(remote) {
		return nil
	}
	c := &model.Comm{Rank: rank, Size: len(local), Members: local, State: -1}
	one, other := local, remote
	if remote != nil {
		c.Kind, c.Remote, c.RemoteSize = model.Inter, remote, len(remote)
		if other[0] < one[0] { // both sides give the same number
			one, other = other, one
		}
	}
	h := fnv.New64a()
	for _, n := range append(append([]int{int(context), len(one)}, one...), other...) {
		_ = binary.Write(h, binary.LittleEndian, int64(n))
	}
	c.ID = h.Sum64() | 1<<63 // none of the predefined ones
	return c
}

// commWithKind is a window or a file whose operations go over a communicator.
func commWithKind(c *model.Comm, kind model.CommKind) *model.Comm {
	if c == nil || c.Kind == model.Self {
		return nil
	}
	out := *c
	out.Kind, out.ID = kind, c.ID^uint64(kind)<<32
	return &out
}

// areDistinctRanks reports whether ranks are some of the job's, each once.
func (p *Process) areDistinctRanks(ranks []int) bool {
	seen := make([]bool, p.Size)
	for _, r := range ranks {
		if r < 0 || r >= p.Size || seen[r] {
			return false
		}
		seen[r] = true
	}
	return true
}

// readBytes reads n bytes of memory, nil if they cannot be read.
func (p *Process) readBytes(addr uint64, n int) []byte {
	if addr == 0 || n <= 0 || n > maxObject {
		return nil
	}
	b := make([]byte, n)
	if !p.Read(addr, b) {
		return nil
	}
	return b
}

// maxObject bounds what is read at once.
const maxObject = 1 << 24

func (p *Process) readWord(addr uint64) uint64 {
	if b := p.readBytes(addr, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// readWords reads n addresses, nil if that cannot be done.
func (p *Process) readWords(addr uint64, n int) []uint64 {
	b := p.readBytes(addr, 8*n)
	if b == nil {
		return nil
	}
	out := make([]uint64, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return out
}

func (p *Process) readInts(addr uint64, n int) []int {
	b := p.readBytes(addr, 4*n)
	if b == nil {
		return nil
	}
	out := make([]int, n)
	for i := range out {
		out[i] = int(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return out
}

// readInt reads one, -1 if it cannot be read.
func (p *Process) readInt(addr uint64) int {
	if n := p.readInts(addr, 1); n != nil {
		return n[0]
	}
	return -1
}

func int32At(b []byte, off int) int {
	if off < 0 || off+4 > len(b) {
		return -1
	}
	return int(int32(binary.LittleEndian.Uint32(b[off:])))
}

func wordAt(b []byte, off int) uint64 {
	if off < 0 || off+8 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[off:])
}
