package recorded

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/mpi"
)

// builder collects what the threads of a rank recorded.
type builder struct {
	trace    *Trace
	rank     *model.Rank
	maxCalls int
	stop     func() bool // time is over
	sites    map[*model.State]int
	types    map[int]*Datatype
	comms    map[int]*model.Comm
	notes    []rawNote
	ntypes   int
	ncomms   int
	reasons  []string
}

// rawNote names calls by the numbers of their begins.
type rawNote struct {
	kind       NoteKind
	call, seen uint64
	value      int64
}

func newBuilder(r *model.Rank, most int) *builder {
	t := &Trace{Rank: r.Rank, Size: r.Size, Host: r.Host, Family: r.Family, Phase: r.Phase, End: r.End,
		ThreadLevel: r.ThreadLevel, Names: map[string]map[int64]string{}}
	if r.End == model.Signalled {
		t.Signal = r.EndDetail
	}
	b := &builder{trace: t, rank: r, maxCalls: most, stop: func() bool { return false },
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

var typeNames = map[mpi.Kind]string{mpi.Op: "MPI_Op", mpi.Group: "MPI_Group", mpi.Info: "MPI_Info",
	mpi.Errhandler: "MPI_Errhandler", mpi.Message: "MPI_Message"}

func (b *builder) buildTrace() *Trace {
	t := b.trace
	order := func(x, y Call) int { return cmp.Or(cmp.Compare(x.Begin, y.Begin), x.Thread-y.Thread) }
	if !slices.IsSortedFunc(t.Calls, order) { // as they are if one thread calls MPI
		slices.SortStableFunc(t.Calls, order)
	}
	t.Comms = fillGaps(b.comms, b.ncomms, func() *model.Comm { return &model.Comm{Rank: -1, State: -1} })
	t.Types = fillGaps(b.types, b.ntypes, func() *Datatype { return &Datatype{Cut: true} })
	if len(b.comms) != len(t.Comms) || len(b.types) != len(t.Types) {
		b.markIncomplete("descriptions of communicators or datatypes are missing")
	}
	b.markRefused()
	for _, n := range b.notes {
		if call := b.callBegunAt(n.call); call >= 0 && n.namesParam(&t.Calls[call]) {
			note := Note{Kind: n.kind, Call: call, Seen: b.callBegunAt(n.seen), Value: n.value}
			if n.kind == BufferTouched {
				note.Write, note.Received = n.value&1 != 0, n.value&2 != 0
				note.Site = Site{Stack: []model.Frame{b.frameAt(uint64(n.value) >> 2)}}
			}
			t.Notes = append(t.Notes, note)
		}
	}
	if !t.repairReferences() {
		b.markIncomplete("calls or datatypes refer to missing objects")
	}
	t.Complete = len(b.reasons) == 0
	t.Why = strings.Join(b.reasons, "; ")
	return t
}

// markRefused marks the calls that MPI ended the job in, as it reported an error.
func (b *builder) markRefused() {
	for _, thread := range b.rank.Threads {
		if !thread.InFailedCall() {
			continue
		}
		for i := len(b.trace.Calls) - 1; i >= 0; i-- {
			if c := &b.trace.Calls[i]; c.Thread == thread.Index && c.Func != nil {
				c.Refused = c.Return == 0
				break
			}
		}
	}
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

// namesParam reports whether the call has the parameter that the note is about, if it is
// about one.
func (n rawNote) namesParam(c *Call) bool {
	return n.kind != NoPlace || c.Func != nil && n.value >= 0 && n.value < int64(len(c.Func.Params))
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

// callBegunAt finds the call whose begin has that number; -1: there is none.
func (b *builder) callBegunAt(number uint64) int {
	calls := b.trace.Calls
	i, ok := slices.BinarySearchFunc(calls, number, func(c Call, n uint64) int { return cmp.Compare(c.Begin, n) })
	if !ok || number == 0 {
		return -1
	}
	return i
}
