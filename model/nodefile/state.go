package nodefile

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"laggard/model"
	"laggard/model/format"
	"laggard/model/mpi"
)

type stateReader struct {
	fixed []byte // of its record; format.TakeState has accepted it
	off   int64
	live  int64 // where the counts are
	nlive int64 // bytes there
}

type edgeReader struct {
	from, to uint32
	off      int64
	count    int64 // where the count is
}

func (r *slotReader) takeState(rec record) error {
	le32, _ := wordReaders(rec.fixed)
	if _, _, err := stateParts(rec.fixed); err != nil {
		return err
	}
	if binding := le32(format.StateBinding); binding > uint32(mpi.Fortran08) {
		r.probs.addErrorf(rec.typ.String(), rec.off, model.ErrUnknown, "language binding %d", binding)
	}
	s := stateReader{off: rec.off, live: rec.live, nlive: rec.nlive, fixed: r.room.copyBytes(rec.fixed)}
	return r.threadAt(rec.thread).states.add(le32(format.StateIndex), s)
}

// buildState makes the state that a record describes. It is not whole if a module of
// its stack was lost.
func (s *stateReader) buildState(r *slotReader) (state *model.State, whole bool) {
	le32, _ := wordReaders(s.fixed)
	frames, name, _ := stateParts(s.fixed)
	state = &model.State{Call: string(name), Partial: le32(format.StateFlags)&format.StackPartial != 0}
	if binding := le32(format.StateBinding); binding <= uint32(mpi.Fortran08) {
		state.Binding = mpi.Binding(binding)
	}
	var lost bool
	state.Stack, lost = r.decodeFrames(frames, format.StateRecord.String(), s.off)
	state.ID = state.ContentID()
	return state, !lost
}

// stateParts returns the frame words and the function name in a STATE record.
func stateParts(fixed []byte) (frames, name []byte, err error) {
	le32, _ := wordReaders(fixed)
	lens := le32(format.StateNframes)
	nframes, nname := int(lens&0xffff), int(lens>>16)
	rest := fixed[format.SizeofStateFixed:]
	if nframes > format.MaxFrames || 8*nframes+nname > len(rest) {
		return nil, nil, fmt.Errorf("%w: %d frames and a name of %d bytes in %d bytes", model.ErrCorrupt, nframes, nname,
			len(rest))
	}
	return rest[:8*nframes], rest[8*nframes:][:nname], nil
}

func (r *slotReader) takeEdge(rec record) error {
	le32, _ := wordReaders(rec.fixed)
	t := r.threadAt(rec.thread)
	t.edges = append(t.edges, edgeReader{le32(format.EdgeFrom), le32(format.EdgeTo), rec.off, rec.live})
	return nil
}

// assembleModel makes the states, joining those with the same content: a
// library that was unloaded and loaded again gives its call sites new modules.
func (t *threadReader) assembleModel(r *slotReader) {
	m := &t.thread.Model
	seen := make(map[model.StateID]int, len(t.states.list))
	m.States, m.Visits = slices.Grow(m.States, len(t.states.list)), r.room.newVisits(len(t.states.list))
	for i := range t.states.list {
		s := &t.states.list[i]
		state := r.stateOf(s)
		at, known := seen[state.ID]
		if !known {
			at = len(m.States)
			seen[state.ID] = at
			m.States = append(m.States, state)
		}
		m.Visits[at] += r.img.u64(s.live + format.StateVisits)
		t.position = append(t.position, at)
	}
	m.Visits = m.Visits[:len(m.States)]
	t.assembleUnfreed(r)
	if !r.brief {
		t.assembleSamples(r)
	}
}

// assembleUnfreed fills in Model.Unfreed.
func (t *threadReader) assembleUnfreed(r *slotReader) {
	counts := map[int]model.Unfreed{}
	for i := range t.states.list {
		s := &t.states.list[i]
		if s.nlive <= format.StateUnfreed {
			continue // an older recorder
		}
		if n := int(r.img.u32(s.live + format.StateUnfreed)); n > 0 {
			u := counts[t.position[i]]
			counts[t.position[i]] = model.Unfreed{
				State: t.position[i], Count: u.Count + n, Rounds: u.Rounds + int(r.img.u32(s.live+format.StateRounds)),
			}
		}
	}
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		t.thread.Model.Unfreed = append(t.thread.Model.Unfreed, counts[state])
	}
}

// assembleSamples fills in Model.Samples, if some were taken.
func (t *threadReader) assembleSamples(r *slotReader) {
	m := &t.thread.Model
	for i := range t.states.list {
		s := &t.states.list[i]
		if s.nlive <= format.StateWaiting {
			continue // an older recorder
		}
		computing, waiting := r.img.u32(s.live+format.StateComputing), r.img.u32(s.live+format.StateWaiting)
		if computing+waiting == 0 {
			continue
		}
		if m.Samples == nil {
			m.Samples = make([]model.Samples, len(m.States))
		}
		at := &m.Samples[t.position[i]]
		at.Computing += int(computing)
		at.Waiting += int(waiting)
	}
}

// stateOf returns the state of a record: that of another slot if both recorded the
// same.
func (r *slotReader) stateOf(s *stateReader) *model.State {
	if r.key == nil {
		r.key = binary.LittleEndian.AppendUint32(nil, r.states.moduleListID(&r.modules))
	}
	r.key = append(r.key[:4], s.fixed[format.StateNframes:]...)
	if known := r.states.find(r.key); known != nil {
		return known
	}
	state, whole := s.buildState(r)
	if !whole {
		return state // every slot complains for itself
	}
	return r.states.add(r.key, state)
}

// stateIndex returns the index in Model.States for a recorded one, and complains if
// it names a state that is not there.
func (t *threadReader) stateIndex(r *slotReader, index uint32, section string, off int64) int {
	at, ok := t.states.find(index)
	if !ok {
		r.probs.addErrorf(section, off, model.ErrLost, "state %d of thread %d", index, t.thread.Index)
	}
	if at < 0 {
		return -1
	}
	return t.position[at]
}

func (t *threadReader) assembleEdges(r *slotReader) {
	m := &t.thread.Model
	seen := make(map[[2]int32]int, len(t.edges))
	r.room.edges = slices.Grow(r.room.edges, len(t.edges))
	begin := len(r.room.edges)
	for i, e := range t.edges {
		from := t.stateIndex(r, e.from, format.EdgeRecord.String(), e.off)
		to := t.stateIndex(r, e.to, format.EdgeRecord.String(), e.off)
		t.passage = append(t.passage, -1)
		if from < 0 || to < 0 {
			continue
		}
		ends := [2]int32{int32(from), int32(to)}
		at, known := seen[ends]
		if !known {
			at = len(r.room.edges) - begin
			seen[ends] = at
			r.room.edges = append(r.room.edges, model.Edge{From: from, To: to})
		}
		r.room.edges[begin+at].Count += r.img.u64(e.count)
		t.passage[i] = at
	}
	m.Edges = r.room.edgesFrom(begin)
}

// writeModel writes the STATE and EDGE records of a thread.
func (w *slotWriter) writeModel(t *model.Thread) {
	m := &t.Model
	if len(m.Visits) != len(m.States) {
		w.setError("%d visits for %d states", len(m.Visits), len(m.States))
		return
	}
	if len(m.Samples) != 0 && len(m.Samples) != len(m.States) {
		w.setError("samples of %d states of %d", len(m.Samples), len(m.States))
		return
	}
	for i := range m.States {
		w.writeState(t, i)
	}
	for _, e := range m.Edges {
		w.checkRange("start of an edge", e.From, 0, len(m.States)-1)
		w.checkRange("end of an edge", e.To, 0, len(m.States)-1)
		fixed, live := make(part, format.SizeofEdgeFixed), make(part, format.SizeofEdgeLive)
		fixed.i32(format.EdgeFrom, e.From)
		fixed.i32(format.EdgeTo, e.To)
		live.u64(format.EdgeCount, e.Count)
		w.writeRecord(format.EdgeRecord, t.Index, fixed, live)
	}
}

func (w *slotWriter) writeState(t *model.Thread, index int) {
	s := t.Model.States[index]
	w.checkRange("length of a function name", len(s.Call), 0, math.MaxUint16)
	fixed, live := make(part, format.SizeofStateFixed), make(part, format.SizeofStateLive)
	fixed.i32(format.StateIndex, index)
	fixed.u16(format.StateNframes, len(s.Stack))
	fixed.u16(format.StateNameLen, len(s.Call))
	fixed.putFlag(format.StateFlags, s.Partial)
	fixed.u32(format.StateBinding, uint32(s.Binding))
	live.u64(format.StateVisits, t.Model.Visits[index])
	if t.Model.Samples != nil {
		live.i32(format.StateComputing, t.Model.Samples[index].Computing)
		live.i32(format.StateWaiting, t.Model.Samples[index].Waiting)
	}
	if i := slices.IndexFunc(t.Model.Unfreed, func(u model.Unfreed) bool { return u.State == index }); i >= 0 {
		live.i32(format.StateUnfreed, t.Model.Unfreed[i].Count)
		live.i32(format.StateRounds, t.Model.Unfreed[i].Rounds)
	}
	w.writeRecord(format.StateRecord, t.Index, append(w.appendFrames(fixed, s.Stack), s.Call...), live)
}
