package nodefile

import (
	"encoding/binary"
	"fmt"
	"slices"

	"laggard/model"
	"laggard/model/format"
)

// failedText is what MPI says of the errors of a FAILED record.
func failedText(fixed []byte) (string, error) {
	length, rest := int(binary.LittleEndian.Uint16(fixed[format.FailedTextLen:])), fixed[format.SizeofFailedFixed:]
	if length > len(rest) {
		return "", fmt.Errorf("%w: a text of %d bytes in %d bytes", model.ErrCorrupt, length, len(rest))
	}
	return string(rest[:length]), nil
}

// addFailed adds what a FAILED record says, the errors of one class that MPI returned to a state, to Thread.Failed.
func (r slotAssembler) addFailed(t *threadReader, rec record) {
	le32, _ := wordReaders(rec.fixed)
	text, _ := failedText(rec.fixed)
	if state := t.stateIndex(r.slotReader, le32(format.FailedState), rec.typ.String(), rec.off); state >= 0 {
		t.thread.Failed = append(t.thread.Failed, model.Failed{
			State: state, Class: int(le32(format.FailedClass)), Text: text,
			Count: r.img.u64(rec.live + format.FailedCount), Calls: r.img.u64(rec.live + format.FailedCalls),
		})
	}
}

func joinFailed(failed []model.Failed) []model.Failed {
	slices.SortStableFunc(failed, func(a, b model.Failed) int {
		return slices.Compare([]int{a.State, a.Class}, []int{b.State, b.Class})
	})
	out := failed[:0]
	for _, f := range failed {
		if n := len(out); n > 0 && out[n-1].State == f.State && out[n-1].Class == f.Class {
			out[n-1].Count += f.Count
			out[n-1].Calls = max(out[n-1].Calls, f.Calls)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// writeFailed writes the FAILED records of a thread.
func (w *slotWriter) writeFailed(t *model.Thread) {
	for _, f := range t.Failed {
		w.checkRange("state with an error", f.State, 0, len(t.Model.States)-1)
		w.checkRange("length of the text of an error", len(f.Text), 0, format.MaxErrorText)
		fixed, live := make(part, format.SizeofFailedFixed), make(part, format.SizeofFailedLive)
		fixed.i32(format.FailedState, f.State)
		fixed.i32(format.FailedClass, f.Class)
		fixed.u16(format.FailedTextLen, len(f.Text))
		live.u64(format.FailedCount, f.Count)
		live.u64(format.FailedCalls, f.Calls)
		w.writeRecord(format.FailedRecord, t.Index, append(fixed, f.Text...), live)
	}
}
