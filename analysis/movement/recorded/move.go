package recorded

import (
	"encoding/binary"
	"errors"
	"fmt"

	"laggard/model/format"
)

// ErrStream is wrapped by errors about bytes that no recorder writes.
var ErrStream = errors.New("recorded: damaged movement stream")

// Kind is the kind of a move.
type Kind uint8

// The kinds of moves.
const (
	Alloc  Kind = format.MoveAlloc  // a buffer of Bytes at To
	Free   Kind = format.MoveFree   // that at To is gone
	Resize Kind = format.MoveResize // that at To has Bytes now
	Copy   Kind = format.MoveCopy   // Bytes from From to To
	End    Kind = format.MoveEnd    // of a connection: what it is called
	Out    Kind = format.MoveOut    // Bytes from From into the connection
	In     Kind = format.MoveIn     // Bytes from the connection to To
	Send   Kind = format.MoveSend   // an MPI message of Bytes from From was begun
	Recv   Kind = format.MoveRecv   // one is complete, at To
)

// The bits beside the kind in the first byte of a move.
const (
	orderFlag = format.MoveOrder
	timeFlag  = format.MoveTime
	kindMask  = 0x3f
)

// Move is one thing that a thread did.
type Move struct {
	Kind     Kind
	Stream   int    // number of the stream, of its thread
	Order    uint64 // among the moves of the process
	Time     int64  // microseconds since 1970, by a coarse clock
	Site     int    // index into model.Rank.Sites, -1 unknown; Alloc, Copy, Out, In
	From, To uint64 // addresses
	Bytes    uint64

	Link   int    // number of the connection in the process; End, Out, In
	Offset uint64 // in it, of the first byte

	Message // Send, Recv
	Name    EndName
}

// Message names a message of MPI.
type Message struct {
	Thread, State int // whose call: index of the thread, and into its Model.States
	Comm          int // index into model.Rank.Comms
	Peer, Tag     int
	Seq           uint64 // number on its channel, from 1; 0 unknown
}

// EndKind says what a connection is.
type EndKind uint8

// The kinds of connections.
const (
	OtherEnd   EndKind = format.EndOther   // cannot be told from others
	StreamEnd  EndKind = format.EndStream  // a byte stream between hosts
	LocalEnd   EndKind = format.EndLocal   // one within a host
	ProcessEnd EndKind = format.EndProcess // the memory of another process
)

// EndName is what the two ends of a connection are called.
type EndName struct {
	Kind       EndKind
	Own, Other string
}

// block reads the moves of one block. Its fields are what the next move leans on.
type block struct {
	rest     []byte
	size     int
	order    uint64
	time     int64
	from, to uint64
	err      error
}

func newBlock(data []byte) block { return block{rest: data, size: len(data)} }

// next returns the next move; false at the end, or where the block is damaged.
func (b *block) next() (m Move, ok bool) {
	if len(b.rest) == 0 || b.err != nil {
		return m, false
	}
	at := b.size - len(b.rest)
	head := b.readByte()
	m.Kind = Kind(head & kindMask)
	if head&orderFlag != 0 {
		b.order += b.readUvarint()
	}
	if head&timeFlag != 0 {
		b.time += b.readVarint()
	}
	m.Order, m.Time, m.Site = b.order, b.time, -1
	b.order++
	b.readFields(&m)
	if b.err != nil {
		b.err = fmt.Errorf("%w: move at %d: %w", ErrStream, at, b.err)
		return m, false
	}
	return m, true
}

func (b *block) readFields(m *Move) {
	switch m.Kind {
	case Alloc:
		m.Site, m.To, m.Bytes = b.readSite(), b.readAddress(&b.to), b.readUvarint()
	case Free:
		m.To = b.readAddress(&b.to)
	case Resize:
		m.To, m.Bytes = b.readAddress(&b.to), b.readUvarint()
	case Copy:
		m.Site, m.From, m.To, m.Bytes = b.readSite(), b.readAddress(&b.from), b.readAddress(&b.to), b.readUvarint()
	case End:
		m.Link, m.Name = b.readIndex(), b.readEndName()
	case Out:
		m.Site, m.Link, m.Offset, m.From, m.Bytes = b.readSite(), b.readIndex(), b.readUvarint(), b.readAddress(
			&b.from,
		), b.readUvarint()
	case In:
		m.Site, m.Link, m.Offset, m.To, m.Bytes = b.readSite(), b.readIndex(), b.readUvarint(), b.readAddress(
			&b.to,
		), b.readUvarint()
	case Send:
		m.Message = b.readMessage()
		m.From, m.Bytes = b.readAddress(&b.from), b.readUvarint()
	case Recv:
		m.Message = b.readMessage()
		m.To, m.Bytes = b.readAddress(&b.to), b.readUvarint()
	default:
		b.fail("kind %d", m.Kind)
	}
}

func (b *block) readMessage() Message {
	return Message{
		Thread: b.readIndex(),
		State:  b.readIndex(),
		Comm:   b.readIndex(),
		Peer:   int(b.readVarint()),
		Tag:    int(b.readVarint()),
		Seq:    b.readUvarint(),
	}
}

func (b *block) readEndName() EndName {
	n := EndName{Kind: EndKind(b.readByte())}
	length := int(b.readByte())
	if 2*length > len(b.rest) {
		b.fail("a name of %d bytes, %d are left", length, len(b.rest))
		return n
	}
	n.Own, n.Other = string(b.rest[:length]), string(b.rest[length:2*length])
	b.rest = b.rest[2*length:]
	return n
}

func (b *block) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
	b.rest = nil
}

func (b *block) readByte() byte {
	if len(b.rest) == 0 {
		b.fail("the data is cut short")
		return 0
	}
	v := b.rest[0]
	b.rest = b.rest[1:]
	return v
}

func (b *block) readUvarint() uint64 {
	v, n := binary.Uvarint(b.rest)
	if n <= 0 {
		b.fail("the data is cut short, or a number is too large")
		return 0
	}
	b.rest = b.rest[n:]
	return v
}

func (b *block) readVarint() int64 {
	v := b.readUvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (b *block) readAddress(last *uint64) uint64 {
	*last += uint64(b.readVarint())
	return *last
}

// maxIndex bounds numbers that something is found by.
const maxIndex = 1 << 30

func (b *block) readIndex() int {
	v := b.readUvarint()
	if v > maxIndex {
		b.fail("an index of %d", v)
		return 0
	}
	return int(v)
}

func (b *block) readSite() int { return b.readIndex() - 1 }
