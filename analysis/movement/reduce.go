package movement

import (
	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/recorded"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/reduce"
)

// What the analysis ranks reduce. Analysis rank 0 gets the tables and the books;
// all get the others.
var (
	sentBytes = reduce.JSONMonoid(recorded.MergeSent)
	inFlights = reduce.JSONMonoid(recorded.MergeInFlight)
	tallies   = reduce.Monoid[tally]{
		Codec: reduce.JSON[tally](),
		Merge: func(a, b tally) (tally, error) {
			return tally{a.Streams + b.Streams, a.Cut.Union(b.Cut), a.LeftOut.Union(b.LeftOut)}, nil
		},
	}
	tables = reduce.Monoid[chain.Table]{
		Codec: reduce.Codec[chain.Table]{Encode: chain.Table.Encode, Decode: chain.DecodeTable},
		Merge: chain.Merge,
	}
	books = reduce.JSONMonoid(recorded.MergeBooks)
)

// tally counts what there is to read.
type tally struct {
	Streams int           `json:"streams"`
	Cut     model.RankSet `json:"cut"`      // ranks whose recording ended for lack of room
	LeftOut model.RankSet `json:"left_out"` // ranks of which there is more than Question.Memory allows
}

func (t *tally) add(r *model.Rank, streams []*nodefile.Stream) {
	t.Streams += len(streams)
	for _, s := range streams {
		if s.Cut {
			t.Cut.Add(r.Rank)
		}
		if s.LeftOut {
			t.LeftOut.Add(r.Rank)
		}
	}
}
