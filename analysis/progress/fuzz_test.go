package progress

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/internal/musttest"
	"laggard/model"
)

// seedBytes are encodings of a real summary and partial.
func seedBytes(t testing.TB) (sum, part []byte) {
	ranks := parseScript(randomScript(rand.New(rand.NewPCG(19, 20)))).buildRanks()
	s, p := analyseBlocks(t, [][]*model.Rank{ranks}, Options{}, nil)
	sum = musttest.Get(facts.EncodeSummary(s))(t)
	part = musttest.Get(EncodePartial(p))(t)
	return sum, part
}

// oddSummaries can be encoded, but no ranks lead to them.
var oddSummaries = []facts.Summary{
	{Facts: []facts.Fact{{Rank: 3, Phase: model.Running}, {Rank: 1, Phase: model.Running}}},
	{
		Facts: []facts.Fact{{Phase: model.Running, Waits: []facts.Wait{{Kind: model.Collective, Call: "x",
			Wants: []facts.Want{{Kind: model.Collective, Comm: 1, Peer: model.None, Seq: 2}}}}}},
		Comms: []facts.Comm{{ID: 1, World: true}},
	},
	{Facts: []facts.Fact{{At: facts.Position{Begun: true, InMPI: true, State: model.StateID{7}},
		Phase: model.Running}}},
	{
		Facts: []facts.Fact{{Phase: model.Running, Waits: []facts.Wait{{Kind: model.RMA, Call: "MPI_Win_lock",
			Wants: []facts.Want{{Kind: model.RMA, Comm: 2, Peer: 7, Tag: 1}}}}}},
		Comms: []facts.Comm{{ID: 2, Window: true, Locks: []facts.Hold{{Target: model.None, Type: 9},
			{Target: 7, Type: 1}}}},
	},
}

// What decodes can be encoded, decoded and merged again, with equal bytes; and
// a conclusion can be drawn from it.
func FuzzDecodeSummary(f *testing.F) {
	sum, part := seedBytes(f)
	f.Add(sum)
	f.Add(sum[:len(sum)/2])
	f.Add(append(sum[:len(sum):len(sum)], 0))
	for i := range sum {
		broken := bytes.Clone(sum)
		broken[i] ^= 1 << (i % 8)
		f.Add(broken)
	}
	for _, s := range oddSummaries {
		f.Add(mustEncode(f, s, facts.EncodeSummary))
	}
	answers := musttest.Get(DecodePartial(part))(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := facts.DecodeSummary(b)
		if err != nil {
			if !errors.Is(err, facts.ErrEncoding) {
				t.Fatalf("error of another kind: %v", err)
			}
			musttest.Equal(t, facts.Summary{}, s, "an error and a value")
			return
		}
		first := mustEncode(t, s, facts.EncodeSummary)
		again := musttest.Get(facts.DecodeSummary(first))(t, "own encoding")
		if second := mustEncode(t, again, facts.EncodeSummary); !bytes.Equal(first, second) {
			t.Fatalf("not stable:\n%s\n%s", first, second)
		}
		if s.Size(0) > 1000 {
			return // correct, but too slow for a fuzz step
		}
		for _, p := range []Partial{{}, answers} {
			if _, err := concludeDiagnosis(s, p, Options{}); err != nil && !errors.Is(err, inference.ErrMismatch) {
				t.Fatal(err)
			}
		}
	})
}

func FuzzDecodePartial(f *testing.F) {
	_, part := seedBytes(f)
	f.Add(part)
	for _, text := range []string{
		`{}`,
		`{"edges":[{"a":1,"b":0,"code":1,"reach":1,"back":0}]}`,
		`{"edges":[{"a":0,"b":1,"code":9,"reach":1,"back":0}]}`,
		`{"edges":[{"a":0,"b":1,"code":1,"reach":2,"back":0}]}`, `{"answers":[{"rank":2},{"rank":1}]}`, `nul`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := DecodePartial(b)
		if err != nil {
			if !errors.Is(err, facts.ErrEncoding) || len(p.Edges)+len(p.Answers) > 0 {
				t.Fatalf("%v with %v", err, p)
			}
			return
		}
		first := mustEncode(t, p, EncodePartial)
		again := musttest.Get(DecodePartial(first))(t, "own encoding")
		merged := musttest.Get(MergePartials(Partial{}, again))(t)
		if second := mustEncode(t, merged, EncodePartial); !bytes.Equal(first, second) {
			t.Fatalf("not stable:\n%s\n%s", first, second)
		}
	})
}

func mustEncode[T any](t testing.TB, v T, encode func(T) ([]byte, error)) []byte {
	t.Helper()
	return musttest.Get(encode(v))(t)
}
