package facts

import (
	"maps"
	"slices"
	"strings"
	"time"

	"laggard/analysis/progress/loops"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/reduce"
)

// builder folds ranks into a summary.
type builder struct {
	sum       Summary
	places    map[Position][]int // into sum.Places
	comms     map[uint64]*comm
	seenComms []*comm // those of the rank that is being added
	sizes     map[uint64][]int
	locks     map[uint64][]Hold // by window
	modules   map[moduleKey]*model.Module
	flow      *loops.Builder
}

type moduleKey struct{ buildID, path string }

// comm is a Comm that is being made.
type comm struct {
	Comm
	kind            model.CommKind // as the last rank knows it, and
	members, remote []int
	shuffled        bool   // the members do not rise
	seen            bool   // by the rank that is being added
	begun           uint64 // by it
	counts          reduce.Interner[uint64]
}

// Summariser folds a block of recorded ranks, which may come in any order, one by
// one, so that they need not be in memory all at once.
type Summariser struct{ b *builder }

// NewSummariser returns a Summariser of no ranks, with room for as many as are expected.
func NewSummariser(expected int) Summariser {
	b := newBuilder()
	b.sum.Facts = make([]Fact, 0, expected)
	return Summariser{b}
}

// Add folds a rank, which may be forgotten afterwards but for its states.
func (s Summariser) Add(r *model.Rank) { s.b.addRank(r) }

// Summary returns the summary of all ranks that were added, and ends the
// folding. Errors wrap ErrOverlap.
func (s Summariser) Summary() (Summary, error) { return s.b.buildSummary() }

func newBuilder() *builder {
	return &builder{
		places:  map[Position][]int{},
		comms:   map[uint64]*comm{},
		sizes:   map[uint64][]int{},
		locks:   map[uint64][]Hold{},
		modules: map[moduleKey]*model.Module{},
		flow:    loops.NewBuilder(),
	}
}

// InWorld reports whether the rank takes part in the analysis.
func InWorld(r *model.Rank) bool {
	return r.Rank >= 0 && r.Rank < model.MaxRanks && !r.Spawned && Representative(r) != nil
}

func (b *builder) addRank(r *model.Rank) {
	if !InWorld(r) {
		b.sum.Outside++
		return
	}
	if r.Size > 0 && r.Size <= model.MaxRanks {
		b.sizes[uint64(r.Size)] = append(b.sizes[uint64(r.Size)], r.Rank)
	}
	t := Representative(r)
	f := factOf(r, t)
	for _, w := range f.Waits {
		for i := range w.Wants {
			w.Wants[i].Taken.Stack = b.portableFrames(w.Wants[i].Taken.Stack)
		}
	}
	if f.Incident != noIncident {
		b.makePortable(f.Buffers)
		f.FreedBy.Stack = b.portableFrames(f.FreedBy.Stack)
		f.Holder.Stack = b.portableFrames(f.Holder.Stack)
		f.Held.By.Stack, f.Held.Waits = b.portableFrames(f.Held.By.Stack), b.portableFrames(f.Held.Waits)
	}
	for i := range f.Wildcards {
		f.Wildcards[i].Stack = b.portableFrames(f.Wildcards[i].Stack)
	}
	if n := len(b.sum.Facts); n > 0 {
		before := &b.sum.Facts[n-1]
		f.Waits, f.Wildcards = shareWaits(f.Waits, before.Waits), shareWildcards(f.Wildcards, before.Wildcards)
	}
	b.sum.Facts = append(b.sum.Facts, f)
	b.addPlace(t)
	b.addStack(r, t)
	b.addExceptions(r, t)
	b.addFailed(r)
	b.addUnfreed(r)
	b.addComms(r, f.Waits)
	b.flow.Add(&t.Model)
}

// hasLeftWorld reports whether a rank that runs has gone on from MPI_Finalize: sessions of it are open.
func hasLeftWorld(r *model.Rank) bool {
	return r.Phase == model.Running && slices.ContainsFunc(r.Threads, func(t *model.Thread) bool {
		return slices.ContainsFunc(t.Model.Edges, func(e model.Edge) bool {
			s := stateOf(t, e.From)
			return s != nil && mpi.FunctionOf(s.Call).InClass(mpi.ClassFinalize)
		})
	})
}

func factOf(r *model.Rank, t *model.Thread) Fact {
	f := Fact{
		Rank: r.Rank, At: PositionOf(t), Host: validUTF8(r.Host),
		Phase: r.Phase, End: r.End, EndTime: nanoseconds(r.EndTime),
		Heartbeat: nanoseconds(r.Heartbeat), Quiet: !r.QuietSince.IsZero(),
		Off: r.Off, Evicted: r.Evicted > 0,
		Watched: r.Watched, Stopped: nanoseconds(r.Stopped), Gone: nanoseconds(r.Gone), GoneNoted: r.GoneNoted,
		Incident: &Incident{},
	}
	if r.End != model.NoEnd {
		f.Detail = r.EndDetail
	}
	f.PID, f.PIDSpace = r.PID, r.PIDSpace
	f.Ender, f.Orphaned, f.EndedBy = r.Ender, r.Orphaned, validUTF8(r.By)
	f.Asked, f.Fatal = signalOf(r.Asked), signalOf(r.Fatal)
	f.Erred = t.InFailedCall()
	if f.Erred {
		f.EndTime, f.ErrorMayFollow = nanoseconds(t.Captured.Time), true
	}
	if c := t.EndedWithinCall(); c != nil && (r.End == model.Exited || r.End == model.Aborted) {
		f.Within, f.Handler = true, c.Signal
	}
	if e := t.FatalError(); e != nil {
		f.Error = validUTF8(r.Family.DescribeError(e.Class, e.Text))
		f.ErrorMayFollow = r.Family.MayFollowLoss(e.Class, e.Text)
	}
	if r.Bad.How != model.BadNot && !r.Bad.IsSaidIn(f.Error) {
		f.Argument = r.Bad.Describe(t.CurrentCall())
		if s := stateOf(t, int(r.Bad.Limit)); s != nil && r.Bad.How == model.BadFreed {
			f.FreedBy = Call{validUTF8(s.Call), s.Stack}
		}
	}
	for _, thread := range r.Threads {
		f.Buffers = append(f.Buffers, buffersOf(thread)...)
	}
	f.Still, f.Looking = compareCaptures(t)
	f.Looking = f.Looking || isSpinning(t)
	if in := mpi.FindFunction(t.CurrentCall()); in != nil {
		f.Outward = in.OnFile() || in.SpawnsProcesses()
	}
	if f.At.InMPI && r.IsWorking() {
		f.Working, f.Still, f.Looking = r.Activity.String(), false, false
		if f.Quiet {
			f.Lasting = int64(r.Heartbeat.Sub(r.QuietSince))
		}
	}
	f.MayPoll = !f.At.InMPI && t.Captured != nil && t.Captured.Idle
	f.LeftWorld = hasLeftWorld(r)
	f.NoneActive, f.PollsMemory = testsNothing(t), pollsMemory(t)
	f.Wildcards = WildcardsOf(r)
	f.Waits = appendWait(f.Waits, r, t, true)
	if c := t.Captured; isCurrentOutside(t) && !c.Other {
		f.Holder.For, f.Holder.TID = c.Awaited, c.AwaitedTID
		f.Holder.noteFile(t.FileLock)
	}
	for _, other := range r.Threads {
		before := len(f.Waits)
		f.Driving = f.Driving || other.Op.InMPI || isSpinning(other)
		if other != t {
			f.Waits = appendWait(f.Waits, r, other, false)
			f.markHolder(other, before)
		}
	}
	f.Holder.noteOther(r, t)
	f.noteThreadLevel(r)
	f.noteHeld(r, t)
	if f.Holder.For == model.NothingAwaited && isCurrentOutside(t) && !t.Captured.Other {
		f.assumeHolder(r, t)
	}
	f.Incident = f.Incident.orNone()
	return f
}

// noteHeld notes a mutex that a thread in MPI has, if another one than that which speaks for the rank waits for it.
func (f *Fact) noteHeld(r *model.Rank, speaks *model.Thread) {
	for _, t := range r.Threads {
		if t == speaks || t.Ended || !isCurrentOutside(t) || t.Captured.Other || t.Captured.Awaited != model.OwnerAwaited {
			continue
		}
		for _, owner := range r.Threads {
			s := stateOf(owner, owner.Op.State)
			if owner.TID == t.Captured.AwaitedTID && !owner.Ended && s != nil && PositionOf(owner).InMPI {
				f.Held = Held{Call{validUTF8(s.Call), s.Stack}, t.Captured.Stack}
				return
			}
		}
	}
}

// noteThreadLevel notes that several threads are in MPI at once, if MPI did not provide MPI_THREAD_MULTIPLE. Threads are read one
// after the other, or were copied so: those that poll, or make a local call, may be inside in turn. So all but one must be in
// calls that last.
func (f *Fact) noteThreadLevel(r *model.Rank) {
	if len(r.Threads) < 2 || r.ThreadLevel < 0 || r.ThreadLevel >= model.ThreadMultiple {
		return
	}
	lasting, passing := 0, 0
	for _, t := range r.Threads {
		in := mpi.FindFunction(t.CurrentCall())
		switch {
		case !t.Op.InMPI, t.Ended, in == nil, in.Class == mpi.ClassLight:
		case t.Op.Passing, t.Op.Kind == model.Local, t.Op.Kind == model.Poll:
			passing = 1
		default:
			lasting++
		}
	}
	if n := lasting + passing; lasting > 0 && n > 1 {
		f.ThreadsInMPI, f.ThreadLevel = n, r.ThreadLevel
	}
}

// markHolder notes of another thread, whose waits begin at an index, that the representative one waits for it.
func (f *Fact) markHolder(other *model.Thread, waits int) {
	switch f.Holder.For {
	case model.NothingAwaited, model.FileLockAwaited, model.ProcessAwaited:
		return
	}
	if other.TID != f.Holder.TID {
		return
	}
	f.Holder.noteCall(other)
	for i := range f.Waits[waits:] {
		f.Waits[waits+i].Holds = true
	}
}

// assumeHolder notes the only other thread in MPI. If the representative one waits for another thread, of which the recorder does
// not know more, such as at a condition variable, it is likely that one; nothing is concluded from it.
func (f *Fact) assumeHolder(r *model.Rank, t *model.Thread) {
	inMPI := slices.DeleteFunc(slices.Clone(r.Threads), func(other *model.Thread) bool {
		return other == t || other.Ended || !PositionOf(other).InMPI
	})
	if len(inMPI) == 1 {
		f.Holder.TID = inMPI[0].TID
		f.Holder.noteCall(inMPI[0])
	}
}

// noteCall notes the MPI call that the holder is in, or where it is outside MPI.
func (h *Holder) noteCall(holder *model.Thread) {
	if s := stateOf(holder, holder.Op.State); s != nil && PositionOf(holder).InMPI {
		h.Call, h.Stack = validUTF8(s.Call), s.Stack
	} else if isCurrentOutside(holder) && !holder.Captured.Other {
		h.Stack = holder.Captured.Stack
	}
}

// noteOther notes where the holder is, if it does not call MPI.
func (h *Holder) noteOther(r *model.Rank, waits *model.Thread) {
	if h.For != model.OwnerAwaited && h.For != model.EndAwaited || len(h.Stack) > 0 {
		return
	}
	for _, o := range othersAt(r, waits.Captured.Time) {
		if o.TID == h.TID {
			h.Stack = o.Stack
		}
	}
}

// noteFile notes the file whose lock the thread waited for last, if it waits for that one.
func (h *Holder) noteFile(l *model.FileLock) {
	if h.For == model.FileLockAwaited && l != nil && l.Holder == h.TID {
		h.File, h.Command = l.File, l.Command
	}
}

func signalOf(s model.Signal) Signal { return Signal{s.Number, s.Sender, s.PID, nanoseconds(s.Time)} }

// compareCaptures compares the captures of a thread inside its present call.
func compareCaptures(t *model.Thread) (still, looking bool) {
	c := t.Captured
	if c == nil || !c.InMPI || !t.Op.InMPI || c.Calls != t.Calls || c.Why > model.CaptureSignal {
		return false, false
	}
	still = c.Same >= stuckCaptures && !c.Idle
	return still, !still
}

// validUTF8 returns a name as the encoding carries it: bytes that are no UTF-8 are
// replaced, whether or not the name travels.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// nanoseconds returns the time since 1970, 0 for the zero time.
func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func (b *builder) addPlace(t *model.Thread) {
	p := Place{At: PositionOf(t)}
	if s := stateOf(t, t.Op.State); s != nil {
		p.Call, p.Stack = validUTF8(s.Call), s.Stack
	}
	for _, i := range b.places[p.At] {
		if comparePlaces(b.sum.Places[i], p) == 0 {
			return
		}
	}
	p.Stack = b.portableFrames(p.Stack)
	b.places[p.At] = append(b.places[p.At], len(b.sum.Places))
	b.sum.Places = append(b.sum.Places, p)
}

// addStack keeps the captured stack of a computation that goes on, or that a
// fatal signal ended. Inside a call the stack of the state says as much.
func (b *builder) addStack(r *model.Rank, t *model.Thread) {
	c, other := t.Captured, false
	if died := fatalThread(r); died != nil {
		c, other = died.Captured, died != t || died.Captured.Other
	}
	if c == nil || len(c.Stack) == 0 {
		return
	}
	fatal := c.Why == model.CaptureFatal
	still, _ := compareCaptures(t)
	if fatal || isCurrentOutside(t) || still {
		b.sum.Stacks = append(b.sum.Stacks, Stack{b.portableFrames(c.Stack), fatal, other, model.NewRankSet(r.Rank)})
	}
	if !fatal && isCurrentOutside(t) {
		b.addBeside(r, c.Time)
	}
}

// addBeside keeps the stacks of the threads that do not call MPI at the time of a capture.
func (b *builder) addBeside(r *model.Rank, captured time.Time) {
	for _, o := range othersAt(r, captured) {
		b.sum.Beside = append(b.sum.Beside, Stack{b.portableFrames(o.Stack), false, true, model.NewRankSet(r.Rank)})
	}
}

// othersAt lists the threads that do not call MPI and were seen at the time of a capture or later, with a stack. They are looked
// at first: those of a later time belong to a look that was not over.
func othersAt(r *model.Rank, captured time.Time) (out []model.OtherThread) {
	for _, o := range r.Others {
		if captured.Sub(o.Time) < sameLook && len(o.Stack) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// sameLook is how far apart the stacks may be that the recorder takes in one look: with a busy machine in the middle of it.
const sameLook = 2 * time.Second

// fatalThread returns the thread that took the signal by which a rank ended, nil if it is not known.
func fatalThread(r *model.Rank) *model.Thread {
	if r.End != model.Signalled {
		return nil
	}
	i := slices.IndexFunc(r.Threads, func(t *model.Thread) bool {
		return t.Captured != nil && t.Captured.Why == model.CaptureFatal && len(t.Captured.Stack) > 0
	})
	if i < 0 {
		return nil
	}
	return r.Threads[i]
}

// isCurrentOutside reports whether the captured stack shows the computation that the thread is still in.
func isCurrentOutside(t *model.Thread) bool {
	return t.Captured != nil && t.Captured.Calls == t.Calls && !t.Captured.InMPI && !PositionOf(t).InMPI
}

// portableFrames returns the frames without what differs between processes: the
// address and the size of the mapping.
func (b *builder) portableFrames(frames []model.Frame) []model.Frame {
	out := make([]model.Frame, len(frames))
	for i, f := range frames {
		out[i].Offset = f.Offset
		if f.Module == nil {
			continue
		}
		key := moduleKey{validUTF8(f.Module.BuildID), f.Module.Path}
		if b.modules[key] == nil {
			b.modules[key] = &model.Module{BuildID: key.buildID, Path: key.path}
		}
		out[i].Module = b.modules[key]
	}
	return out
}

// addComms counts a rank's collectives on its communicators. MPI_COMM_SELF has
// no other member, and its id is not one communicator's.
func (b *builder) addComms(r *model.Rank, waits []Wait) {
	b.seenComms = b.seenComms[:0]
	for _, c := range r.Comms {
		if c.Kind != model.Self {
			b.addView(c)
		}
	}
	for _, w := range waits {
		for _, want := range w.Wants { // a snapshot may fall between the count and the call
			c := b.comms[want.Comm]
			if c != nil && c.seen && !want.Self && want.Kind == model.Collective {
				c.begun = max(c.begun, want.Seq)
				if f := want.Function(); c.shuffled && f != nil && f.NeedsLower {
					c.Order = c.members
				}
			}
		}
	}
	for _, c := range b.seenComms {
		c.countRank(r.Rank)
	}
	b.addLocks(r)
}

// countRank notes what the rank has begun.
func (c *comm) countRank(rank int) {
	at, fresh := c.counts.Intern(c.begun)
	if fresh {
		c.Counts = append(c.Counts, Count{N: c.begun})
	}
	c.Counts[at].Ranks.Add(rank)
	c.seen, c.begun = false, 0
}

// addLocks notes the locks that a rank has on known targets.
func (b *builder) addLocks(r *model.Rank) {
	for _, l := range r.Locks {
		if l.Comm < 0 || l.Comm >= len(r.Comms) || r.Comms[l.Comm].Kind == model.Self {
			continue
		}
		c := r.Comms[l.Comm]
		if target := WorldPeer(r, c, l.Target); target >= 0 || target == model.None {
			b.locks[c.ID] = append(b.locks[c.ID], Hold{target, l.Type, model.NewRankSet(r.Rank)})
		}
	}
}

// addView joins one rank's view of a communicator. Nearly always it is the
// view of the rank before, which is cheaper to see than to add.
func (b *builder) addView(c *model.Comm) {
	known := b.comms[c.ID]
	first := known == nil
	if first {
		known = &comm{Comm: Comm{ID: c.ID}}
		b.comms[c.ID] = known
	}
	if !known.seen {
		known.seen, b.seenComms = true, append(b.seenComms, known)
	}
	known.begun = max(known.begun, c.Coll)
	known.World = known.World || c.Kind == model.World
	known.Window = known.Window || c.Kind == model.Window
	known.IO = known.IO || c.Kind == model.File
	if first || known.kind != c.Kind || !sameList(known.members, c.Members) || !sameList(known.remote, c.Remote) {
		known.Groups = joinGroups(known.Groups, groupsOf(c))
		known.kind, known.members, known.remote = c.Kind, c.Members, c.Remote
		known.shuffled = !slices.IsSorted(c.Members)
	}
}

// sameList compares two lists of members; ranks of one load share them.
func sameList(a, b []int) bool {
	if len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) {
		return true
	}
	return slices.Equal(a, b)
}

// groupsOf returns the groups of a communicator in world ranks, that with the
// smallest rank first; both empty if one of an intercommunicator's is unknown.
func groupsOf(c *model.Comm) [2]model.RankSet {
	local, remote := model.NewRankSet(c.Members...), model.NewRankSet(c.Remote...)
	if c.Kind != model.Inter {
		return [2]model.RankSet{local, {}}
	}
	if local.Len() == 0 || remote.Len() == 0 {
		return [2]model.RankSet{}
	}
	if remote.Min() < local.Min() {
		return [2]model.RankSet{remote, local}
	}
	return [2]model.RankSet{local, remote}
}

// countsOf lists numbers with the ranks that gave them.
func countsOf(ranks map[uint64][]int) []Count {
	var out []Count
	for _, n := range slices.Sorted(maps.Keys(ranks)) {
		out = append(out, Count{n, model.NewRankSet(ranks[n]...)})
	}
	return out
}

// buildSummary puts everything into its order.
func (b *builder) buildSummary() (Summary, error) {
	for id, c := range b.comms {
		slices.SortFunc(c.Counts, compareCounts)
		c.Locks = reduce.SortJoined(b.locks[id], compareHolds, joinHolds)
		b.sum.Comms = append(b.sum.Comms, c.Comm)
	}
	b.sum.Sizes = countsOf(b.sizes)
	b.sum.Flow = b.flow.Flow()
	slices.SortFunc(b.sum.Comms, compareComms)
	slices.SortFunc(b.sum.Places, comparePlaces)
	b.sum.Stacks = reduce.SortJoined(b.sum.Stacks, compareStacks, joinStacks)
	b.sum.Beside = reduce.SortJoined(b.sum.Beside, compareStacks, joinStacks)
	b.sum.Raised = reduce.SortJoined(b.sum.Raised, compareRaised, joinRaised)
	b.sum.Failed = reduce.SortJoined(b.sum.Failed, compareFailed, joinFailed)
	b.sum.Unfreed = SortUnfreed(b.sum.Unfreed)
	return MergeSummaries(b.sum, Summary{})
}
