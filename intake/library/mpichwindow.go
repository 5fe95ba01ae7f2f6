package library

import (
	"slices"

	"laggard/model"
)

// ListWindows lists those that are variables of the library, which come first.
func (m *mpich) ListWindows() (out []*Window) {
	for i := range uint32(maxDirect) {
		if w := m.ResolveWindow(uint64(directHandle<<30|windowKind<<26|i), false); w != nil {
			out = append(out, w)
		}
	}
	return out
}

// maxDirect bounds how many objects of a kind are variables of the library.
const maxDirect = 64

// ResolveWindow reads a window. One that was freed still has its handle, but its communicator is free.
func (m *mpich) ResolveWindow(handle uint64, _ bool) *Window {
	at := m.objectAddress(uint32(handle))
	if handleKind(uint32(handle)) != windowKind || at == 0 || !m.ready {
		return nil
	}
	b := m.readBytes(at, m.pools[windowKind].size)
	comm := m.commIn(b)
	w := &Window{Comm: commWithKind(m.comms[comm], model.Window)}
	if w.Comm == nil || m.readInt(comm+4) < 1 {
		return nil
	}
	m.readEpochs(w, b)
	if len(w.Locks) == 0 {
		m.readTargetLocks(w, b)
	}
	return w
}

func (m *mpich) ResolveFile(uint64, bool) *model.Comm { return nil }

// What an epoch is of.
const (
	ofLock    = 1
	ofStart   = 2
	ofPost    = 3
	ofLockAll = 6
)

// Where the synchronisation of a window has its parts, from the group of a start on: in front
// of it the kinds of access and exposure and an assertion, behind it how many have posted, how
// many locks of all have come, how many locks there are, and then the group of a post, and how
// many have completed.
const (
	accessOf   = -16
	exposureOf = -12
	postedOf   = 8
	allOf      = 16
	singlesOf  = 20
	postOf     = 24
	completeOf = 32
	epochsEnd  = 40
)

// readEpochs finds the synchronisation of a window by what is open: a group with the right kind of
// epoch, or the kind of a lock of all that all have granted.
func (m *mpich) readEpochs(w *Window, b []byte) {
	all := 0
	for off := -accessOf; off+epochsEnd <= len(b); off += 8 {
		access, exposure := int32At(b, off+accessOf), int32At(b, off+exposureOf)
		if access == ofStart {
			w.Access = m.epochGroup(w, b, off, postedOf, w.Access)
		}
		if exposure == ofPost {
			w.Exposure = m.epochGroup(w, b, off+postOf, completeOf-postOf, w.Exposure)
		}
		if access == ofLockAll && exposure == 0 && wordAt(b, off) == 0 && wordAt(b, off+postOf) == 0 &&
			int32At(b, off+allOf) == w.Comm.Size && int32At(b, off+singlesOf) == 0 {
			all++
		}
	}
	if all == 1 {
		w.addLock(model.None, model.Shared)
	}
}

// epochGroup is the group of an epoch, if there is one whose members have not all answered more than
// once; was is what was found before.
func (m *mpich) epochGroup(w *Window, b []byte, off, answers int, was []int) []int {
	group := w.WindowRanks(m.groupAt(wordAt(b, off)))
	if n := int32At(b, off+answers); group == nil || n < 0 || n > len(group) {
		return was
	}
	return group
}

// readTargetLocks reads the locks of single targets: a list of them, each of which has the rank, as the
// key of a hash table refers to it, and in front of it the kind of epoch, whether it is granted, and
// an assertion. The type of the lock is known only to the target.
func (m *mpich) readTargetLocks(w *Window, b []byte) {
	for off := 0; off+8 <= len(b); off += 8 {
		at := wordAt(b, off)
		for range w.Comm.Size {
			t := m.readBytes(at, targetSize)
			key := m.hashKeyOffset(t, at)
			if at%8 != 0 || key < 0 {
				break
			}
			rank := int(wordAt(t, key)) - int(at)
			if int32At(t, rank-12) == ofLock && int32At(t, rank-8) == 1 {
				w.addLock(int32At(t, rank), model.Either)
			}
			at = wordAt(t, key-24)
		}
	}
}

// targetSize is as much as is read of what a window has of a target.
const targetSize = 128

// hashKeyOffset finds in an object of a hash table the address of its key, which is an int in it; -1 if
// there is none.
func (m *mpich) hashKeyOffset(t []byte, at uint64) int {
	for off := 40; off+12 <= len(t); off += 8 {
		if key := wordAt(t, off); key >= at+12 && key+4 <= at+uint64(off)-40 && int32At(t, off+8) == 4 {
			return off
		}
	}
	return -1
}

func (m *mpich) GroupRanks(handle uint64, _ bool) []int {
	if handleKind(uint32(handle)) != groupKind || !m.ready {
		return nil
	}
	return m.groupAt(m.objectAddress(uint32(handle)))
}

// groupAt reads a group: its size, the own rank in it, and a list of ranks, each with the
// place of the next one by number.
func (m *mpich) groupAt(at uint64) []int {
	if at == 0 || at%8 != 0 || m.pools[groupKind] == nil {
		return nil
	}
	if h := uint32(m.readInt(at)); handleKind(h) != groupKind || m.objectAddress(h) != at {
		return nil
	}
	b := m.readBytes(at, m.pools[groupKind].size)
	n, rank := int32At(b, 8), int32At(b, 12)
	if int32At(b, 4) < 1 || n < 1 || n > m.Size {
		return nil
	}
	for off := 16; off+8 <= len(b); off += 8 {
		ranks := m.parseRankList(m.readWords(wordAt(b, off), 2*n), n)
		if ranks != nil && slices.Index(ranks, m.Rank) == max(rank, -1) {
			return ranks
		}
	}
	return nil
}

// parseRankList are the ranks of a list of pairs; nil if it cannot be one.
func (m *mpich) parseRankList(pairs []uint64, n int) (out []int) {
	for i := 0; i+1 < len(pairs); i += 2 {
		next := int(int32(pairs[i+1]))
		if pairs[i] >= uint64(m.Size) || next < -1 || next >= n {
			return nil
		}
		out = append(out, int(pairs[i]))
	}
	if !m.areDistinctRanks(out) {
		return nil
	}
	return out
}
