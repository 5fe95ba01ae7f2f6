package nodefile

import (
	"bytes"
	"math"
	"slices"

	"laggard/model"
	"laggard/model/format"
)

// trafficReader is a SENT record: where what a state sent is counted.
type trafficReader struct {
	thread, state uint32
	off, live     int64
}

// siteReader is a SITE record.
type siteReader struct {
	fixed     []byte
	off, live int64
}

func (r *slotReader) takeSent(rec record) error {
	le32, _ := wordReaders(rec.fixed)
	r.sent = append(r.sent, trafficReader{rec.thread, le32(format.SentState), rec.off, rec.live})
	return nil
}

func (r *slotReader) takeSite(rec record) error {
	if _, _, err := stateParts(rec.fixed); err != nil {
		return err
	}
	r.sites = append(r.sites, siteReader{bytes.Clone(rec.fixed), rec.off, rec.live})
	return nil
}

func (r *slotReader) readTraffic(live int64) model.Traffic {
	return model.Traffic{Calls: r.img.u64(live + format.TrafficCalls), Bytes: r.img.u64(live + format.TrafficBytes)}
}

// assembleTraffic fills in Thread.Sent and Rank.Sites. States of equal content
// were joined, so are their bytes.
func (r slotAssembler) assembleTraffic() {
	for _, s := range r.sent {
		t := r.threads[s.thread]
		if t == nil {
			r.probs.addErrorf(format.SentRecord.String(), s.off, model.ErrLost, "thread %d", s.thread)
			continue
		}
		if state := t.stateIndex(r.slotReader, s.state, format.SentRecord.String(), s.off); state >= 0 {
			t.thread.Sent = append(t.thread.Sent,
				model.Sent{State: state, Traffic: r.readTraffic(s.live), Distance: r.img.u64(s.live + format.SentDistance)})
		}
	}
	for _, t := range r.rank.Threads {
		t.Sent = joinSent(t.Sent)
	}
	for _, s := range r.sites {
		r.rank.Sites = append(r.rank.Sites, r.decodeSite(s))
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

func (r slotAssembler) decodeSite(s siteReader) *model.Site {
	le32, _ := wordReaders(s.fixed)
	frames, name, _ := stateParts(s.fixed)
	flags := le32(format.SiteRecFlags)
	site := &model.Site{Function: string(name), Traffic: r.readTraffic(s.live),
		Partial: flags&format.StackPartial != 0, Interpreter: flags&format.StackInterpreter != 0}
	site.Stack, _ = r.decodeFrames(frames, format.SiteRecord.String(), s.off)
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
		fixed.u32(format.SiteRecFlags, siteFlags(s))
		live.putTraffic(s.Traffic)
		w.writeRecord(format.SiteRecord, 0, append(w.appendFrames(fixed, s.Stack), s.Function...), live)
	}
}

func siteFlags(s *model.Site) uint32 {
	var flags uint32
	if s.Partial {
		flags |= format.StackPartial
	}
	if s.Interpreter {
		flags |= format.StackInterpreter
	}
	return flags
}

func (p part) putTraffic(t model.Traffic) {
	p.u64(format.TrafficCalls, t.Calls)
	p.u64(format.TrafficBytes, t.Bytes)
}
