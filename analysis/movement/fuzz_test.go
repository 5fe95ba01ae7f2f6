package movement

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/chain/chaintest"
	"laggard/internal/musttest"
)

// What decodes can be encoded and decoded again with equal bytes, and be
// analysed; what does not leaves nothing.
func FuzzDecodeTable(f *testing.F) {
	const mark = "laggard movement table 1" // damage behind it, so that more than the mark is read
	none := chaintest.MustEncode(f, chain.Table{})
	rng := rand.New(rand.NewPCG(9, 10))
	for range 4 {
		b := chaintest.MustEncode(f, chaintest.MustMerge(f, chaintest.PlayScript(f, chaintest.RandomScript(rng)), nil))
		f.Add(b)
		f.Add(b[:len(b)/2])
		f.Add(append(bytes.Clone(b), 0))
		for range 8 {
			c := bytes.Clone(b)
			c[len(mark)+1+rng.IntN(len(c)-len(mark)-1)] ^= byte(1 + rng.IntN(255))
			f.Add(c)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := chain.DecodeTable(b)
		if err != nil {
			if !errors.Is(err, chain.ErrEncoding) || !bytes.Equal(chaintest.MustEncode(t, table), none) {
				t.Fatalf("%v with a table", err)
			}
			return
		}
		first := chaintest.MustEncode(t, table)
		again := musttest.Get(chain.DecodeTable(first))(t, "own encoding")
		if !bytes.Equal(first, chaintest.MustEncode(t, again)) {
			t.Fatal("not stable")
		}
		Analyse(chain.Resolve(again), Options{LastPhase: true})
	})
}

// FuzzParser takes any events, however senseless.
func FuzzParser(f *testing.F) {
	f.Add([]byte("a few bytes that make some events, one in eight bytes each"))
	f.Add(bytes.Repeat([]byte{1, 0, 0, 16, 8, 4, 4, 9, 4, 1, 8, 16, 4, 5, 1, 2}, 20))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := chain.NewParser(0)
		sites := []int32{p.Site("a"), p.Site("b")}
		channels := []int32{p.Channel(chain.Channel{Stream: true}), p.Channel(chain.Channel{ID: 1})}
		for ; len(b) >= 8; b = b[8:] {
			e := chain.Event{Kind: chain.EventKind(1 + b[0]%6), Thread: uint32(b[1] % 2), Site: sites[b[2]%2],
				Channel: channels[b[2]/2%2], Src: uint64(b[3]), Dst: uint64(b[4]), Len: uint64(b[5] % 64),
				Seq: uint64(b[6] % 4), Offset: uint64(b[7])}
			musttest.Succeed(t, p.Add(&e))
		}
		table := musttest.Get(p.Finish())(t)
		Analyse(chain.Resolve(chaintest.RoundTrip(t, table)), Options{})
	})
}
