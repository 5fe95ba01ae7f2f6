package reduce

import (
	"encoding/binary"
	"fmt"
)

// packets makes a Comm of a link that moves packets of limited size and that
// cannot move an empty one. The first packet of a message holds the length of
// the payload (8 bytes, little-endian) and its first inlineBytes. The others
// are slices of the rest, so a large payload is not copied to be sent.
type packets struct {
	link
	rank, size int
	chunk      int // bytes in a packet after the first, at most
}

// link is what packets needs of a transport. Packets of one sender arrive in
// the order in which they were sent, and are never empty.
type link interface {
	send(to int, packet []byte)
	// probe waits for a packet and gives its length.
	probe(from int) int
	// recv takes the packet that was probed; len(into) is its length.
	recv(from int, into []byte)
}

const (
	lengthBytes = 8
	inlineBytes = 4096
	// maxPayload is beyond any real message: a greater length is a damaged one.
	maxPayload = 1 << 40
)

func (p *packets) Rank() int { return p.rank }
func (p *packets) Size() int { return p.size }

func (p *packets) Send(to int, payload []byte) error {
	if err := checkPeer(p, to); err != nil {
		return err
	}
	inline := min(len(payload), inlineBytes)
	head := binary.LittleEndian.AppendUint64(make([]byte, 0, lengthBytes+inline), uint64(len(payload)))
	p.send(to, append(head, payload[:inline]...))
	for rest := payload[inline:]; len(rest) > 0; {
		n := min(len(rest), p.chunk)
		p.send(to, rest[:n])
		rest = rest[n:]
	}
	return nil
}

func (p *packets) Recv(from int) ([]byte, error) {
	if err := checkPeer(p, from); err != nil {
		return nil, err
	}
	head, err := p.readHead(from)
	if err != nil {
		return nil, err
	}
	total := binary.LittleEndian.Uint64(head)
	head = head[lengthBytes:]
	if total > maxPayload || uint64(len(head)) != min(total, inlineBytes) {
		return nil, p.malformed(from, "length")
	}
	if total <= inlineBytes {
		return head, nil
	}
	payload := make([]byte, total)
	if err := p.readRest(from, payload[copy(payload, head):]); err != nil {
		return nil, err
	}
	return payload, nil
}

func (p *packets) readHead(from int) ([]byte, error) {
	n := p.probe(from)
	if n < lengthBytes || n > lengthBytes+inlineBytes {
		return nil, p.malformed(from, "first packet")
	}
	head := make([]byte, n)
	p.recv(from, head)
	return head, nil
}

func (p *packets) readRest(from int, rest []byte) error {
	for len(rest) > 0 {
		n := p.probe(from)
		if n < 1 || n > len(rest) {
			return p.malformed(from, "packet")
		}
		p.recv(from, rest[:n])
		rest = rest[n:]
	}
	return nil
}

func (p *packets) malformed(from int, what string) error {
	return &RankError{Rank: p.rank, Err: fmt.Errorf("%s from rank %d: %w", what, from, ErrFrame)}
}
