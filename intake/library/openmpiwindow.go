package library

import (
	"slices"
	"strings"

	"laggard/model"
)

// ListWindows lists those in the table of all.
func (o *ompi) ListWindows() (out []*Window) {
	list, n := o.handleTable("ompi_mpi_windows")
	for _, at := range o.readWords(list, n) {
		if w := o.readWindow(at); w != nil {
			out = append(out, w)
		}
	}
	return out
}

func (o *ompi) ResolveWindow(handle uint64, fortran bool) *Window {
	if fortran {
		handle = o.fortranHandle("ompi_mpi_windows", handle)
	}
	return o.readWindow(handle)
}

func (o *ompi) GroupRanks(handle uint64, fortran bool) []int {
	if fortran {
		handle = o.fortranHandle("ompi_group_f_to_c_table", handle)
	}
	if ranks := o.groupMembers(handle); o.ready && o.areDistinctRanks(ranks) {
		return ranks
	}
	return nil
}

// readWindow reads a window. It points to its group, and to the state of what makes it work; that
// has a communicator of its own, a copy of the one that the window was made of.
func (o *ompi) readWindow(at uint64) *Window {
	c := o.classDerivedFrom(at, "ompi_win_t")
	if c == nil || !o.ready {
		return nil
	}
	b := o.readBytes(at, c.size)
	var group []int
	for off := 0; off+8 <= len(b) && group == nil; off += 8 {
		group = o.groupMembers(wordAt(b, off))
	}
	for off := 0; off+8 <= len(b) && group != nil; off += 8 {
		module := wordAt(b, off)
		if module == 0 || module%8 != 0 || o.classOf(module) != nil {
			continue
		}
		state := o.readBytes(module, o.allocationSize(module))
		if comm := o.firstComm(state); comm != nil && slices.Equal(comm.Members, group) {
			w := &Window{Comm: commWithKind(comm, model.Window)}
			if w.Comm == nil {
				return nil
			}
			o.readEpochs(w, module, state)
			return w
		}
	}
	return nil
}

// Bounds of the state of what makes a window work.
const (
	minState   = 256
	maxState   = 1 << 14
	usualState = 2048 // of those whose size is not known
)

// allocationSize is how much may be read of it: what the allocator of glibc says, if it can be right.
func (o *ompi) allocationSize(at uint64) int {
	if size := int(o.readWord(at-8) &^ 7); size >= minState && size <= maxState {
		return size - 8
	}
	return usualState
}

// Types of the object that says for what a window is accessed.
const (
	underLock  = 1
	underStart = 3
)

// readEpochs reads what is open on a window. The modules for networks and for messages have an
// object that says how the window is accessed, and behind it the group of a post. Those for shared
// memory, and for UCX, have but the two groups, side by side.
func (o *ompi) readEpochs(w *Window, module uint64, state []byte) {
	for off := 0; off+8 <= len(state); off += 8 {
		at := module + uint64(off)
		c := o.syncClass(at, module)
		if c == nil {
			continue
		}
		switch how, what := o.readSync(at, c); how {
		case underStart:
			w.Access = w.WindowRanks(o.GroupRanks(what, false))
		case underLock:
			if int32(what) == -1 {
				w.addLock(model.None, model.Shared)
			}
		}
		w.Exposure = w.WindowRanks(o.GroupRanks(wordAt(state, off+c.size), false))
		o.findLocks(w, module, state)
		return
	}
	o.groupsOf(w, state)
}

// syncClass returns the class of an object that says how the window of a module is
// accessed; nil if it is none.
func (o *ompi) syncClass(at, module uint64) *class {
	if at == 0 || at%8 != 0 {
		return nil
	}
	c := o.classOf(at)
	if c == nil || !strings.HasPrefix(c.name, "ompi_osc_") || !strings.HasSuffix(c.name, "_sync_t") {
		return nil
	}
	if base := o.classAt(c.parent); base == nil || o.readWord(at+uint64(base.size)) != module {
		return nil
	}
	return c
}

// readSync reads how a window is accessed, and what the word behind that is: a group, or the target of a
// lock and then its type.
func (o *ompi) readSync(at uint64, c *class) (how int, what uint64) {
	at += uint64(o.classAt(c.parent).size) + 8 // behind the module
	return o.readInt(at), o.readWord(at + 8)
}

// findLocks finds the locks of single targets: in a table by target, or in a hash table whose
// entries are a mark, the target, and the lock.
func (o *ompi) findLocks(w *Window, module uint64, state []byte) {
	for off := 0; off+32 <= len(state); off += 8 {
		at := wordAt(state, off)
		switch c := o.classAt(wordAt(state, off+o.header)); {
		case c != nil && c.name == "opal_hash_table_t":
			entries, n := wordAt(state, off+16), int(wordAt(state, off+24))
			if n < 0 || n > maxListed {
				continue
			}
			for b := o.readBytes(entries, n*entry); len(b) >= entry; b = b[entry:] {
				o.addTargetLock(w, wordAt(b, entry-8), module, int32At(b, 8))
			}
		case at != 0 && at%8 == 0:
			for target, lock := range o.readWords(at, w.Comm.Size) {
				o.addTargetLock(w, lock, module, target)
			}
		}
	}
}

// entry is the size of one in a hash table.
const entry = 32

// addTargetLock adds a lock, if it is one of this target.
func (o *ompi) addTargetLock(w *Window, at, module uint64, target int) {
	c := o.syncClass(at, module)
	if c == nil {
		return
	}
	how, what := o.readSync(at, c)
	kind := model.LockType(uint16(what >> 32))
	if how == underLock && int(int32(what)) == target && (kind == model.Exclusive || kind == model.Shared) {
		w.addLock(target, kind)
	}
}

// groupsOf reads the groups of start and post. If there is only one, it cannot be told which
// it is, but a call that waits for the members of one says that that one is open.
func (o *ompi) groupsOf(w *Window, state []byte) {
	for off := 0; off+8 <= len(state); off += 8 {
		first := w.WindowRanks(o.GroupRanks(wordAt(state, off), false))
		if first == nil {
			continue
		}
		w.Access, w.Exposure = first, first
		if second := w.WindowRanks(o.GroupRanks(wordAt(state, off+8), false)); second != nil {
			w.Exposure = second
		}
		return
	}
}
