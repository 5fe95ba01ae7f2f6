package movement

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// randomScript writes a job whose ranks do anything with a few buffers.
func randomScript(rng *rand.Rand) string {
	n := 1 + rng.IntN(6)
	var b strings.Builder
	fmt.Fprintf(&b, "size %d\n", n)
	for r := range n {
		fmt.Fprintf(&b, "on %d\n", r)
		for i := range 4 {
			fmt.Fprintf(&b, "alloc b%d 256 s%d\n", i, rng.IntN(3))
		}
		for range rng.IntN(120) {
			buffer := func() string { return fmt.Sprintf("b%d+%d", rng.IntN(4), 8*rng.IntN(24)) }
			length, peer := 8*(1+rng.IntN(8)), rng.IntN(n)
			switch rng.IntN(8) {
			case 0, 1, 2:
				fmt.Fprintf(&b, "copy c%d %s %s %d\n", rng.IntN(3), buffer(), buffer(), length)
			case 3:
				fmt.Fprintf(&b, "send w%d %s %d %d\n", rng.IntN(2), buffer(), length, peer)
			case 4:
				fmt.Fprintf(&b, "recv r%d %s %d %d\n", rng.IntN(2), buffer(), length, peer)
			case 5:
				fmt.Fprintf(&b, "msend m %s %d %d %d\n", buffer(), length, peer, rng.IntN(2))
			case 6:
				fmt.Fprintf(&b, "mrecv n %s %d %d %d\n", buffer(), length, peer, rng.IntN(2))
			case 7:
				fmt.Fprintf(&b, "thread %d\n", rng.IntN(3))
			}
		}
		b.WriteString("end\n")
	}
	return b.String()
}

// In any order and tree, and through the encodings, the bytes are the same, and
// so are the chains.
func TestMergeLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		text := randomScript(rng)
		whole := merged(t, parts(t, text), nil)
		want, chains := encoded(t, whole), describe(Analyse(Resolve(whole), Options{}))
		for range 4 {
			again := merged(t, parts(t, text), rng)
			if !bytes.Equal(want, encoded(t, again)) {
				t.Fatalf("other bytes in another order:\n%s", text)
			}
			if diff := cmp.Diff(chains, describe(Analyse(Resolve(again), Options{}))); diff != "" {
				t.Fatalf("other chains in another order:\n%s%s", text, diff)
			}
		}
	}
}

// The zero values are neutral, and no rank may come twice.
func TestNeutralAndOverlap(t *testing.T) {
	table := parts(t, "size 1\non 0\nalloc a 8 x\nalloc b 8 y\ncopy c a b 8\nend\n")[0]
	want := encoded(t, table)
	for _, pair := range [][2]Table{{table, {}}, {{}, table}, {travelled(t, Table{}), table}} {
		m, err := Merge(pair[0], pair[1])
		if err != nil || !bytes.Equal(encoded(t, m), want) {
			t.Errorf("merging with nothing: %v", err)
		}
	}
	if _, err := Merge(table, travelled(t, table)); !errors.Is(err, ErrOverlap) {
		t.Errorf("merging a rank with itself: %v", err)
	}
	p := NewProfile(Resolve(table))
	for _, m := range []Profile{MergeProfiles(p, Profile{}), MergeProfiles(Profile{}, p)} {
		if !bytes.Equal(encoded(t, m), encoded(t, p)) {
			t.Error("merging a profile with nothing changes it")
		}
	}
}

func TestProfileLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		var list []Profile
		for range 4 {
			list = append(list, NewProfile(Resolve(merged(t, parts(t, randomScript(rng)), nil))))
		}
		want := encoded(t, MergeProfiles(MergeProfiles(MergeProfiles(list[0], list[1]), list[2]), list[3]))
		decoded, err := DecodeProfile(encoded(t, MergeProfiles(list[3], list[1])))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, encoded(t, MergeProfiles(MergeProfiles(list[2], list[0]), decoded))) {
			t.Fatal("other bytes in another order")
		}
	}
}

// Every operation is in some chain, and no chain has one twice.
func TestChainsAreWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 40 {
		text := randomScript(rng)
		tr := Resolve(merged(t, parts(t, text), nil))
		found := map[string]bool{}
		var count uint64
		for _, g := range tr.Groups {
			seen := map[Operation]bool{}
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
	p := NewParser(3)
	site := p.Site("x")
	bad := []Event{
		{}, {Kind: 99}, {Kind: Copy, Site: -1}, {Kind: Copy, Site: 9}, {Kind: Send, Site: site, Channel: 5}, {Kind: Recv, Site: site, Channel: -1},
		{Kind: Copy, Site: site, Src: ^uint64(0), Len: 2}, {Kind: Alloc, Site: site, Dst: 8, Len: ^uint64(0)},
	}
	c := p.Channel(Channel{})
	bad = append(bad, Event{Kind: Send, Site: site, Channel: c, Offset: ^uint64(0), Len: 2})
	for i := range bad {
		if err := p.Add(&bad[i]); !errors.Is(err, ErrEvent) || !strings.Contains(err.Error(), fmt.Sprintf("rank 3: event %d", i+1)) {
			t.Errorf("event %d: %v", i, err)
		}
	}
	for _, e := range []Event{{Kind: Free, Dst: 77}, {Kind: Resize, Dst: 77, Len: 5}, {Kind: Copy, Site: site, Src: 5, Dst: 9}, {Kind: Alloc, Site: site, Dst: 5}} {
		if err := p.Add(&e); err != nil {
			t.Errorf("%+v: %v", e, err)
		}
	}
	table, err := p.Finish()
	if tr := Resolve(table); err != nil || len(tr.Groups) != 0 || len(tr.Tracks) != 1 {
		t.Errorf("chains of nothing: %+v %v", tr, err)
	}
	if _, err := NewParser(-1).Finish(); !errors.Is(err, ErrEvent) {
		t.Errorf("rank -1: %v", err)
	}
	if r := Analyse(Resolve(Table{}), Options{LastPhase: true, Training: &Profile{}}); r.Chains != 0 || r.Outliers != nil {
		t.Errorf("a result of nothing: %+v", r)
	}
}
