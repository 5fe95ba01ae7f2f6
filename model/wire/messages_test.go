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
	"laggard/analysis/usage/replay"
	"laggard/analysis/usage/usagetest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/reduce"
)

// messages are all values that a Coder writes: each decodes and encodes again.
var messages = []func([]byte) ([]byte, error){
	roundTrip(reduce.Codec[facts.Summary]{Encode: facts.EncodeSummary, Decode: facts.DecodeSummary}),
	roundTrip(reduce.Codec[*finding.Group]{Encode: finding.EncodeGroup, Decode: finding.DecodeGroup}),
	roundTrip(reduce.Codec[*between.Evidence]{Encode: between.Encode, Decode: between.Decode}),
	roundTrip(reduce.Codec[chain.Table]{Encode: chain.Table.Encode, Decode: chain.DecodeTable}),
}

func roundTrip[T any](c reduce.Codec[T]) func([]byte) ([]byte, error) {
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
	group := musttest.Get(finding.EncodeGroup(finding.NewGroup(finding.New(finding.Classes[0].Name, "count is 1", place))))(f)
	summary := musttest.Get(facts.EncodeSummary(facts.Summary{
		Facts: []facts.Fact{{Rank: 3, Host: "n", Waits: []facts.Wait{{Wants: []facts.Want{{Peer: -1, Neighbourhood: true}}}}}},
		Comms: []facts.Comm{{ID: 1, World: true, Counts: []facts.Count{{N: 2, Ranks: model.NewRankSet(1, 2)}}}},
	}))(f)
	script := chaintest.RandomScript(rand.New(rand.NewPCG(1, 2)))
	table := chaintest.MustEncode(f, chaintest.MustMerge(f, chaintest.PlayScript(f, script), nil))
	for _, data := range [][]byte{summary, group, {0}, table, usageEvidence(f)} {
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

// usageEvidence is what two ranks tell of a message, a collective, a window and a
// derived datatype.
func usageEvidence(f *testing.F) []byte {
	traces, err := usagetest.Parse(`
0: MPI_Type_vector(count=2, blocklength=1, stride=3, oldtype=MPI_DOUBLE) -> newtype=v
0: MPI_Isend(buf=0x1000, count=2, datatype=v, dest=1, tag=7) -> request=r
0: MPI_Wait(request=r)
1: MPI_Recv(source=any, tag=any) -> status=(0,7,8)
0-1: MPI_Allreduce(count=1)
0-1: MPI_Win_create(base=0x10000, size=64, disp_unit=4) -> win=w
0-1: MPI_Win_fence(win=w)
0: MPI_Put(target_rank=1, win=w)
1: MPI_Barrier() -> …
`)
	if err != nil {
		f.Fatal(err)
	}
	var digests []*between.Digest
	for _, t := range traces {
		d := between.NewDigester(t)
		digests = append(digests, d.Finish(replay.Run(t, d)))
	}
	return musttest.Get(between.Encode(between.NewEvidence(digests...)))(f)
}
