package model

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
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
	c := commReader{off: rec.off, live: rec.live, comm: r.room.comm()}
	*c.comm = Comm{
		Kind:       r.commKind(rec, flags),
		Forming:    flags&flagForming != 0,
		Rank:       int(int32(le32(commRank))),
		Size:       r.ranged(rec, "size", int(int32(le32(commSize))), 0, MaxRank, 0),
		RemoteSize: r.ranged(rec, "remote size", int(int32(le32(commRemoteSize))), 0, MaxRank, 0),
	}
	c.comm.Rank = r.ranged(rec, "rank", c.comm.Rank, -1, c.comm.Size-1, -1)
	local, remote, rest, err := commRanges(rec.fixed)
	if err != nil {
		return err
	}
	if flags&flagTopology != 0 {
		if c.comm.Neighbours, err = neighbours(rec.fixed, rest, c.comm.Size); err != nil {
			return err
		}
	}
	if flags&flagUnknown == 0 {
		c.local, c.remote = r.room.keep(local), r.room.keep(remote)
	}
	return r.comms.add(le32(commIndex), c)
}

// kindFlags are the flags that say of which kind a COMM record is.
var kindFlags = [...]uint32{World: flagWorld, Self: flagSelf, Inter: flagInter, Window: flagWindow, File: flagFile}

// commKind is the first kind in the flags; a recorder sets one at most.
func (r *slotReader) commKind(rec record, flags uint32) CommKind {
	found := Intra
	for kind, flag := range kindFlags {
		switch {
		case flags&flag == 0:
		case found == Intra:
			found = CommKind(kind)
		default:
			r.probs.corrupt(rec.typ.String(), rec.off, "flags %#x of two kinds", flags)
		}
	}
	return found
}

// commRanges returns the ranges of both groups in a COMM record, and what is
// behind them.
func commRanges(fixed []byte) (local, remote, behind []byte, err error) {
	le32, _ := fields(fixed)
	n, nremote := int64(le32(commNRanges))*rangeSize, int64(le32(commNRemote))*rangeSize
	rest := fixed[commFixed:]
	if n+nremote > int64(len(rest)) {
		return nil, nil, nil, fmt.Errorf("%w: %d bytes of ranges in %d", ErrCorrupt, n+nremote, len(rest))
	}
	return rest[:n], rest[n:][:nremote], rest[n+nremote:], nil
}

// neighbours reads the lists behind the ranges.
func neighbours(fixed, behind []byte, size int) (*Neighbours, error) {
	le32, _ := fields(fixed)
	counts := le32(commNSources)
	n, m := int(counts&0xffff), int(counts>>16)
	if max(n, m) > maxNeighbours || 4*(n+m) > len(behind) {
		return nil, fmt.Errorf("%w: %d and %d neighbours in %d bytes", ErrCorrupt, n, m, len(behind))
	}
	sources, err := risingRanks(behind[:4*n], size)
	if err != nil {
		return nil, err
	}
	dests, err := risingRanks(behind[4*n:][:4*m], size)
	if err != nil {
		return nil, err
	}
	return &Neighbours{Sources: sources, Dests: dests}, nil
}

// risingRanks reads ranks of a communicator of that size.
func risingRanks(b []byte, size int) ([]int, error) {
	var out []int
	for last := -1; len(b) > 0; b = b[4:] {
		rank := int(int32(binary.LittleEndian.Uint32(b)))
		if rank <= last || rank >= size {
			return nil, fmt.Errorf("%w: neighbour %d behind %d, of %d ranks", ErrCorrupt, rank, last, size)
		}
		out, last = append(out, rank), rank
	}
	return out, nil
}

// assembleComms fills in Rank.Comms, but for the members.
func (r *slotReader) assembleComms(position map[uint32]int) {
	r.rank.Comms = slices.Grow(r.rank.Comms, len(r.comms.list))
	for i := range r.comms.list {
		c := &r.comms.list[i]
		live, ok := c.copyLive(r)
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
			r.probs.note(recComm.String(), c.off, ErrLost, "thread %d", thread)
		}
		r.rank.Comms = append(r.rank.Comms, c.comm)
	}
}

// copyLive copies the mutable part. The record of a freed communicator may be
// given to a new one meanwhile; the copy is of one of them if the fields that
// change only then were the same before and after, else it reports false.
func (c *commReader) copyLive(r *slotReader) ([]byte, bool) {
	last, next := &r.room.live[0], &r.room.live[1]
	*last = r.img.words((*last)[:0], c.live, commLive)
	for range spins {
		*next = r.img.words((*next)[:0], c.live, commLive)
		last, next = next, last
		if bytes.Equal((*last)[:commColl], (*next)[:commColl]) && bytes.Equal((*last)[commID:], (*next)[commID:]) {
			return *last, true
		}
	}
	return *last, false
}

// internMembers fills in the members of the communicators of a slot.
func (r *slotReader) internMembers(in *interner) {
	for i := range r.comms.list {
		c := &r.comms.list[i]
		if c.local != nil && len(c.local) == 0 && (c.comm.Kind == Window || c.comm.Kind == File) {
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
