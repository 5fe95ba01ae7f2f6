package nodefile

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"laggard/model"
	"laggard/model/format"
)

// seriesReader is a SERIES record.
type seriesReader struct {
	off       int64
	step, hz  uint32
	intervals []byte // those in use
}

func (r *slotReader) takeSeries(rec record) {
	if r.brief {
		return
	}
	le32, _ := wordReaders(rec.fixed)
	s := seriesReader{off: rec.off, step: le32(format.SeriesStep), hz: le32(format.SeriesHz)}
	s.intervals = r.img.appendIntervals(nil, rec)
	r.series = append(r.series, s)
}

// appendIntervals appends the intervals of a SERIES record that are whole.
func (m *image) appendIntervals(dst []byte, rec record) []byte {
	for at := int64(0); at+format.SizeofInterval <= rec.nlive; at += format.SizeofInterval {
		begin := m.u32(rec.live + at + format.IntervalBegin)
		if begin == 0 {
			continue
		}
		n := len(dst)
		dst = m.appendWords(dst, rec.live+at, format.SizeofInterval)
		if copied := binary.LittleEndian.Uint32(dst[n:]); copied != begin || m.u32(rec.live+at+format.IntervalBegin) != begin {
			dst = dst[:n] // it is being written anew
		}
	}
	return dst
}

// intervalAt decodes an interval; Thread, State, Anchor and Comm are the recorded indices.
func intervalAt(b []byte, step uint32) model.Interval {
	le32, _ := wordReaders(b)
	le16 := func(at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }
	ms := func(at int) time.Duration { return time.Duration(le32(at)) * time.Millisecond }
	part := func(at int) float64 { return float64(min(le16(at), 1000)) / 1000 }
	return model.Interval{
		Begin: time.Unix(int64(le32(format.IntervalBegin)), 0).UTC(), Step: time.Duration(step) * time.Second,
		Samples: le16(format.IntervalSamples), Computing: le16(format.IntervalComputing), Waiting: le16(format.IntervalWaiting),
		IO: le16(format.IntervalIO), CPU: ms(format.IntervalCPUMs), Starved: ms(format.IntervalStarvedMs),
		Faults: int(le32(format.IntervalFaults)), Calls: int(le32(format.IntervalCalls)),
		Thread: le16(format.IntervalThread), State: int(int32(le32(format.IntervalState))), AtState: le16(format.IntervalAtState),
		Comm: int(int32(le32(format.IntervalComm))), Peer: int(int32(le32(format.IntervalPeer))), ForPeer: le16(format.IntervalForPeer),
		Anchor: int(int32(le32(format.IntervalAnchor))), Turns: int(le32(format.IntervalTurns)), MHz: le16(format.IntervalMhz),
		Pressure: model.Pressure{
			CPU: part(format.IntervalCPUPressure), IO: part(format.IntervalIOPressure), Memory: part(format.IntervalMemoryPressure),
		},
	}
}

// longestStep bounds what a record may say of the length of its steps, a week: 2^63 nanoseconds are 292 years.
const longestStep = 7 * 24 * 3600

// assembleSeries fills in Rank.Series. States of equal content were joined.
func (r slotAssembler) assembleSeries(position map[uint32]int) {
	var all []model.Interval
	for _, s := range r.series {
		if s.step == 0 || s.step > longestStep {
			r.probs.addCorrupt(format.SeriesRecord.String(), s.off, "steps of %d s", s.step)
			continue
		}
		r.rank.SampleHz = int(s.hz)
		for b := s.intervals; len(b) > 0; b = b[format.SizeofInterval:] {
			all = append(all, r.resolveInterval(intervalAt(b, s.step), s.off, position))
		}
	}
	if len(all) > 0 {
		r.rank.Series = withoutOverlap(all)
	}
}

// resolveInterval turns recorded indices into those of a Rank.
func (r slotAssembler) resolveInterval(i model.Interval, off int64, position map[uint32]int) model.Interval {
	record := format.SeriesRecord.String()
	if comm, ok := r.comms.find(uint32(i.Comm)); ok {
		i.Comm = comm
	} else {
		r.probs.addErrorf(record, off, model.ErrLost, "communicator %d", i.Comm)
		i.Comm = -1
	}
	index := uint32(i.Thread)
	t := r.threads[index]
	if t == nil {
		r.probs.addErrorf(record, off, model.ErrLost, "thread %d", index)
		i.Thread, i.State, i.Anchor, i.Turns = 0, -1, -1, 0
		return i
	}
	i.Thread = position[index]
	i.State = t.stateIndex(r.slotReader, uint32(i.State), record, off)
	i.Anchor = t.stateIndex(r.slotReader, uint32(i.Anchor), record, off)
	return i
}

// withoutOverlap sorts intervals by time and leaves one for each moment: the shortest, as far back as there are such. One of
// several that a damaged file has for the same time is kept.
func withoutOverlap(all []model.Interval) []model.Interval {
	slices.SortStableFunc(all, func(a, b model.Interval) int { return cmp.Or(cmp.Compare(a.Step, b.Step), a.Begin.Compare(b.Begin)) })
	var shorter [][]model.Interval // of each length that came before
	kept := make([]model.Interval, 0, len(all))
	for rest := all; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Step == rest[0].Step {
			n++
		}
		for _, i := range rest[:n] {
			if !slices.ContainsFunc(shorter, func(s []model.Interval) bool { return cover(s, &i) }) {
				kept = append(kept, i)
			}
		}
		shorter, rest = append(shorter, rest[:n]), rest[n:]
	}
	slices.SortStableFunc(kept, func(a, b model.Interval) int { return a.Begin.Compare(b.Begin) })
	out := kept[:0]
	for _, i := range kept {
		if len(out) == 0 || !i.Begin.Before(out[len(out)-1].End()) {
			out = append(out, i)
		}
	}
	return out
}

// cover reports whether shorter intervals say all that a longer one says: they begin before it, or have its samples, as where
// the process began within it.
func cover(shorter []model.Interval, i *model.Interval) bool {
	if !shorter[0].Begin.After(i.Begin) {
		return true
	}
	samples := 0
	for k := 0; k < len(shorter) && shorter[k].Begin.Before(i.End()); k++ {
		samples += shorter[k].Samples
	}
	return samples > 0 && samples >= i.Samples
}

// writeSeries writes the SERIES records; where there are no intervals yet, an empty one says how many samples are taken.
func (w *slotWriter) writeSeries(r *model.Rank) {
	if r.SampleHz > 0 && len(r.Series) == 0 {
		w.writeIntervals(r, time.Second, nil)
	}
	for rest := r.Series; len(rest) > 0; {
		step, n := rest[0].Step, 1
		for n < len(rest) && n < format.Intervals && rest[n].Step == step {
			n++
		}
		w.writeIntervals(r, step, rest[:n])
		rest = rest[n:]
	}
}

func (w *slotWriter) writeIntervals(r *model.Rank, step time.Duration, list []model.Interval) {
	fixed, live := make(part, format.SizeofSeriesFixed), make(part, 0, len(list)*format.SizeofInterval)
	w.checkRange("seconds of an interval", int(step/time.Second), 1, longestStep)
	fixed.i32(format.SeriesStep, int(step/time.Second))
	fixed.i32(format.SeriesHz, r.SampleHz)
	for _, i := range list {
		w.checkRange("thread of an interval", i.Thread, 0, len(r.Threads)-1)
		w.checkRange("communicator of an interval", i.Comm, -1, len(r.Comms)-1)
		if w.err != nil {
			return
		}
		entry := make(part, format.SizeofInterval)
		entry.i32(format.IntervalBegin, int(i.Begin.Unix()))
		entry.u16(format.IntervalSamples, i.Samples)
		entry.u16(format.IntervalComputing, i.Computing)
		entry.u16(format.IntervalWaiting, i.Waiting)
		entry.u16(format.IntervalIO, i.IO)
		entry.i32(format.IntervalCPUMs, int(i.CPU/time.Millisecond))
		entry.i32(format.IntervalStarvedMs, int(i.Starved/time.Millisecond))
		entry.i32(format.IntervalFaults, i.Faults)
		entry.i32(format.IntervalCalls, i.Calls)
		entry.u16(format.IntervalThread, r.Threads[i.Thread].Index)
		entry.i32(format.IntervalState, i.State)
		entry.u16(format.IntervalAtState, i.AtState)
		entry.i32(format.IntervalComm, i.Comm)
		entry.i32(format.IntervalPeer, i.Peer)
		entry.u16(format.IntervalForPeer, i.ForPeer)
		entry.i32(format.IntervalAnchor, i.Anchor)
		entry.i32(format.IntervalTurns, i.Turns)
		entry.u16(format.IntervalMhz, i.MHz)
		entry.u16(format.IntervalCPUPressure, int(1000*i.Pressure.CPU+0.5))
		entry.u16(format.IntervalIOPressure, int(1000*i.Pressure.IO+0.5))
		entry.u16(format.IntervalMemoryPressure, int(1000*i.Pressure.Memory+0.5))
		live = append(live, entry...)
	}
	if len(list) == 0 {
		live = make(part, format.SizeofInterval) // the room for one
	}
	w.writeRecord(format.SeriesRecord, 0, fixed, live)
}
