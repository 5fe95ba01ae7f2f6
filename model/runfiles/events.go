package runfiles

import (
	"slices"

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

// LimitEvents bounds the bytes of events of a kind, unpacked, that Streams gives of all slots of the index together.
// What is too much is taken from the slots that have most, as a few packed bytes can stand for any number of
// events.
func (x *Index) LimitEvents(kind nodefile.StreamKind, bytes int64) {
	sizes := make([]int64, len(x.Slots))
	for i, s := range x.Slots {
		sizes[i] = s.Events[kind]
	}
	slices.Sort(sizes)
	for i, size := range sizes {
		if most := bytes / int64(len(sizes)-i); size > most {
			x.limits = map[nodefile.StreamKind]int64{kind: most}
			return
		}
		bytes -= size
	}
}
