package nodefile

import (
	"math"
	"slices"

	"laggard/model"
	"laggard/model/format"
)

func (r *slotReader) readTraffic(live int64) model.Traffic {
	return model.Traffic{Calls: r.img.u64(live + format.TrafficCalls), Bytes: r.img.u64(live + format.TrafficBytes)}
}

// addSent adds what a SENT record says to Thread.Sent.
func (r slotAssembler) addSent(t *threadReader, rec record) {
	le32, _ := wordReaders(rec.fixed)
	if state := t.stateIndex(r.slotReader, le32(format.SentState), rec.typ.String(), rec.off); state >= 0 {
		t.thread.Sent = append(t.thread.Sent,
			model.Sent{State: state, Traffic: r.readTraffic(rec.live), Distance: r.img.u64(rec.live + format.SentDistance)})
	}
}

func joinSent(sent []model.Sent) []model.Sent {
	slices.SortFunc(sent, func(a, b model.Sent) int { return a.State - b.State })
	out := sent[:0]
	for _, s := range sent {
		if n := len(out); n > 0 && out[n-1].State == s.State {
			out[n-1].Calls += s.Calls
			out[n-1].Bytes += s.Bytes
			out[n-1].Distance += s.Distance
		} else {
			out = append(out, s)
		}
	}
	return out
}

func (r slotAssembler) decodeSite(rec record) *model.Site {
	le32, _ := wordReaders(rec.fixed)
	frames, name, _ := stateParts(rec.fixed)
	flags := le32(format.SiteRecFlags)
	site := &model.Site{Function: string(name), Traffic: r.readTraffic(rec.live),
		Partial: flags&format.StackPartial != 0, Interpreter: flags&format.StackInterpreter != 0}
	site.Stack, _ = r.decodeFrames(frames, rec.typ.String(), rec.off)
	return site
}

// writeSent writes the SENT records of a thread.
func (w *slotWriter) writeSent(t *model.Thread) {
	for _, s := range t.Sent {
		w.checkRange("state that sends", s.State, 0, len(t.Model.States)-1)
		fixed, live := make(part, format.SizeofSentFixed), make(part, format.SizeofSentLive)
		fixed.i32(format.SentState, s.State)
		live.putTraffic(s.Traffic)
		live.u64(format.SentDistance, s.Distance)
		w.writeRecord(format.SentRecord, t.Index, fixed, live)
	}
}

// writeSites writes the SITE records.
func (w *slotWriter) writeSites(r *model.Rank) {
	for i, s := range r.Sites {
		w.checkRange("length of a function name", len(s.Function), 0, math.MaxUint16)
		fixed, live := make(part, format.SizeofSiteRecFixed), make(part, format.SizeofSiteRecLive)
		fixed.i32(format.SiteRecIndex, i)
		fixed.u16(format.SiteRecNframes, len(s.Stack))
		fixed.u16(format.SiteRecNameLen, len(s.Function))
		fixed.u32(format.SiteRecFlags,
			bitsOf(bitIf{format.StackPartial, s.Partial}, bitIf{format.StackInterpreter, s.Interpreter}))
		live.putTraffic(s.Traffic)
		w.writeRecord(format.SiteRecord, 0, append(w.appendFrames(fixed, s.Stack), s.Function...), live)
	}
}

func (p part) putTraffic(t model.Traffic) {
	p.u64(format.TrafficCalls, t.Calls)
	p.u64(format.TrafficBytes, t.Bytes)
}
