package reducetest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"laggard/reduce"
)

func checkBadPeers(c reduce.Comm) error {
	for _, peer := range []int{-1, c.Rank(), c.Size()} {
		if err := c.Send(peer, nil); !errors.Is(err, reduce.ErrRank) {
			return fmt.Errorf("send to %d: got %v, want ErrRank", peer, err)
		}
		if _, err := c.Recv(peer); !errors.Is(err, reduce.ErrRank) {
			return fmt.Errorf("receive from %d: got %v, want ErrRank", peer, err)
		}
	}
	return nil
}

// eachPair runs talk for every pair that the rank is in, and returns the first
// error. All ranks go through the pairs in the same order and the lower rank
// is to speak first, so a transport whose Send waits for the receiver does not
// deadlock. Neither eachPair nor talk stops at an error, or the others would
// wait for the rest.
func eachPair(c reduce.Comm, talk func(peer int, speaksFirst bool) error) error {
	var err error
	for low := range c.Size() {
		for high := low + 1; high < c.Size(); high++ {
			switch c.Rank() {
			case low:
				err = cmp.Or(err, talk(high, true))
			case high:
				err = cmp.Or(err, talk(low, false))
			}
		}
	}
	return err
}

// checkPairOrder sends messages of growing and shrinking length both ways.
func checkPairOrder(c reduce.Comm) error {
	return eachPair(c, func(peer int, speaksFirst bool) error {
		if speaksFirst {
			return cmp.Or(sendPatterns(c, peer, 40), receivePatterns(c, peer, 40))
		}
		return cmp.Or(receivePatterns(c, peer, 40), sendPatterns(c, peer, 40))
	})
}

func sendPatterns(c reduce.Comm, to, messages int) error {
	var err error
	for i := range messages {
		err = cmp.Or(err, c.Send(to, patternBytes(c.Rank(), i, i*7919%500)))
	}
	return err
}

func receivePatterns(c reduce.Comm, from, messages int) error {
	var err error
	for i := range messages {
		err = cmp.Or(err, wrapError(fmt.Sprint("message ", i), expectPayload(c, from, patternBytes(from, i, i*7919%500))))
	}
	return err
}

// checkSelectiveReceive has rank 0 receive from the last rank first, whoever sent
// first.
func checkSelectiveReceive(c reduce.Comm) error {
	if c.Rank() != 0 {
		return sendPatterns(c, 0, 3)
	}
	var err error
	for from := c.Size() - 1; from > 0; from-- {
		err = cmp.Or(err, receivePatterns(c, from, 3))
	}
	return err
}

// checkPayloadSizes tries nothing, single bytes, sizes around multiples of 4096
// (where a transport that splits messages may err) and several megabytes.
func checkPayloadSizes(c reduce.Comm) error {
	sizes := []int{0, 1, 2, 4095, 4096, 4097, 8191, 8192, 8193, 12288, 65536, 0, 3<<20 + 5}
	return eachPair(c, func(peer int, speaksFirst bool) error {
		var err error
		for _, size := range sizes {
			if speaksFirst {
				err = cmp.Or(err, c.Send(peer, patternBytes(c.Rank(), peer, size)))
			} else {
				err = cmp.Or(err, expectPayload(c, peer, patternBytes(peer, c.Rank(), size)))
			}
		}
		return err
	})
}

// checkOwnership changes payloads after they were sent and after they were
// received. Neither may show on the other side.
func checkOwnership(c reduce.Comm) error {
	return eachPair(c, func(peer int, speaksFirst bool) error {
		if speaksFirst {
			return changeSent(c, peer)
		}
		return changeReceived(c, peer)
	})
}

func changeSent(c reduce.Comm, peer int) error {
	payload := bytes.Repeat([]byte{1}, 64)
	err := c.Send(peer, payload)
	fillBytes(payload, 2)
	err = cmp.Or(err, c.Send(peer, nil), expectPayload(c, peer, nil))
	if !bytes.Equal(payload, bytes.Repeat([]byte{2}, 64)) {
		err = cmp.Or(err, errors.New("a payload changed after it was received"))
	}
	return err
}

func changeReceived(c reduce.Comm, peer int) error {
	payload, err := c.Recv(peer)
	err = cmp.Or(err, expectPayload(c, peer, nil)) // the sender has changed its own by now
	if !bytes.Equal(payload, bytes.Repeat([]byte{1}, 64)) {
		err = cmp.Or(err, errors.New("a payload changed after it was sent"))
	}
	fillBytes(payload, 3)
	return cmp.Or(err, c.Send(peer, nil))
}

func fillBytes(payload []byte, value byte) {
	for i := range payload {
		payload[i] = value
	}
}

// patternBytes makes bytes that differ with the sender, the message and the place.
func patternBytes(rank, message, size int) []byte {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], uint64(rank))
	binary.LittleEndian.PutUint64(seed[8:], uint64(message))
	out := make([]byte, size)
	_, _ = rand.NewChaCha8(seed).Read(out) // never fails
	return out
}

func expectPayload(c reduce.Comm, from int, want []byte) error {
	got, err := c.Recv(from)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("from rank %d: got %d bytes, not the %d that were sent", from, len(got), len(want))
	}
	return nil
}
