package nodefile

import (
	"encoding/binary"
	"fmt"
	"slices"

	"laggard/model"
	"laggard/model/format"
)

// otherFrames returns the frame words in an OTHER record.
func otherFrames(fixed []byte) ([]byte, error) {
	n := int(binary.LittleEndian.Uint16(fixed[format.OtherNframes:]))
	rest := fixed[format.SizeofOtherFixed:]
	if n > format.MaxFrames || 8*n > len(rest) {
		return nil, fmt.Errorf("%w: %d frames in %d bytes", model.ErrCorrupt, n, len(rest))
	}
	return rest[:8*n], nil
}

// addOther puts a thread into Rank.Others: the last record of each counts.
func (r slotAssembler) addOther(rec record) {
	le32, _ := wordReaders(rec.fixed)
	words, _ := otherFrames(rec.fixed)
	stack, _ := r.decodeFrames(words, rec.typ.String(), rec.off)
	t := model.OtherThread{
		TID: int(le32(format.OtherTID)), Time: timeOf(r.img.u64(rec.live + format.OtherTime)), Stack: stack,
		Partial: le32(format.OtherFlags)&format.StackPartial != 0,
	}
	if i := slices.IndexFunc(r.rank.Others, func(had model.OtherThread) bool { return had.TID == t.TID }); i >= 0 {
		r.rank.Others[i] = t
	} else {
		r.rank.Others = append(r.rank.Others, t)
	}
}

// writeOthers writes the OTHER records.
func (w *slotWriter) writeOthers(r *model.Rank) {
	for _, o := range r.Others {
		fixed, live := make(part, format.SizeofOtherFixed), make(part, format.SizeofOtherLive)
		fixed.i32(format.OtherTID, o.TID)
		fixed.u16(format.OtherNframes, len(o.Stack))
		if o.Partial {
			fixed.u32(format.OtherFlags, format.StackPartial)
		}
		live.putTime(format.OtherTime, o.Time)
		w.writeRecord(format.OtherRecord, 0, w.appendFrames(fixed, o.Stack), live)
	}
}
