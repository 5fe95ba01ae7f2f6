package recorded

import (
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// MaxCalls is how many calls of a rank are taken from a recording; a Trace of more says that it is not complete. It
// bounds what a damaged file can ask for.
const MaxCalls = 1 << 25

// Limits end the reading of a rank early; its Trace says so. Nil: there is no such limit.
type Limits struct {
	IsTimeOver   func() bool // asked until all blocks were read once
	IsMemoryFull func() bool // asked all the time: definitions take memory, and so does what is made of the calls
}

// Load gives what a rank recorded, to a function of x.Each, within limits. A damaged part makes the
// Trace incomplete and takes nothing else with it.
func Load(x *runfiles.Index, r *model.Rank, l Limits) *Trace {
	streams, err := x.StreamsOf(r, nodefile.UsageStream)
	b := newBuilder(r, MaxCalls)
	b.limits = l
	if len(streams) == 0 {
		b.markIncomplete("no calls were recorded")
	}
	if err != nil {
		b.markIncomplete(err.Error())
	}
	for _, s := range streams {
		if s.Cut {
			b.markIncomplete(b.cutReason())
		}
		b.sources = append(b.sources, &source{thread: s.Thread, blocks: s.Blocks()})
	}
	return b.buildTrace()
}
