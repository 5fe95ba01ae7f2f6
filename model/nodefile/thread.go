package nodefile

import (
	"fmt"
	"slices"

	"laggard/model"
	"laggard/model/format"
)

// behindStack is where the fields stand that were added behind the stack, in the live part, and sizeofAwaited their size.
const (
	behindStack   = format.ThreadStack + format.SizeofCapture
	sizeofAwaited = format.SizeofThreadLive - behindStack
)

// threadReader gathers the records of one thread.
type threadReader struct {
	thread *model.Thread
	rec    record // the THREAD record; off 0: there is none yet
	copied bool
	op     []byte // copies of its two blocks
	stack  []byte
	again  []byte // a later copy of the head of the first one
	before uint64 // its calls before any thread was copied
	early  bool   // before is known
	readModel
	edges   []edgeReader
	passage []int     // of edges in Model.Edges, as position; -1 lost
	folded  bool      // the model is that of another slot, with counts of its own
	own     readModel // whose memory serves for a later slot, while folded
}

// readModel is the states of a thread.
type readModel struct {
	states   table[stateReader]
	position []int // of states.list in Model.States, after equal states were joined
}

func (r *slotReader) threadAt(index uint32) *threadReader {
	t := r.threads[index]
	if t == nil {
		t = r.newThread()
		t.thread.Index = int(index)
		r.threads[index] = t
	}
	return t
}

// newThread returns a reader of another thread, in the memory of one of an earlier slot if there is any.
func (r *slotReader) newThread() *threadReader {
	n := len(r.room.threads)
	if n == 0 {
		return &threadReader{thread: new(model.Thread)}
	}
	t := r.room.threads[n-1]
	r.room.threads = r.room.threads[:n-1]
	own := t.readModel
	if t.folded {
		own = t.own
	}
	next := threadReader{thread: t.thread, edges: t.edges[:0], passage: t.passage[:0]}
	next.states.list, next.position = own.states.list[:0], own.position[:0]
	if !r.brief {
		next.thread = new(model.Thread)
	}
	*next.thread = model.Thread{}
	*t = next
	return t
}

func (r *slotReader) takeThread(rec record) error {
	_, err := r.beginThread(rec)
	return err
}

// beginThread takes what THREAD and REST records have in common.
func (r *slotReader) beginThread(rec record) (*threadReader, error) {
	le32, _ := wordReaders(rec.fixed)
	index := le32(format.ThreadIndex)
	if index != rec.thread {
		return nil, fmt.Errorf("%w: thread %d in a record of thread %d", model.ErrCorrupt, index, rec.thread)
	}
	t := r.threadAt(index)
	if t.rec.off != 0 {
		return nil, fmt.Errorf("%w: a second one of thread %d", model.ErrCorrupt, index)
	}
	rec.fixed = nil // it will be overwritten
	t.rec = rec
	t.thread.TID = int(le32(format.ThreadFirstTID))
	return t, nil
}

// copyBlocks copies the two blocks of the THREAD record.
func (t *threadReader) copyBlocks(r *slotReader) {
	if t.copied || t.rec.off == 0 {
		return
	}
	var ok bool
	if t.op, ok = r.img.copyBlock(t.op, t.rec.live, format.ThreadStack, 64, &r.wait); !ok {
		r.probs.add(t.rec.typ.String(), t.rec.off, model.ErrTorn)
	}
	size := int64(format.SizeofCapture)
	if t.rec.hasField(format.ThreadAwaited) {
		size = format.SizeofThreadLive - format.ThreadStack
	}
	if t.stack, ok = r.img.copyBlock(t.stack, t.rec.live+format.ThreadStack, size, 64, &r.wait); !ok {
		r.probs.add(t.rec.typ.String(), t.rec.off, fmt.Errorf("captured stack: %w", model.ErrTorn))
		t.stack = nil // frames of two stacks in one would mislead
	}
	t.copied = true
}

// noteCalls notes how many calls each thread has made, before any of them is copied.
func noteCalls(r *slotReader) {
	for _, t := range r.threads {
		if t.isLive() {
			t.before, t.early = r.img.u64(t.rec.live+format.ThreadCalls), true
		}
	}
}

// findPassing finds the threads that may not have been inside their calls for all the time between noteCalls and now.
func findPassing(r *slotReader) {
	if len(r.threads) < 2 {
		return
	}
	for _, t := range r.threads {
		if !t.isLive() || len(t.op) < format.ThreadPending {
			continue
		}
		var whole bool
		t.again, whole = r.img.copyBlock(t.again, t.rec.live, format.ThreadPending, 64, &r.wait)
		_, copied := wordReaders(t.op)
		in, now := wordReaders(t.again)
		same := t.before == copied(format.ThreadCalls) && t.before == now(format.ThreadCalls)
		t.thread.Op.Passing = !whole || !t.early || !same || in(format.ThreadInMPI) == 0
	}
}

// isLive reports whether a process changes what is said of the thread.
func (t *threadReader) isLive() bool { return t.rec.off != 0 && t.rec.typ == format.ThreadRecord }

// assembleThreads fills in Rank.Threads and returns their positions by index.
func (r slotAssembler) assembleThreads() map[uint32]int {
	if len(r.threads) == 0 {
		r.threadAt(0)
	}
	position := map[uint32]int{}
	for i, index := range threadOrder(r.threads) {
		t := r.threads[index]
		if t.rec.off == 0 && r.rank.Phase > model.Starting { // before that it may not have come to it
			r.probs.addErrorf(format.ThreadRecord.String(), -1, model.ErrLost, "of thread %d", index)
		}
		position[index] = i
		r.rank.Threads = append(r.rank.Threads, t.thread)
		if !t.folded {
			t.assembleModel(r.slotReader)
		}
	}
	for _, index := range threadOrder(r.threads) {
		if t := r.threads[index]; !t.folded {
			t.assembleEdges(r.slotReader)
		}
		r.threads[index].assembleBlocks(r.slotReader)
	}
	return position
}

// assembleBlocks decodes the copies of the two blocks.
func (t *threadReader) assembleBlocks(r *slotReader) {
	t.thread.Op.State = -1
	if t.op != nil {
		t.assembleOp(r)
	}
	if t.stack != nil {
		t.assembleCapture(r)
	}
}

func (t *threadReader) assembleOp(r *slotReader) {
	le32, le64 := wordReaders(t.op)
	th := t.thread
	th.Calls, th.Progress = le64(format.ThreadCalls), le64(format.ThreadProgress)
	th.Polls, th.Light = le64(format.ThreadPolls), le64(format.ThreadLight)
	switch tid := le32(format.ThreadTID); tid {
	case 0:
	case format.NoIndex:
		th.Ended = true
	default:
		th.TID = int(tid)
	}
	th.Op.State = t.stateIndex(r, le32(format.ThreadState), t.rec.typ.String(), t.rec.off)
	th.Op.InMPI = le32(format.ThreadInMPI) != 0
	th.Op.Passing = th.Op.Passing && th.Op.InMPI
	th.Op.Kind = t.decodeKind(r, le32(format.ThreadKind))
	n, total := le32(format.ThreadNlisted), le32(format.ThreadNpending)
	if n > format.MaxPending || n > total {
		r.probs.addCorrupt(t.rec.typ.String(), t.rec.off, "%d of %d pending operations listed", n, total)
		n = min(n, format.MaxPending)
	}
	th.Op.Unlisted = int(total) - int(min(n, total))
	for i := range int(n) {
		th.Op.Pending = append(th.Op.Pending, t.decodePending(r, t.op[format.ThreadPending+format.SizeofPending*i:]))
	}
}

func (t *threadReader) decodePending(r *slotReader, b []byte) model.Pending {
	le32, le64 := wordReaders(b)
	comm, ok := r.comms.find(le32(format.PendingComm))
	if !ok {
		r.probs.addErrorf(t.rec.typ.String(), t.rec.off, model.ErrLost, "communicator %d", le32(format.PendingComm))
	}
	return model.Pending{
		Kind:  t.decodeKind(r, le32(format.PendingKind)),
		Comm:  comm,
		Peer:  int(int32(le32(format.PendingPeer))),
		Tag:   int(int32(le32(format.PendingTag))),
		Seq:   le64(format.PendingSeq),
		State: t.stateIndex(r, le32(format.PendingState), t.rec.typ.String(), t.rec.off),
	}
}

// decodeKind takes an unknown kind for Other, which claims nothing.
func (t *threadReader) decodeKind(r *slotReader, k uint32) model.Kind {
	if k > uint32(model.Abort) {
		r.probs.addErrorf(t.rec.typ.String(), t.rec.off, model.ErrUnknown, "operation kind %d", k)
		return model.Other
	}
	return model.Kind(k)
}

func (t *threadReader) assembleCapture(r *slotReader) {
	le32, le64 := wordReaders(t.stack)
	if le64(format.CaptureTime) == 0 {
		return
	}
	n := le32(format.CaptureNframes)
	if n > format.MaxFrames {
		r.probs.addCorrupt(t.rec.typ.String(), t.rec.off, "captured stack of %d frames", n)
		n = 0
	}
	if why := le32(format.CaptureWhy); why < uint32(model.CaptureQuiet) || why > uint32(model.CaptureExit) {
		r.probs.addErrorf(t.rec.typ.String(), t.rec.off, model.ErrUnknown, "reason %d for a captured stack", why)
	}
	stack, _ := r.decodeFrames(t.stack[format.CaptureFrames:][:8*n], t.rec.typ.String(), t.rec.off)
	t.thread.Captured = &model.Capture{
		Time:    timeOf(le64(format.CaptureTime)),
		Why:     model.CaptureReason(le32(format.CaptureWhy)),
		Signal:  int(int32(le32(format.CaptureSignal))),
		Stack:   stack,
		Partial: le32(format.CaptureFlags)&format.StackPartial != 0,
		Idle:    le32(format.CaptureFlags)&format.StackIdle != 0,
		InMPI:   le32(format.CaptureInMPI) != 0,
		Calls:   le64(format.CaptureCalls),
		Same:    int(le32(format.CaptureSame)),
		Other:   le32(format.CaptureFlags)&format.StackOther != 0,
	}
	behind := int64(format.SizeofCapture)
	if t.rec.typ == format.RestRecord {
		behind = format.CaptureFrames + 8*int64(n)
	}
	t.assembleAwaited(r, behind)
}

// assembleAwaited decodes what an older recorder did not write, which stands at that place behind the stack.
func (t *threadReader) assembleAwaited(r *slotReader, at int64) {
	if int64(len(t.stack)) < at+sizeofAwaited {
		return
	}
	le32, _ := wordReaders(t.stack[at:])
	what := model.Awaited(le32(format.ThreadAwaited - behindStack))
	if what > model.ProcessAwaited {
		r.probs.addErrorf(t.rec.typ.String(), t.rec.off, model.ErrUnknown, "%d awaited of a thread", what)
		return
	}
	t.thread.Captured.Awaited, t.thread.Captured.AwaitedTID = what, int(le32(format.ThreadAwaitedTID-behindStack))
}

// writeThread writes the THREAD record, or of a folded slot the REST record.
func (w *slotWriter) writeThread(r *model.Rank, t *model.Thread) {
	fixed := make(part, format.SizeofThreadFixed)
	fixed.i32(format.ThreadIndex, t.Index)
	fixed.i32(format.ThreadFirstTID, t.TID)
	op, stack, awaited := w.encodeOp(r, t), w.encodeCapture(t.Captured), encodeAwaited(t.Captured)
	switch {
	case w.err != nil:
	case w.fold != nil:
		w.writeRecord(format.RestRecord, t.Index, slices.Concat(fixed, op, stack, awaited), nil)
	default:
		live := make(part, format.SizeofThreadLive)
		copy(live, op)
		copy(live[format.ThreadStack:], stack)
		copy(live[behindStack:], awaited)
		w.writeRecord(format.ThreadRecord, t.Index, fixed, live)
	}
}

// encodeOp is the first block of the live part, with only the pending operations in use.
func (w *slotWriter) encodeOp(r *model.Rank, t *model.Thread) part {
	op, states := &t.Op, len(t.Model.States)
	w.checkRange("state of an operation", op.State, -1, states-1)
	w.checkRange("number of pending operations", len(op.Pending), 0, format.MaxPending)
	w.checkRange("number of operations not listed", op.Unlisted, 0, 1<<31)
	if w.err != nil {
		return nil
	}
	live := make(part, format.ThreadPending)
	live.u64(format.ThreadCalls, t.Calls)
	live.u64(format.ThreadProgress, t.Progress)
	live.u64(format.ThreadPolls, t.Polls)
	live.putFlag(format.ThreadInMPI, op.InMPI)
	live.i32(format.ThreadState, op.State)
	live.u32(format.ThreadKind, uint32(op.Kind))
	live.i32(format.ThreadNpending, len(op.Pending)+op.Unlisted)
	live.i32(format.ThreadNlisted, len(op.Pending))
	live.i32(format.ThreadTID, t.TID)
	if t.Ended {
		live.u32(format.ThreadTID, format.NoIndex)
	}
	live.u64(format.ThreadLight, t.Light)
	for _, p := range op.Pending {
		w.checkRange("communicator of a pending operation", p.Comm, -1, len(r.Comms)-1)
		w.checkRange("state of a pending operation", p.State, -1, states-1)
		live.appendZeros(format.SizeofPending).putPending(p)
	}
	return live
}

func (p part) putPending(o model.Pending) {
	p.u32(format.PendingKind, uint32(o.Kind))
	p.i32(format.PendingComm, o.Comm)
	p.i32(format.PendingPeer, o.Peer)
	p.i32(format.PendingTag, o.Tag)
	p.u64(format.PendingSeq, o.Seq)
	p.i32(format.PendingState, o.State)
}

// encodeCapture is the second block of the live part, with only the frames in use.
func (w *slotWriter) encodeCapture(c *model.Capture) part {
	live := make(part, format.CaptureFrames)
	if c == nil {
		return live
	}
	live.putTime(format.CaptureTime, c.Time)
	live.u64(format.CaptureCalls, c.Calls)
	live.u32(format.CaptureWhy, uint32(c.Why))
	live.i32(format.CaptureSame, c.Same)
	live.putFlag(format.CaptureInMPI, c.InMPI)
	live.u32(format.CaptureFlags,
		bitsOf(bitIf{format.StackPartial, c.Partial}, bitIf{format.StackIdle, c.Idle}, bitIf{format.StackOther, c.Other}))
	live.i32(format.CaptureSignal, c.Signal)
	live.i32(format.CaptureNframes, len(c.Stack))
	return w.appendFrames(live, c.Stack)
}

// encodeAwaited is what stands behind the stack.
func encodeAwaited(c *model.Capture) part {
	live := make(part, sizeofAwaited)
	if c != nil {
		live.u32(format.ThreadAwaited-behindStack, uint32(c.Awaited))
		live.i32(format.ThreadAwaitedTID-behindStack, c.AwaitedTID)
	}
	return live
}
