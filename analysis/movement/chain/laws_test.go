package chain_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/chain/chaintest"
	"laggard/internal/checktest"
)

// In any order and tree, and through the encodings, the bytes are the same, and
// so are the chains.
func TestMergeLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		text := chaintest.RandomScript(rng)
		whole := chaintest.MustMerge(t, chaintest.PlayScript(t, text), nil)
		want, chains := chaintest.MustEncode(t, whole), chain.Resolve(whole)
		for range 4 {
			again := chaintest.MustMerge(t, chaintest.PlayScript(t, text), rng)
			if !bytes.Equal(want, chaintest.MustEncode(t, again)) {
				t.Fatalf("other bytes in another order:\n%s", text)
			}
			if diff := cmp.Diff(chains, chain.Resolve(again), cmp.AllowUnexported(chain.Group{})); diff != "" {
				t.Fatalf("other chains in another order:\n%s%s", text, diff)
			}
		}
	}
}

// The zero values are neutral, and no rank may come twice.
func TestNeutralAndOverlap(t *testing.T) {
	table := chaintest.PlayScript(t, "size 1\non 0\nalloc a 8 x\nalloc b 8 y\ncopy c a b 8\nend\n")[0]
	want := chaintest.MustEncode(t, table)
	for _, pair := range [][2]chain.Table{{table, {}}, {{}, table}, {chaintest.RoundTrip(t, chain.Table{}), table}} {
		m, err := chain.Merge(pair[0], pair[1])
		if err != nil || !bytes.Equal(chaintest.MustEncode(t, m), want) {
			t.Errorf("merging with nothing: %v", err)
		}
	}
	checktest.Fails(chain.Merge(table, chaintest.RoundTrip(t, table)))(t, chain.ErrOverlap, "merging a rank with itself")
}

// Every operation is in some chain, and no chain has one twice.
func TestChainsComplete(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 40 {
		text := chaintest.RandomScript(rng)
		tr := chain.Resolve(chaintest.MustMerge(t, chaintest.PlayScript(t, text), nil))
		found := map[string]bool{}
		var count uint64
		for _, g := range tr.Groups {
			seen := map[chain.Operation]bool{}
			for _, op := range g.Ops {
				if seen[op] {
					t.Fatalf("twice in a chain: %v\n%s", op, text)
				}
				seen[op] = true
				found[op.Site], found[op.Partner] = true, true
			}
			count += g.Count
		}
		for line := range strings.Lines(text) {
			if w := strings.Fields(line); len(w) > 3 && w[0] != "alloc" && !found[w[1]] {
				t.Fatalf("%s is in no chain:\n%s", w[1], text)
			}
		}
		for _, track := range tr.Tracks {
			count -= uint64(len(track.Chains))
		}
		if count != 0 {
			t.Fatalf("groups and tracks differ by %d chains", int64(count))
		}
	}
}

func TestBadEvents(t *testing.T) {
	p := chain.NewParser(3)
	site := p.Site("x")
	bad := []chain.Event{
		{}, {Kind: 99}, {Kind: chain.Copy, Site: -1}, {Kind: chain.Copy, Site: 9},
		{Kind: chain.Send, Site: site, Channel: 5}, {Kind: chain.Recv, Site: site, Channel: -1},
		{Kind: chain.Copy, Site: site, Src: ^uint64(0), Len: 2},
		{Kind: chain.Alloc, Site: site, Dst: 8, Len: ^uint64(0)},
	}
	c := p.Channel(chain.Channel{})
	bad = append(bad, chain.Event{Kind: chain.Send, Site: site, Channel: c, Offset: ^uint64(0), Len: 2})
	for i := range bad {
		if err := p.Add(&bad[i]); !errors.Is(err, chain.ErrEvent) ||
			!strings.Contains(err.Error(), fmt.Sprintf("rank 3: event %d", i+1)) {
			t.Errorf("event %d: %v", i, err)
		}
	}
	for _, e := range []chain.Event{{Kind: chain.Free, Dst: 77}, {Kind: chain.Resize, Dst: 77, Len: 5},
		{Kind: chain.Copy, Site: site, Src: 5, Dst: 9}, {Kind: chain.Alloc, Site: site, Dst: 5}} {
		if err := p.Add(&e); err != nil {
			t.Errorf("%+v: %v", e, err)
		}
	}
	table, err := p.Finish()
	if tr := chain.Resolve(table); err != nil || len(tr.Groups) != 0 || len(tr.Tracks) != 1 {
		t.Errorf("chains of nothing: %+v %v", tr, err)
	}
	checktest.Fails(chain.NewParser(-1).Finish())(t, chain.ErrEvent, "rank -1")
}
