package nodefile

import (
	"laggard/model"
	"laggard/model/format"
)

// hold keeps a record that is decoded once all others have been read, unless something is wrong with it.
func (r *slotReader) hold(rec record, err error) error {
	if err == nil {
		rec.fixed = r.room.copyBytes(rec.fixed)
		r.held = append(r.held, rec)
	}
	return err
}

// assembleHeld decodes the records that were held. States of equal content were joined, so is what is known of each.
func (r slotAssembler) assembleHeld() {
	for _, rec := range r.held {
		switch {
		case rec.typ == format.SiteRecord:
			r.rank.Sites = append(r.rank.Sites, r.decodeSite(rec))
		case rec.typ == format.OtherRecord:
			r.addOther(rec)
		case rec.typ == format.RaisedRecord && rec.thread == format.NoThread:
			if one := r.decodeRaised(rec); one != nil {
				r.rank.Thrown = append(r.rank.Thrown, *one)
			}
		default:
			r.addToThread(rec)
		}
	}
	for _, t := range r.rank.Threads {
		t.Sent, t.Failed = joinSent(t.Sent), joinFailed(t.Failed)
	}
}

// addToThread decodes a record about a thread.
func (r slotAssembler) addToThread(rec record) {
	t := r.threads[rec.thread]
	if t == nil {
		r.probs.addErrorf(rec.typ.String(), rec.off, model.ErrLost, "thread %d", rec.thread)
		return
	}
	switch rec.typ {
	case format.SentRecord:
		r.addSent(t, rec)
	case format.RaisedRecord:
		t.thread.Raised = r.decodeRaised(rec) // the last one counts
	case format.FilelockRecord:
		t.thread.FileLock = decodeFileLock(rec) // likewise
	case format.FailedRecord:
		r.addFailed(t, rec)
	case format.BufferRecord:
		r.addBuffer(t, rec)
	}
}
