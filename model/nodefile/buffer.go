package nodefile

import (
	"math"

	"laggard/model"
	"laggard/model/format"
)

// addBuffer adds what a BUFFER record says to Thread.Buffers, unless the state of its call is lost.
func (r slotAssembler) addBuffer(t *threadReader, rec record) {
	le32, le64 := wordReaders(rec.fixed)
	if le32(format.BufferMemory) > format.MemoryGone || le32(format.BufferPosition) > math.MaxInt8 {
		r.probs.addCorrupt(rec.typ.String(), rec.off, "memory %d at argument %d", le32(format.BufferMemory), le32(format.BufferPosition))
		return
	}
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
		out.Variable, _ = r.decodeFrames(rec.fixed[format.BufferVariable:][:8], rec.typ.String(), rec.off)
	}
	if state := le32(format.BufferState); state != format.NoIndex {
		if out.State = t.stateIndex(r.slotReader, state, rec.typ.String(), rec.off); out.State < 0 {
			return
		}
	}
	t.thread.Buffers = append(t.thread.Buffers, out)
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
		fixed.u32(format.BufferFlags, bitsOf(
			bitIf{format.BufferWritten, b.Written}, bitIf{format.BufferReadOnly, b.ReadOnly}, bitIf{format.BufferUnsure, b.Unsure}))
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
