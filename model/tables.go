package model

import (
	"encoding/binary"
	"fmt"
)

// tableReader is a CHANNELS or a LOCKS record: entries of one size, each with a
// sequence number at its start and the communicator's index plus 1 behind it.
type tableReader struct {
	rec     record
	size    int64 // of an entry
	copied  bool
	entries []byte // those in use
}

// The communicator stands at the same place in both.
const entryComm = channelComm

func (r *slotReader) takeTable(rec record, size int64) {
	rec.fixed = nil // it will be overwritten
	r.tables = append(r.tables, tableReader{rec: rec, size: size})
}

// snapshot copies the entries that are in use.
func (c *tableReader) snapshot(r *slotReader) {
	c.copied = true
	var entry []byte
	for at := int64(0); at+c.size <= c.rec.nlive; at += c.size {
		var ok bool
		entry, ok = r.img.block(entry, c.rec.live+at, c.size, 32, &r.wait)
		switch {
		case binary.LittleEndian.Uint32(entry[entryComm:]) == 0:
		case !ok:
			r.probs.add(c.rec.typ.String(), c.rec.off, ErrTorn)
		default:
			c.entries = append(c.entries, entry...)
		}
	}
}

// assembleTables fills in Rank.Channels and Rank.Locks.
func (r *slotReader) assembleTables() {
	for _, c := range r.tables {
		for b := c.entries; len(b) > 0; b = b[c.size:] {
			le32, _ := fields(b)
			comm, ok := r.comms.find(le32(entryComm) - 1)
			switch {
			case !ok || comm < 0:
				r.probs.add(c.rec.typ.String(), c.rec.off, fmt.Errorf("%w: communicator %d", ErrLost, le32(entryComm)-1))
			case c.rec.typ == recChannels:
				r.rank.Channels = append(r.rank.Channels, channelAt(b, comm))
			default:
				r.addLock(c.rec, b, comm)
			}
		}
	}
}

func channelAt(b []byte, comm int) Channel {
	le32, le64 := fields(b)
	return Channel{
		Comm:     comm,
		Peer:     int(int32(le32(channelPeer))),
		Tag:      int(int32(le32(channelTag))),
		Sent:     le64(channelSent),
		Received: le64(channelReceived),
	}
}

func (r *slotReader) addLock(rec record, b []byte, comm int) {
	le32, _ := fields(b)
	l := Lock{Comm: comm, Target: int(int32(le32(lockTarget))), Type: LockType(le32(lockType))}
	if l.Type != Exclusive && l.Type != Shared {
		r.probs.add(rec.typ.String(), rec.off, fmt.Errorf("%w: lock of type %d", ErrUnknown, l.Type))
		return
	}
	r.rank.Locks = append(r.rank.Locks, l)
}
