package model

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// threadReader gathers the records of one thread.
type threadReader struct {
	thread   *Thread
	rec      record // the THREAD record; off 0: there is none yet
	copied   bool
	op       []byte // copies of its two blocks
	stack    []byte
	states   table[stateReader]
	edges    []edgeReader
	position []int // of states.list in Model.States, after equal states were joined
	passage  []int // of edges in Model.Edges, likewise; -1 lost
	folded   bool  // the model is that of another slot, with counts of its own
}

type stateReader struct {
	fixed  []byte // of its record; takeState has accepted it
	off    int64
	visits int64 // where the count is
}

type edgeReader struct {
	from, to uint32
	off      int64
	count    int64 // where the count is
}

func (r *slotReader) thread(index uint32) *threadReader {
	t := r.threads[index]
	if t == nil {
		t = &threadReader{thread: &Thread{Index: int(index)}}
		r.threads[index] = t
	}
	return t
}

func (r *slotReader) takeThread(rec record) error {
	_, err := r.beginThread(rec)
	return err
}

// beginThread takes what THREAD and REST records have in common.
func (r *slotReader) beginThread(rec record) (*threadReader, error) {
	le32, _ := fields(rec.fixed)
	index := le32(threadIndex)
	if index != rec.thread {
		return nil, fmt.Errorf("%w: thread %d in a record of thread %d", ErrCorrupt, index, rec.thread)
	}
	t := r.thread(index)
	if t.rec.off != 0 {
		return nil, fmt.Errorf("%w: a second one of thread %d", ErrCorrupt, index)
	}
	rec.fixed = nil // it will be overwritten
	t.rec = rec
	t.thread.TID = int(le32(threadFirst))
	return t, nil
}

func (r *slotReader) takeState(rec record) error {
	le32, _ := fields(rec.fixed)
	if _, _, err := stateParts(rec.fixed); err != nil {
		return err
	}
	if binding := le32(stateBinding); binding > uint32(Fortran08) {
		r.probs.note(rec.typ.String(), rec.off, ErrUnknown, "language binding %d", binding)
	}
	s := stateReader{off: rec.off, visits: rec.live, fixed: bytes.Clone(rec.fixed)}
	return r.thread(rec.thread).states.add(le32(stateIndex), s)
}

// build makes the state that a record describes. It is not whole if a module of
// its stack was lost.
func (s *stateReader) build(r *slotReader) (state *State, whole bool) {
	le32, _ := fields(s.fixed)
	frames, name, _ := stateParts(s.fixed)
	state = &State{Call: string(name), Partial: le32(stateFlags)&flagPartial != 0}
	if binding := le32(stateBinding); binding <= uint32(Fortran08) {
		state.Binding = Binding(binding)
	}
	var lost bool
	state.Stack, lost = r.frames(frames, recState.String(), s.off)
	state.ID = stateID(state)
	return state, !lost
}

// stateParts returns the frame words and the function name in a STATE record.
func stateParts(fixed []byte) (frames, name []byte, err error) {
	le32, _ := fields(fixed)
	lens := le32(stateNFrames)
	nframes, nname := int(lens&0xffff), int(lens>>16)
	rest := fixed[stateFixed:]
	if nframes > maxFrames || 8*nframes+nname > len(rest) {
		return nil, nil, fmt.Errorf("%w: %d frames and a name of %d bytes in %d bytes", ErrCorrupt, nframes, nname,
			len(rest))
	}
	return rest[:8*nframes], rest[8*nframes:][:nname], nil
}

func (r *slotReader) takeEdge(rec record) error {
	le32, _ := fields(rec.fixed)
	t := r.thread(rec.thread)
	t.edges = append(t.edges, edgeReader{le32(edgeFrom), le32(edgeTo), rec.off, rec.live})
	return nil
}

// snapshot copies the two blocks of the THREAD record.
func (t *threadReader) snapshot(r *slotReader) {
	if t.copied || t.rec.off == 0 {
		return
	}
	var ok bool
	if t.op, ok = r.img.block(t.op, t.rec.live, opSize, 64, &r.wait); !ok {
		r.probs.add(t.rec.typ.String(), t.rec.off, ErrTorn)
	}
	if t.stack, ok = r.img.block(t.stack, t.rec.live+opSize, stackSize, 64, &r.wait); !ok {
		r.probs.add(t.rec.typ.String(), t.rec.off, fmt.Errorf("captured stack: %w", ErrTorn))
		t.stack = nil // frames of two stacks in one would mislead
	}
	t.copied = true
}

// assembleThreads fills in Rank.Threads and returns their positions by index.
func (r *slotReader) assembleThreads() map[uint32]int {
	if len(r.threads) == 0 {
		r.thread(0)
	}
	position := map[uint32]int{}
	for i, index := range r.threadOrder() {
		t := r.threads[index]
		if t.rec.off == 0 && r.rank.Phase > Starting { // before that it may not have come to it
			r.probs.note(recThreadRec.String(), -1, ErrLost, "of thread %d", index)
		}
		position[index] = i
		r.rank.Threads = append(r.rank.Threads, t.thread)
		if !t.folded {
			t.assembleModel(r)
		}
	}
	for _, index := range r.threadOrder() {
		if t := r.threads[index]; !t.folded {
			t.assembleEdges(r)
		}
		r.threads[index].assembleBlocks(r)
	}
	return position
}

// assembleModel makes the states, joining those with the same content: a
// library that was unloaded and loaded again gives its call sites new modules.
func (t *threadReader) assembleModel(r *slotReader) {
	m := &t.thread.Model
	seen := make(map[StateID]int, len(t.states.list))
	m.States, m.Visits = slices.Grow(m.States, len(t.states.list)), slices.Grow(m.Visits, len(t.states.list))
	for i := range t.states.list {
		s := &t.states.list[i]
		state := r.state(s)
		at, known := seen[state.ID]
		if !known {
			at = len(m.States)
			seen[state.ID] = at
			m.States = append(m.States, state)
			m.Visits = append(m.Visits, 0)
		}
		m.Visits[at] += r.img.u64(s.visits)
		t.position = append(t.position, at)
	}
}

// state returns the state of a record: that of another slot if both recorded the
// same.
func (r *slotReader) state(s *stateReader) *State {
	if r.key == nil {
		r.key = binary.LittleEndian.AppendUint32(nil, r.states.table(&r.modules))
	}
	r.key = append(r.key[:4], s.fixed[stateNFrames:]...)
	if known := r.states.find(r.key); known != nil {
		return known
	}
	state, whole := s.build(r)
	if !whole {
		return state // every slot complains for itself
	}
	return r.states.add(r.key, state)
}

// state returns the index in Model.States for a recorded one, and complains if
// it names a state that is not there.
func (t *threadReader) state(r *slotReader, index uint32, section string, off int64) int {
	at, ok := t.states.find(index)
	if !ok {
		r.probs.note(section, off, ErrLost, "state %d of thread %d", index, t.thread.Index)
	}
	if at < 0 {
		return -1
	}
	return t.position[at]
}

func (t *threadReader) assembleEdges(r *slotReader) {
	m := &t.thread.Model
	seen := map[[2]int]int{}
	for i, e := range t.edges {
		from := t.state(r, e.from, recEdge.String(), e.off)
		to := t.state(r, e.to, recEdge.String(), e.off)
		t.passage = append(t.passage, -1)
		if from < 0 || to < 0 {
			continue
		}
		at, known := seen[[2]int{from, to}]
		if !known {
			at = len(m.Edges)
			seen[[2]int{from, to}] = at
			m.Edges = append(m.Edges, Edge{From: from, To: to})
		}
		m.Edges[at].Count += r.img.u64(e.count)
		t.passage[i] = at
	}
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
	le32, le64 := fields(t.op)
	th := t.thread
	th.Calls, th.Progress, th.Polls, th.Light = le64(opCalls), le64(opProgress), le64(opPolls), le64(opLight)
	if tid := le32(opTID); tid != 0 {
		th.TID = int(tid)
	}
	th.Op.State = t.state(r, le32(opState), t.rec.typ.String(), t.rec.off)
	th.Op.InMPI = le32(opInMPI) != 0
	th.Op.Kind = t.kind(r, le32(opKind))
	n, total := le32(opNListed), le32(opNPending)
	if n > maxPending || n > total {
		r.probs.corrupt(t.rec.typ.String(), t.rec.off, "%d of %d pending operations listed", n, total)
		n = min(n, maxPending)
	}
	th.Op.Unlisted = int(total) - int(min(n, total))
	for i := range int(n) {
		th.Op.Pending = append(th.Op.Pending, t.pending(r, t.op[opPending+pendingSize*i:]))
	}
}

func (t *threadReader) pending(r *slotReader, b []byte) Pending {
	le32, le64 := fields(b)
	comm, ok := r.comms.find(le32(pendingComm))
	if !ok {
		r.probs.note(t.rec.typ.String(), t.rec.off, ErrLost, "communicator %d", le32(pendingComm))
	}
	return Pending{
		Kind:  t.kind(r, le32(pendingKind)),
		Comm:  comm,
		Peer:  int(int32(le32(pendingPeer))),
		Tag:   int(int32(le32(pendingTag))),
		Seq:   le64(pendingSeq),
		State: t.state(r, le32(pendingState), t.rec.typ.String(), t.rec.off),
	}
}

// kind takes an unknown kind for Other, which claims nothing.
func (t *threadReader) kind(r *slotReader, k uint32) Kind {
	if k > uint32(Abort) {
		r.probs.note(t.rec.typ.String(), t.rec.off, ErrUnknown, "operation kind %d", k)
		return Other
	}
	return Kind(k)
}

func (t *threadReader) assembleCapture(r *slotReader) {
	le32, le64 := fields(t.stack)
	if le64(stackTime) == 0 {
		return
	}
	n := le32(stackNFrames)
	if n > maxFrames {
		r.probs.corrupt(t.rec.typ.String(), t.rec.off, "captured stack of %d frames", n)
		n = 0
	}
	if why := le32(stackWhy); why < uint32(CaptureQuiet) || why > uint32(CaptureError) {
		r.probs.note(t.rec.typ.String(), t.rec.off, ErrUnknown, "reason %d for a captured stack", why)
	}
	stack, _ := r.frames(t.stack[stackFrames:][:8*n], t.rec.typ.String(), t.rec.off)
	t.thread.Captured = &Capture{
		Time:    timeOf(le64(stackTime)),
		Why:     CaptureReason(le32(stackWhy)),
		Signal:  int(int32(le32(stackSignal))),
		Stack:   stack,
		Partial: le32(stackFlags)&flagPartial != 0,
		Idle:    le32(stackFlags)&captureIdle != 0,
		InMPI:   le32(stackInMPI) != 0,
		Calls:   le64(stackCalls),
		Same:    int(le32(stackSame)),
	}
}

// raisedReader is a RAISED record.
type raisedReader struct {
	thread uint32
	off    int64
	fixed  []byte
}

func (r *slotReader) takeRaised(rec record) error {
	if _, _, err := raisedParts(rec.fixed); err != nil {
		return err
	}
	r.raised = append(r.raised, raisedReader{rec.thread, rec.off, slices.Clone(rec.fixed)})
	return nil
}

// raisedParts returns the frame words and the name of the type in a RAISED record.
func raisedParts(fixed []byte) (frames []byte, name string, err error) {
	frameCount := int(binary.LittleEndian.Uint16(fixed[raisedNFrames:]))
	length := int(binary.LittleEndian.Uint16(fixed[raisedTypeLen:]))
	rest := fixed[raisedFixed:]
	if frameCount > maxFrames || 8*frameCount+length > len(rest) {
		return nil, "", fmt.Errorf("%w: %d frames and a type of %d bytes in %d bytes", ErrCorrupt, frameCount, length,
			len(rest))
	}
	return rest[:8*frameCount], strings.ToValidUTF8(string(rest[8*frameCount:][:length]), "\uFFFD"), nil
}

// assembleRaised fills in Thread.Raised: the last record of each thread counts.
func (r *slotReader) assembleRaised() {
	for _, x := range r.raised {
		t := r.threads[x.thread]
		if t == nil {
			r.probs.note(recRaised.String(), x.off, ErrLost, "thread %d", x.thread)
			continue
		}
		le32, le64 := fields(x.fixed)
		frames, name, _ := raisedParts(x.fixed)
		how := RaisedHow(le32(raisedHow))
		t.thread.Raised = nil
		switch {
		case how > RaisedThrown:
			r.probs.note(recRaised.String(), x.off, ErrUnknown, "way %d to have an exception", how)
		case how != RaisedNone:
			stack, _ := r.frames(frames, recRaised.String(), x.off)
			t.thread.Raised = &Raised{
				How: how, Calls: le64(raisedCalls), Order: le32(raisedOrder), Type: name, Stack: stack,
				Cut: le32(raisedFlags)&flagPartial != 0,
			}
		}
	}
}

// raised writes the RAISED record of a thread that has one.
func (w *slotWriter) raised(t *Thread) {
	x := t.Raised
	if x == nil {
		return
	}
	w.fits("length of the name of an exception", len(x.Type), 0, 1<<16-1)
	var fixed fill
	fixed.u64(x.Calls).u32(uint32(x.How)).u16(uint16(len(x.Stack))).u16(uint16(len(x.Type))).flag(x.Cut).u32(x.Order)
	w.frames(&fixed, x.Stack)
	w.record(recRaised, t.Index, *fixed.text(x.Type), nil)
}
