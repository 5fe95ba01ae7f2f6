package attach

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"laggard/intake/library"
	"laggard/intake/python"
	"laggard/intake/stopped"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/model/nodefile"
)

// builder turns the threads of a rank, one for each sample, into the rank as a recorder
// would have it.
type builder struct {
	*sampledRank
	rank      *model.Rank
	samples   []*sample // of all ranks; the number of a thread of rank is the position of its sample
	taken     *Snapshot
	arguments *arguments
	modules   map[*stopped.Module]*model.Module
	functions map[string]*model.Module // of a Python program, by path
	library   library.Library          // what the MPI library keeps; nil: not opened
}

func (b *builder) buildRank() {
	r := b.rank
	r.PID, r.Exe = b.process.PID, b.process.Program
	r.Heartbeat = time.Now()
	b.addModules()
	first := r.Threads[0].TID // of the one that speaks for the rank
	byTID := map[int][]*model.Thread{}
	for _, t := range r.Threads {
		tid := b.samples[t.TID].thread.TID
		byTID[tid] = append(byTID[tid], t)
	}
	r.Threads = nil
	moved := false
	speaker := b.samples[first].thread.TID
	order := slices.SortedFunc(maps.Keys(byTID), func(x, y int) int {
		return cmp.Or(boolToInt(y == speaker)-boolToInt(x == speaker), cmp.Compare(x, y))
	})
	for _, tid := range order {
		if tid == speaker {
			b.readValues(byTID[tid])
		}
		t, moves := b.mergeThread(byTID[tid])
		t.Index, t.TID = len(r.Threads), tid
		moved = moved || moves
		r.Threads = append(r.Threads, t)
	}
	b.addLocks()
	r.Threads[0].Progress = 1
	if moved {
		b.taken.Moved.Add(r.Rank)
		r.Start = b.taken.Began.Add(-time.Minute) // it runs for long enough to be judged
	} else {
		r.QuietSince = b.taken.Began
	}
	r.Phase = phaseOf(r)
}

// boolToInt is 1 for true.
func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// phaseOf is how far the rank is by what its threads are in.
func phaseOf(r *model.Rank) model.Phase {
	phase := model.Running
	for _, t := range r.Threads {
		switch {
		case !t.Op.InMPI:
		case t.Op.Kind == model.Finalize:
			phase = model.Finalizing
		case t.Op.Kind == model.Init && phase == model.Running:
			phase = model.Starting
		}
	}
	return phase
}

// addModules lists the files that are mapped.
func (b *builder) addModules() {
	b.modules, b.functions = map[*stopped.Module]*model.Module{}, map[string]*model.Module{}
	for _, m := range b.unwinder.Modules() {
		b.modules[m] = &model.Module{BuildID: m.BuildID, Path: m.Path, Base: m.Bias, Size: m.Hi - m.Lo}
		b.rank.Modules = append(b.rank.Modules, b.modules[m])
	}
	for _, m := range b.unwinder.Modules() {
		switch base := m.Path[strings.LastIndexByte(m.Path, '/')+1:]; {
		case strings.HasPrefix(base, "libmpi_abi"):
			b.rank.Family = mpi.Standard
			return // what it is made of are libraries of another one
		case strings.HasPrefix(base, "libmpich"), strings.HasPrefix(base, "libmpi") && strings.Contains(m.Path, "mpich"):
			b.rank.Family = mpi.MPICH
		case strings.HasPrefix(base, "libopen-pal"), strings.HasPrefix(base, "libopen-rte"):
			b.rank.Family = mpi.OpenMPI
		}
	}
}

// polling: a thread that was in a call that only looks for something, in at least this
// share of the looks, waits for that in a loop.
const polling = 0.2

// mergeThread joins what the looks saw of one thread. It moves if it was in different calls, or in
// one and outside. A loop around a test is no progress, and a local call in it none either.
func (b *builder) mergeThread(seen []*model.Thread) (out *model.Thread, moves bool) {
	last := seen[len(seen)-1]
	states := map[int]int{}
	var polls []*model.Thread
	calls := 0
	for _, t := range seen {
		call := b.callName(t)
		f := mpi.FindFunction(call)
		if call == "" || f.IsLocal() {
			continue
		}
		calls++
		states[t.Op.State]++
		if f != nil && f.Class.IsPoll() {
			polls = append(polls, t)
		}
	}
	switch {
	case len(polls) == calls && float64(calls) >= max(polling*float64(len(seen)), 1):
		out = polls[len(polls)-1]
	case calls == len(polls): // it computes, and perhaps looks for messages now and then
		out = last
		for _, t := range seen {
			if b.callName(t) == "" {
				out = t
			}
		}
	default:
		out, moves = last, calls < len(seen) || len(states) > 1
	}
	b.describeThread(out, seen)
	return out, moves
}

func (b *builder) callName(t *model.Thread) string {
	if t.Op.State < 0 {
		return ""
	}
	return t.Model.States[t.Op.State].Call
}

// describeThread says what the thread does, by the sample that stands for all.
func (b *builder) describeThread(t *model.Thread, seen []*model.Thread) {
	s := b.samples[t.TID]
	call := b.callName(t)
	t.Calls = 1
	t.Captured = b.captureStack(s, call != "")
	if b.isAtOneInstruction(seen) {
		t.Captured.Same = len(seen)
	}
	if call == "" {
		b.arguments.runGuarded(b, func() { t.Captured.Idle = b.arguments.mayPoll(b, s) })
	}
	if f := mpi.FindFunction(call); f != nil && t.Op.Kind == model.Other {
		t.Op.Kind = kindOf(f)
		b.arguments.runGuarded(b, func() { b.arguments.addWaits(b, t, s, call) })
	}
}

// captureStack is the whole stack as a recorder would have taken it.
func (b *builder) captureStack(s *sample, inMPI bool) *model.Capture {
	c := &model.Capture{
		Time: time.Now(), Why: model.CaptureSignal, Partial: s.stack.Partial, Calls: 1, InMPI: inMPI, Same: 1,
		Idle: b.process.Machine.Waits(s.thread.SystemCall),
	}
	for _, l := range s.levels[:min(len(s.levels), maxCaptured)] {
		c.Stack = append(c.Stack, b.modelFrame(l))
	}
	c.Partial = c.Partial || len(s.levels) > maxCaptured
	return c
}

// modelFrame is a level as it is recorded.
func (b *builder) modelFrame(l python.Level) model.Frame {
	switch {
	case l.Python != nil:
		return model.Frame{Module: b.pythonFunction(l.Python), Offset: uint64(l.Python.Line)}
	case l.C.Module == nil:
		return model.Frame{Offset: l.C.PC() & nodefile.MaxOffset}
	}
	return model.Frame{Module: b.modules[l.C.Module], Offset: l.C.PC() - l.C.Module.Bias}
}

// pythonFunction lists that of a Python program among the modules, once.
func (b *builder) pythonFunction(f *python.Frame) *model.Module {
	m := model.PythonModule(f.File, f.Function)
	if known := b.functions[m.Path]; known != nil {
		return known
	}
	b.functions[m.Path] = m
	b.rank.Modules = append(b.rank.Modules, m)
	return m
}

// maxCaptured is how many frames the format has room for.
const maxCaptured = 64

// isAtOneInstruction reports whether a thread is at one instruction in all looks, although it ran between
// them: by chance a short loop is found at one place several times.
func (b *builder) isAtOneInstruction(seen []*model.Thread) bool {
	for i := 1; i < len(seen); i++ {
		x, y := b.samples[seen[i-1].TID], b.samples[seen[i].TID]
		if !samePlace(x.levels, y.levels) || y.thread.Ran <= x.thread.Ran {
			return false
		}
	}
	return len(seen) >= stillLooks
}

// stillLooks is how many looks it takes to say so.
const stillLooks = 5

func samePlace(a, b []python.Level) bool {
	return slices.EqualFunc(a, b, func(x, y python.Level) bool {
		if x.Python == nil || y.Python == nil {
			return x.Python == y.Python && x.C.PC() == y.C.PC()
		}
		a, b := x.Python, y.Python
		return a.File == b.File && a.Function == b.Function && a.Line == b.Line
	})
}

// kindOf is what a call waits for.
func kindOf(f *mpi.Function) model.Kind {
	switch c := f.Class; {
	case c.IsPoll():
		return model.Poll
	case f.InClass(mpi.ClassWaitany, mpi.ClassWaitsome):
		return model.WaitAny
	case c.WaitsForRequests(), c == mpi.ClassSendrecv:
		return model.Wait
	case c == mpi.ClassColl:
		return model.Collective
	case c == mpi.ClassSend:
		return model.Send
	case c == mpi.ClassRecv:
		return model.Recv
	case f.InClass(mpi.ClassProbe, mpi.ClassMprobe):
		return model.Probe
	}
	return model.Other
}
