package reducetest_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/reduce"
	"laggard/reduce/reducetest"
)

func newCensuses() []reducetest.Census {
	out := make([]reducetest.Census, 12)
	for i := range out {
		out[i] = reducetest.Census{}
		for rank := range 10 * i {
			out[i].Add(fmt.Sprint("state ", rank*i%7), rank*31%100)
		}
	}
	return out
}

func TestCensusObeysTheLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	checktest.ErrorIs(t, nil, reducetest.Laws(reducetest.CensusMonoid(), newCensuses, 200, rng))
}

// The laws must be able to fail.
func TestLawsCatch(t *testing.T) {
	texts := func() []string { return []string{"a", "b", "c", "d"} }
	text := reduce.Codec[string]{
		Encode: func(s string) ([]byte, error) { return []byte(s), nil },
		Decode: func(b []byte) (string, error) { return string(b), nil },
	}
	lossy := text
	lossy.Decode = func(b []byte) (string, error) { return "", nil }
	for name, m := range map[string]reduce.Monoid[string]{
		"no order": {Codec: text, Merge: func(a, b string) (string, error) { return a + b, nil }},
		"no tree": {Codec: text,
			Merge: func(a, b string) (string, error) { return "(" + min(a, b) + max(a, b) + ")", nil }},
		"lossy": {Codec: lossy, Merge: func(a, b string) (string, error) { return max(a, b), nil }},
	} {
		if err := reducetest.Laws(m, texts, 50, rand.New(rand.NewPCG(3, 4))); err == nil {
			t.Errorf("%s: not caught", name)
		}
	}
}

// faulty is a transport with a fault: send and recv stand in for its own.
type faulty struct {
	reduce.Comm
	send func(c reduce.Comm, to int, payload []byte) error
	recv func(payload []byte) []byte
}

func (f faulty) Send(to int, payload []byte) error { return f.send(f.Comm, to, payload) }

func (f faulty) Recv(from int) ([]byte, error) {
	payload, err := f.Comm.Recv(from)
	return f.recv(payload), err
}

// The suite must be able to fail, at the check that is meant for the fault.
func TestConformanceCatches(t *testing.T) {
	plain := func(c reduce.Comm, to int, payload []byte) error { return c.Send(to, payload) }
	for fault, f := range map[string]faulty{
		"bad peers": {
			send: func(c reduce.Comm, to int, payload []byte) error {
				if to == c.Rank() {
					return nil
				}
				return c.Send(to, payload)
			},
			recv: func(payload []byte) []byte { return payload },
		},
		"order within a pair": {
			send: plain,
			recv: func(payload []byte) []byte {
				if len(payload) > 400 {
					return payload[:400]
				}
				return payload
			},
		},
		"payload sizes": {
			send: plain,
			recv: func(payload []byte) []byte { return payload[:min(len(payload), 1<<20)] },
		},
	} {
		err := reduce.Run(3, func(c reduce.Comm) error {
			f := f
			f.Comm = c
			return reducetest.Conformance(f)
		})
		if err == nil || !strings.HasPrefix(err.Error(), fault+", 3 ranks: ") {
			t.Errorf("%s: got %v", fault, err)
		}
	}
}

// A transport that hands the sender's bytes to the receiver is caught.
func TestConformanceCatchesSharing(t *testing.T) {
	shared := make(chan []byte, 1)
	err := reduce.Run(2, func(c reduce.Comm) error {
		return reducetest.Conformance(faulty{
			Comm: c,
			send: func(c reduce.Comm, to int, payload []byte) error {
				if !bytes.Equal(payload, bytes.Repeat([]byte{1}, 64)) {
					return c.Send(to, payload)
				}
				shared <- payload
				return c.Send(to, []byte("shared"))
			},
			recv: func(payload []byte) []byte {
				if string(payload) == "shared" {
					return <-shared
				}
				return payload
			},
		})
	})
	if err == nil || !strings.HasPrefix(err.Error(), "ownership of payloads, 2 ranks: ") {
		t.Errorf("got %v", err)
	}
}
