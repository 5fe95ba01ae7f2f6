package nodefile

import (
	"laggard/model"
	"laggard/model/format"
)

// takeEnded reads how the process ended.
func (r *slotReader) takeEnded(rec record) model.Ended {
	at := func(field int64) int { return int(int32(r.img.u32(rec.live + field))) }
	signal := func(base int64) model.Signal {
		return model.Signal{
			Number: r.checkRange(rec, "signal", at(base+format.SignalSignal), 0, format.MaxSignal, 0),
			Sender: model.Sender(r.checkRange(rec, "sender", at(base+format.SignalSender), 0, int(model.SenderOther), 0)),
			Code:   at(base + format.SignalCode), PID: max(at(base+format.SignalPID), 0),
			Time: timeOf(r.img.u64(rec.live + base + format.SignalTime)),
		}
	}
	return model.Ended{
		Asked: signal(format.RankAsked), Fatal: signal(format.RankFatal),
		Ender:    model.Ender(r.checkRange(rec, "ender", at(format.RankEnder), 0, int(model.EnderExec), 0)),
		Orphaned: at(format.RankOrphaned) != 0,
	}
}

// putEnded puts how a process ended.
func (p part) putEnded(e model.Ended) {
	p[format.RankAsked:].putSignal(e.Asked)
	p[format.RankFatal:].putSignal(e.Fatal)
	p.u32(format.RankEnder, uint32(e.Ender))
	p.putFlag(format.RankOrphaned, e.Orphaned)
}

func (p part) putSignal(s model.Signal) {
	p.i32(format.SignalSignal, s.Number)
	p.u32(format.SignalSender, uint32(s.Sender))
	p.i32(format.SignalCode, s.Code)
	p.i32(format.SignalPID, s.PID)
	p.putTime(format.SignalTime, s.Time)
}
