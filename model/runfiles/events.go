package runfiles

import (
	"laggard/model"
	"laggard/model/nodefile"
)

// StreamsOf returns the streams of a kind that a rank recorded, and what is wrong
// with them. It serves the function that Each gives the rank to, while the files
// are open; at other times there are no streams.
func (x *Index) StreamsOf(of *model.Rank, kind nodefile.StreamKind) ([]*nodefile.Stream, error) {
	f := x.files[of.File]
	if f == nil {
		return nil, nil
	}
	streams, err := f.StreamsOf(of, kind)
	if most, limited := x.limits[kind]; limited {
		nodefile.LimitStreams(streams, most)
	}
	return streams, err
}

// LimitEvents bounds the bytes of events of a kind, unpacked, that StreamsOf gives of each slot of the index.
func (x *Index) LimitEvents(kind nodefile.StreamKind, most int64) {
	x.limits = map[nodefile.StreamKind]int64{kind: most}
}
