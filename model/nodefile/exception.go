package nodefile

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"laggard/model"
	"laggard/model/format"
)

// raisedParts returns the frame words, the name of the type and the text in a RAISED record.
func raisedParts(fixed []byte) (frames []byte, name, text string, err error) {
	frameCount := int(binary.LittleEndian.Uint16(fixed[format.RaisedNframes:]))
	length := int(binary.LittleEndian.Uint16(fixed[format.RaisedTypeLen:]))
	rest := fixed[format.SizeofRaisedFixed:]
	if frameCount > format.MaxFrames || 8*frameCount+length > len(rest) {
		return nil, "", "", fmt.Errorf("%w: %d frames and a type of %d bytes in %d bytes", model.ErrCorrupt, frameCount, length,
			len(rest))
	}
	frames, rest = rest[:8*frameCount], rest[8*frameCount:]
	valid := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	return frames, valid(string(rest[:length])), valid(trimPadding(rest[length:])), nil
}

// decodeRaised returns what a record says; nil: there is no exception.
func (r slotAssembler) decodeRaised(rec record) *model.Raised {
	le32, le64 := wordReaders(rec.fixed)
	frames, name, text, _ := raisedParts(rec.fixed)
	how := model.RaisedHow(le32(format.RaisedHow))
	switch {
	case how > model.RaisedFuture:
		r.probs.addErrorf(rec.typ.String(), rec.off, model.ErrUnknown, "way %d to have an exception", how)
		return nil
	case how == model.RaisedNone:
		return nil
	}
	stack, _ := r.decodeFrames(frames, rec.typ.String(), rec.off)
	return &model.Raised{
		How: how, Calls: le64(format.RaisedCalls), Order: le32(format.RaisedOrder), Type: name, Text: text,
		Stack: stack, Cut: le32(format.RaisedFlags)&format.RaisedCut != 0, Habit: le32(format.RaisedFlags)&format.RaisedHabit != 0,
	}
}

// writeRaised writes the RAISED record of a thread that has one, and of those that have not called MPI.
func (w *slotWriter) writeRaised(x *model.Raised, thread int) {
	if x == nil {
		return
	}
	w.checkRange("length of the name of an exception", len(x.Type), 0, math.MaxUint16)
	fixed := make(part, format.SizeofRaisedFixed)
	fixed.u64(format.RaisedCalls, x.Calls)
	fixed.u32(format.RaisedHow, uint32(x.How))
	fixed.u16(format.RaisedNframes, len(x.Stack))
	fixed.u16(format.RaisedTypeLen, len(x.Type))
	fixed.u32(format.RaisedFlags, bitsOf(bitIf{format.RaisedCut, x.Cut}, bitIf{format.RaisedHabit, x.Habit}))
	fixed.u32(format.RaisedOrder, x.Order)
	w.writeRecord(format.RaisedRecord, thread, append(w.appendFrames(fixed, x.Stack), x.Type+x.Text...), nil)
}
