package movement

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// What decodes can be encoded and decoded again with equal bytes, and be
// analysed; what does not leaves nothing.
func FuzzDecodeTable(f *testing.F) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 4 {
		b := encoded(f, merged(f, parts(f, randomScript(rng)), nil))
		f.Add(b)
		f.Add(b[:len(b)/2])
		f.Add(append(bytes.Clone(b), 0))
		for range 8 {
			c := bytes.Clone(b)
			c[len(tableMark)+1+rng.IntN(len(c)-len(tableMark)-1)] ^= byte(1 + rng.IntN(255))
			f.Add(c)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := DecodeTable(b)
		if err != nil {
			if !errors.Is(err, ErrEncoding) || len(table.parts) > 0 {
				t.Fatalf("%v with %d ranks", err, len(table.parts))
			}
			return
		}
		first := encoded(t, table)
		again, err := DecodeTable(first)
		if err != nil {
			t.Fatalf("own encoding: %v", err)
		}
		if !bytes.Equal(first, encoded(t, again)) {
			t.Fatal("not stable")
		}
		Analyse(Resolve(again), Options{LastPhase: true})
	})
}

func FuzzDecodeProfile(f *testing.F) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 4 {
		b := encoded(f, NewProfile(Resolve(merged(f, parts(f, randomScript(rng)), nil))))
		f.Add(b)
		f.Add(b[:len(b)/2])
		for range 8 {
			c := bytes.Clone(b)
			c[len(profileMark)+1+rng.IntN(len(c)-len(profileMark)-1)] ^= byte(1 + rng.IntN(255))
			f.Add(c)
		}
	}
	tr := Resolve(merged(f, parts(f, randomScript(rng)), nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := DecodeProfile(b)
		if err != nil {
			if !errors.Is(err, ErrEncoding) || len(p.groups)+len(p.rows) > 0 {
				t.Fatalf("%v with %d groups", err, len(p.groups))
			}
			return
		}
		first := encoded(t, p)
		again, err := DecodeProfile(first)
		if err != nil {
			t.Fatalf("own encoding: %v", err)
		}
		if !bytes.Equal(first, encoded(t, MergeProfiles(again, Profile{}))) {
			t.Fatal("not stable")
		}
		Analyse(tr, Options{Training: &again})
	})
}

// FuzzParser takes any events, however senseless.
func FuzzParser(f *testing.F) {
	f.Add([]byte("a few bytes that make some events, one in eight bytes each"))
	f.Add(bytes.Repeat([]byte{1, 0, 0, 16, 8, 4, 4, 9, 4, 1, 8, 16, 4, 5, 1, 2}, 20))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := NewParser(0)
		sites := []int32{p.Site("a"), p.Site("b")}
		channels := []int32{p.Channel(Channel{Stream: true}), p.Channel(Channel{ID: 1})}
		for ; len(b) >= 8; b = b[8:] {
			e := Event{Kind: EventKind(1 + b[0]%6), Thread: uint32(b[1] % 2), Site: sites[b[2]%2], Channel: channels[b[2]/2%2],
				Src: uint64(b[3]), Dst: uint64(b[4]), Len: uint64(b[5] % 64), Seq: uint64(b[6] % 4), Offset: uint64(b[7])}
			if err := p.Add(&e); err != nil {
				t.Fatal(err)
			}
		}
		table, err := p.Finish()
		if err != nil {
			t.Fatal(err)
		}
		Analyse(Resolve(travelled(t, table)), Options{})
	})
}
