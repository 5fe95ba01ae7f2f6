package recorded

import (
	"fmt"

	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// MaxCalls is how many calls of a rank are taken from a recording. Some millions
// fit into a gigabyte; a Trace of more says that it is not complete.
const MaxCalls = 1 << 23

// Load gives what a rank recorded, to a function of x.Each, until stop says that time is over. A damaged part makes the
// Trace incomplete and takes nothing else with it.
func Load(x *runfiles.Index, r *model.Rank, stop func() bool) *Trace {
	streams, err := x.StreamsOf(r, nodefile.UsageStream)
	b := newBuilder(r, MaxCalls)
	b.stop = stop
	return b.decodeTrace(streams, err)
}

// decodeTrace makes the Trace of a rank from its streams; fault is what was wrong with
// them.
func (b *builder) decodeTrace(streams []*nodefile.Stream, fault error) *Trace {
	if len(streams) == 0 {
		b.markIncomplete("no calls were recorded")
	}
	if fault != nil {
		b.markIncomplete(fault.Error())
	}
	b.trace.Calls = make([]Call, 0, b.callsIn(streams))
	for _, s := range streams {
		if s.Cut {
			b.markIncomplete(b.cutReason())
		}
		if s.LeftOut {
			b.markIncomplete("its later calls are left out: all calls together exceed events.memory_mb")
		}
		d := &decoder{b: b, thread: s.Thread, model: b.threadModel(s.Thread)}
		for data, err := range s.Blocks() {
			if b.stop() {
				b.markIncomplete("its later calls were not read, since the time of --time was over")
				break
			}
			if err != nil {
				d.forgetReferences()
				b.markIncomplete(err.Error())
				continue
			}
			if err := d.readBlock(data); err != nil {
				d.forgetReferences()
				b.markIncomplete(fmt.Sprintf("thread %d: %v", s.Thread, err))
			}
		}
	}
	return b.buildTrace()
}

// leastCall is how many bytes of a stream a call takes at least.
const leastCall = 4

// callsIn returns how many calls there are at most: as many as the rank made, and as fit into the streams.
func (b *builder) callsIn(streams []*nodefile.Stream) int {
	var made, bytes int64
	for _, t := range b.rank.Threads {
		made += int64(min(t.Calls, uint64(b.maxCalls)))
	}
	for _, s := range streams {
		bytes += s.EventBytes()
	}
	return int(min(made, bytes/leastCall, int64(b.maxCalls)))
}
