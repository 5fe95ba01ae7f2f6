package between

import (
	"slices"

	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/model"
	"laggard/model/mpi"
)

// NewDigester prepares the Digest of a rank: it follows the replay of the trace.
func NewDigester(t *recorded.Trace) *Digester {
	d := &Digester{
		trace: t, tails: map[int]*tail{}, chosen: make([]bool, 0, t.CallNumber), channelOf: map[channel]int32{},
		bufferOf: map[buffer]int32{}, shapeOf: map[string]int32{}, probeOf: map[int64]int32{}, forms: forms{},
		Digest: &Digest{Rank: t.Rank, Size: t.Size, phase: t.Phase, comms: knownComms(t), types: t.Types, threads: t.ThreadLevel},
	}
	d.hasWindows = slices.ContainsFunc(t.Comms, func(c *model.Comm) bool { return c != nil && c.Kind == model.Window })
	return d
}

// Finish takes from the replay that it followed what the others need to know.
func (d *Digester) Finish(r *replay.Replayed) *Digest {
	d.Replayed = r
	d.Digest.complete, d.Digest.end = d.trace.Complete, d.endOf()
	rounds := d.pollLoops()
	d.chooseSteps(rounds)
	d.numberSteps()
	d.numberChannels()
	d.addWaits()
	d.addLoops(rounds)
	windowDigester{d}.addWindows()
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

// Digester makes a Digest. While it follows the replay, steps are numbers of calls.
type Digester struct {
	*Digest
	*replay.Replayed // once that is over
	trace            *recorded.Trace
	chosen           []bool              // by call: it is a step
	returns          bool                // the call that began last returned
	unreturned       []*replay.Operation // those of calls that did not
	tails            map[int]*tail       // by thread: the polls at its end
	returned         returns
	windowCalls      []numbered // that make and free windows
	hasWindows       bool
	users            []user // what may use the memory of windows, if there are any

	stepOf    []int32 // by call; -1 no step
	channelOf map[channel]int32
	bufferOf  map[buffer]int32
	shapeOf   map[string]int32
	probeOf   map[int64]int32 // by handle of the message: the matched probe
	forms     forms
}

// numbered is a call with its number.
type numbered struct {
	call int
	*recorded.Call
}

// BeginCall is for replay.Follower.
func (d *Digester) BeginCall(call int, c *recorded.Call) {
	d.chosen = append(d.chosen, alwaysSteps[c.Func.Class] || c.Func.IsFormOf("MPI_Win_sync"))
	d.returns = c.Return != 0
	d.returned.begin(call, c)
	d.addToTail(call, c)
	if c.Func.InClass(mpi.ClassNewwin, mpi.ClassWinFree) {
		d.windowCalls = append(d.windowCalls, numbered{call, c})
	}
}

// BeginOperation is for replay.Follower.
func (d *Digester) BeginOperation(o *replay.Operation, made *recorded.Call) {
	d.chosen[o.Call], d.chosen[o.Made] = true, true
	if !d.returns {
		d.unreturned = append(d.unreturned, o)
	}
	if d.hasWindows {
		d.users = append(d.users, user{o, bufferAddress(o, made), accessCall(o, made)})
	}
	if !d.hasComm(int(o.Comm)) {
		return
	}
	switch o.Kind {
	case replay.Send, replay.Recv, replay.Probe:
		if at := d.addMessage(o); at >= 0 {
			o.Note = 1 + at
			d.linkProbe(at, made)
		}
	case replay.Collective:
		d.entries = append(d.entries, entry{step: o.Call, made: o.Made, done: o.Done, comm: o.Comm, number: o.Number,
			shape: d.shapeIndex(made, d.comms[o.Comm])})
		o.Note = -int32(len(d.entries))
	}
}

// ChangeOperation is for replay.Follower.
func (d *Digester) ChangeOperation(o *replay.Operation) {
	if o.Done >= 0 {
		d.chosen[o.Done] = true
	}
	if at, is := messageOf(o); is {
		m := &d.messages[at]
		m.form, m.done = d.forms.share(d.formOf(o, m.probe)), o.Done
	} else if at, is := entryOf(o); is {
		d.entries[at].done, d.entries[at].refused = o.Done, o.Refused
	}
}

// messageOf returns the index of an operation in Digest.messages, entryOf in Digest.entries.
func messageOf(o *replay.Operation) (at int32, is bool) { return o.Note - 1, o.Note > 0 }
func entryOf(o *replay.Operation) (at int32, is bool)   { return -o.Note - 1, o.Note < 0 }

// alwaysSteps are the classes of calls that order others without an operation.
var alwaysSteps = map[mpi.Class]bool{
	mpi.ClassFinalize: true, mpi.ClassWinColl: true, mpi.ClassWinComplete: true, mpi.ClassWinFlush: true,
	mpi.ClassWinFree: true, mpi.ClassWinLock: true,
	mpi.ClassWinPost: true, mpi.ClassWinStart: true, mpi.ClassWinTest: true, mpi.ClassWinUnlock: true,
	mpi.ClassWinWait: true, mpi.ClassNewwin: true,
	mpi.ClassRma: true, mpi.ClassRmaNb: true, mpi.ClassRmaNow: true,
}

// chooseSteps keeps the calls that waits are made of, beside those of operations and windows.
func (d *Digester) chooseSteps(rounds [][]numbered) {
	for i := range d.Waits {
		if w := &d.Waits[i]; !w.Poll {
			d.chosen[w.Call] = true
		}
	}
	for _, round := range rounds {
		for _, poll := range round {
			d.chosen[poll.call] = true
		}
	}
	d.finished = d.phase >= model.Finalizing
	for i := range d.Calls {
		if c := &d.Calls[i]; c.Function().Class == mpi.ClassFinalize {
			d.finished = true
		} else if !c.Returned {
			d.finished = false
			break
		}
	}
}

// numberSteps makes steps of the calls that are kept, and puts them where their calls were named.
func (d *Digester) numberSteps() {
	kept := 0
	for _, is := range d.chosen {
		if is {
			kept++
		}
	}
	d.stepOf, d.steps = make([]int32, len(d.Calls)), make([]int32, 0, kept)
	sites, kinds := map[int32]int32{}, map[step]int32{}
	for i := range d.Calls {
		c := &d.Calls[i]
		d.stepOf[i] = -1
		if !d.chosen[i] {
			continue
		}
		s := step{numberOf(sites, c.Site, func() { d.addSite(int(c.Site)) }), c.Thread, functions()[c.Function()], c.Muted, c.Returned}
		d.stepOf[i] = int32(len(d.steps))
		d.steps = append(d.steps, numberOf(kinds, s, func() { d.kinds = append(d.kinds, s) }))
	}
	d.ends = d.returned.ofSteps(d.stepOf, len(d.steps))
	for i := range d.messages {
		m := &d.messages[i]
		m.step, m.done = d.stepIndex(int(m.step)), d.stepIndex(int(m.done))
	}
	for i := range d.entries {
		e := &d.entries[i]
		e.step, e.made, e.done = d.stepIndex(int(e.step)), d.stepIndex(int(e.made)), d.stepIndex(int(e.done))
	}
}

// numberChannels keeps the channels that are used in the end, in the order of their messages.
func (d *Digester) numberChannels() {
	old, seen, number := d.channels, map[*form]bool{}, map[int32]int32{}
	d.channels = nil
	for i := range d.messages {
		f := d.messages[i].form
		if seen[f] {
			continue
		}
		seen[f] = true
		c := old[f.channel]
		f.channel = numberOf(number, f.channel, func() { d.channels = append(d.channels, c) })
		f.request = d.stepIndex(int(f.request))
	}
	d.forms = forms{}
	clear(d.channelOf)
	for i, c := range d.channels {
		d.channelOf[c] = int32(i)
	}
}

// numberOf returns the number of a key: the next one, for which add is called, if it has none.
func numberOf[K comparable](of map[K]int32, key K, add func()) int32 {
	at, ok := of[key]
	if !ok {
		at = int32(len(of))
		of[key] = at
		add()
	}
	return at
}

func (d *Digester) addSite(site int) {
	var s recorded.Site
	if site >= 0 && site < len(d.trace.Sites) {
		s = d.trace.Sites[site]
	}
	d.sites = append(d.sites, s)
}

// stepIndex returns the step of a call, -1 if the call is not kept.
func (d *Digester) stepIndex(call int) int32 {
	if call < 0 || call >= len(d.stepOf) {
		return -1
	}
	return d.stepOf[call]
}

// addMessage adds one half of a message, and returns its index; -1: it is none.
func (d *Digester) addMessage(o *replay.Operation) int32 {
	if o.Peer == model.ProcNull {
		return -1
	}
	d.messages = append(d.messages, message{d.forms.share(d.formOf(o, -1)), o.Call, o.Done})
	return int32(len(d.messages) - 1)
}

func (d *Digester) formOf(o *replay.Operation, probe int32) form {
	f := form{
		kind: half(o.Kind), mode: sendMode(o.Mode), blocking: o.Blocking, cancelled: o.Cancelled, withdrawn: o.Withdrawn,
		channel: d.channelIndex(o), buffer: -1, request: -1, bytes: o.Bytes, probe: probe,
	}
	if o.Made != o.Call {
		f.request = o.Made
	}
	if o.Kind != replay.Probe {
		f.buffer = d.bufferIndex(int(o.Type), o.Count)
	}
	return f
}

// linkProbe finds the matched probe of a receive, by the handle of the message.
func (d *Digester) linkProbe(at int32, c *recorded.Call) {
	switch c.Func.Class {
	case mpi.ClassMprobe, mpi.ClassImprobe:
		if handle, ok := c.OutputInt("message"); ok {
			d.probeOf[handle] = at
		}
	case mpi.ClassMrecv, mpi.ClassImrecv:
		handle, ok := c.InputInt("message")
		if probe, known := d.probeOf[handle]; ok && known {
			d.messages[at].linkTo(probe)
			d.messages[probe].linkTo(at)
			delete(d.probeOf, handle)
		}
	}
}

func (d *Digester) channelIndex(o *replay.Operation) int32 {
	c := channel{o.Kind == replay.Send, o.Comm, int(o.Peer), int(o.Tag), int(o.Peer), int(o.Tag), int(o.Pair)}
	if o.Kind != replay.Send && o.Done >= 0 {
		if o.Source >= 0 {
			c.peer = int(o.Source)
		}
		if o.FromTag >= 0 {
			c.tag = int(o.FromTag)
		}
	}
	return d.addChannel(c)
}

func (d *Digester) addChannel(c channel) int32 {
	return numberOf(d.channelOf, c, func() { d.channels = append(d.channels, c) })
}

// bufferIndex returns the index of count elements of a type, -1 if it is not known.
func (d *Digester) bufferIndex(typ int, count int64) int32 {
	if typ < 0 || typ >= len(d.types) || count < 0 {
		return -1
	}
	key := buffer{int32(typ), count}
	return numberOf(d.bufferOf, key, func() { d.buffers = append(d.buffers, key) })
}

func (d *Digester) addWaits() {
	for i := range d.Waits {
		if w := &d.Waits[i]; !w.Poll {
			d.waits = append(d.waits, newWaiting(d.stepIndex(w.Call), w))
		}
	}
}

func newWaiting(step int32, w *replay.Wait) waiting {
	out := waiting{step: step, any: w.Any}
	for _, o := range w.Operations {
		if at, is := messageOf(o); is {
			out.messages = append(out.messages, at)
		} else if at, is := entryOf(o); is {
			out.entries = append(out.entries, at)
		} else {
			out.other = true
		}
	}
	return out
}

// endOf is how a rank ended. A process that exits in the midst of a call which began
// no operation, since its arguments are wrong, was ended by MPI, and with it the
// job: what the other ranks waited for then says nothing.
func (d *Digester) endOf() model.End {
	if d.trace.End != model.Exited {
		return d.trace.End
	}
	open := map[int]bool{} // calls that did not return and began nothing
	for i := range d.Calls {
		if c := &d.Calls[i]; !c.Returned && c.Function().Class != mpi.ClassFinalize {
			open[i] = true
		}
	}
	for _, o := range d.unreturned {
		delete(open, int(o.Call))
	}
	for i := range d.Waits {
		delete(open, d.Waits[i].Call)
	}
	if len(open) > 0 {
		return model.Aborted
	}
	return d.trace.End
}
