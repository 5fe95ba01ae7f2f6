package reduce_test

import (
	"errors"
	"fmt"
	"testing"

	"laggard/internal/checktest"
	"laggard/reduce"
	"laggard/reduce/reducetest"
)

func TestPacketsConform(t *testing.T) {
	for _, chunk := range []int{1000, 4096, 1 << 20} {
		err := reduce.Run(4, func(c reduce.Comm) error {
			return reducetest.Conformance(reduce.InPackets(c, chunk))
		})
		checktest.ErrorIs(t, nil, err, "chunks of", chunk, "bytes")
	}
}

func TestPacketBoundaries(t *testing.T) {
	const chunk = 64
	err := reduce.Run(2, func(raw reduce.Comm) error {
		c := reduce.InPackets(raw, chunk)
		for size := 4096 - 2; size < 4096+3*chunk+2; size++ {
			if c.Rank() == 0 {
				if err := c.Send(1, make([]byte, size)); err != nil {
					return err
				}
				continue
			}
			got, err := c.Recv(0)
			if err != nil {
				return err
			}
			if len(got) != size {
				return fmt.Errorf("sent %d bytes, got %d", size, len(got))
			}
		}
		return nil
	})
	checktest.ErrorIs(t, nil, err)
}

// A damaged packet is an error, never a panic, and yields no payload.
func TestMalformedPackets(t *testing.T) {
	for name, sent := range map[string][][]byte{
		"empty":           {{}},
		"short":           {make([]byte, 7)},
		"inline missing":  {reduce.FirstPacket(5, 4)},
		"inline too much": {reduce.FirstPacket(5, 6)},
		"first too long":  {reduce.FirstPacket(4097, 4097)},
		"absurd length":   {reduce.FirstPacket(1<<63, 4096)},
		"later too long":  {reduce.FirstPacket(4098, 4096), make([]byte, 3)},
		"later empty":     {reduce.FirstPacket(4098, 4096), {}},
	} {
		err := reduce.Run(2, func(raw reduce.Comm) error {
			if raw.Rank() == 0 {
				for _, packet := range sent {
					if err := raw.Send(1, packet); err != nil {
						return err
					}
				}
				return nil
			}
			got, err := reduce.InPackets(raw, 64).Recv(0)
			if !errors.Is(err, reduce.ErrFrame) || got != nil {
				return fmt.Errorf("got %d bytes and %v, want ErrFrame", len(got), err)
			}
			return nil
		})
		checktest.ErrorIs(t, nil, err, name)
	}
}
