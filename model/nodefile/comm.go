package nodefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"laggard/model"
	"laggard/model/format"
)

// commReader is a communicator and what is still to be resolved of it.
type commReader struct {
	comm   *model.Comm
	off    int64
	live   int64  // where the mutable part is
	nlive  int64  // its bytes, as far as this program knows them
	local  []byte // its ranges, as recorded; nil unknown
	remote []byte
}

func (r *slotReader) takeComm(rec record) error {
	le32, _ := wordReaders(rec.fixed)
	flags := le32(format.CommFlags)
	c := commReader{off: rec.off, live: rec.live, nlive: min(rec.nlive, format.SizeofCommLive), comm: r.room.newComm()}
	*c.comm = model.Comm{
		Kind:       r.commKind(rec, flags),
		Forming:    flags&format.CommForming != 0,
		ToParent:   flags&format.CommToParent != 0,
		Rank:       int(int32(le32(format.CommRank))),
		Size:       r.checkRange(rec, "size", int(int32(le32(format.CommSize))), 0, model.MaxRank, 0),
		RemoteSize: r.checkRange(rec, "remote size", int(int32(le32(format.CommRemoteSize))), 0, model.MaxRank, 0),
	}
	c.comm.Rank = r.checkRange(rec, "rank", c.comm.Rank, -1, c.comm.Size-1, -1)
	local, remote, rest, err := commRanges(rec.fixed)
	if err != nil {
		return err
	}
	if flags&format.CommTopology != 0 {
		if c.comm.Neighbours, err = neighbours(rec.fixed, rest, c.comm.Size); err != nil {
			return err
		}
	}
	r.leaveTrail(c.live)
	if flags&format.CommUnknown == 0 {
		c.local, c.remote = r.room.copyBytes(local), r.room.copyBytes(remote)
	}
	return r.comms.add(le32(format.CommIndex), c)
}

// kindFlags are the flags that say of which kind a COMM record is.
var kindFlags = [...]uint32{
	model.World: format.CommWorld, model.Self: format.CommSelf, model.Inter: format.CommInter, model.Window: format.CommWindow,
	model.File: format.CommFile,
}

// commKind is the first kind in the flags; a recorder sets one at most.
func (r *slotReader) commKind(rec record, flags uint32) model.CommKind {
	found := model.Intra
	for kind, flag := range kindFlags {
		switch {
		case flags&flag == 0:
		case found == model.Intra:
			found = model.CommKind(kind)
		default:
			r.probs.addCorrupt(rec.typ.String(), rec.off, "flags %#x of two kinds", flags)
		}
	}
	return found
}

// commRanges returns the ranges of both groups in a COMM record, and what is
// behind them.
func commRanges(fixed []byte) (local, remote, behind []byte, err error) {
	le32, _ := wordReaders(fixed)
	n, nremote := int64(le32(format.CommNranges))*format.SizeofRange, int64(le32(format.CommNremote))*format.SizeofRange
	rest := fixed[format.SizeofCommFixed:]
	if n+nremote > int64(len(rest)) {
		return nil, nil, nil, fmt.Errorf("%w: %d bytes of ranges in %d", model.ErrCorrupt, n+nremote, len(rest))
	}
	return rest[:n], rest[n:][:nremote], rest[n+nremote:], nil
}

// neighbours reads the lists behind the ranges.
func neighbours(fixed, behind []byte, size int) (*model.Neighbours, error) {
	le32, _ := wordReaders(fixed)
	counts := le32(format.CommNsources)
	n, m := int(counts&0xffff), int(counts>>16)
	if max(n, m) > format.MaxNeighbours || 4*(n+m) > len(behind) {
		return nil, fmt.Errorf("%w: %d and %d neighbours in %d bytes", model.ErrCorrupt, n, m, len(behind))
	}
	sources, err := risingRanks(behind[:4*n], size)
	if err != nil {
		return nil, err
	}
	dests, err := risingRanks(behind[4*n:][:4*m], size)
	if err != nil {
		return nil, err
	}
	return &model.Neighbours{Sources: sources, Dests: dests}, nil
}

// risingRanks reads ranks of a communicator of that size.
func risingRanks(b []byte, size int) ([]int, error) {
	var out []int
	for last := -1; len(b) > 0; b = b[4:] {
		rank := int(int32(binary.LittleEndian.Uint32(b)))
		if rank <= last || rank >= size {
			return nil, fmt.Errorf("%w: neighbour %d behind %d, of %d ranks", model.ErrCorrupt, rank, last, size)
		}
		out, last = append(out, rank), rank
	}
	return out, nil
}

// assembleComms fills in Rank.Comms, but for the members.
func (r slotAssembler) assembleComms(position map[uint32]int) {
	r.rank.Comms = slices.Grow(r.rank.Comms, len(r.comms.list))
	for i := range r.comms.list {
		c := &r.comms.list[i]
		live, ok := c.takeLive(r.slotReader)
		if !ok {
			r.probs.add(format.CommRecord.String(), c.off, model.ErrTorn)
		}
		le32, _ := wordReaders(live)
		thread, state := le32(format.CommByThread), le32(format.CommState)
		c.comm.State, c.comm.Thread = -1, position[thread]
		if t := r.threads[thread]; t != nil {
			c.comm.State = t.stateIndex(r.slotReader, state, format.CommRecord.String(), c.off)
		} else if state != format.NoIndex {
			r.probs.addErrorf(format.CommRecord.String(), c.off, model.ErrLost, "thread %d", thread)
		}
		r.rank.Comms = append(r.rank.Comms, c.comm)
	}
}

// takeLive reads the mutable part, of which it returns a copy; false: it is torn.
func (c *commReader) takeLive(r *slotReader) ([]byte, bool) {
	live, ok := c.copyLive(r)
	le32, le64 := wordReaders(live)
	c.comm.Freed = le64(format.CommFreed) != 0
	c.comm.Coll = le64(format.CommColl)
	c.comm.ID = le64(format.CommID)
	c.comm.Parent = le64(format.CommParent)
	if int64(len(live)) > format.CommPlace {
		c.comm.Spawned, c.comm.Place = timeOf(le64(format.CommSpawned)), le32(format.CommPlace)
	}
	return live, ok
}

// copyLive copies the mutable part. The record of a freed communicator may be
// given to a new one meanwhile; the copy is of one of them if the fields that
// change only then were the same before and after, else it reports false.
func (c *commReader) copyLive(r *slotReader) ([]byte, bool) {
	last, next := &r.room.live[0], &r.room.live[1]
	*last = r.img.appendWords((*last)[:0], c.live, c.nlive)
	for range spins {
		*next = r.img.appendWords((*next)[:0], c.live, c.nlive)
		last, next = next, last
		if bytes.Equal((*last)[:format.CommColl], (*next)[:format.CommColl]) &&
			bytes.Equal((*last)[format.CommID:], (*next)[format.CommID:]) {
			return *last, true
		}
	}
	return *last, false
}

// internMembers fills in the members of the communicators of a slot.
func (r *slotReader) internMembers(in *interner) {
	for i := range r.comms.list {
		c := &r.comms.list[i]
		if c.local != nil && len(c.local) == 0 && (c.comm.Kind == model.Window || c.comm.Kind == model.File) {
			r.copyParentMembers(c.comm)
			continue
		}
		var err, remoteErr error
		c.comm.Members, err = in.memberList(c.local, c.comm.Size)
		c.comm.Remote, remoteErr = in.memberList(c.remote, c.comm.RemoteSize)
		for _, e := range []error{err, remoteErr} {
			if e != nil {
				r.probs.add(format.CommRecord.String(), c.off, e)
			}
		}
	}
}

// copyParentMembers gives a window or a file the members of the communicator it was
// made from, which was recorded before.
func (r *slotReader) copyParentMembers(c *model.Comm) {
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
	for b := ranges; len(b) > 0; b = b[format.SizeofRange:] {
		start, stride, count := rangeAt(b)
		last := start + stride*(count-1)
		outside := start == -1 && stride == 0
		if count < 1 || !outside && (start < 0 || last < 0 || last > model.MaxRank) {
			return fmt.Errorf("%w: range of %d ranks from %d by %d", model.ErrCorrupt, count, start, stride)
		}
		sum += count
	}
	if sum != int64(size) {
		return fmt.Errorf("%w: ranges of %d ranks, size %d", model.ErrCorrupt, sum, size)
	}
	return nil
}

func rangeAt(b []byte) (start, stride, count int64) {
	word := func(at int) int64 { return int64(int32(binary.LittleEndian.Uint32(b[at:]))) }
	return word(format.RangeStart), word(format.RangeStride), word(format.RangeCount)
}

// expandRanges lists the members; memberCount has accepted the ranges.
func expandRanges(ranges []byte, size int) []int {
	out := make([]int, 0, size)
	for b := ranges; len(b) > 0; b = b[format.SizeofRange:] {
		start, stride, count := rangeAt(b)
		for i := range count {
			out = append(out, int(start+stride*i))
		}
	}
	return out
}

// writeComm writes the COMM record, and the HISTORY record if there is one.
func (w *slotWriter) writeComm(r *model.Rank, index int, c *model.Comm) {
	w.checkRange("thread of a communicator", c.Thread, 0, len(r.Threads)-1)
	if w.err != nil {
		return
	}
	t := r.Threads[c.Thread]
	w.checkRange("state of a communicator", c.State, -1, len(t.Model.States)-1)
	live := make(part, format.SizeofCommLive)
	live.putFlag(format.CommFreed, c.Freed)
	live.u64(format.CommColl, c.Coll)
	live.u64(format.CommID, c.ID)
	live.u64(format.CommParent, c.Parent)
	live.i32(format.CommByThread, t.Index)
	live.i32(format.CommState, c.State)
	live.putTime(format.CommSpawned, c.Spawned)
	live.u32(format.CommPlace, c.Place)
	w.writeRecord(format.CommRecord, t.Index, w.commFixed(index, c), live)
	if c.History != nil {
		w.writeHistory(r, index, c.History)
	}
}

// commFixed is the fixed part: with the ranges and neighbours.
func (w *slotWriter) commFixed(index int, c *model.Comm) part {
	local, n := w.fold.encodeRanges(c.Members)
	remote, nremote := w.fold.encodeRanges(c.Remote)
	size, remoteSize := c.Size, c.RemoteSize
	if c.Members != nil {
		size, remoteSize = len(c.Members), len(c.Remote)
	}
	near := c.Neighbours
	if near == nil {
		near = new(model.Neighbours)
	}
	w.checkRange("number of neighbours", max(len(near.Sources), len(near.Dests)), 0, format.MaxNeighbours)
	fixed := make(part, format.SizeofCommFixed)
	fixed.i32(format.CommIndex, index)
	fixed.u32(format.CommFlags, kindFlags[c.Kind]|bitsOf(
		bitIf{format.CommUnknown, c.Members == nil}, bitIf{format.CommForming, c.Forming}, bitIf{format.CommToParent, c.ToParent},
		bitIf{format.CommTopology, c.Neighbours != nil}))
	fixed.i32(format.CommRank, c.Rank)
	fixed.i32(format.CommSize, size)
	fixed.i32(format.CommRemoteSize, remoteSize)
	fixed.i32(format.CommNranges, n)
	fixed.i32(format.CommNremote, nremote)
	fixed.u16(format.CommNsources, len(near.Sources))
	fixed.u16(format.CommNdests, len(near.Dests))
	fixed = append(append(fixed, local...), remote...)
	for _, rank := range slices.Concat(near.Sources, near.Dests) {
		fixed.appendZeros(4).i32(0, rank)
	}
	return fixed
}

// encodeRanges writes the members as runs of equal stride.
func encodeRanges(members []int) (out part, n int) {
	for len(members) > 0 {
		run, stride := 1, 0
		if len(members) > 1 && (members[0] == -1) == (members[1] == -1) {
			stride = members[1] - members[0]
			for run < len(members) && members[run]-members[run-1] == stride &&
				(members[run] == -1) == (members[0] == -1) {
				run++
			}
		}
		r := out.appendZeros(format.SizeofRange)
		r.i32(format.RangeStart, members[0])
		r.i32(format.RangeStride, stride)
		r.i32(format.RangeCount, run)
		n++
		members = members[run:]
	}
	return out, n
}
