package between

import (
	"math"
	"slices"
	"strings"

	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/model"
	"laggard/model/mpi"
)

// windows is what a rank does with windows (§11).
type windows struct {
	memory      []region
	accesses    []access
	noPutFences []fence      // by which the rank said that nobody puts to it
	fencedLocks []fencedLock // locks that were taken after a fence, the first of each target
	mutexes     []mutex      // exclusive locks, of each target
	held        []lock       // locks that are open at the end
	waits       []lock       // calls that wait for a lock at the end
}

// region is the rank's own memory in a window.
type region struct {
	comm       int32 // index into Digest.comms, of the window
	step       int32 // that made it
	freed      int32 // that freed it, -1 none
	base, size int64 // size -1: not known
	unit       int64 // bytes of a displacement
	dynamic    bool  // displacements are addresses
}

// fence is a call of MPI_Win_fence.
type fence struct {
	step   int32
	comm   int32  // index into Digest.comms, of the window
	number uint64 // among the collectives on the window, from 1
}

// fencedLock is a lock between two fences.
type fencedLock struct {
	lock
	fence uint64 // number of the first
}

// access is a use of the memory of a rank in a window.
type access struct {
	kind   accessKind
	fence  uint64 // number of the fence whose epoch it is in, 0: of none
	locked bool   // under an exclusive lock
	stray  bool   // to a rank that MPI_Win_start did not name
	comm   int32  // index into Digest.comms, of the window
	step   int32  // that begins it
	done   int32  // the step by which it is complete at the target, -1 none
	target int    // rank in the window; own rank for local memory
	disp   int64  // as given; of local memory the address
	buffer int32  // what of it is used, index into Digest.buffers
	op     string // of an accumulation
}

// accessKind is what is done to memory.
type accessKind uint8

const (
	get accessKind = iota + 1
	put
	accumulate
	load  // of the rank's own memory, by a call of MPI
	store // likewise
)

// kindOf returns what a one-sided call does at its target.
func kindOf(f *mpi.Function) accessKind {
	switch {
	case f.IsFormOf("MPI_Put"):
		return put
	case f.IsFormOf("MPI_Get"):
		return get
	}
	return accumulate
}

// lock is a lock of a window, or the wish for one.
type lock struct {
	step   int32
	comm   int32 // index into Digest.comms, of the window
	target int   // rank in the window, replay.AllRanks
}

// mutex is the exclusive locks of a target: the first, and the step by which the last one was given back.
type mutex struct {
	lock
	last int32
}

// windowDigester takes over what the replay found on windows.
type windowDigester struct{ *Digester }

// addWindows takes over what the replay found on windows.
func (d windowDigester) addWindows() {
	d.addMemory()
	d.addAccesses()
	d.addFences()
	d.addLocks()
	d.addLockWaits()
	for i := range d.Epochs {
		d.addSyncMessages(&d.Epochs[i])
	}
	if d.hasWindows && len(d.windows.memory) > 0 {
		d.addLocal()
	}
}

// hasComm reports whether there is a communicator, window or file with this index.
func (d *Digester) hasComm(i int) bool { return i >= 0 && i < len(d.comms) }

// addMemory notes the rank's own memory in each window, while that is there.
func (d windowDigester) addMemory() {
	latest := map[int64]int{} // by window: index into memory
	for _, c := range d.windowCalls {
		step := d.stepIndex(c.call)
		switch {
		case c.Func.Class == mpi.ClassNewwin:
			if win, ok := c.OutputInt("win"); ok && d.hasComm(int(win)) {
				latest[win] = len(d.windows.memory)
				d.windows.memory = append(d.windows.memory, regionOf(c.Call, int32(win), step))
			}
		case c.Code == 0:
			win, _ := c.InputInt("win")
			if at, ok := latest[win]; ok {
				d.windows.memory[at].freed = step
			}
		}
	}
}

// regionOf returns the memory that the rank gives to a window which a call makes.
func regionOf(c *recorded.Call, win, step int32) region {
	r := region{comm: win, step: step, freed: -1, size: -1, unit: 1, dynamic: c.Func.Name == "MPI_Win_create_dynamic"}
	if unit, ok := c.InputInt("disp_unit"); ok {
		r.unit = unit
	}
	base, known := c.InputInt("base")
	if !known {
		base, known = c.OutputInt("baseptr")
	}
	if size, ok := c.InputInt("size"); ok && (size == 0 || known && base > 0) {
		r.base, r.size = base, size
	}
	return r
}

// addAccesses takes over the accesses of which it is known what they use.
func (d windowDigester) addAccesses() {
	made := map[*replay.Operation]*recorded.Call{}
	for _, t := range d.users {
		if t.access != nil {
			made[t.Operation] = t.access
		}
	}
	for i := range d.Accesses {
		x := &d.Accesses[i]
		if made[x.Operation] == nil {
			continue // its window is not known
		}
		if a := d.newAccess(x, made[x.Operation]); a.kind != 0 && a.buffer >= 0 {
			d.windows.accesses = append(d.windows.accesses, a)
		}
	}
}

// newAccess makes an access of what the replay says of it; of kind 0 if too little is known.
func (d windowDigester) newAccess(x *replay.Access, c *recorded.Call) access {
	o := x.Operation
	step := d.stepIndex(int(o.Call))
	disp, known := c.InputInt("target_disp")
	if !known || o.Peer < 0 || step < 0 || !d.hasComm(int(o.Comm)) {
		return access{}
	}
	a := access{kind: kindOf(c.Func), comm: o.Comm, step: step, done: d.stepIndex(x.Done), target: int(o.Peer), disp: disp,
		buffer: d.targetBuffer(c)}
	if a.kind == accumulate {
		a.op = strings.TrimPrefix(c.Func.Narrow.Name, "MPI_")
		if op, ok := c.InputInt("op"); ok {
			a.op = opName(d.trace, op)
		}
	}
	if x.Epoch >= 0 {
		d.applyEpoch(&a, &d.Epochs[x.Epoch])
	}
	if end := d.stepIndex(int(o.Done)); end >= 0 && a.readsOnly() && (a.done < 0 || end < a.done) {
		a.done = end // when it is complete at the origin it has read its target
	}
	return a
}

// applyEpoch notes what the epoch of an access says of it.
func (d windowDigester) applyEpoch(a *access, e *replay.Epoch) {
	switch e.Kind {
	case replay.FenceEpoch:
		a.fence = e.Number
	case replay.LockEpoch:
		a.locked = e.Exclusive && e.Target == a.target
	case replay.StartEpoch:
		a.stray = e.Group != nil && !slices.Contains(e.Group, d.comms[a.comm].WorldRank(a.target))
	}
}

// targetBuffer returns what an access uses at its target.
func (d windowDigester) targetBuffer(c *recorded.Call) int32 {
	if b := d.paramBuffers(c, "target_count", "target_datatype"); len(b) > 0 {
		return b[0]
	}
	if typ, ok := c.InputInt("datatype"); ok {
		return d.bufferIndex(int(typ), 1)
	}
	return -1
}

// addFences notes the fences by which the rank says that nobody puts to it.
func (d windowDigester) addFences() {
	for i := range d.Epochs {
		e := &d.Epochs[i]
		if e.Kind == replay.FenceEpoch && e.Assert&mpi.ModeNoput != 0 && d.hasComm(e.Window) {
			d.windows.noPutFences = append(d.windows.noPutFences, fence{d.stepIndex(e.Open), int32(e.Window), e.Number})
		}
	}
}

// addLocks notes the locks that are open at the end, the exclusive ones, and those between two fences, the
// first of each target. One of which the call never returned was not taken.
func (d windowDigester) addLocks() {
	type place struct{ fence, target int }
	seen := map[place]bool{}
	type key struct{ window, target int }
	mutexes := map[key]int{} // index into windows.mutexes
	for i := range d.Epochs {
		e := &d.Epochs[i]
		if e.Kind != replay.LockEpoch || !d.hasComm(e.Window) || !d.Calls[e.Open].Returned {
			continue
		}
		taken := lock{d.stepIndex(e.Open), int32(e.Window), e.Target}
		if closed := d.stepIndex(e.Close); e.Exclusive && closed >= 0 {
			at, known := mutexes[key{e.Window, e.Target}]
			if !known {
				at = len(d.windows.mutexes)
				mutexes[key{e.Window, e.Target}] = at
				d.windows.mutexes = append(d.windows.mutexes, mutex{taken, closed})
			}
			d.windows.mutexes[at].last = max(d.windows.mutexes[at].last, closed)
		}
		if e.Close < 0 {
			d.windows.held = append(d.windows.held, taken)
		}
		if at := (place{e.Fence, e.Target}); e.Fence >= 0 && !seen[at] {
			seen[at] = true
			d.windows.fencedLocks = append(d.windows.fencedLocks, fencedLock{taken, d.Epochs[e.Fence].Number})
		}
	}
}

// addLockWaits notes the calls that the rank never left because they may lack a lock.
func (d windowDigester) addLockWaits() {
	for _, o := range d.unreturned {
		if o.Kind != replay.OneSided || !d.hasComm(int(o.Comm)) {
			continue
		}
		switch d.Calls[o.Call].Function().Class {
		case mpi.ClassWinLock, mpi.ClassWinUnlock, mpi.ClassWinFlush:
			d.windows.waits = append(d.windows.waits, lock{d.stepIndex(int(o.Call)), o.Comm, int(o.Peer)})
		}
	}
}

// readsOnly reports whether an access leaves what it uses as it is.
func (a *access) readsOnly() bool {
	return a.kind == get || a.kind == load || a.kind == accumulate && a.op == noOp
}

// addSyncMessages makes messages of the calls by which some members of a window
// synchronise: MPI_Win_post sends one to each of its group, for MPI_Win_start, and
// MPI_Win_complete one back, for MPI_Win_wait (§11.5.2).
func (d windowDigester) addSyncMessages(e *replay.Epoch) {
	if !d.hasComm(e.Window) {
		return
	}
	open, closed := d.stepIndex(e.Open), d.stepIndex(e.Close)
	switch e.Kind {
	case replay.PostEpoch:
		d.addSignals(aSend, model.TagPost, e, open, d.returnedStep(open))
		if closed >= 0 {
			d.addSignals(aRecv, model.TagComplete, e, closed, d.returnedStep(closed))
		}
	case replay.StartEpoch:
		posted := d.addSignals(aRecv, model.TagPost, e, open, d.returnedStep(closed))
		if closed >= 0 && d.returnedStep(closed) < 0 {
			d.waits = append(d.waits, waiting{step: closed, messages: posted})
		} else if closed >= 0 {
			d.addSignals(aSend, model.TagComplete, e, closed, closed)
		}
	}
}

// returnedStep is the step itself if its call returned, else -1.
func (d windowDigester) returnedStep(step int32) int32 {
	if step < 0 || !d.step(step).returned {
		return -1
	}
	return step
}

// addSignals adds messages without data between the rank and the group of an epoch.
func (d windowDigester) addSignals(kind half, tag int, e *replay.Epoch, step, done int32) []int32 {
	var out []int32
	for _, r := range e.Group {
		peer := slices.Index(d.comms[e.Window].Members, r)
		if r < 0 || peer < 0 {
			continue // a process of which nothing is known
		}
		c := channel{kind == aSend, int32(e.Window), peer, tag, peer, tag, 0}
		at := d.addChannel(c)
		out = append(out, int32(len(d.messages)))
		d.messages = append(d.messages, message{d.forms.share(form{
			kind: kind, mode: isBuffered, blocking: !d.step(step).returned, channel: at, buffer: -1, request: -1, bytes: -1, probe: -1,
		}), step, done})
	}
	return out
}

// addLocal notes the uses of the rank's own memory in windows by its calls.
func (d windowDigester) addLocal() {
	memory := liveMemory{all: d.windows.memory}
	for _, t := range d.users {
		o := t.Operation
		step := d.stepIndex(int(o.Call))
		if step < 0 || o.Peer == model.ProcNull || o.Cancelled {
			continue
		}
		memory.moveTo(step, d.stepIndex(int(o.Done)))
		switch {
		case t.access != nil:
			d.addOrigin(t.access, o, step, memory.live)
		case t.address == noAddress:
		case o.Kind == replay.Recv:
			d.addLocalAccess(store, t.address, d.bufferIndex(int(o.Type), o.Count), o, step, memory.live)
		case o.Kind == replay.Send:
			d.addLocalAccess(load, t.address, d.bufferIndex(int(o.Type), o.Count), o, step, memory.live)
		}
	}
}

// user is an operation and what it may use of the memory of windows.
type user struct {
	*replay.Operation
	address int64          // of the buffer of a send or a receive
	access  *recorded.Call // that of a one-sided access
}

// accessCall is the call that has the arguments of an operation if that is a one-sided access.
func accessCall(o *replay.Operation, made *recorded.Call) *recorded.Call {
	if o.Kind == replay.OneSided && made.Func.Class.IsOneSided() {
		return made
	}
	return nil
}

// noAddress is that of no buffer.
const noAddress = math.MinInt64

// bufferAddress is where a send or a receive has its buffer, by the call that has its arguments.
func bufferAddress(o *replay.Operation, made *recorded.Call) int64 {
	name := "sendbuf"
	switch o.Kind {
	case replay.Send:
	case replay.Recv:
		name = "recvbuf"
	default:
		return noAddress
	}
	for _, name := range []string{"buf", name} {
		if address, ok := made.InputInt(name); ok {
			return address
		}
	}
	return noAddress
}

// addOrigin notes the buffers that an access has at its origin.
func (d windowDigester) addOrigin(c *recorded.Call, o *replay.Operation, step int32, memory []*region) {
	kind, buffer := load, d.bufferIndex(int(o.Type), o.Count)
	if kindOf(c.Func) == get {
		kind = store
	}
	op, _ := c.InputInt("op")
	if address, ok := c.InputInt("origin_addr"); ok && opName(d.trace, op) != noOp {
		d.addLocalAccess(kind, address, buffer, o, step, memory)
	}
	if b := d.paramBuffers(c, "result_count", "result_datatype"); len(b) > 0 {
		buffer = b[0]
	}
	if address, ok := c.InputInt("result_addr"); ok {
		d.addLocalAccess(store, address, buffer, o, step, memory)
	}
}

func (d windowDigester) addLocalAccess(kind accessKind, address int64, buffer int32, o *replay.Operation, step int32, memory []*region) {
	if buffer < 0 {
		return
	}
	for _, r := range memory {
		if address >= r.base && address < r.base+r.size {
			d.windows.accesses = append(d.windows.accesses, access{
				kind: kind, comm: r.comm, step: step, done: d.stepIndex(int(o.Done)), target: d.comms[r.comm].Rank, disp: address,
				buffer: buffer,
			})
		}
	}
}

// liveMemory gives the memory that is in windows during the operations of a rank, which come in the order of their begins.
type liveMemory struct {
	all   []region // in the order in which they were made
	added int      // of them
	live  []*region
}

// moveTo goes on to an operation that is under way from one step to another, -1: not known.
func (m *liveMemory) moveTo(from, to int32) {
	m.live = slices.DeleteFunc(m.live, func(r *region) bool { return r.freed >= 0 && r.freed < from })
	for ; m.added < len(m.all) && m.all[m.added].step <= max(from, to); m.added++ {
		m.live = append(m.live, &m.all[m.added])
	}
}
