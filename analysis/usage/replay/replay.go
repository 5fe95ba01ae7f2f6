package replay

import (
	"cmp"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/typemap"
	"laggard/model"
	"laggard/model/mpi"
)

// Replayed is what the trace of one rank says by itself.
type Replayed struct {
	Trace *recorded.Trace
	// Operations are in the order in which they began.
	Operations []Operation
	// Waits are in the order of their calls.
	Waits []Wait
	// Findings are those that the rank shows alone, in the order in which they
	// happened first; those that are alike are one, see Group.
	Findings []finding.Finding
	// Finalized: the rank came to MPI_Finalize, or to the end of all its sessions.
	// Of any other it is not known what it would still have completed and freed.
	Finalized bool
	Layouts   *typemap.Layouts
	muted     mutes
}

// Place returns call i as one that takes part in a finding.
func (r *Replayed) Place(i int, role string) finding.Place {
	t := r.Trace
	if i < 0 || i >= len(t.Calls) {
		return finding.Place{Rank: t.Rank, Role: role}
	}
	c := &t.Calls[i]
	p := finding.Place{Rank: t.Rank, Call: c.Func.Name, Role: role, Muted: r.Muted(i)}
	if c.Site >= 0 && c.Site < len(t.Sites) {
		p.Site = t.Sites[c.Site]
	}
	return p
}

// Muted reports whether the program asked that nothing be said of call i.
func (r *Replayed) Muted(i int) bool { return r.muted.has(r.Trace.Calls[i].Begin) }

// replay follows a rank through its calls.
type replay struct {
	*Replayed
	t        *recorded.Trace
	open     []int               // calls that have begun and not returned
	flight   map[int]*activation // by the call that began it, until that call returns
	numbers  map[int]uint64      // collectives begun, by communicator
	requests requests
	messages map[int64]*message
	objects  objects
	memory   memory
	windows  map[int]*window
	files    map[int]*file
	buffers  attached
	life     life
	// wrong are the calls whose arguments are wrong.
	wrong       map[int]bool
	nowhere     map[int]string            // by call, see there
	twice       map[[2]int64]typemap.Span // by datatype and count: where entries overlap
	overlapping map[int]bool              // calls that a buffer_overlap is about
	found       *finding.Group
	last        *finding.Finding // reported last; its fields may still change
}

// activation is an operation under way: of a call, or of a request.
type activation struct {
	operations []int // indices into Replayed.Operations
	memory     []int // what it uses, see memory
	cancel     int   // the call MPI_Cancel that was asked to end it, 0 none
}

// Run follows one rank through its trace.
func Run(t *recorded.Trace) *Replayed {
	r := &replay{
		Replayed: &Replayed{Trace: t, Layouts: typemap.NewLayouts(t.Types), muted: mutesOf(t)}, t: t,
		flight: map[int]*activation{}, numbers: map[int]uint64{}, requests: newRequests(),
		messages: map[int64]*message{}, objects: newObjects(), memory: newMemory(), windows: map[int]*window{},
		files: map[int]*file{}, life: newLife(t), wrong: map[int]bool{}, nowhere: nowhere(t),
		twice:       map[[2]int64]typemap.Span{},
		overlapping: map[int]bool{}, found: finding.NewGroup(), buffers: attached{call: -1},
	}
	order := make([]int, len(t.Calls))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(t.Calls[i].Begin, t.Calls[j].Begin) })
	for _, i := range order {
		r.returnsBefore(t.Calls[i].Begin)
		if t.Calls[i].Func == nil {
			continue // the decoder knows all functions; a bad input may not
		}
		r.begin(argsOf(t, i))
		r.open = append(r.open, i)
	}
	r.returnsBefore(^uint64(0))
	r.finish()
	r.settle()
	r.Finalized = r.life.ended()
	r.Findings = r.found.InOrder()
	return r.Replayed
}

// returnsBefore ends the calls that returned before a place.
func (r *replay) returnsBefore(place uint64) {
	for {
		first := -1
		for k, i := range r.open {
			if end := r.t.Calls[i].Return; end != 0 && end < place &&
				(first < 0 || end < r.t.Calls[r.open[first]].Return) {
				first = k
			}
		}
		if first < 0 {
			return
		}
		i := r.open[first]
		r.open = slices.Delete(r.open, first, first+1)
		r.end(argsOf(r.t, i))
	}
}

// begin follows a call up to where MPI takes over.
func (r *replay) begin(a args) {
	r.checkLife(a)
	r.checkThreads(a)
	if a.c.Func.Class == mpi.ClassLight {
		return
	}
	buffers := r.buffersOf(a)
	if !r.wrong[a.i] { // no argument is right where MPI is not there
		r.checkArguments(a, buffers)
	}
	r.flight[a.i] = &activation{}
	if r.wrong[a.i] && !a.ended() {
		return // MPI refuses it
	}
	r.beginBuffered(a)
	r.beginReady(a)
	if f := beginnings[a.c.Func.Class]; f != nil {
		f(r, a)
	}
	r.beginFile(a)
	r.useMemory(a, buffers)
}

// end follows a call when MPI hands back.
func (r *replay) end(a args) {
	act := r.flight[a.i]
	delete(r.flight, a.i)
	if act == nil || r.wrong[a.i] && !a.ended() {
		return
	}
	if f := endings[a.c.Func.Class]; f != nil {
		f(r, a, act)
	} else {
		r.complete(act, a.i, nil)
	}
	r.follow(a)
	r.life.end(a)
}

// add records an operation of a call.
func (r *replay) add(a args, op Operation) int {
	op.Call, op.Made, op.Done, op.Bytes = a.i, a.i, -1, -1
	op.Source, op.FromTag = model.None, model.None
	r.Operations = append(r.Operations, op)
	n := len(r.Operations) - 1
	if act := r.flight[a.i]; act != nil {
		act.operations = append(act.operations, n)
	}
	return n
}

// complete ends what is under way, with the status of its receive if there is one.
func (r *replay) complete(act *activation, call int, status recorded.Value) {
	for _, k := range act.operations {
		op := &r.Operations[k]
		if op.Done >= 0 {
			continue
		}
		op.Done = call
		if len(status) >= 4 && (op.Kind == Recv || op.Kind == Probe || len(act.operations) == 1) {
			op.setStatus(status)
		}
	}
	r.memory.release(act.memory)
	act.operations, act.memory = nil, nil
}

func (op *Operation) setStatus(status recorded.Value) {
	op.Cancelled, op.Withdrawn = status[3] != 0, false
	if op.Kind == Recv || op.Kind == Probe {
		op.Source, op.FromTag, op.Bytes = int(status[0]), int(status[1]), status[2]
	}
}

// report adds a finding. The caller may change it until the next is reported.
func (r *replay) report(class, message string, places ...finding.Place) *finding.Finding {
	r.settle()
	f := finding.New(class, message, places...)
	r.last = &f
	return r.last
}

// settle adds the finding that was reported last to the others.
func (r *replay) settle() {
	if r.last != nil {
		r.found.Add(*r.last)
		r.last = nil
	}
}
