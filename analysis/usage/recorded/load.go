package recorded

import (
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// MaxCalls is how many calls of a rank are taken from a recording; a Trace of more says that it is not complete. It
// bounds what a damaged file can ask for.
const MaxCalls = 1 << 25

// Load gives what a rank recorded, to a function of x.Each, until stop says that time is over. A damaged part makes the
// Trace incomplete and takes nothing else with it.
func Load(x *runfiles.Index, r *model.Rank, stop func() bool) *Trace {
	streams, err := x.StreamsOf(r, nodefile.UsageStream)
	b := newBuilder(r, MaxCalls)
	b.stop = stop
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
		if s.LeftOut {
			b.markIncomplete("its later calls are left out: all calls together exceed events.memory_mb")
		}
		b.sources = append(b.sources, &source{thread: s.Thread, blocks: s.Blocks()})
	}
	return b.buildTrace()
}
