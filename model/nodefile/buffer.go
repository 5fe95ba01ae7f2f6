package nodefile

import (
	"math"

	"laggard/model"
	"laggard/model/format"
)

// bufferReader is a BUFFER record.
type bufferReader struct {
	thread uint32
	fixed  []byte
	off    int64
}

func (r *slotReader) takeBuffer(rec record) {
	r.buffers = append(r.buffers, bufferReader{rec.thread, r.room.copyBytes(rec.fixed), rec.off})
}

// assembleBuffers fills in Thread.Buffers.
func (r slotAssembler) assembleBuffers() {
	for _, b := range r.buffers {
		t := r.threads[b.thread]
		if t == nil {
			r.probs.addErrorf(format.BufferRecord.String(), b.off, model.ErrLost, "thread %d", b.thread)
			continue
		}
		le32, _ := wordReaders(b.fixed)
		if le32(format.BufferMemory) > format.MemoryGone || le32(format.BufferPosition) > math.MaxInt8 {
			r.probs.addCorrupt(format.BufferRecord.String(), b.off, "memory %d at argument %d", le32(format.BufferMemory),
				le32(format.BufferPosition))
			continue
		}
		if out, ok := r.bufferOf(b, t); ok {
			t.thread.Buffers = append(t.thread.Buffers, out)
		}
	}
}

// bufferOf decodes a record; false: the state of its call is lost.
func (r slotAssembler) bufferOf(b bufferReader, t *threadReader) (model.Buffer, bool) {
	le32, le64 := wordReaders(b.fixed)
	out := model.Buffer{
		State: -1, Position: int(le32(format.BufferPosition)), Element: int(max(int32(le32(format.BufferElement)), -1)),
		Address: le64(format.BufferAddress), Low: int64(le64(format.BufferLow)), High: int64(le64(format.BufferHigh)),
		Room: max(int64(le64(format.BufferRoom)), -1), Memory: model.Memory(le32(format.BufferMemory)),
		Written:  le32(format.BufferFlags)&format.BufferWritten != 0,
		ReadOnly: le32(format.BufferFlags)&format.BufferReadOnly != 0,
		Unsure:   le32(format.BufferFlags)&format.BufferUnsure != 0,
		Frame:    int(max(int32(le32(format.BufferFrame)), -1)), InFrame: int64(le64(format.BufferInFrame)),
	}
	if le64(format.BufferVariable) != math.MaxUint64 {
		out.Variable, _ = r.decodeFrames(b.fixed[format.BufferVariable:][:8], format.BufferRecord.String(), b.off)
	}
	if state := le32(format.BufferState); state != format.NoIndex {
		out.State = t.stateIndex(r.slotReader, state, format.BufferRecord.String(), b.off)
		return out, out.State >= 0
	}
	return out, true
}

// writeBuffers writes the BUFFER records of a thread.
func (w *slotWriter) writeBuffers(t *model.Thread) {
	for _, b := range t.Buffers {
		w.checkRange("state with a buffer", b.State, -1, len(t.Model.States)-1)
		w.checkRange("position of a buffer", b.Position, 0, math.MaxInt8)
		w.checkRange("memory of a buffer", int(b.Memory), 0, format.MemoryGone)
		fixed := make(part, format.BufferVariable)
		fixed.u64(format.BufferAddress, b.Address)
		fixed.u64(format.BufferLow, uint64(b.Low))
		fixed.u64(format.BufferHigh, uint64(b.High))
		fixed.u64(format.BufferRoom, uint64(b.Room))
		fixed.u32(format.BufferMemory, uint32(b.Memory))
		flags := uint32(0)
		if b.Written {
			flags |= format.BufferWritten
		}
		if b.ReadOnly {
			flags |= format.BufferReadOnly
		}
		if b.Unsure {
			flags |= format.BufferUnsure
		}
		fixed.u32(format.BufferFlags, flags)
		fixed.i32(format.BufferState, b.State)
		fixed.i32(format.BufferPosition, b.Position)
		fixed.i32(format.BufferElement, b.Element)
		fixed.i32(format.BufferFrame, b.Frame)
		fixed.u64(format.BufferInFrame, uint64(b.InFrame))
		if len(b.Variable) == 0 {
			fixed = append(fixed, make(part, 8)...)
			fixed.u64(format.BufferVariable, math.MaxUint64)
		} else {
			fixed = w.appendFrames(fixed, b.Variable[:1])
		}
		w.writeRecord(format.BufferRecord, t.Index, fixed, nil)
	}
}
