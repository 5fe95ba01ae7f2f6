package chain

import "errors"

// The errors of this package.
var (
	// ErrEvent is wrapped by errors about an event that cannot be: of no kind,
	// with an unknown site or channel, or beyond the end of the address space.
	ErrEvent = errors.New("movement: no such event")
	// ErrOverlap is wrapped when tables that know the same rank are merged.
	ErrOverlap = errors.New("movement: rank in two tables")
	// ErrEncoding is wrapped by the errors of the decoders.
	ErrEncoding = errors.New("movement: damaged encoding")
)

// EventKind says what happened.
type EventKind uint8

// The kinds of event.
const (
	Alloc  EventKind = iota + 1 // the bytes at Dst became a buffer
	Free                        // the buffer that begins at Dst is gone
	Resize                      // the buffer that begins at Dst has Len bytes now, its content stays
	Copy                        // the bytes at Src were copied to Dst
	Send                        // the bytes at Src went into Channel
	Recv                        // the bytes at Dst came out of Channel
)

// Event is one recorded event of a rank. Events of one rank are in the order in
// which they happened. A buffer that moves when it is resized is an Alloc, a
// Copy and a Free; a message in several pieces of memory is one event a piece.
type Event struct {
	Kind    EventKind
	Thread  uint32
	Site    int32  // call site, of Parser.Site
	Channel int32  // of Parser.Channel; Send and Recv
	Time    int64  // nanoseconds, on a clock that the ranks roughly share
	Src     uint64 // address; Copy and Send
	Dst     uint64 // address; Alloc, Free, Resize, Copy and Recv
	Len     uint64 // bytes; not for Free
	Seq     uint64 // number of the message on its channel; 0 on a byte stream
	Offset  uint64 // place of the first byte in the stream or the message; Send and Recv
}

// Channel is a FIFO way for data from one process to another. Both ends must
// name it alike. A byte stream is matched by Offset alone. On a channel of
// messages, such as (communicator, source, destination, tag) of MPI, messages
// with the same Seq match: the k-th send and the k-th receive.
type Channel struct {
	Stream   bool   // bytes of a connection, not messages
	ID       uint64 // of the connection or the communicator
	From, To int32  // source and destination rank, or the end that sends and the one that receives
	Tag      int32
}
