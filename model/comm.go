package model

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// commReader is a communicator and what is still to be resolved of it.
type commReader struct {
	comm   *Comm
	off    int64
	live   int64  // where the mutable part is
	local  []byte // its ranges, as recorded; nil unknown
	remote []byte
}

func (r *slotReader) takeComm(rec record) error {
	le32, _ := fields(rec.fixed)
	flags := le32(commFlags)
	c := commReader{off: rec.off, live: rec.live}
	c.comm = &Comm{
		World:      flags&flagWorld != 0,
		Self:       flags&flagSelf != 0,
		Inter:      flags&flagInter != 0,
		Window:     flags&flagWindow != 0,
		IO:         flags&flagIO != 0,
		Forming:    flags&flagForming != 0,
		Rank:       int(int32(le32(commRank))),
		Size:       r.ranged(rec, "size", int(int32(le32(commSize))), 0, MaxRank, 0),
		RemoteSize: r.ranged(rec, "remote size", int(int32(le32(commRemoteSize))), 0, MaxRank, 0),
	}
	c.comm.Rank = r.ranged(rec, "rank", c.comm.Rank, -1, c.comm.Size-1, -1)
	local, remote, err := commRanges(rec.fixed)
	if err != nil {
		return err
	}
	if flags&flagUnknown == 0 {
		c.local, c.remote = bytes.Clone(local), bytes.Clone(remote)
	}
	return r.comms.add(le32(commIndex), c)
}

// commRanges returns the ranges of both groups in a COMM record.
func commRanges(fixed []byte) (local, remote []byte, err error) {
	le32, _ := fields(fixed)
	n, nremote := int64(le32(commNRanges))*rangeSize, int64(le32(commNRemote))*rangeSize
	rest := fixed[commFixed:]
	if n+nremote > int64(len(rest)) {
		return nil, nil, fmt.Errorf("%w: %d bytes of ranges in %d", ErrCorrupt, n+nremote, len(rest))
	}
	return rest[:n], rest[n:][:nremote], nil
}

// assembleComms fills in Rank.Comms, but for the members.
func (r *slotReader) assembleComms(position map[uint32]int) {
	for _, c := range r.comms.list {
		live, ok := c.copyLive(r.img)
		if !ok {
			r.probs.add(recComm.String(), c.off, ErrTorn)
		}
		le32, le64 := fields(live)
		c.comm.Freed = le64(commFreed) != 0
		c.comm.Coll = le64(commColl)
		c.comm.ID = le64(commID)
		c.comm.Parent = le64(commParent)
		thread, state := le32(commThread), le32(commState)
		c.comm.State, c.comm.Thread = -1, position[thread]
		if t := r.threads[thread]; t != nil {
			c.comm.State = t.state(r, state, recComm.String(), c.off)
		} else if state != noIndex {
			r.probs.add(recComm.String(), c.off, fmt.Errorf("%w: thread %d", ErrLost, thread))
		}
		r.rank.Comms = append(r.rank.Comms, c.comm)
	}
}

// copyLive copies the mutable part. The record of a freed communicator may be
// given to a new one meanwhile; the copy is of one of them if the fields that
// change only then were the same before and after, else it reports false.
func (c *commReader) copyLive(m *image) ([]byte, bool) {
	before := m.words(nil, c.live, commLive)
	for range spins {
		after := m.words(nil, c.live, commLive)
		if bytes.Equal(before[:commColl], after[:commColl]) && bytes.Equal(before[commID:], after[commID:]) {
			return after, true
		}
		before = after
	}
	return before, false
}

// internMembers fills in the members of the communicators of a slot.
func (r *slotReader) internMembers(in *interner) {
	for _, c := range r.comms.list {
		if c.local != nil && len(c.local) == 0 && (c.comm.Window || c.comm.IO) {
			r.likeParent(c.comm)
			continue
		}
		var err, remoteErr error
		c.comm.Members, err = in.members(c.local, c.comm.Size)
		c.comm.Remote, remoteErr = in.members(c.remote, c.comm.RemoteSize)
		for _, e := range []error{err, remoteErr} {
			if e != nil {
				r.probs.add(recComm.String(), c.off, e)
			}
		}
	}
}

// likeParent gives a window or a file the members of the communicator it was
// made from, which was recorded before.
func (r *slotReader) likeParent(c *Comm) {
	for _, parent := range r.rank.Comms {
		if parent == c {
			return
		}
		if parent.ID == c.Parent && len(parent.Members) == c.Size {
			c.Members = parent.Members
		}
	}
}

// memberCount adds up the ranges and checks that they give size members, all of
// them possible ranks.
func memberCount(ranges []byte, size int) error {
	var sum int64
	for b := ranges; len(b) > 0; b = b[rangeSize:] {
		start, stride, count := rangeAt(b)
		last := start + stride*(count-1)
		outside := start == -1 && stride == 0
		if count < 1 || !outside && (start < 0 || last < 0 || last > MaxRank) {
			return fmt.Errorf("%w: range of %d ranks from %d by %d", ErrCorrupt, count, start, stride)
		}
		sum += count
	}
	if sum != int64(size) {
		return fmt.Errorf("%w: ranges of %d ranks, size %d", ErrCorrupt, sum, size)
	}
	return nil
}

func rangeAt(b []byte) (start, stride, count int64) {
	word := func(at int) int64 { return int64(int32(binary.LittleEndian.Uint32(b[at:]))) }
	return word(rangeStart), word(rangeStride), word(rangeCount)
}

// expand lists the members; memberCount has accepted the ranges.
func expand(ranges []byte, size int) []int {
	out := make([]int, 0, size)
	for b := ranges; len(b) > 0; b = b[rangeSize:] {
		start, stride, count := rangeAt(b)
		for i := range count {
			out = append(out, int(start+stride*i))
		}
	}
	return out
}

// channelReader is one CHANNELS record.
type channelReader struct {
	rec     record
	copied  bool
	entries []byte // the entries in use
}

func (r *slotReader) takeChannels(rec record) {
	rec.fixed = nil // it will be overwritten
	r.channels = append(r.channels, channelReader{rec: rec})
}

// snapshot copies the entries that are in use.
func (c *channelReader) snapshot(r *slotReader) {
	c.copied = true
	var entry []byte
	for at := int64(0); at+channelSize <= c.rec.nlive; at += channelSize {
		var ok bool
		entry, ok = r.img.block(entry, c.rec.live+at, channelSize, 32, &r.wait)
		switch {
		case binary.LittleEndian.Uint32(entry[channelComm:]) == 0:
		case !ok:
			r.probs.add(c.rec.typ.String(), c.rec.off, ErrTorn)
		default:
			c.entries = append(c.entries, entry...)
		}
	}
}

// assembleChannels fills in Rank.Channels.
func (r *slotReader) assembleChannels() {
	for _, c := range r.channels {
		for b := c.entries; len(b) > 0; b = b[channelSize:] {
			le32, le64 := fields(b)
			comm, ok := r.comms.find(le32(channelComm) - 1)
			if !ok || comm < 0 {
				r.probs.add(c.rec.typ.String(), c.rec.off, fmt.Errorf("%w: communicator %d", ErrLost, le32(channelComm)-1))
				continue
			}
			r.rank.Channels = append(r.rank.Channels, Channel{
				Comm:     comm,
				Peer:     int(int32(le32(channelPeer))),
				Tag:      int(int32(le32(channelTag))),
				Sent:     le64(channelSent),
				Received: le64(channelReceived),
			})
		}
	}
}
