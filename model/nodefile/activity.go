package nodefile

import (
	"laggard/model"
	"laggard/model/format"
)

// takeActivity reads what the rank was seen to do.
func (r *slotReader) takeActivity(rec record) model.Activity {
	at := func(field int64) uint64 { return r.img.u64(rec.live + field) }
	how := int(int32(r.img.u32(rec.live + format.RankActiveHow)))
	return model.Activity{
		Active: timeOf(at(format.RankActive)), How: model.How(r.checkRange(rec, "active_how", how, 0, int(model.CopiesMemory), 0)),
		Read: at(format.RankCallRead), Written: at(format.RankCallWritten),
	}
}

// putActivity puts what the rank was seen to do.
func (p part) putActivity(a model.Activity) {
	p.putTime(format.RankActive, a.Active)
	p.u64(format.RankCallRead, a.Read)
	p.u64(format.RankCallWritten, a.Written)
	p.u32(format.RankActiveHow, uint32(a.How))
}
