package reduce

import (
	"encoding/binary"
	"fmt"
)

// InPackets splits the messages over c into packets of at most chunk bytes
// behind the first, as the MPI transport does.
func InPackets(c Comm, chunk int) Comm {
	l := &commLink{comm: c, limit: max(chunk, lengthBytes+inlineBytes), waiting: map[int][]byte{}}
	return &packets{link: l, rank: c.Rank(), size: c.Size(), chunk: chunk}
}

// commLink sends each packet as one message of another Comm. It panics where
// MPI would overrun a buffer or the binding would.
type commLink struct {
	comm    Comm
	limit   int
	waiting map[int][]byte // probed, by sender
}

func (l *commLink) send(to int, packet []byte) {
	if len(packet) == 0 || len(packet) > l.limit {
		panic(fmt.Sprintf("packet of %d bytes, limit %d", len(packet), l.limit))
	}
	if err := l.comm.Send(to, packet); err != nil {
		panic(err)
	}
}

func (l *commLink) probe(from int) int {
	packet, err := l.comm.Recv(from)
	if err != nil {
		panic(err)
	}
	l.waiting[from] = packet
	return len(packet)
}

func (l *commLink) recv(from int, into []byte) {
	if len(into) != len(l.waiting[from]) {
		panic("buffer is not of the length that was probed")
	}
	copy(into, l.waiting[from])
}

// FirstPacket makes the first packet of a message of the given length.
func FirstPacket(length uint64, inline int) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, length), make([]byte, inline)...)
}
