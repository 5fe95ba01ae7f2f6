package nodefile

import (
	"encoding/binary"
	"slices"

	"laggard/model"
	"laggard/model/format"
)

// entrySizes are those of the records that are tables: entries of one size, each with a sequence number at its start and the
// communicator's index plus 1 behind it.
var entrySizes = map[format.Record]int64{
	format.ChannelsRecord: format.SizeofChannel, format.OriginsRecord: format.SizeofOrigin, format.LocksRecord: format.SizeofLock,
	format.TakenRecord: format.SizeofTake, format.ProbedRecord: format.SizeofTake, format.PersistentsRecord: format.SizeofPersistent,
	format.WildcardsRecord: format.SizeofWildcard,
}

// tableReader is such a record.
type tableReader struct {
	rec     record
	size    int64 // of an entry
	copied  bool
	entries []byte // those in use
}

// The communicator stands at the same place in all.
const entryComm = format.ChannelComm

func (r *slotReader) takeTable(rec record) {
	rec.fixed = nil // it will be overwritten
	r.tables = append(r.tables, tableReader{rec: rec, size: entrySizes[rec.typ]})
}

// copyEntries copies the entries that are in use.
func (c *tableReader) copyEntries(r *slotReader) {
	c.copied = true
	m := &r.room
	begin := len(m.bytes)
	for at := int64(0); at+c.size <= c.rec.nlive; at += c.size {
		var ok bool
		m.entry, ok = r.img.copyBlock(m.entry, c.rec.live+at, c.size, 32, &r.wait)
		switch {
		case binary.LittleEndian.Uint32(m.entry[entryComm:]) == 0:
		case !ok:
			r.probs.add(c.rec.typ.String(), c.rec.off, model.ErrTorn)
		default:
			m.bytes = append(m.bytes, m.entry...)
		}
	}
	c.entries = m.bytes[begin:len(m.bytes):len(m.bytes)]
}

// assembleTables fills in what the tables of a Rank say: Channels, Origins, Persistent, Locks, Taken, Probed and Wildcards.
func (r slotAssembler) assembleTables(position map[uint32]int) {
	for _, c := range r.tables {
		if c.rec.typ == format.ChannelsRecord {
			r.rank.Channels = slices.Grow(r.rank.Channels, len(c.entries)/format.SizeofChannel)
		}
		for b := c.entries; len(b) > 0; b = b[c.size:] {
			le32, _ := wordReaders(b)
			comm, ok := r.comms.find(le32(entryComm) - 1)
			switch {
			case !ok || comm < 0:
				r.probs.addErrorf(c.rec.typ.String(), c.rec.off, model.ErrLost, "communicator %d", le32(entryComm)-1)
			case c.rec.typ == format.ChannelsRecord:
				r.rank.Channels = append(r.rank.Channels, channelAt(b, comm))
			case c.rec.typ == format.LocksRecord:
				r.addLock(c.rec, b, comm)
			case c.rec.typ == format.OriginsRecord:
				r.addOrigin(c.rec, b, comm, position)
			case c.rec.typ == format.PersistentsRecord:
				r.addPersistent(c.rec, b, comm, position)
			case c.rec.typ == format.WildcardsRecord:
				r.addWildcard(c.rec, b, comm, position)
			default:
				r.addTaken(c.rec, b, comm, position)
			}
		}
	}
}

func channelAt(b []byte, comm int) model.Channel {
	le32, le64 := wordReaders(b)
	return model.Channel{
		Comm:     comm,
		Peer:     int(int32(le32(format.ChannelPeer))),
		Tag:      int(int32(le32(format.ChannelTag))),
		Sent:     le64(format.ChannelSent),
		Received: le64(format.ChannelReceived),
	}
}

func (r slotAssembler) addLock(rec record, b []byte, comm int) {
	le32, _ := wordReaders(b)
	l := model.Lock{Comm: comm, Target: int(int32(le32(format.LockTarget))), Type: model.LockType(le32(format.LockType))}
	if l.Type < model.Exclusive || l.Type > model.Either {
		r.probs.addErrorf(rec.typ.String(), rec.off, model.ErrUnknown, "lock of type %d", l.Type)
		return
	}
	r.rank.Locks = append(r.rank.Locks, l)
}

// addOrigin leaves out a channel whose origin is of a thread that is not known.
func (r slotAssembler) addOrigin(rec record, b []byte, comm int, position map[uint32]int) {
	le32, le64 := wordReaders(b)
	thread, state, ok := r.callOf(rec, b[format.OriginState:], position)
	if ok {
		r.rank.Origins = append(r.rank.Origins, model.Origin{
			Comm: comm, Peer: int(int32(le32(format.OriginPeer))), Tag: int(int32(le32(format.OriginTag))),
			Number: le64(format.OriginNumber), Thread: thread, State: state,
		})
	}
}

// addPersistent leaves out requests of a thread that is not known.
func (r slotAssembler) addPersistent(rec record, b []byte, comm int, position map[uint32]int) {
	le32, le64 := wordReaders(b)
	thread, state, ok := r.callOf(rec, b[format.PersistentState:], position)
	if !ok {
		return
	}
	flags := binary.LittleEndian.Uint16(b[format.PersistentFlags:])
	r.rank.Persistent = append(r.rank.Persistent, model.Persistent{
		Comm: comm, Peer: int(int32(le32(format.PersistentPeer))), Tag: int(int32(le32(format.PersistentTag))),
		Sends: flags&format.PersistentSends != 0, Partitioned: flags&format.PersistentPartitioned != 0, Thread: thread, State: state,
		Made: le32(format.PersistentMade), Freed: le32(format.PersistentFreed), Started: le64(format.PersistentStarted),
		Idle: le32(format.PersistentIdle),
	})
}

// addWildcard leaves out receives of a thread that is not known, and entries of those that are all complete.
func (r slotAssembler) addWildcard(rec record, b []byte, comm int, position map[uint32]int) {
	le32, le64 := wordReaders(b)
	thread, state, ok := r.callOf(rec, b[format.WildcardState:], position)
	if count := le64(format.WildcardCount); ok && count > 0 {
		r.rank.Wildcards = append(r.rank.Wildcards, model.Wildcard{
			Comm: comm, Peer: int(int32(le32(format.WildcardPeer))), Tag: int(int32(le32(format.WildcardTag))), Count: count,
			Thread: thread, State: state,
		})
	}
}

// addTaken leaves out a message whose receive is of a thread that is not known.
func (r slotAssembler) addTaken(rec record, b []byte, comm int, position map[uint32]int) {
	le32, le64 := wordReaders(b)
	thread, state, ok := r.callOf(rec, b[format.TakeState:], position)
	if !ok {
		return
	}
	wild := binary.LittleEndian.Uint16(b[format.TakeWild:])
	taken := model.Taken{
		Comm: comm, Peer: int(int32(le32(format.TakePeer))), Tag: int(int32(le32(format.TakeTag))), Number: le64(format.TakeNumber),
		Thread: thread, State: state, AnySource: wild&format.AnySource != 0, AnyTag: wild&format.AnyTag != 0,
	}
	if rec.typ == format.ProbedRecord {
		r.rank.Probed = append(r.rank.Probed, taken)
	} else {
		r.rank.Taken = append(r.rank.Taken, taken)
	}
}

// callOf reads a state, and behind it its thread, as indices into Rank.Threads and the states of that. It complains if the thread
// is not known.
func (r slotAssembler) callOf(rec record, b []byte, position map[uint32]int) (thread, state int, ok bool) {
	const threadAt = format.TakeThread - format.TakeState
	index := uint32(binary.LittleEndian.Uint16(b[threadAt:]))
	t := r.threads[index]
	if t == nil {
		r.probs.addErrorf(rec.typ.String(), rec.off, model.ErrLost, "thread %d", index)
		return 0, 0, false
	}
	return position[index], t.stateIndex(r.slotReader, binary.LittleEndian.Uint32(b), rec.typ.String(), rec.off), true
}

// writeTables writes the records that are tables.
func (w *slotWriter) writeTables(r *model.Rank) {
	writeTable(w, format.ChannelsRecord, r.Channels, format.Channels, format.SizeofChannel, func(entry part, c model.Channel) {
		w.checkRange("communicator of a channel", c.Comm, 0, len(r.Comms)-1)
		entry.i32(format.ChannelComm, c.Comm+1)
		entry.i32(format.ChannelPeer, c.Peer)
		entry.i32(format.ChannelTag, c.Tag)
		entry.u64(format.ChannelSent, c.Sent)
		entry.u64(format.ChannelReceived, c.Received)
	})
	writeTable(w, format.OriginsRecord, r.Origins, format.Origins, format.SizeofOrigin, func(entry part, s model.Origin) {
		w.putMessage(entry, r, model.Taken{Comm: s.Comm, Peer: s.Peer, Tag: s.Tag, Number: s.Number, Thread: s.Thread, State: s.State})
	})
	writeTable(w, format.PersistentsRecord, r.Persistent, format.Persistents, format.SizeofPersistent,
		func(entry part, p model.Persistent) {
			w.putMessage(entry, r, model.Taken{Comm: p.Comm, Peer: p.Peer, Tag: p.Tag, Number: p.Started, Thread: p.Thread, State: p.State})
			entry.u16(format.PersistentFlags, int(bitsOf(bitIf{format.PersistentSends, p.Sends},
				bitIf{format.PersistentPartitioned, p.Partitioned})))
			entry.u32(format.PersistentMade, p.Made)
			entry.u32(format.PersistentFreed, p.Freed)
			entry.u32(format.PersistentIdle, p.Idle)
		})
	writeTable(w, format.LocksRecord, r.Locks, format.Locks, format.SizeofLock, func(entry part, l model.Lock) {
		w.checkRange("window of a lock", l.Comm, 0, len(r.Comms)-1)
		entry.i32(format.LockComm, l.Comm+1)
		entry.i32(format.LockTarget, l.Target)
		entry.u32(format.LockType, uint32(l.Type))
	})
	writeTable(w, format.TakenRecord, r.Taken, format.Taken, format.SizeofTake, func(entry part, m model.Taken) {
		w.putMessage(entry, r, m)
	})
	writeTable(w, format.ProbedRecord, r.Probed, format.Probed, format.SizeofTake, func(entry part, m model.Taken) {
		w.putMessage(entry, r, m)
	})
	writeTable(w, format.WildcardsRecord, r.Wildcards, format.Wildcards, format.SizeofWildcard, func(entry part, m model.Wildcard) {
		w.putMessage(entry, r, model.Taken{Comm: m.Comm, Peer: m.Peer, Tag: m.Tag, Number: m.Count, Thread: m.Thread, State: m.State})
	})
}

// writeTable writes a list as records of most entries each; folded ones have no room for more
// than are in use.
func writeTable[T any](w *slotWriter, typ format.Record, list []T, most, size int, put func(entry part, v T)) {
	for some := range slices.Chunk(list, most) {
		live := make(part, most*size)
		for i, v := range some {
			put(live[i*size:][:size], v)
		}
		if w.fold != nil {
			live = live[:len(some)*size]
		}
		w.writeRecord(typ, 0, nil, live)
	}
}

// putMessage writes an entry that says by which call a message went: those of a sender and of requests are laid out as that of a receive.
func (w *slotWriter) putMessage(entry part, r *model.Rank, m model.Taken) {
	w.checkRange("communicator of a message", m.Comm, 0, len(r.Comms)-1)
	w.checkRange("thread of a message", m.Thread, 0, len(r.Threads)-1)
	if w.err != nil {
		return
	}
	t := r.Threads[m.Thread]
	w.checkRange("state of a message", m.State, -1, len(t.Model.States)-1)
	entry.i32(format.TakeComm, m.Comm+1)
	entry.i32(format.TakePeer, m.Peer)
	entry.i32(format.TakeTag, m.Tag)
	entry.u64(format.TakeNumber, m.Number)
	entry.i32(format.TakeState, m.State)
	entry.u16(format.TakeThread, t.Index)
	entry.u16(format.TakeWild, int(bitsOf(bitIf{format.AnySource, m.AnySource}, bitIf{format.AnyTag, m.AnyTag})))
}
