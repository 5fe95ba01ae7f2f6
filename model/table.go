package model

import (
	"encoding/binary"
	"slices"

	"laggard/model/format"
)

// tableReader is a CHANNELS, a LOCKS or a TAKEN record: entries of one size, each with a
// sequence number at its start and the communicator's index plus 1 behind it.
type tableReader struct {
	rec     record
	size    int64 // of an entry
	copied  bool
	entries []byte // those in use
}

// The communicator stands at the same place in all.
const entryComm = format.ChannelComm

func (r *slotReader) takeTable(rec record, size int64) {
	rec.fixed = nil // it will be overwritten
	r.tables = append(r.tables, tableReader{rec: rec, size: size})
}

// copyEntries copies the entries that are in use.
func (c *tableReader) copyEntries(r *slotReader) {
	c.copied = true
	var entry []byte
	for at := int64(0); at+c.size <= c.rec.nlive; at += c.size {
		var ok bool
		entry, ok = r.img.copyBlock(entry, c.rec.live+at, c.size, 32, &r.wait)
		switch {
		case binary.LittleEndian.Uint32(entry[entryComm:]) == 0:
		case !ok:
			r.probs.add(c.rec.typ.String(), c.rec.off, ErrTorn)
		default:
			c.entries = append(c.entries, entry...)
		}
	}
}

// assembleTables fills in Rank.Channels, Rank.Locks and Rank.Taken.
func (r slotAssembler) assembleTables(position map[uint32]int) {
	for _, c := range r.tables {
		for b := c.entries; len(b) > 0; b = b[c.size:] {
			le32, _ := wordReaders(b)
			comm, ok := r.comms.find(le32(entryComm) - 1)
			switch {
			case !ok || comm < 0:
				r.probs.addErrorf(c.rec.typ.String(), c.rec.off, ErrLost, "communicator %d", le32(entryComm)-1)
			case c.rec.typ == format.ChannelsRecord:
				r.rank.Channels = append(r.rank.Channels, channelAt(b, comm))
			case c.rec.typ == format.LocksRecord:
				r.addLock(c.rec, b, comm)
			default:
				r.addTaken(c.rec, b, comm, position)
			}
		}
	}
}

func channelAt(b []byte, comm int) Channel {
	le32, le64 := wordReaders(b)
	return Channel{
		Comm:     comm,
		Peer:     int(int32(le32(format.ChannelPeer))),
		Tag:      int(int32(le32(format.ChannelTag))),
		Sent:     le64(format.ChannelSent),
		Received: le64(format.ChannelReceived),
	}
}

func (r slotAssembler) addLock(rec record, b []byte, comm int) {
	le32, _ := wordReaders(b)
	l := Lock{Comm: comm, Target: int(int32(le32(format.LockTarget))), Type: LockType(le32(format.LockType))}
	if l.Type < Exclusive || l.Type > Either {
		r.probs.addErrorf(rec.typ.String(), rec.off, ErrUnknown, "lock of type %d", l.Type)
		return
	}
	r.rank.Locks = append(r.rank.Locks, l)
}

// addTaken leaves out a message whose receive is of a thread that is not known.
func (r slotAssembler) addTaken(rec record, b []byte, comm int, position map[uint32]int) {
	le32, le64 := wordReaders(b)
	thread := uint32(binary.LittleEndian.Uint16(b[format.TakeThread:]))
	t := r.threads[thread]
	if t == nil {
		r.probs.addErrorf(rec.typ.String(), rec.off, ErrLost, "thread %d", thread)
		return
	}
	wild := binary.LittleEndian.Uint16(b[format.TakeWild:])
	r.rank.Taken = append(r.rank.Taken, Taken{
		Comm: comm, Peer: int(int32(le32(format.TakePeer))), Tag: int(int32(le32(format.TakeTag))), Number: le64(format.TakeNumber),
		Thread: position[thread], State: t.stateIndex(r.slotReader, le32(format.TakeState), rec.typ.String(), rec.off),
		AnySource: wild&format.AnySource != 0, AnyTag: wild&format.AnyTag != 0,
	})
}

// writeTables writes the CHANNELS, LOCKS and TAKEN records.
func (w *slotWriter) writeTables(r *Rank) {
	writeTable(w, format.ChannelsRecord, r.Channels, format.Channels, format.SizeofChannel, func(entry part, c Channel) {
		w.checkRange("communicator of a channel", c.Comm, 0, len(r.Comms)-1)
		entry.i32(format.ChannelComm, c.Comm+1)
		entry.i32(format.ChannelPeer, c.Peer)
		entry.i32(format.ChannelTag, c.Tag)
		entry.u64(format.ChannelSent, c.Sent)
		entry.u64(format.ChannelReceived, c.Received)
	})
	writeTable(w, format.LocksRecord, r.Locks, format.Locks, format.SizeofLock, func(entry part, l Lock) {
		w.checkRange("window of a lock", l.Comm, 0, len(r.Comms)-1)
		entry.i32(format.LockComm, l.Comm+1)
		entry.i32(format.LockTarget, l.Target)
		entry.u32(format.LockType, uint32(l.Type))
	})
	writeTable(w, format.TakenRecord, r.Taken, format.Taken, format.SizeofTake, func(entry part, m Taken) {
		w.putTaken(entry, r, m)
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

func (w *slotWriter) putTaken(entry part, r *Rank, m Taken) {
	w.checkRange("communicator of a message", m.Comm, 0, len(r.Comms)-1)
	w.checkRange("thread of a receive", m.Thread, 0, len(r.Threads)-1)
	if w.err != nil {
		return
	}
	t, wild := r.Threads[m.Thread], 0
	w.checkRange("state of a receive", m.State, -1, len(t.Model.States)-1)
	if m.AnySource {
		wild |= format.AnySource
	}
	if m.AnyTag {
		wild |= format.AnyTag
	}
	entry.i32(format.TakeComm, m.Comm+1)
	entry.i32(format.TakePeer, m.Peer)
	entry.i32(format.TakeTag, m.Tag)
	entry.u64(format.TakeNumber, m.Number)
	entry.i32(format.TakeState, m.State)
	entry.u16(format.TakeThread, t.Index)
	entry.u16(format.TakeWild, wild)
}
