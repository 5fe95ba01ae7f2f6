package model

import (
	"encoding/hex"
	"slices"
)

// rank appends all records of a rank. The communicators come early, since Scan
// reads up to the record of MPI_COMM_WORLD.
func (w *slotWriter) rank(r *Rank) {
	w.head(r)
	base := w.fold.baseOf(r)
	if base != nil {
		w.modules, w.index = base.modules, base.index
	} else {
		w.index = map[*Module]int{}
		for _, m := range r.Modules {
			w.module(m)
		}
		w.addModulesOf(r)
	}
	for i, t := range r.Threads {
		if i > 0 && t.Index <= r.Threads[i-1].Index {
			w.fail("threads are not in order of index")
		}
		w.thread(r, t)
	}
	for i, c := range r.Comms {
		w.comm(r, i, c)
	}
	if base != nil {
		w.like(base, r)
	} else {
		for _, t := range r.Threads {
			w.model(t)
		}
		w.fold.add(w, r)
	}
	for _, t := range r.Threads {
		w.sent(t)
		w.raised(t)
	}
	w.sites(r)
	w.arguments(r)
	for part := range slices.Chunk(r.Channels, channelsPerRec) {
		w.channels(r, part)
	}
	for part := range slices.Chunk(r.Locks, locksPerRec) {
		w.locks(r, part)
	}
	for part := range slices.Chunk(r.Taken, takenPerRec) {
		w.taken(r, part)
	}
	if r.Library != "" {
		w.record(recLibrary, 0, []byte(r.Library), nil)
	}
	for _, note := range r.Notes {
		w.record(recNote, 0, []byte(note), nil)
	}
}

func (w *slotWriter) head(r *Rank) {
	family := slices.Index(families[:], r.Family)
	if family < 0 {
		w.fail("family %q", r.Family)
	}
	w.fits("length of the path of the program", len(r.Exe), 0, rankExeMax)
	if w.err != nil {
		return
	}
	var fixed, live fill
	fixed.i32(r.PID).u32(w.slot).time(r.Start).u32(uint32(family)).i32(len(r.Exe)).text(r.Exe).zeros(rankFixed)
	live.i32(r.Rank).i32(r.Size).u32(uint32(r.Phase)).u32(uint32(r.End)).i32(r.EndDetail).i32(r.ThreadLevel)
	live.time(r.Heartbeat).time(r.EndTime).time(r.QuietSince).u64(uint64(r.LongestQuiet))
	live.u64(r.Evicted).u64(r.LostRequests).flag(r.Off).flag(r.Spawned).u64(r.PIDSpace)
	w.record(recRank, 0, fixed, live)
}

func (w *slotWriter) module(m *Module) {
	id, err := hex.DecodeString(m.BuildID)
	if err != nil {
		w.fail("build-id %q", m.BuildID)
	}
	index := len(w.modules)
	w.fits("number of modules", index, 0, noModule-1)
	w.fits("length of a build-id", len(id), 0, 1<<16-1)
	w.fits("length of a path", len(m.Path), 0, 1<<16-1)
	w.modules = append(w.modules, m)
	w.index[m] = index
	var fixed fill
	fixed.i32(index).u16(uint16(len(id))).u16(uint16(len(m.Path))).u64(m.Base).u64(m.Size).text(string(id)).text(m.Path)
	w.record(recModule, 0, fixed, nil)
}

// addModulesOf sees to it that every module of a stack has an index. A state
// that ranks share names the module of another rank: the same build-id and path
// will do.
func (w *slotWriter) addModulesOf(r *Rank) {
	for _, t := range r.Threads {
		for _, s := range t.Model.States {
			w.addModules(s.Stack)
		}
		if t.Captured != nil {
			w.addModules(t.Captured.Stack)
		}
		if t.Raised != nil {
			w.addModules(t.Raised.Stack)
		}
	}
	for _, s := range r.Sites {
		w.addModules(s.Stack)
	}
}

func (w *slotWriter) addModules(stack []Frame) {
	for _, f := range stack {
		if f.Module == nil {
			continue
		}
		if _, ok := w.index[f.Module]; ok {
			continue
		}
		same := slices.IndexFunc(w.modules, func(m *Module) bool {
			return m.BuildID == f.Module.BuildID && m.Path == f.Module.Path
		})
		if same >= 0 {
			w.index[f.Module] = same
		} else {
			w.module(f.Module)
		}
	}
}

// frames appends the frame words of a stack.
func (w *slotWriter) frames(f *fill, stack []Frame) {
	w.fits("depth of a stack", len(stack), 0, maxFrames)
	for _, frame := range stack {
		index := noModule
		if frame.Module != nil {
			index = w.index[frame.Module]
		}
		if frame.Offset > MaxOffset {
			w.fail("offset %#x", frame.Offset)
		}
		f.u64(uint64(index)<<offsetBits | frame.Offset)
	}
}

func (w *slotWriter) thread(r *Rank, t *Thread) {
	var fixed, live fill
	var stack fill
	fixed.i32(t.Index).i32(t.TID)
	w.op(&live, r, t)
	w.capture(&stack, t.Captured)
	switch {
	case w.err != nil:
	case w.fold != nil:
		w.record(recRest, t.Index, slices.Concat(fixed, live, stack), nil)
	default:
		live.zeros(opSize).text(string(*stack.zeros(stackSize)))
		w.record(recThreadRec, t.Index, fixed, live)
	}
}

func (w *slotWriter) op(live *fill, r *Rank, t *Thread) {
	op, states := &t.Op, len(t.Model.States)
	w.fits("state of an operation", op.State, -1, states-1)
	w.fits("number of pending operations", len(op.Pending), 0, maxPending)
	w.fits("number of operations not listed", op.Unlisted, 0, 1<<31)
	if w.err != nil {
		return
	}
	live.u64(0).u64(t.Calls).u64(t.Progress).u64(t.Polls).flag(op.InMPI).i32(op.State).u32(uint32(op.Kind))
	live.i32(len(op.Pending) + op.Unlisted).i32(len(op.Pending)).i32(t.TID).u64(t.Light)
	for _, p := range op.Pending {
		w.fits("communicator of a pending operation", p.Comm, -1, len(r.Comms)-1)
		w.fits("state of a pending operation", p.State, -1, states-1)
		live.u32(uint32(p.Kind)).i32(p.Comm).i32(p.Peer).i32(p.Tag).u64(p.Seq).i32(p.State).u32(0)
	}
}

func (w *slotWriter) capture(live *fill, c *Capture) {
	if c == nil {
		c = new(Capture)
	}
	live.u64(0).time(c.Time).u64(c.Calls).u32(uint32(c.Why)).i32(c.Same).flag(c.InMPI).u32(captureFlags(c))
	live.i32(c.Signal).i32(len(c.Stack))
	w.frames(live, c.Stack)
}

func (w *slotWriter) model(t *Thread) {
	m := &t.Model
	if len(m.Visits) != len(m.States) {
		w.fail("%d visits for %d states", len(m.Visits), len(m.States))
		return
	}
	for i, s := range m.States {
		w.fits("length of a function name", len(s.Call), 0, 1<<16-1)
		var fixed, live fill
		fixed.i32(i).u16(uint16(len(s.Stack))).u16(uint16(len(s.Call))).flag(s.Partial).u32(uint32(s.Binding))
		w.frames(&fixed, s.Stack)
		w.record(recState, t.Index, *fixed.text(s.Call), *live.u64(m.Visits[i]))
	}
	for _, e := range m.Edges {
		w.fits("start of an edge", e.From, 0, len(m.States)-1)
		w.fits("end of an edge", e.To, 0, len(m.States)-1)
		var fixed, live fill
		w.record(recEdge, t.Index, *fixed.i32(e.From).i32(e.To), *live.u64(e.Count))
	}
}

func (w *slotWriter) comm(r *Rank, index int, c *Comm) {
	w.fits("thread of a communicator", c.Thread, 0, len(r.Threads)-1)
	if w.err != nil {
		return
	}
	t := r.Threads[c.Thread]
	w.fits("state of a communicator", c.State, -1, len(t.Model.States)-1)
	local, n := w.fold.ranges(c.Members)
	remote, nremote := w.fold.ranges(c.Remote)
	size, remoteSize := c.Size, c.RemoteSize
	if c.Members != nil {
		size, remoteSize = len(c.Members), len(c.Remote)
	}
	var fixed, live fill
	fixed.i32(index).u32(commFlagsOf(c)).i32(c.Rank).i32(size).i32(remoteSize)
	fixed.i32(n).i32(nremote)
	w.neighbours(&fixed, c, local, remote)
	live.flag(c.Freed).u32(0).u64(c.Coll).u64(c.ID).u64(c.Parent).i32(t.Index).i32(c.State)
	w.record(recComm, t.Index, fixed, live)
	if c.History != nil {
		w.history(r, index, c.History)
	}
}

func commFlagsOf(c *Comm) uint32 {
	flags := kindFlags[c.Kind]
	for _, f := range []struct {
		set  bool
		flag uint32
	}{{c.Members == nil, flagUnknown}, {c.Forming, flagForming}, {c.Neighbours != nil, flagTopology}} {
		if f.set {
			flags |= f.flag
		}
	}
	return flags
}

// ranges writes the members as runs of equal stride.
func ranges(members []int) (out fill, n int) {
	for len(members) > 0 {
		run, stride := 1, 0
		if len(members) > 1 && (members[0] == -1) == (members[1] == -1) {
			stride = members[1] - members[0]
			for run < len(members) && members[run]-members[run-1] == stride &&
				(members[run] == -1) == (members[0] == -1) {
				run++
			}
		}
		out.i32(members[0]).i32(stride).i32(run)
		n++
		members = members[run:]
	}
	return out, n
}

func (w *slotWriter) channels(r *Rank, part []Channel) {
	var live fill
	for _, c := range part {
		w.fits("communicator of a channel", c.Comm, 0, len(r.Comms)-1)
		live.u32(0).i32(c.Comm + 1).i32(c.Peer).i32(c.Tag).u64(c.Sent).u64(c.Received)
	}
	if w.fold == nil {
		live.zeros(channelSize * channelsPerRec)
	}
	w.record(recChannels, 0, nil, live)
}

// neighbours writes how many there are, the ranges before them, and their list.
func (w *slotWriter) neighbours(fixed *fill, c *Comm, local, remote fill) {
	n := c.Neighbours
	if n == nil {
		n = new(Neighbours)
	}
	w.fits("number of neighbours", max(len(n.Sources), len(n.Dests)), 0, maxNeighbours)
	fixed.u16(uint16(len(n.Sources))).u16(uint16(len(n.Dests))).text(string(local)).text(string(remote))
	for _, rank := range slices.Concat(n.Sources, n.Dests) {
		fixed.i32(rank)
	}
}

func (w *slotWriter) locks(r *Rank, part []Lock) {
	var live fill
	for _, l := range part {
		w.fits("window of a lock", l.Comm, 0, len(r.Comms)-1)
		live.u32(0).i32(l.Comm + 1).i32(l.Target).u32(uint32(l.Type))
	}
	if w.fold == nil {
		live.zeros(lockSize * locksPerRec)
	}
	w.record(recLocks, 0, nil, live)
}

func captureFlags(c *Capture) uint32 {
	var flags uint32
	if c.Partial {
		flags |= flagPartial
	}
	if c.Idle {
		flags |= captureIdle
	}
	return flags
}

func (w *slotWriter) taken(r *Rank, part []Taken) {
	var live fill
	for _, m := range part {
		w.fits("communicator of a message", m.Comm, 0, len(r.Comms)-1)
		w.fits("thread of a receive", m.Thread, 0, len(r.Threads)-1)
		if w.err != nil {
			return
		}
		t, wild := r.Threads[m.Thread], uint16(0)
		w.fits("state of a receive", m.State, -1, len(t.Model.States)-1)
		if m.AnySource {
			wild |= anySource
		}
		if m.AnyTag {
			wild |= anyTag
		}
		live.u32(0).i32(m.Comm + 1).i32(m.Peer).i32(m.Tag).u64(m.Number).i32(m.State).u16(uint16(t.Index)).u16(wild)
	}
	if w.fold == nil {
		live.zeros(takeSize * takenPerRec)
	}
	w.record(recTaken, 0, nil, live)
}
