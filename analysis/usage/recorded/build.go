package recorded

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/mpi"
)

// builder collects what the threads of a rank recorded. It reads the streams once for what is said of the whole run
// (definitions, notes, gaps), and again each time that the calls are asked for.
type builder struct {
	trace    *Trace
	rank     *model.Rank
	sources  []*source
	maxCalls int
	limits   Limits
	built    bool     // all was read once
	dangling bool     // something refers to what is not defined
	largest  [3]int64 // by reference: what was referred to; how many there are
	defined  [3]int64
	sites    map[*model.State]int
	types    map[int]*Datatype
	comms    map[int]*model.Comm
	notes    []Note
	ntypes   int
	ncomms   int
	reasons  []string
}

// source is what a thread recorded.
type source struct {
	thread int
	blocks iter.Seq2[[]byte, error]
	read   int // how many blocks were read at first, and how many calls they had
	calls  int
}

func newBuilder(r *model.Rank, most int) *builder {
	t := &Trace{Rank: r.Rank, Size: r.Size, Host: r.Host, Family: r.Family, Phase: r.Phase, End: r.End,
		ThreadLevel: r.ThreadLevel, Names: map[string]map[int64]string{}}
	if r.End == model.Signalled {
		t.Signal = r.EndDetail
	}
	b := &builder{trace: t, rank: r, maxCalls: most, largest: [3]int64{-1, -1, -1},
		sites: map[*model.State]int{}, types: map[int]*Datatype{}, comms: map[int]*model.Comm{}}
	if r.Off {
		b.markIncomplete("the recorder turned itself off: " + strings.Join(r.Notes, "; "))
	}
	return b
}

func (b *builder) markIncomplete(why string) {
	if !slices.Contains(b.reasons, why) && len(b.reasons) < 16 {
		b.reasons = append(b.reasons, why)
	}
}

// cutReason is the reason that the recorder gave, if it gave one.
func (b *builder) cutReason() string {
	for _, n := range b.rank.Notes {
		if strings.HasPrefix(n, "the recording of calls ended") {
			return n
		}
	}
	return "the recording of calls ended before the rank did (LAGGARD_STREAM_MB)"
}

func (b *builder) threadModel(thread int) *model.Model {
	for _, t := range b.rank.Threads {
		if t.Index == thread {
			return &t.Model
		}
	}
	return &model.Model{}
}

func (b *builder) siteIndex(s *model.State) int {
	i, ok := b.sites[s]
	if !ok {
		i = len(b.trace.Sites)
		b.sites[s] = i
		b.trace.Sites = append(b.trace.Sites, Site{Stack: s.Stack, Binding: s.Binding})
	}
	return i
}

// addComm keeps a communicator under its number: its members are those of the
// record, which may serve another one by now.
func (b *builder) addComm(number, record int, id, parent uint64, thread, state int) error {
	if record >= len(b.rank.Comms) || number > maxObjects {
		return fmt.Errorf("communicator %d of %d", record, len(b.rank.Comms))
	}
	c := *b.rank.Comms[record]
	if c.ID != id {
		c.Freed, c.Coll = true, 0
	}
	c.ID, c.Parent, c.Thread, c.State = id, parent, thread, state
	b.comms[number] = &c
	b.ncomms = max(b.ncomms, number+1)
	return nil
}

func (b *builder) addName(k mpi.Kind, value int64, name string) {
	of := typeNames[k]
	if b.trace.Names[of] == nil {
		b.trace.Names[of] = map[int64]string{}
	}
	b.trace.Names[of][value] = name
}

func (b *builder) addNote(n Note) {
	if n.Kind == BufferTouched {
		n.Write, n.Received = n.Value&1 != 0, n.Value&2 != 0
		n.Site = Site{Stack: []model.Frame{b.frameAt(uint64(n.Value) >> 2)}}
	}
	b.notes = append(b.notes, n)
}

var typeNames = map[mpi.Kind]string{mpi.Op: "MPI_Op", mpi.Group: "MPI_Group", mpi.Info: "MPI_Info",
	mpi.Errhandler: "MPI_Errhandler", mpi.Message: "MPI_Message"}

// isOver reports whether time is over or memory is full, when the streams are read first.
func (b *builder) isOver() bool {
	switch {
	case b.built:
		return false
	case b.limits.IsTimeOver != nil && b.limits.IsTimeOver():
		b.markIncomplete("its later calls were not read, since the time of --time was over")
		return true
	}
	return b.isFull()
}

// isFull reports whether the rank has taken its share of the memory.
func (b *builder) isFull() bool {
	full := b.limits.IsMemoryFull != nil && b.limits.IsMemoryFull()
	if full {
		b.markIncomplete("its later calls are left out: all calls together exceed events.memory_mb")
	}
	return full
}

// readSources reads what is said of the whole run.
func (b *builder) readSources() {
	for _, s := range b.sources {
		d, end := b.newDecoder(s, math.MaxInt, b.maxCalls-b.trace.CallNumber)
		for c := d.nextCall(); c != nil; c = d.nextCall() {
			s.calls++
			b.trace.Initialises = b.trace.Initialises || c.Func.InClass(mpi.ClassInit, mpi.ClassSessionInit)
		}
		s.read = math.MaxInt - d.left
		b.trace.CallNumber += s.calls
		end()
	}
}

// newDecoder returns one for so many blocks and calls of a thread, and what to call when it is not used any more.
func (b *builder) newDecoder(s *source, blocks, calls int) (d *decoder, end func()) {
	next, end := iter.Pull2(s.blocks)
	return &decoder{b: b, source: s, next: next, left: blocks, room: calls, model: b.threadModel(s.thread)}, end
}

// callsBetweenChecks is after how many calls eachCall looks at the memory again: some 2 MB, if each call is kept.
const callsBetweenChecks = 1 << 14

// eachCall yields the calls of all threads in the order of their begins, until memory is full: the calls of all threads
// end in one place, as what one of them did first must not look as if it had not been done.
func (b *builder) eachCall(yield func(*Call) bool) {
	decoders, first := make([]*decoder, len(b.sources)), make([]*Call, len(b.sources))
	for i, s := range b.sources {
		d, end := b.newDecoder(s, s.read, s.calls)
		defer end()
		decoders[i], first[i] = d, d.nextCall()
	}
	for n := 1; ; n++ {
		at := -1
		for i, c := range first {
			if c != nil && (at < 0 || c.Begin < first[at].Begin) {
				at = i
			}
		}
		if at < 0 {
			return
		}
		c := first[at]
		if first[at] = decoders[at].nextCall(); first[at] == nil && b.failedIn(c.Thread) {
			c.Refused = c.Return == 0
		}
		if !yield(c) {
			return
		}
		if n%callsBetweenChecks == 0 && b.isFull() {
			b.judgeCompleteness()
			return
		}
	}
}

// buildTrace makes the trace of what the sources hold.
func (b *builder) buildTrace() *Trace {
	t := b.trace
	b.readSources()
	t.Comms = fillGaps(b.comms, b.ncomms, func() *model.Comm { return &model.Comm{Rank: -1, State: -1} })
	t.Types = fillGaps(b.types, b.ntypes, func() *Datatype { return &Datatype{Cut: true} })
	if len(b.comms) != len(t.Comms) || len(b.types) != len(t.Types) {
		b.markIncomplete("descriptions of communicators or datatypes are missing")
	}
	b.defined = [3]int64{toComm: int64(len(t.Comms)), toType: int64(len(t.Types))}
	b.dangling = b.dangling || b.largest[toComm] >= b.defined[toComm] || b.largest[toType] >= b.defined[toType]
	if !t.repairTypes() || b.dangling {
		b.markIncomplete("calls or datatypes refer to missing objects")
	}
	t.Notes, t.Calls, b.built = b.notes, b.eachCall, true
	b.judgeCompleteness()
	return t
}

func (b *builder) judgeCompleteness() {
	b.trace.Complete, b.trace.Why = len(b.reasons) == 0, strings.Join(b.reasons, "; ")
}

// failedIn reports whether the last call of a thread is one that MPI ended the job in, as it reported an error.
func (b *builder) failedIn(thread int) bool {
	return slices.ContainsFunc(b.rank.Threads, func(t *model.Thread) bool { return t.Index == thread && t.InFailedCall() })
}

// frameAt is where an address of the process is.
func (b *builder) frameAt(at uint64) model.Frame {
	for _, m := range b.rank.Modules {
		if at-m.Base < m.Size {
			return model.Frame{Module: m, Offset: at - m.Base}
		}
	}
	return model.Frame{Offset: at}
}

// fillGaps lists the objects by number, and makes those that are missing with
// otherwise.
func fillGaps[T any](of map[int]*T, n int, otherwise func() *T) []*T {
	out := make([]*T, min(n, 2*len(of)+1024))
	for i := range out {
		if out[i] = of[i]; out[i] == nil {
			out[i] = otherwise()
		}
	}
	return out
}
