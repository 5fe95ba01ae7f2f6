package between

import (
	"slices"
	"sync"

	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/model"
	"laggard/model/mpi"
)

// Digest is what the others need to know of one rank: its calls that take part
// in something with other ranks or order what does, the operations, and the
// places. It holds no reference to the Trace. Its size is a constant per
// operation; what repeats (places, types, channels, shapes) is kept once.
type Digest struct {
	Rank, Size int // in MPI_COMM_WORLD
	phase      model.Phase
	end        model.End
	complete   bool
	finished   bool // it came to MPI_Finalize, and is in no other call
	comms      []*model.Comm
	sites      []recorded.Site
	types      []*recorded.Datatype
	buffers    []buffer // what messages and collectives carry
	kinds      []step   // what steps are
	steps      []int32  // in the order of their begin, indices into kinds
	ends       []int32  // by step, if several threads call: how many had begun when it returned; that of all: it did not
	channels   []channel
	messages   []message // in the order of their begin
	shapes     []shape
	entries    []entry
	waits      []waiting
	windows    windows
	threads    int // level of thread support, see recorded.Trace
}

// buffer is a number of elements of a type.
type buffer struct {
	typ   int32 // index into Digest.types
	count int64
}

// step is what a call is, and others from the same place.
type step struct {
	site     int32 // index into Digest.sites
	thread   int32
	function uint16 // index into mpi.Functions
	muted    bool   // see replay.Call
	returned bool
}

// step returns step i.
func (d *Digest) step(i int32) *step { return &d.kinds[d.steps[i]] }

// hasThreads reports whether several threads made the steps.
func (d *Digest) hasThreads() bool {
	return slices.ContainsFunc(d.kinds, func(s step) bool { return s.thread != d.kinds[0].thread })
}

// functions gives each function its index.
var functions = sync.OnceValue(func() map[*mpi.Function]uint16 {
	out := map[*mpi.Function]uint16{}
	for i, f := range mpi.Functions() {
		out[f] = uint16(i)
	}
	return out
})

func (s *step) fn() *mpi.Function { return mpi.Functions()[s.function] }

// channel is the way of messages: one side of a communicator, peer and tag.
type channel struct {
	send      bool
	comm      int32 // index into Digest.comms
	peer, tag int   // as it turned out; model.Any where that is not known
	// askedPeer and askedTag are as given, perhaps model.Any.
	askedPeer, askedTag int
	pair                int // of partitioned messages, see replay.Operation
}

// half and sendMode are replay.OperationKind and replay.SendMode, small.
type (
	half     uint8
	sendMode uint8
)

const (
	aSend  = half(replay.Send)
	aRecv  = half(replay.Recv)
	aProbe = half(replay.Probe)

	isBuffered    = sendMode(replay.Buffered)
	isSynchronous = sendMode(replay.Synchronous)
	isReady       = sendMode(replay.Ready)
)

// message is one half of a message: a send, a receive, or a look at one.
type message struct {
	*form
	step int32 // that begins it, index into Digest.steps
	done int32 // that completed it, -1 none
}

// form is what messages of a rank have in common.
type form struct {
	kind      half
	mode      sendMode
	blocking  bool
	cancelled bool
	withdrawn bool  // see replay.Operation
	channel   int32 // index into Digest.channels
	buffer    int32 // index into Digest.buffers, -1 not known
	request   int32 // the step that made the request of a persistent one, else -1
	bytes     int64 // that came, by the status; -1 not known
	// probe is the matched probe that took the message of a receive, an index
	// into Digest.messages; -1 none. A matched probe has its receive there.
	probe int32
}

// made is the step that made the request.
func (m *message) made() int32 {
	if m.request < 0 {
		return m.step
	}
	return m.request
}

// linkTo sets the probe of a message, or the receive of a probe.
func (m *message) linkTo(probe int32) {
	own := *m.form
	own.probe = probe
	m.form = &own
}

// forms gives messages that have their form in common one of them.
type forms map[form]*form

// maxForms bounds those that are known, as there may be one for each message.
const maxForms = 1 << 16

// share returns a form like that one.
func (k forms) share(f form) *form {
	if same := k[f]; same != nil {
		return same
	}
	if len(k) == maxForms {
		clear(k)
	}
	k[f] = &f
	return &f
}

// entry is the part of the rank in a collective.
type entry struct {
	step, made, done int32
	comm             int32
	number           uint64
	shape            int32 // index into Digest.shapes
	refused          bool  // see replay.Operation
}

// waiting is what a call that never returned, or a poll in a loop of polls, waits for.
type waiting struct {
	step              int32
	any, loop         bool    // one is enough; it is a poll of a loop, at whose step the loop is
	messages, entries []int32 // indices into Digest.messages and Digest.entries
	other             bool    // also for something of which it is not known who completes it
}
