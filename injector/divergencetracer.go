package injector

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"laggard/injector/ptrace"
)

// divergenceTracer writes down the collectives of a rank as it makes them. A rank that is
// struck leaves the common sequence at one of them.
type divergenceTracer struct {
	follower
	strike       Strike
	struck       bool // the strike concerns this rank
	report       Report
	writeReport  func(Report) error
	out          *os.File
	programCalls int         // calls that the program meant to make
	injecting    bool        // the next arrival at a door is our doing, not the program's
	deferred     *threadCall // the call that was put off
}

// threadCall is a call of a thread.
type threadCall struct {
	*entryPoint
	ptrace.Entry
	tid     int
	address uint64
}

// returnPoint is what happens when a call returns to the program; the data of a
// breakpoint.
type returnPoint struct {
	threadCall
	onReturn func(t *ptrace.Thread) error
}

// traceDivergence traces a rank until it ends, or it is enough.
func traceDivergence(p *ptrace.Process, order Order, rank int, told func(Report) error) error {
	out, err := os.Create(order.collectivesFile(rank))
	if err != nil {
		return errors.Join(err, p.Detach())
	}
	defer out.Close()
	s, struck := order.Strike.forRank(rank)
	f := &divergenceTracer{follower: follower{files: functionCache{}}, strike: s, struck: struck, writeReport: told, out: out,
		report: Report{Strike: s, State: NotReached, PID: p.PID}}
	p.ShouldStop = order.isStopped
	_, err = p.Run(f)
	if struck && (err != nil || f.report.State != Injected) {
		if err != nil {
			f.report.State, f.report.Error = Failed, err.Error()
		}
		err = errors.Join(err, f.sendReport())
	}
	return errors.Join(err, p.Detach())
}

func (f *divergenceTracer) sendReport() error {
	f.report.Time = time.Now().UTC()
	return f.writeReport(f.report)
}

// Hit notes a call, and strikes at the one that is meant.
func (f *divergenceTracer) Hit(t *ptrace.Thread, b *ptrace.Breakpoint) (ptrace.Action, error) {
	switch at := b.Data.(type) {
	case *Jump:
		return ptrace.Retire, f.flipJump(t, b, at)
	case *returnPoint:
		if now, err := t.Registers(); err != nil || t.TID != at.tid || !at.HasReturned(&now) {
			return ptrace.Continue, err // another call from the same place
		}
		return ptrace.Retire, at.onReturn(t)
	}
	d := b.Data.(*entryPoint)
	e, err := t.Entry(d.argumentCount())
	if err != nil {
		return ptrace.Continue, err
	}
	c, program, err := f.readCall(d, &e)
	if err != nil || !program {
		return ptrace.Continue, err
	}
	return ptrace.Continue, f.onCall(t, threadCall{d, e, t.TID, b.Address}, c)
}

func (f *divergenceTracer) onCall(t *ptrace.Thread, v threadCall, c Collective) error {
	if f.injecting {
		f.injecting = false
		return f.recordCall(v, c)
	}
	if f.programCalls++; f.struck && f.programCalls == f.strike.Invocation && !f.strike.Fault.flipsJump() {
		return f.divergeAt(t, v, c)
	}
	if err := f.recordCall(v, c); err != nil {
		return err
	}
	if f.deferred != nil {
		return f.swapCalls(v)
	}
	if f.struck && f.programCalls == f.strike.Invocation && f.strike.Fault.flipsJump() {
		return f.armJump()
	}
	return nil
}

// recordCall counts a call and writes it down.
func (f *divergenceTracer) recordCall(v threadCall, c Collective) error {
	text, err := json.Marshal(c)
	if err == nil {
		_, err = f.out.Write(append(text, '\n'))
	}
	return errors.Join(err, f.countCall(v.entryPoint, &v.Entry))
}

// divergeAt lets the rank leave the common sequence at a call.
func (f *divergenceTracer) divergeAt(t *ptrace.Thread, v threadCall, c Collective) error {
	if s := f.strike.Target; c.Function != s.Function || c.Module != s.Module || c.Offset != s.Offset {
		return f.recordCall(v, c) // the rank went another way than in the profile
	}
	f.report.State, f.report.TID, f.report.Call, f.report.Hits = Injected, t.TID, &c, f.programCalls
	if err := f.sendReport(); err != nil {
		return err
	}
	switch f.strike.Fault.Kind {
	case Skip:
		return f.skipCall(t, v)
	case Extra:
		if err := f.recordCall(v, c); err != nil {
			return err
		}
		return f.breakAtReturn(v, func(t *ptrace.Thread) error { return f.injectCall(t, v) })
	case Exchange:
		f.deferred = &v
		return f.skipCall(t, v)
	case Leave:
		return f.takeErrorPath(t, v)
	}
	if err := f.changeArgument(t, &v, c); err != nil {
		return err
	}
	changed, _, err := f.readCall(v.entryPoint, &v.Entry)
	return errors.Join(err, f.recordCall(v, changed), t.EnterFunction(v.address, v.Entry))
}

// skipCall lets a call return without being made.
func (f *divergenceTracer) skipCall(t *ptrace.Thread, v threadCall) error {
	if v.fortran {
		if code := v.Argument(len(v.Params)); code != 0 {
			if err := f.process.Write(code, make([]byte, 4)); err != nil {
				return err
			}
		}
	}
	return t.ReturnEarly(v.Entry, 0)
}

// breakAtReturn has then called when a call returns.
func (f *divergenceTracer) breakAtReturn(v threadCall, then func(t *ptrace.Thread) error) error {
	return f.process.Break(v.Return, &returnPoint{v, then})
}

// injectCall makes a call that the program did not make here.
func (f *divergenceTracer) injectCall(t *ptrace.Thread, v threadCall) error {
	f.injecting = true
	return t.EnterFunction(v.address, v.Entry)
}

// swapCalls makes the call that was put off when the next one, v, returns. Both are of
// one function, so that its frame is that of the first call as well.
func (f *divergenceTracer) swapCalls(v threadCall) error {
	first := *f.deferred
	f.deferred = nil
	return f.breakAtReturn(v, func(t *ptrace.Thread) error {
		after, err := t.Registers()
		if err != nil {
			return err
		}
		again := first
		again.AdoptRegisters(after) // what the function has kept in registers meanwhile
		back := func(t *ptrace.Thread) error { return t.SetRegisters(after) }
		return errors.Join(f.breakAtReturn(first, back), f.injectCall(t, again))
	})
}

// changeArgument gives a call another argument.
func (f *divergenceTracer) changeArgument(t *ptrace.Thread, v *threadCall, c Collective) error {
	i, value := v.rootParam(), uint64(0)
	switch f.strike.Fault.Kind {
	case Root:
		if c.Root == 0 {
			value = 1
		}
	case Count:
		i, value = v.countParam(), uint64(c.Count-1)
	case Type:
		i, value = v.datatypeParam(), f.otherType(c.Type)
	}
	if i < 0 {
		return fmt.Errorf("injector: %s: %w: it has no such argument", v.Name, ErrFault)
	}
	if v.fortran {
		at, err := placeInteger(f.process, t, value)
		if err != nil {
			return err
		}
		value = at
	}
	v.SetArgument(i, value)
	return nil
}

// otherType is the newest datatype of those that the rank has used, but for one.
func (f *divergenceTracer) otherType(not int) uint64 {
	newest, out := -1, uint64(0)
	for handle, i := range f.types {
		if i != not && i > newest {
			newest, out = i, handle
		}
	}
	return out
}

// placeInteger puts an integer into memory of ours, as Fortran passes it.
func placeInteger(p *ptrace.Process, t *ptrace.Thread, value uint64) (uint64, error) {
	at, err := t.MapPage()
	if err != nil {
		return 0, err
	}
	return at, p.Write(at, binary.LittleEndian.AppendUint32(nil, uint32(value)))
}

// takeErrorPath sends the rank along an error path.
func (f *divergenceTracer) takeErrorPath(t *ptrace.Thread, v threadCall) error {
	leave := func(t *ptrace.Thread) error { return callExit(f.process, t, 1) }
	name, arguments := "MPI_Finalize", []uint64{}
	switch f.strike.Fault.End {
	case ToExit:
		return leave(t)
	case ToAbort:
		name, arguments = "MPI_Abort", []uint64{v.Argument(v.object), 1}
	}
	way := threadCall{Entry: v.Entry, tid: v.tid}
	if v.fortran {
		name = strings.ToLower(name) + "_"
		code, err := placeInteger(f.process, t, 1)
		if err != nil {
			return err
		}
		arguments = append(arguments[:min(len(arguments), 1)], code, code)
	}
	for i, a := range arguments {
		way.SetArgument(i, a)
	}
	fn, ok := f.files.findFunction(f.tool, name)
	if !ok {
		return fmt.Errorf("injector: %s: %w", name, ptrace.ErrNoFunction)
	}
	way.address = f.tool.Base + fn.Offset
	return errors.Join(f.breakAtReturn(v, leave), f.injectCall(t, way))
}

// armJump waits for the jump that is to go the other way.
func (f *divergenceTracer) armJump() error {
	jump := f.strike.Divergence.Jump
	for _, m := range f.process.Modules() {
		if m.Name() == jump.Module {
			return f.process.Break(m.Base+jump.Offset, jump)
		}
	}
	return fmt.Errorf("injector: %s: %w", jump.Module, ptrace.ErrNoFunction)
}

// flipJump sends a thread the other way.
func (f *divergenceTracer) flipJump(t *ptrace.Thread, b *ptrace.Breakpoint, jump *Jump) error {
	jumps, err := t.FlipJump(b)
	if err != nil {
		return err
	}
	f.report.State, f.report.TID, f.report.Hits = Injected, t.TID, f.programCalls
	f.report.Toward = jumps == jump.Leads
	return f.sendReport()
}
