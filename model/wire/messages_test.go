package wire_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/chain/chaintest"
	"laggard/analysis/progress/facts"
	"laggard/analysis/usage/between"
	"laggard/analysis/usage/finding"
	"laggard/model"
	"laggard/reduce"
)

// messages are all values that a Coder writes: each decodes and encodes again.
var messages = []func([]byte) ([]byte, error){
	again(reduce.Codec[facts.Summary]{Encode: facts.EncodeSummary, Decode: facts.DecodeSummary}),
	again(reduce.Codec[*finding.Group]{Encode: finding.EncodeGroup, Decode: finding.DecodeGroup}),
	again(reduce.Codec[*between.Evidence]{Encode: between.Encode, Decode: between.Decode}),
	again(reduce.Codec[chain.Table]{Encode: chain.Table.Encode, Decode: chain.DecodeTable}),
}

func again[T any](c reduce.Codec[T]) func([]byte) ([]byte, error) {
	return func(data []byte) ([]byte, error) {
		v, err := c.Decode(data)
		if err != nil {
			return nil, err
		}
		return c.Encode(v)
	}
}

// FuzzMessages: any bytes give an error or a value, and a value has one encoding.
func FuzzMessages(f *testing.F) {
	place := finding.Place{Call: "MPI_Send", Role: "call"}
	place.Site.Stack = []model.Frame{{Module: &model.Module{Path: "a.out"}, Offset: 1}, {Offset: 2}}
	group, err := finding.EncodeGroup(finding.NewGroup(finding.New(finding.Classes[0].Name, "count is 1", place)))
	if err != nil {
		f.Fatal(err)
	}
	summary, err := facts.EncodeSummary(facts.Summary{
		Facts: []facts.Fact{{Rank: 3, Host: "n", Waits: []facts.Wait{{Wants: []facts.Want{{Peer: -1, Near: true}}}}}},
		Comms: []facts.Comm{{ID: 1, World: true, Counts: []facts.Count{{N: 2, Ranks: model.NewRankSet(1, 2)}}}},
	})
	if err != nil {
		f.Fatal(err)
	}
	script := chaintest.RandomScript(rand.New(rand.NewPCG(1, 2)))
	table := chaintest.Encoded(f, chaintest.Merged(f, chaintest.Tables(f, script), nil))
	for _, data := range [][]byte{summary, group, {0}, table} {
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for i, message := range messages {
			first, err := message(data)
			if err != nil {
				continue
			}
			if second, err := message(first); err != nil || !bytes.Equal(first, second) {
				t.Errorf("message %d is not stable: %v", i, err)
			}
		}
	})
}
