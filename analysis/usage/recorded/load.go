package recorded

import (
	"fmt"

	"laggard/model"
)

// MaxCalls is how many calls of a rank are taken from a recording. Some millions
// fit into a gigabyte; a Trace of more says that it is not complete.
const MaxCalls = 1 << 23

// Load gives what a rank recorded, to a function of x.Each. A damaged part makes the Trace incomplete and takes nothing
// else with it.
func Load(x *model.Index, r *model.Rank) *Trace {
	streams, err := x.Streams(r, model.UsageStream)
	return decode(r, streams, err, MaxCalls)
}

// decode makes the Trace of a rank from its streams; fault is what was wrong with
// them.
func decode(r *model.Rank, streams []*model.Stream, fault error, most int) *Trace {
	b := newBuilder(r, most)
	if len(streams) == 0 {
		b.incomplete("no calls were recorded")
	}
	if fault != nil {
		b.incomplete(fault.Error())
	}
	for _, s := range streams {
		if s.Cut {
			b.incomplete(b.whyCut())
		}
		if s.LeftOut {
			b.incomplete("its later calls are left out: all calls together take more memory than events.memory_mb")
		}
		d := &decoder{b: b, thread: s.Thread, model: b.threadModel(s.Thread)}
		for data, err := range s.Blocks() {
			if err != nil {
				d.lost()
				b.incomplete(err.Error())
				continue
			}
			if err := d.block(data); err != nil {
				d.lost()
				b.incomplete(fmt.Sprintf("thread %d: %v", s.Thread, err))
			}
		}
	}
	return b.finish()
}
