package between

import (
	"slices"

	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/model"
	"laggard/model/mpi"
)

// windows is what a rank does with windows (§11).
type windows struct {
	memory   []region
	accesses []access
	unput    []fence // by which the rank said that nobody puts to it
	amid     []amid  // locks that were taken after a fence, the first of each target
	held     []lock  // locks that are open at the end
	waits    []lock  // calls that wait for a lock at the end
}

// region is the rank's own memory in a window.
type region struct {
	comm       int32 // index into Digest.comms, of the window
	step       int32 // that made it
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

// amid is a lock between two fences.
type amid struct {
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

var accessKinds = map[string]accessKind{
	"Put": put, "Rput": put, "Get": get, "Rget": get, "Accumulate": accumulate, "Raccumulate": accumulate,
	"Get_accumulate": accumulate, "Rget_accumulate": accumulate, "Fetch_and_op": accumulate,
	"Compare_and_swap": accumulate,
}

// lock is a lock of a window, or the wish for one.
type lock struct {
	step   int32
	comm   int32 // index into Digest.comms, of the window
	target int   // rank in the window, -1 all
}

// epochs follows what is open on one window.
type epochs struct {
	open     []int32        // accesses that are not complete, indices into windows.accesses
	fence    uint64         // number of the last fence, 0 none
	since    map[int64]bool // targets of locks since that fence
	exposed  []int          // group of MPI_Win_post
	entered  bool           // by MPI_Win_start
	started  []int32        // messages of MPI_Win_start, which MPI_Win_complete completes
	targets  []int          // group of MPI_Win_start
	named    bool           // targets is known, and the epoch open
	locks    map[int64]lock // by target, -1 all
	solitary map[int64]bool // exclusive
}

// addWindows follows the calls on windows.
func (d *digester) addWindows() {
	w := &windowDigester{digester: d, groups: groups{}, epochs: map[int64]*epochs{}, numbers: map[int32]uint64{}}
	for i := range d.entries {
		w.numbers[d.entries[i].step] = d.entries[i].number
	}
	for i := range d.trace.Calls {
		c := &d.trace.Calls[i]
		if c.Func == nil {
			continue
		}
		if c.Func.Class == mpi.ClassLocal {
			w.groups.follow(d.trace, c)
		} else if d.at(i) >= 0 {
			w.call(c, d.at(i))
		}
	}
	w.finishReads()
	if len(d.windows.memory) > 0 {
		w.addLocal()
	}
	for _, win := range w.order {
		for _, target := range w.sortedLocks(win) {
			d.windows.held = append(d.windows.held, w.epochs[win].locks[target])
		}
	}
}

type windowDigester struct {
	*digester
	groups  groups
	epochs  map[int64]*epochs
	order   []int64
	numbers map[int32]uint64 // of collectives, by step
}

func (w *windowDigester) of(win int64) *epochs {
	if w.epochs[win] == nil {
		w.epochs[win] = &epochs{locks: map[int64]lock{}, solitary: map[int64]bool{}}
		w.order = append(w.order, win)
	}
	return w.epochs[win]
}

func (w *windowDigester) sortedLocks(win int64) []int64 {
	var out []int64
	for target := range w.epochs[win].locks {
		out = append(out, target)
	}
	slices.Sort(out)
	return out
}

func (w *windowDigester) call(c *recorded.Call, step int32) {
	if c.Func.Class == mpi.ClassNewwin {
		w.make(c, step)
		return
	}
	win, ok := c.Value1("win")
	if !ok || win < 0 || win >= int64(len(w.comms)) {
		return
	}
	e := w.of(win)
	rank, one := c.Value1("rank")
	if !one {
		rank = -1
	}
	switch c.Func.Class {
	case mpi.ClassRma, mpi.ClassRmaNb, mpi.ClassRmaNow:
		w.access(c, step, int32(win), e)
	case mpi.ClassWinColl:
		w.complete(e, -1, step)
		e.fence, e.since = w.numbers[step], map[int64]bool{}
		if w.trace.Asserted(c)&recorded.NoPut != 0 {
			w.windows.unput = append(w.windows.unput, fence{step, int32(win), e.fence})
		}
	case mpi.ClassWinFree:
		w.complete(e, -1, step)
	case mpi.ClassWinFlush:
		if c.Func.Name == "MPI_Win_flush" || c.Func.Name == "MPI_Win_flush_all" {
			w.complete(e, rank, step)
		}
		w.await(c, lock{step, int32(win), int(rank)})
	case mpi.ClassWinUnlock:
		w.complete(e, rank, step)
		w.await(c, lock{step, int32(win), int(rank)})
		delete(e.locks, rank)
	case mpi.ClassWinLock:
		typ, _ := c.Value1("lock_type")
		e.solitary[rank] = one && exclusive(typ)
		taken := lock{step, int32(win), int(rank)}
		if w.await(c, taken); c.Return == 0 {
			break
		}
		e.locks[rank] = taken
		if e.fence > 0 && !e.since[rank] {
			e.since[rank] = true
			w.windows.amid = append(w.windows.amid, amid{taken, e.fence})
		}
	default:
		w.synchronise(c, step, int32(win), e)
	}
}

// exclusive tells the type of a lock, which each MPI numbers in its own way.
func exclusive(typ int64) bool {
	const openmpi, mpich, standard = 1, 234, 301
	return typ == openmpi || typ == mpich || typ == standard
}

// await notes a call that the rank never left because it may lack a lock.
func (w *windowDigester) await(c *recorded.Call, l lock) {
	if c.Return == 0 {
		w.windows.waits = append(w.windows.waits, l)
	}
}

// make notes the rank's own memory.
func (w *windowDigester) make(c *recorded.Call, step int32) {
	win, ok := c.Result1("win")
	if !ok || win < 0 || win >= int64(len(w.comms)) {
		return
	}
	r := region{comm: int32(win), step: step, size: -1, unit: 1, dynamic: c.Func.Name == "MPI_Win_create_dynamic"}
	if unit, ok := c.Value1("disp_unit"); ok {
		r.unit = unit
	}
	base, known := c.Value1("base")
	if !known {
		base, known = c.Result1("baseptr")
	}
	if size, ok := c.Value1("size"); ok && (size == 0 || known && base > 0) {
		r.base, r.size = base, size
	}
	w.windows.memory = append(w.windows.memory, r)
}

func (w *windowDigester) access(c *recorded.Call, step, win int32, e *epochs) {
	target, ok := c.Value1("target_rank")
	disp, known := c.Value1("target_disp")
	if !ok || !known || target < 0 {
		return
	}
	name := plainName(c.Func.Name)[len("MPI_"):]
	a := access{kind: accessKinds[name], comm: win, step: step, done: -1, target: int(target), disp: disp}
	if len(e.locks) == 0 && !e.entered {
		a.fence = e.fence
	}
	_, locked := e.locks[target]
	a.locked = locked && e.solitary[target]
	a.stray = e.named && !slices.Contains(e.targets, w.comms[win].WorldRank(int(target)))
	a.buffer = w.targetBuffer(c)
	if a.kind == accumulate {
		a.op = name
		if op, ok := c.Value1("op"); ok {
			a.op = opName(w.trace, op)
		}
	}
	if a.buffer < 0 || a.kind == 0 {
		return
	}
	e.open = append(e.open, int32(len(w.windows.accesses)))
	w.windows.accesses = append(w.windows.accesses, a)
}

// targetBuffer returns what an access uses at its target.
func (d *digester) targetBuffer(c *recorded.Call) int32 {
	if b := d.buffers1(c, "target_count", "target_datatype"); len(b) > 0 {
		return b[0]
	}
	if typ, ok := c.Value1("datatype"); ok {
		return d.buffer(int(typ), 1)
	}
	return -1
}

// complete ends the open accesses to a target; -1: to all.
func (w *windowDigester) complete(e *epochs, target int64, step int32) {
	e.open = slices.DeleteFunc(e.open, func(i int32) bool {
		a := &w.windows.accesses[i]
		if target >= 0 && a.target != int(target) {
			return false
		}
		a.done = step
		return true
	})
}

// finishReads ends accesses that only read their target when they are complete at the origin: then they have read.
func (w *windowDigester) finishReads() {
	ends := map[int32]int32{}
	for i := range w.Operations {
		if o := &w.Operations[i]; o.Kind == replay.OneSided && w.at(o.Done) >= 0 {
			ends[w.at(o.Call)] = w.at(o.Done)
		}
	}
	for i := range w.windows.accesses {
		a := &w.windows.accesses[i]
		if end, ok := ends[a.step]; ok && a.reads() && (a.done < 0 || end < a.done) {
			a.done = end
		}
	}
}

// reads tells whether an access leaves what it uses as it is.
func (a *access) reads() bool {
	return a.kind == get || a.kind == load || a.kind == accumulate && a.op == noOp
}

// synchronise makes messages of the calls by which some members of a window
// synchronise: MPI_Win_post sends one to each of its group, for MPI_Win_start, and
// MPI_Win_complete one back, for MPI_Win_wait (§11.5.2).
func (w *windowDigester) synchronise(c *recorded.Call, step, win int32, e *epochs) {
	group, known := w.groups.operand(c, "group")
	returned := step
	if c.Return == 0 {
		returned = -1
	}
	switch c.Func.Class {
	case mpi.ClassWinPost:
		if e.exposed = group; known {
			w.signals(aSend, model.TagPost, group, win, step, returned)
		}
	case mpi.ClassWinStart:
		e.entered = true
		if e.targets, e.started, e.named = group, nil, known; known {
			e.started = w.signals(aRecv, model.TagPost, group, win, step, -1)
		}
	case mpi.ClassWinComplete:
		w.complete(e, -1, step)
		for _, m := range e.started {
			w.messages[m].done = returned
		}
		if c.Return == 0 {
			w.waits = append(w.waits, waiting{step: step, messages: e.started})
		} else {
			w.signals(aSend, model.TagComplete, e.targets, win, step, step)
		}
		e.started, e.targets, e.named, e.entered = nil, nil, false, false
	case mpi.ClassWinWait, mpi.ClassWinTest:
		if flag, ok := c.Result1("flag"); c.Func.Class == mpi.ClassWinWait || ok && flag != 0 {
			w.signals(aRecv, model.TagComplete, e.exposed, win, step, returned)
			e.exposed = nil
		}
	}
}

// signals adds messages without data between the rank and a group.
func (w *windowDigester) signals(kind half, tag int, group []int, win, step, done int32) []int32 {
	var out []int32
	for _, r := range group {
		peer := slices.Index(w.comms[win].Members, r)
		if peer < 0 {
			continue
		}
		c := channel{kind == aSend, win, peer, tag, peer, tag}
		at, ok := w.channelOf[c]
		if !ok {
			at = int32(len(w.channels))
			w.channelOf[c] = at
			w.channels = append(w.channels, c)
		}
		out = append(out, int32(len(w.messages)))
		w.messages = append(w.messages, message{
			kind: kind, mode: isBuffered, blocking: !w.steps[step].returned, channel: at,
			step: step, made: step, done: done, buffer: -1, bytes: -1, probe: -1,
		})
	}
	return out
}

// addLocal notes the uses of the rank's own memory in windows by its calls.
func (w *windowDigester) addLocal() {
	for i := range w.Operations {
		o := &w.Operations[i]
		step := w.at(o.Call)
		if step < 0 || o.Peer == model.ProcNull || o.Cancelled {
			continue
		}
		c := &w.trace.Calls[o.Call]
		if o.Made >= 0 && o.Made < len(w.trace.Calls) {
			c = &w.trace.Calls[o.Made]
		}
		kind, names := load, []string{"buf", "sendbuf"}
		switch {
		case o.Kind == replay.Recv:
			kind, names = store, []string{"buf", "recvbuf"}
		case o.Kind == replay.OneSided && c.Func.Class.OneSided():
			w.addOrigin(c, o, step)
			continue
		case o.Kind != replay.Send:
			continue
		}
		for _, name := range names {
			if address, ok := c.Value1(name); ok {
				w.local(kind, address, w.buffer(o.Type, o.Count), o, step)
				break
			}
		}
	}
}

// addOrigin notes the buffers that an access has at its origin.
func (w *windowDigester) addOrigin(c *recorded.Call, o *replay.Operation, step int32) {
	kind, buffer := load, w.buffer(o.Type, o.Count)
	if accessKinds[plainName(c.Func.Name)[len("MPI_"):]] == get {
		kind = store
	}
	op, _ := c.Value1("op")
	if address, ok := c.Value1("origin_addr"); ok && opName(w.trace, op) != noOp {
		w.local(kind, address, buffer, o, step)
	}
	if b := w.buffers1(c, "result_count", "result_datatype"); len(b) > 0 {
		buffer = b[0]
	}
	if address, ok := c.Value1("result_addr"); ok {
		w.local(store, address, buffer, o, step)
	}
}

func (w *windowDigester) local(kind accessKind, address int64, buffer int32, o *replay.Operation, step int32) {
	if buffer < 0 {
		return
	}
	for _, r := range w.windows.memory {
		if address >= r.base && address < r.base+r.size {
			w.windows.accesses = append(w.windows.accesses, access{
				kind: kind, comm: r.comm, step: step, done: w.at(o.Done), target: w.comms[r.comm].Rank, disp: address,
				buffer: buffer,
			})
		}
	}
}
