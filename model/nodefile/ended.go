package nodefile

import (
	"time"

	"laggard/model"
	"laggard/model/format"
)

// takeEnded reads how the process ended.
func (r *slotReader) takeEnded(rec record) model.Ended {
	at := func(field int64) int { return int(int32(r.img.u32(rec.live + field))) }
	signal := func(base int64) model.Signal {
		return model.Signal{
			Number: r.checkRange(rec, "signal", at(base+format.SignalSignal), 0, format.MaxSignal, 0),
			Sender: model.Sender(r.checkRange(rec, "sender", at(base+format.SignalSender), 0, int(model.SenderChild), 0)),
			Code:   at(base + format.SignalCode), PID: max(at(base+format.SignalPID), 0),
			Time: timeOf(r.img.u64(rec.live + base + format.SignalTime)),
		}
	}
	return model.Ended{
		By:    r.img.endedBy(rec),
		Asked: signal(format.RankAsked), Fatal: signal(format.RankFatal),
		Ender:    model.Ender(r.checkRange(rec, "ender", at(format.RankEnder), 0, int(model.EnderExec), 0)),
		Orphaned: at(format.RankOrphaned) != 0,
	}
}

// endedBy reads the name of the process above that ended this one; "": none did, or an older recorder did not say.
func (m *image) endedBy(rec record) string {
	if !rec.hasField(format.RankEndedBy) {
		return ""
	}
	return trimPadding(m.appendWords(nil, rec.live+format.RankEndedBy, format.SizeofRankEndedBy))
}

// The times by which it shows that a process lived on after its end was noted, and made progress.
const (
	livedOn = 2 * time.Second
	wentOn  = time.Second
)

// dropSurvivedEnd: older recorders left it noted that a process ended by a signal when the program's handler had dealt with that.
// Where the handler may still be at work, as it prints a stack, the end stands.
func dropSurvivedEnd(k *model.Rank) {
	if k.End != model.Signalled || k.Heartbeat.Sub(k.EndTime) < livedOn ||
		!k.QuietSince.IsZero() && k.QuietSince.Sub(k.EndTime) < wentOn {
		return
	}
	for _, t := range k.Threads {
		if c := t.Captured; c != nil && c.Why == model.CaptureFatal && c.Calls == t.Calls {
			return
		}
	}
	k.End, k.EndDetail, k.EndTime, k.Fatal, k.Bad = model.NoEnd, -1, time.Time{}, model.Signal{}, model.BadArgument{}
}

// putEnded puts how a process ended.
func (p part) putEnded(e model.Ended) {
	p[format.RankAsked:].putSignal(e.Asked)
	p[format.RankFatal:].putSignal(e.Fatal)
	p.u32(format.RankEnder, uint32(e.Ender))
	p.putFlag(format.RankOrphaned, e.Orphaned)
	copy(p[format.RankEndedBy:][:format.SizeofRankEndedBy], e.By)
}

func (p part) putSignal(s model.Signal) {
	p.i32(format.SignalSignal, s.Number)
	p.u32(format.SignalSender, uint32(s.Sender))
	p.i32(format.SignalCode, s.Code)
	p.i32(format.SignalPID, s.PID)
	p.putTime(format.SignalTime, s.Time)
}
