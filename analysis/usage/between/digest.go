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
	steps      []step   // in the order of their begin
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

// step is a call.
type step struct {
	site     int32 // index into Digest.sites
	thread   int32
	function uint16 // index into mpi.Functions
	muted    bool   // see replay.Replayed.Muted
	returned bool
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
	kind      half
	mode      sendMode
	blocking  bool
	cancelled bool
	withdrawn bool  // see replay.Operation
	channel   int32 // index into Digest.channels
	step      int32 // that begins it, index into Digest.steps
	made      int32 // that made the request; as step but for persistent ones
	done      int32 // that completed it, -1 none
	buffer    int32 // index into Digest.buffers, -1 not known
	bytes     int64 // that came, by the status; -1 not known
	// probe is the matched probe that took the message of a receive, an index
	// into Digest.messages; -1 none. A matched probe has its receive there.
	probe int32
}

// entry is the part of the rank in a collective.
type entry struct {
	step, made, done int32
	comm             int32
	number           uint64
	shape            int32 // index into Digest.shapes
	refused          bool  // see replay.Operation
}

// endOf is how a rank ended. A process that exits in the midst of a call which began
// no operation, since its arguments are wrong, was ended by MPI, and with it the
// job: what the other ranks waited for then says nothing.
func endOf(r *replay.Replayed) model.End {
	t := r.Trace
	if t.End != model.Exited {
		return t.End
	}
	open := map[int]bool{} // calls that did not return and began nothing
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Return == 0 && c.Func != nil && c.Func.Class != mpi.ClassFinalize {
			open[i] = true
		}
	}
	for i := range r.Operations {
		delete(open, int(r.Operations[i].Call))
	}
	for i := range r.Waits {
		delete(open, r.Waits[i].Call)
	}
	if len(open) > 0 {
		return model.Aborted
	}
	return t.End
}

// waiting is what a call that never returned, or a poll in a loop of polls, waits for.
type waiting struct {
	step              int32
	any, loop         bool    // one is enough; it is a poll of a loop, at whose step the loop is
	messages, entries []int32 // indices into Digest.messages and Digest.entries
	other             bool    // also for something of which it is not known who completes it
}

// NewDigest takes from the replay of a rank what the others need to know.
func NewDigest(r *replay.Replayed) *Digest {
	t := r.Trace
	d := &digester{Replayed: r, trace: t, Digest: &Digest{
		Rank: t.Rank, Size: t.Size, phase: t.Phase, end: endOf(r), complete: t.Complete, comms: knownComms(t),
		types: t.Types, threads: t.ThreadLevel,
	}}
	rounds := pollLoops(t)
	d.chooseSteps(rounds)
	d.addOperations()
	d.addWaits()
	d.addLoops(rounds)
	d.addWindows()
	return d.Digest
}

// knownComms replaces communicators whose description is missing by one of which nothing
// is known, and gives MPI_COMM_SELF of each rank an identity of its own.
func knownComms(t *recorded.Trace) []*model.Comm {
	out := slices.Clone(t.Comms)
	for i, c := range out {
		switch {
		case c == nil:
			out[i] = &model.Comm{Rank: -1}
		case c.Kind == model.Self:
			own := *c
			own.ID, own.Rank, own.Members = 1<<63|uint64(t.Rank), 0, []int{t.Rank}
			out[i] = &own
		}
	}
	return out
}

// digester makes a Digest.
type digester struct {
	*Digest
	*replay.Replayed
	trace     *recorded.Trace
	stepOf    []int32 // by call; -1 no step
	siteOf    map[int]int32
	channelOf map[channel]int32
	bufferOf  map[buffer]int32
	shapeOf   map[string]int32
	probeOf   map[int64]int32 // by handle of the message: the matched probe
	placed    []placement     // by operation: where it went
}

// placement is where the digest keeps an operation.
type placement struct {
	message, entry int32 // -1: not there
}

// alwaysSteps are the classes of calls that order others without an operation.
var alwaysSteps = map[mpi.Class]bool{
	mpi.ClassFinalize: true, mpi.ClassWinColl: true, mpi.ClassWinComplete: true, mpi.ClassWinFlush: true,
	mpi.ClassWinFree: true, mpi.ClassWinLock: true,
	mpi.ClassWinPost: true, mpi.ClassWinStart: true, mpi.ClassWinTest: true, mpi.ClassWinUnlock: true,
	mpi.ClassWinWait: true, mpi.ClassNewwin: true,
	mpi.ClassRma: true, mpi.ClassRmaNb: true, mpi.ClassRmaNow: true,
}

// chooseSteps keeps the calls that operations, waits and windows are made of.
func (d *digester) chooseSteps(rounds [][]int) {
	calls := d.trace.Calls
	chosen := make([]bool, len(calls))
	choose := func(call int) {
		if call >= 0 && call < len(calls) {
			chosen[call] = true
		}
	}
	for i := range d.Operations {
		o := &d.Operations[i]
		choose(int(o.Call))
		choose(int(o.Made))
		choose(int(o.Done))
	}
	for i := range d.Waits {
		if w := &d.Waits[i]; d.isPending(w) {
			choose(w.Call)
		}
	}
	for _, round := range rounds {
		for _, call := range round {
			choose(call)
		}
	}
	d.finished = d.phase >= model.Finalizing
	for i := range calls {
		if c := &calls[i]; c.Func != nil && c.Func.Class == mpi.ClassFinalize {
			d.finished = true
		} else if c.Return == 0 {
			d.finished = false
			break
		}
	}
	kept := 0
	for i := range calls {
		c := &calls[i]
		if chosen[i] = c.Func != nil && (chosen[i] || alwaysSteps[c.Func.Class]); chosen[i] {
			kept++
		}
	}
	d.stepOf, d.siteOf, d.steps = make([]int32, len(calls)), map[int]int32{}, make([]step, 0, kept)
	for i := range calls {
		c := &calls[i]
		d.stepOf[i] = -1
		if !chosen[i] {
			continue
		}
		d.stepOf[i] = int32(len(d.steps))
		d.steps = append(d.steps, step{d.siteIndex(c.Site), int32(c.Thread), functions()[c.Func], d.Muted(i), c.Return != 0})
	}
}

func (d *digester) siteIndex(site int) int32 {
	if at, ok := d.siteOf[site]; ok {
		return at
	}
	at := int32(len(d.sites))
	d.siteOf[site] = at
	var s recorded.Site
	if site >= 0 && site < len(d.trace.Sites) {
		s = d.trace.Sites[site]
	}
	d.sites = append(d.sites, s)
	return at
}

// stepIndex returns the step of a call, -1 if the call is not kept.
func (d *digester) stepIndex(call int) int32 {
	if call < 0 || call >= len(d.stepOf) {
		return -1
	}
	return d.stepOf[call]
}

func (d *digester) addOperations() {
	d.channelOf, d.bufferOf = map[channel]int32{}, map[buffer]int32{}
	d.shapeOf, d.probeOf = map[string]int32{}, map[int64]int32{}
	d.placed = make([]placement, len(d.Operations))
	messages, entries := 0, 0
	for i := range d.Operations {
		switch d.Operations[i].Kind {
		case replay.Send, replay.Recv, replay.Probe:
			messages++
		case replay.Collective:
			entries++
		}
	}
	d.messages, d.entries = make([]message, 0, messages), make([]entry, 0, entries)
	for i := range d.Operations {
		o := &d.Operations[i]
		d.placed[i] = placement{-1, -1}
		if d.stepIndex(int(o.Call)) < 0 || !d.hasComm(int(o.Comm)) {
			continue
		}
		switch o.Kind {
		case replay.Send, replay.Recv, replay.Probe:
			d.placed[i].message = d.addMessage(o)
		case replay.Collective:
			d.placed[i].entry = d.addEntry(o)
		}
	}
}

func (d *digester) addMessage(o *replay.Operation) int32 {
	if o.Peer == model.ProcNull {
		return -1
	}
	m := message{
		kind: half(o.Kind), mode: sendMode(o.Mode), blocking: o.Blocking, cancelled: o.Cancelled,
		withdrawn: o.Withdrawn, channel: d.channelIndex(o),
		step: d.stepIndex(int(o.Call)), made: d.stepIndex(int(o.Made)), done: d.stepIndex(int(o.Done)),
		buffer: -1, bytes: o.Bytes, probe: -1,
	}
	if m.made < 0 {
		m.made = m.step
	}
	if o.Kind != replay.Probe {
		m.buffer = d.bufferIndex(int(o.Type), o.Count)
	}
	at := int32(len(d.messages))
	d.messages = append(d.messages, m)
	d.linkProbe(at, &d.trace.Calls[o.Call])
	return at
}

// linkProbe finds the matched probe of a receive, by the handle of the message.
func (d *digester) linkProbe(at int32, c *recorded.Call) {
	switch c.Func.Class {
	case mpi.ClassMprobe, mpi.ClassImprobe:
		if handle, ok := c.OutputInt("message"); ok {
			d.probeOf[handle] = at
		}
	case mpi.ClassMrecv, mpi.ClassImrecv:
		handle, ok := c.InputInt("message")
		if probe, known := d.probeOf[handle]; ok && known {
			d.messages[at].probe, d.messages[probe].probe = probe, at
			delete(d.probeOf, handle)
		}
	}
}

func (d *digester) channelIndex(o *replay.Operation) int32 {
	c := channel{o.Kind == replay.Send, o.Comm, int(o.Peer), int(o.Tag), int(o.Peer), int(o.Tag)}
	if o.Kind != replay.Send && o.Done >= 0 {
		if o.Source >= 0 {
			c.peer = int(o.Source)
		}
		if o.FromTag >= 0 {
			c.tag = int(o.FromTag)
		}
	}
	at, ok := d.channelOf[c]
	if !ok {
		at = int32(len(d.channels))
		d.channelOf[c] = at
		d.channels = append(d.channels, c)
	}
	return at
}

// bufferIndex returns the index of count elements of a type, -1 if it is not known.
func (d *digester) bufferIndex(typ int, count int64) int32 {
	if typ < 0 || typ >= len(d.types) || count < 0 {
		return -1
	}
	key := buffer{int32(typ), count}
	at, ok := d.bufferOf[key]
	if !ok {
		at = int32(len(d.buffers))
		d.bufferOf[key] = at
		d.buffers = append(d.buffers, key)
	}
	return at
}

func (d *digester) addEntry(o *replay.Operation) int32 {
	j := entry{
		step: d.stepIndex(int(o.Call)), made: d.stepIndex(int(o.Made)), done: d.stepIndex(int(o.Done)), comm: o.Comm, number: o.Number,
		shape: d.shapeIndex(o), refused: o.Refused,
	}
	if j.made < 0 {
		j.made = j.step
	}
	d.entries = append(d.entries, j)
	return int32(len(d.entries) - 1)
}

// isPending reports whether a rank was still in a completion when its recording ended.
func (d *digester) isPending(w *replay.Wait) bool {
	return w.Call >= 0 && w.Call < len(d.trace.Calls) && d.trace.Calls[w.Call].Return == 0 && !w.Poll
}

func (d *digester) addWaits() {
	for i := range d.Waits {
		w := &d.Waits[i]
		if step := d.stepIndex(w.Call); step >= 0 && d.isPending(w) {
			d.waits = append(d.waits, d.newWaiting(step, w))
		}
	}
}

func (d *digester) newWaiting(step int32, w *replay.Wait) waiting {
	out := waiting{step: step, any: w.Any}
	for _, o := range w.Operations {
		if o < 0 || o >= len(d.placed) {
			continue
		}
		if s := d.placed[o]; s.message >= 0 {
			out.messages = append(out.messages, s.message)
		} else if s.entry >= 0 {
			out.entries = append(out.entries, s.entry)
		} else {
			out.other = true
		}
	}
	return out
}
