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
	trace  *Trace
	rank   *model.Rank
	most   int
	sites  map[*model.State]int
	types  map[int]*Datatype
	comms  map[int]*model.Comm
	notes  []rawNote
	ntypes int
	ncomms int
	whys   []string
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
	b := &builder{trace: t, rank: r, most: most, sites: map[*model.State]int{}, types: map[int]*Datatype{},
		comms: map[int]*model.Comm{}}
	if r.Off {
		b.incomplete("the recorder turned itself off: " + strings.Join(r.Notes, "; "))
	}
	return b
}

func (b *builder) incomplete(why string) {
	if !slices.Contains(b.whys, why) && len(b.whys) < 16 {
		b.whys = append(b.whys, why)
	}
}

// whyCut is the reason that the recorder gave, if it gave one.
func (b *builder) whyCut() string {
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

func (b *builder) site(s *model.State) int {
	i, ok := b.sites[s]
	if !ok {
		i = len(b.trace.Sites)
		b.sites[s] = i
		b.trace.Sites = append(b.trace.Sites, Site{Stack: s.Stack, Binding: s.Binding})
	}
	return i
}

// comm keeps a communicator under its number: its members are those of the
// record, which may serve another one by now.
func (b *builder) comm(number, record int, id, parent uint64, thread, state int) error {
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

func (b *builder) name(k mpi.Kind, value int64, name string) {
	of := typeNames[k]
	if b.trace.Names[of] == nil {
		b.trace.Names[of] = map[int64]string{}
	}
	b.trace.Names[of][value] = name
}

var typeNames = map[mpi.Kind]string{mpi.Op: "MPI_Op", mpi.Group: "MPI_Group", mpi.Info: "MPI_Info",
	mpi.Errhandler: "MPI_Errhandler", mpi.Message: "MPI_Message"}

func (b *builder) finish() *Trace {
	t := b.trace
	slices.SortStableFunc(t.Calls,
		func(x, y Call) int { return cmp.Or(cmp.Compare(x.Begin, y.Begin), x.Thread-y.Thread) })
	t.Comms = filled(b.comms, b.ncomms, func() *model.Comm { return &model.Comm{Rank: -1, State: -1} })
	t.Types = filled(b.types, b.ntypes, func() *Datatype { return &Datatype{Cut: true} })
	if len(b.comms) != len(t.Comms) || len(b.types) != len(t.Types) {
		b.incomplete("descriptions of communicators or datatypes are missing")
	}
	b.refused()
	for _, n := range b.notes {
		if call := b.begunAt(n.call); call >= 0 && n.names(&t.Calls[call]) {
			note := Note{Kind: n.kind, Call: call, Seen: b.begunAt(n.seen), Value: n.value}
			if n.kind == BufferTouched {
				note.Write, note.Received = n.value&1 != 0, n.value&2 != 0
				note.Site = Site{Stack: []model.Frame{b.frame(uint64(n.value) >> 2)}}
			}
			t.Notes = append(t.Notes, note)
		}
	}
	if !t.sound() {
		b.incomplete("calls or datatypes name objects that are not there")
	}
	t.Complete = len(b.whys) == 0
	t.Why = strings.Join(b.whys, "; ")
	return t
}

// refused marks the calls that MPI ended the job in, as it reported an error.
func (b *builder) refused() {
	for _, thread := range b.rank.Threads {
		if !thread.Erred() {
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

// frame is where an address of the process is.
func (b *builder) frame(at uint64) model.Frame {
	for _, m := range b.rank.Modules {
		if at-m.Base < m.Size {
			return model.Frame{Module: m, Offset: at - m.Base}
		}
	}
	return model.Frame{Offset: at}
}

// names tells whether the call has the parameter that the note is about, if it is
// about one.
func (n rawNote) names(c *Call) bool {
	return n.kind != NoPlace || c.Func != nil && n.value >= 0 && n.value < int64(len(c.Func.Params))
}

// filled lists the objects by number, and makes those that are missing with
// otherwise.
func filled[T any](of map[int]*T, n int, otherwise func() *T) []*T {
	out := make([]*T, min(n, 2*len(of)+1024))
	for i := range out {
		if out[i] = of[i]; out[i] == nil {
			out[i] = otherwise()
		}
	}
	return out
}

// begunAt finds the call whose begin has that number; -1: there is none.
func (b *builder) begunAt(number uint64) int {
	calls := b.trace.Calls
	i, ok := slices.BinarySearchFunc(calls, number, func(c Call, n uint64) int { return cmp.Compare(c.Begin, n) })
	if !ok || number == 0 {
		return -1
	}
	return i
}
