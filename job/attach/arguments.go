package attach

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"laggard/intake/library"
	"laggard/intake/stopped"
	"laggard/intake/unwind"
	"laggard/job/attach/waits"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/slicing/argument"
	"laggard/slicing/native"
	"laggard/symbol"
)

// arguments finds what the calls of ranks wait for.
type arguments struct {
	resolver *symbol.Resolver
	code     *native.Reader
}

func newArguments(r *symbol.Resolver) *arguments { return &arguments{r, native.NewReader(r)} }

// runGuarded runs f, which reads machine code. Code that nobody could have meant, or a file that
// is cut while it is mapped, costs a rank only what f would have found.
func (a *arguments) runGuarded(b *builder, f func()) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			b.taken.Problems = append(b.taken.Problems, fmt.Errorf("rank %d: malformed code: %v", b.rank.Rank, p))
		}
	}()
	f()
}

// addWaits adds to a thread what its call waits for. The registers of a thread that is
// asleep are not all known; if they matter it is held for a moment.
func (a *arguments) addWaits(b *builder, t *model.Thread, s *sample, call string) {
	state := t.Model.States[t.Op.State]
	caller := callerOf(s.stack.Frames, state)
	if caller < 0 {
		return
	}
	found := a.callArguments(b, s, caller, call)
	if !s.thread.Held && slices.ContainsFunc(found.Values, func(v argument.Value) bool { return v.Bits == 0 }) {
		if again := b.resample(s, caller, state); again != nil {
			s = again
			caller = callerOf(s.stack.Frames, state)
			found = a.callArguments(b, s, caller, call)
		}
	}
	p := &waits.Process{Family: b.rank.Family, Rank: b.rank.Rank, Read: b.memoryReader(s), Library: a.openLibrary(b),
		Comms: b.rank.Comms}
	w := waits.Of(p, found)
	t.Op.Kind, t.Op.Pending = w.Kind, w.Pending
	if w.Unlisted {
		t.Op.Unlisted = 1
	}
	for i := range t.Op.Pending {
		t.Op.Pending[i].State = t.Op.State
	}
	if note := w.Note(call); note != "" {
		b.rank.Notes = append(b.rank.Notes, note)
	}
	b.rank.Comms = p.Comms
}

// callerOf returns the position of the frame that the call of a state was made from: the
// stack of the state is what is outside MPI. -1: it is not known.
func callerOf(frames []unwind.Frame, state *model.State) int {
	if len(state.Stack) == 0 || state.Stack[0].Module == nil {
		return -1
	}
	inner := state.Stack[0]
	for i := 1; i < len(frames); i++ {
		m := frames[i].Module
		if m != nil && m.BuildID == inner.Module.BuildID && frames[i].PC()-m.Bias == inner.Offset &&
			(m.BuildID != "" || m.Path == inner.Module.Path) {
			return i
		}
	}
	return -1
}

// resample looks at a thread once more, with all registers, if it is in the same call.
func (w *sampledRank) resample(s *sample, caller int, state *model.State) *sample {
	t, err := w.process.ReadThread(s.thread.TID, true)
	if err != nil {
		return nil
	}
	out := w.unwindSample(t, s.look)
	same := callerOf(out.stack.Frames, state)
	if same < 0 {
		return nil
	}
	was, is := &s.stack.Frames[caller], &out.stack.Frames[same]
	sp := w.process.Machine.SP
	before, _ := was.Registers.Get(sp)
	if now, ok := is.Registers.Get(sp); !ok || now != before || is.PC() != was.PC() {
		return nil
	}
	return out
}

// memoryReader reads the memory of a rank, and the stack of a thread as it was at the look.
func (w *sampledRank) memoryReader(s *sample) func(addr uint64, to []byte) bool {
	view := w.process.Image.ThreadMemory(&s.thread)
	return func(addr uint64, to []byte) bool {
		n, _ := view.ReadAt(to, int64(addr))
		return n == len(to)
	}
}

// callArguments returns the arguments of the call that a frame is in. The name by which the
// caller has it tells the binding.
func (a *arguments) callArguments(b *builder, s *sample, caller int, call string) waits.Call {
	out, frames := waits.Call{Name: call}, s.stack.Frames
	c := a.argumentCall(b, s, &frames[caller])
	c.Is = func(name string) bool {
		f, ok := mpi.FindSymbol(name)
		out.Binding = f.Binding
		return ok && f.Name == call
	}
	for i, inner := caller+1, c; i < len(frames) && frames[i].Module != nil; i++ {
		inner.Outer = a.argumentCall(b, s, &frames[i])
		inner = inner.Outer
	}
	out.Values = argument.Values(a.code, *c, waits.Arguments(call))
	return out
}

// argumentCall is the call that a frame is in.
func (a *arguments) argumentCall(b *builder, s *sample, f *unwind.Frame) *argument.Call {
	return &argument.Call{
		Module: b.modules[f.Module], Bias: f.Module.Bias, Return: f.PC() - f.Module.Bias, Read: b.memoryReader(s),
		Register: f.Registers.Get,
	}
}

// mayPoll reports whether a thread outside MPI is in a loop that looks for messages, too:
// none of the looks may have met it there.
func (a *arguments) mayPoll(b *builder, s *sample) bool {
	for i := range s.stack.Frames {
		f := &s.stack.Frames[i]
		if f.Module == nil || symbol.IsSystemModule(f.Module.Path) {
			continue
		}
		at := f.PC() - f.Module.Bias
		if !f.Exact {
			at--
		}
		polls := func(name string) bool {
			f, ok := mpi.FindSymbol(name)
			return ok && f.Class.IsPoll()
		}
		if a.code.InLoopCalling(b.modules[f.Module], at, polls) {
			return true
		}
	}
	return false
}

// openLibrary finds the data of a rank's MPI library, once.
func (a *arguments) openLibrary(b *builder) library.Library {
	if b.library != nil {
		return b.library
	}
	p := &library.Process{Rank: b.rank.Rank, Size: b.taken.Size, Read: b.memoryReader(&sample{})}
	for _, m := range b.unwinder.Modules() {
		if !libraryOfMPI(m.Path) {
			continue
		}
		for _, r := range b.process.Maps {
			if r.Writable && r.Lo >= m.Lo && r.Lo < m.Hi {
				p.Data = append(p.Data, [2]uint64{r.Lo, min(r.Hi, m.Hi)})
			}
		}
	}
	p.Uses = func(part string) bool { return a.callsMPIFunction(b, part) }
	p.Variable = func(name string) (uint64, bool) { return a.findVariable(b, name) }
	b.library = library.Open(p, b.rank.Family)
	return b.library
}

// callsMPIFunction reports whether a module other than those of the system calls an MPI function with such a name,
// or may for all that is known.
func (a *arguments) callsMPIFunction(b *builder, part string) bool {
	return slices.ContainsFunc(b.unwinder.Modules(), func(m *stopped.Module) bool {
		if symbol.IsSystemModule(m.Path) {
			return false
		}
		code, err := a.resolver.CodeOf(b.modules[m])
		return err != nil || code.ImportsAny(func(name string) bool {
			name = strings.ToLower(name)
			return strings.Contains(name, "mpi_") && strings.Contains(name, part)
		})
	})
}

// findVariable finds a variable of the MPI libraries that a rank has. A program may have it, as a
// copy that all use.
func (a *arguments) findVariable(b *builder, name string) (uint64, bool) {
	modules := slices.Clone(b.unwinder.Modules())
	slices.SortStableFunc(modules, func(x, y *stopped.Module) int {
		return boolToInt(y.Path == b.process.Program) - boolToInt(x.Path == b.process.Program)
	})
	for _, m := range modules {
		if m.Path != b.process.Program && !libraryOfMPI(m.Path) {
			continue
		}
		if code, err := a.resolver.CodeOf(b.modules[m]); err == nil {
			if at, ok := code.VariableAddress(name); ok {
				return at + m.Bias, true
			}
		}
	}
	return 0, false
}

// addLocks lists the locks of windows that a rank has. One that asks for the lock of all may have
// it noted before it has it.
func (b *builder) addLocks() {
	asks := slices.ContainsFunc(b.rank.Threads, func(t *model.Thread) bool { return b.callName(t) == "MPI_Win_lock_all" })
	p := &waits.Process{Comms: b.rank.Comms}
	for _, w := range b.arguments.openLibrary(b).ListWindows() {
		for _, l := range w.Locks {
			if l.Target != model.None || !asks {
				b.rank.Locks = append(b.rank.Locks, model.Lock{Comm: p.CommIndex(w.Comm), Target: l.Target, Type: l.Type})
			}
		}
	}
	b.rank.Comms = p.Comms
}
