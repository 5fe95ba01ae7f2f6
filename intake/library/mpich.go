package library

import (
	"bytes"
	"encoding/binary"
	"slices"

	"laggard/model"
)

// mpich reads MPICH: a handle has the kind of its object and the place in a pool of such
// objects, each of which begins with its handle.
type mpich struct {
	*Process
	pools   map[int]*pool
	builtin uint64                 // the first predefined communicator; the others follow it
	comms   map[uint64]*model.Comm // by address
	at      commOf
	peer    int // offset of the peer in requests, 0 not known
	ready   bool

	predefined [2]*model.Comm
}

// pool has the objects of a kind.
type pool struct {
	direct   uint64   // objects that are variables of the library
	size     int      // of an object
	indirect []uint64 // places where tables of further blocks may be referred to
}

// commOf are the offsets in a communicator.
type commOf struct {
	context, width int // of the two numbers, and how many bytes each has
	rank           int
	kind           int // 0: of one group, 1: of two
	ranks          int // which ranks it has
}

// Handles have from the top: two bits of how the object is found, and four of what it is.
const (
	builtinHandle  = 1
	directHandle   = 2
	indirectHandle = 3

	commKind     = 1
	groupKind    = 2
	datatypeKind = 3
	windowKind   = 8
	requestKind  = 11

	worldHandle = builtinHandle<<30 | commKind<<26
)

func handleForm(handle uint32) int { return int(handle >> 30) }
func handleKind(handle uint32) int { return int(handle >> 26 & 15) }

func openMPICH(p *Process) Library {
	if p.Rank < 0 || p.Rank >= p.Size {
		return unknown{}
	}
	m := &mpich{Process: p, pools: map[int]*pool{}, comms: map[uint64]*model.Comm{},
		predefined: [2]*model.Comm{p.worldComm(), p.selfComm()}}
	var data [][]byte
	for _, d := range p.Data {
		data = append(data, p.readBytes(d[0], int(d[1]-d[0])))
	}
	for i, b := range data {
		m.findPools(b, p.Data[i][0])
	}
	comms := m.pools[commKind]
	for i, b := range data {
		for off := 0; comms != nil && m.builtin == 0 && off+8 <= len(b); off += 8 {
			if uint32(int32At(b, off)) == worldHandle && uint32(int32At(b, off+comms.size)) == worldHandle+1 {
				m.builtin = p.Data[i][0] + uint64(off)
			}
		}
	}
	if m.builtin != 0 {
		m.comms[m.builtin], m.comms[m.builtin+uint64(comms.size)] = m.predefined[0], m.predefined[1]
		m.ready = m.findComm(comms.size)
	}
	return m
}

// findPools finds the descriptions of pools: kind, size, and the address of objects that
// have the handles of that kind.
func (m *mpich) findPools(b []byte, base uint64) {
	for off := 48; off+8 <= len(b); off += 8 {
		kind, size := int32At(b, off-12), int32At(b, off-8)
		if !slices.Contains([]int{commKind, groupKind, windowKind, requestKind}, kind) || size < 32 || size > 1<<14 ||
			m.pools[kind] != nil {
			continue
		}
		direct, first := wordAt(b, off), directHandle<<30|uint32(kind)<<26
		if uint32(m.readInt(direct)) != first || uint32(m.readInt(direct+uint64(size))) != first+1 {
			continue
		}
		m.pools[kind] = &pool{direct, size, []uint64{base + uint64(off) - 32, base + uint64(off) - 24}}
	}
}

// objectAddress returns the address of an object, 0 if there is none with that handle.
func (m *mpich) objectAddress(handle uint32) uint64 {
	p := m.pools[handleKind(handle)]
	if p == nil {
		return 0
	}
	index := uint64(handle & (1<<26 - 1))
	var at []uint64
	switch handleForm(handle) {
	case builtinHandle:
		if handleKind(handle) == commKind && index < 2 {
			return m.builtin + index*uint64(p.size)
		}
	case directHandle:
		at = append(at, p.direct+index*uint64(p.size))
	case indirectHandle:
		for _, table := range p.indirect {
			if block := m.readWord(m.readWord(table) + 8*(index>>12)); block != 0 {
				at = append(at, block+index&0xfff*uint64(p.size))
			}
		}
	}
	for _, a := range at {
		if uint32(m.readInt(a)) == handle {
			return a
		}
	}
	return 0
}

// findComm finds the members of the structure of communicators in the two of which it is
// known what they hold.
func (m *mpich) findComm(size int) bool {
	a, b := m.readBytes(m.builtin, size), m.readBytes(m.builtin+uint64(size), size)
	name := bytes.Index(a, []byte("MPI_COMM_WORLD\x00"))
	if b == nil || name < 4 || name != bytes.Index(b, []byte("MPI_COMM_SELF\x00")) ||
		int32At(a, name-4) != 0 || int32At(b, name-4) != 0 {
		return false
	}
	m.at.kind = name - 4
	for off := 16; off < name && m.at.rank == 0; off += 4 {
		if int32At(a, off) == m.Size && int32At(a, off+4) == m.Rank && int32At(b, off) == 1 && int32At(b, off+4) == 0 {
			m.at.rank = off + 4
		}
	}
	for off := name; off < size && m.at.ranks == 0 && m.at.rank > 0; off += 4 {
		if int32At(a, off) == direct && int32At(a, off+4) == 0 && int32At(a, off+8) == m.Size &&
			int32At(b, off) == offset && int32At(b, off+4) == 0 && int32At(b, off+8) == 1 &&
			int32At(b, off+12) == m.Rank {
			m.at.ranks = off
		}
	}
	if m.at.ranks == 0 {
		return false
	}
	for _, m.at.width = range []int{2, 4} {
		m.at.context = m.at.rank - 4 - 2*m.at.width
		w, x := m.contextIDs(a)
		s, t := m.contextIDs(b)
		if w == x && s == t && w != s {
			return true
		}
	}
	return false
}

// contextIDs are the numbers that the messages of a communicator have, sent and received.
func (m *mpich) contextIDs(comm []byte) (send, receive uint64) {
	number := func(off int) uint64 {
		if m.at.width == 2 {
			return uint64(binary.LittleEndian.Uint16(comm[off:]))
		}
		return uint64(binary.LittleEndian.Uint32(comm[off:]))
	}
	return number(m.at.context), number(m.at.context + m.at.width)
}

// The ways in which a communicator has its ranks, all of the own job. Each follows one with
// the number of a job, which must be that of the own one.
const (
	direct      = 1
	offset      = 3
	stride      = 5
	strideBlock = 7
	table       = 9
	pairs       = 10 // each with a number of a job
)

// ranksSize is the size of what says which ranks a group has.
const ranksSize = 40

// readRankMap are those of a group.
func (m *mpich) readRankMap(b []byte) []int {
	if len(b) < ranksSize {
		return nil
	}
	mode, job, n := int32At(b, 0), int32At(b, 4), int32At(b, 8)
	first, step, block := int32At(b, 12), int32At(b, 16), int32At(b, 20)
	if n < 1 || n > m.Size || mode%2 == 0 && mode != pairs && job != 0 {
		return nil
	}
	at, width := wordAt(b, 32), 1
	if mode == pairs {
		width = 2
	}
	var listed []int
	if mode > strideBlock {
		if listed = m.readInts(at, n*width); listed == nil {
			return nil
		}
	}
	out := make([]int, n)
	for i := range out {
		switch mode | 1 {
		case direct:
			out[i] = i
		case offset:
			out[i] = i + first
		case stride:
			out[i] = i*step + first
		case strideBlock:
			if block < 1 {
				return nil
			}
			out[i] = i/block*step + i%block + first
		case table:
			out[i] = listed[i]
		case pairs | 1:
			if listed[2*i] != 0 {
				return nil
			}
			out[i] = listed[2*i+1]
		default:
			return nil
		}
	}
	return out
}

func (m *mpich) ResolveComm(handle uint64, _ bool) *model.Comm {
	switch uint32(handle) {
	case worldHandle, worldHandle + 1:
		return m.predefined[handle&1]
	}
	if handleKind(uint32(handle)) != commKind {
		return nil
	}
	at := m.objectAddress(uint32(handle))
	if at == 0 {
		return nil
	}
	if c, ok := m.comms[at]; ok {
		return c
	}
	c := m.readComm(at)
	m.comms[at] = c
	return c
}

func (m *mpich) readComm(at uint64) *model.Comm {
	if !m.ready {
		return nil
	}
	b := m.readBytes(at, m.pools[commKind].size)
	if len(b) < m.at.ranks+2*ranksSize {
		return nil
	}
	send, receive := m.contextIDs(b)
	local, remote := m.readRankMap(b[m.at.ranks:]), []int(nil)
	switch int32At(b, m.at.kind) {
	case 0:
		if send != receive {
			return nil
		}
	case 1: // the ranks are those of the other group, then come those of the own one
		remote = local
		if local = m.readRankMap(b[m.at.ranks+ranksSize:]); remote == nil {
			return nil
		}
	default:
		return nil
	}
	return m.Process.newComm(min(send, receive)<<32|max(send, receive), int32At(b, m.at.rank), local, remote)
}

// Kinds of requests.
const (
	sends         = 1
	receives      = 2
	persistSend   = 3
	persistRecv   = 4
	nullRequest   = requestKind << 26
	collective    = 10
	anySource     = -2
	anyTag        = -1
	contextOf     = 4 // behind the peer of a receive
	tagOf         = 8
	completionPtr = 16
)

func (m *mpich) ResolveRequest(handle uint64, _ bool) (Request, bool) {
	h := uint32(handle)
	if h == nullRequest {
		return Request{Done: true, Peer: -1, Tag: model.None}, true
	}
	if handleKind(h) != requestKind || !m.ready {
		return Request{}, false
	}
	at := m.objectAddress(h)
	if at == 0 {
		return Request{}, false
	}
	return m.readRequest(at)
}

func (m *mpich) readRequest(at uint64) (Request, bool) {
	out := Request{Peer: -1, Tag: model.None}
	b := m.readBytes(at, m.pools[requestKind].size)
	if b == nil {
		return out, false
	}
	kind := int32At(b, 8)
	if kind == persistSend || kind == persistRecv {
		return m.activeRequest(b)
	}
	switch left := m.readInts(wordAt(b, completionPtr), 1); {
	case left == nil || left[0] < 0:
		return out, false
	case left[0] == 0:
		out.Done = true
		return out, true
	}
	comm := m.commIn(b)
	switch kind {
	case sends:
		out.Kind = model.Send
	case receives:
		out.Kind = model.Recv
	case collective:
		if m.Uses != nil && !m.Uses("isendrecv") { // which begins such a request as well
			out.Kind, out.Comm = model.Collective, m.comms[comm]
		}
		return out, true
	}
	if c := m.comms[comm]; c != nil {
		m.readPeerAndTag(&out, b, c, comm)
	}
	return out, true
}

// activeRequest is the request that a persistent one has while it is active.
func (m *mpich) activeRequest(b []byte) (Request, bool) {
	for off := 24; off+8 <= len(b); off += 8 {
		at := wordAt(b, off)
		if at%8 != 0 || at == 0 {
			continue
		}
		if h := uint32(m.readInt(at)); handleKind(h) == requestKind && handleForm(h) >= directHandle && m.objectAddress(h) == at {
			if k := m.readInt(at + 8); k == sends || k == receives {
				return m.readRequest(at)
			}
		}
	}
	return Request{}, false
}

// commIn returns the address of the first communicator that an object points to, and
// makes it known; 0 if there is none.
func (m *mpich) commIn(b []byte) uint64 {
	for off := 24; off+8 <= len(b); off += 8 {
		at := wordAt(b, off)
		if at%8 != 0 || at == 0 {
			continue
		}
		if h := uint32(m.readInt(at)); handleKind(h) == commKind && handleForm(h) > 0 && m.objectAddress(h) == at {
			m.ResolveComm(uint64(h), false)
			return at
		}
	}
	return 0
}

// readPeerAndTag reads the peer and the tag of a request. A receive has behind a datatype the peer,
// the number of its communicator, and the tag. A send has its peer in the same place,
// and no tag.
func (m *mpich) readPeerAndTag(out *Request, b []byte, c *model.Comm, comm uint64) {
	size := len(c.PeerGroup())
	right := func(off int) bool {
		peer := int32At(b, off)
		h := uint32(int32At(b, off-4))
		return handleKind(h) == datatypeKind && handleForm(h) > 0 &&
			(peer >= 0 && peer < size || out.Kind == model.Recv && peer == anySource)
	}
	if out.Kind == model.Recv {
		_, context := m.contextIDs(m.readBytes(comm, m.pools[commKind].size))
		places := 0
		for off := 64; off+tagOf+4 <= len(b); off += 4 {
			number := uint64(uint32(int32At(b, off+contextOf)))
			if m.at.width == 2 {
				number &= 0xffff
			}
			tag := int32At(b, off+tagOf)
			if !right(off) || number != context || tag < anyTag {
				continue
			}
			if places++; places == 1 {
				m.peer = off
			}
		}
		if places != 1 {
			return
		}
		if out.Tag = int32At(b, m.peer+tagOf); out.Tag == anyTag {
			out.Tag = model.Any
		}
	}
	if m.peer == 0 || !right(m.peer) {
		return
	}
	out.Comm = c
	if out.Peer = int32At(b, m.peer); out.Peer == anySource {
		out.Peer = model.Any
	}
}
