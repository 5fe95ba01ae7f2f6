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

// parter writes down the collectives of a rank as it makes them. A rank that is
// struck leaves the common sequence at one of them.
type parter struct {
	follower
	strike Strike
	struck bool // the strike concerns this rank
	report Report
	told   func(Report) error
	out    *os.File
	meant  int    // calls that the program meant to make
	again  bool   // the next arrival at a door is our doing, not the program's
	put    *visit // the call that was put off
}

// visit is a call of a thread.
type visit struct {
	*door
	ptrace.Entry
	tid     int
	address uint64
}

// comeback is what happens when a call returns to the program; the data of a
// breakpoint.
type comeback struct {
	visit
	then func(t *ptrace.Thread) error
}

// part traces a rank until it ends, or it is enough.
func part(p *ptrace.Process, order Order, rank int, told func(Report) error) error {
	out, err := os.Create(order.collectivesFile(rank))
	if err != nil {
		return errors.Join(err, p.Detach())
	}
	defer out.Close()
	s, struck := order.Strike.of(rank)
	f := &parter{follower: follower{files: library{}}, strike: s, struck: struck, told: told, out: out,
		report: Report{Strike: s, State: NotReached, PID: p.PID}}
	p.Over = order.over
	_, err = p.Run(f)
	if struck && (err != nil || f.report.State != Injected) {
		if err != nil {
			f.report.State, f.report.Error = Failed, err.Error()
		}
		err = errors.Join(err, f.tell())
	}
	return errors.Join(err, p.Detach())
}

func (f *parter) tell() error {
	f.report.Time = time.Now().UTC()
	return f.told(f.report)
}

// Hit notes a call, and strikes at the one that is meant.
func (f *parter) Hit(t *ptrace.Thread, b *ptrace.Breakpoint) (ptrace.Next, error) {
	switch at := b.Data.(type) {
	case *Jump:
		return ptrace.Retire, f.turn(t, b, at)
	case *comeback:
		if now, err := t.Registers(); err != nil || t.TID != at.tid || !at.Returned(&now) {
			return ptrace.Continue, err // another call from the same place
		}
		return ptrace.Retire, at.then(t)
	}
	d := b.Data.(*door)
	e, err := t.Entry(d.arguments())
	if err != nil {
		return ptrace.Continue, err
	}
	c, program, err := f.call(d, &e)
	if err != nil || !program {
		return ptrace.Continue, err
	}
	return ptrace.Continue, f.arrived(t, visit{d, e, t.TID, b.Address}, c)
}

func (f *parter) arrived(t *ptrace.Thread, v visit, c Collective) error {
	if f.again {
		f.again = false
		return f.note(v, c)
	}
	if f.meant++; f.struck && f.meant == f.strike.Invocation && !f.strike.Fault.turns() {
		return f.leave(t, v, c)
	}
	if err := f.note(v, c); err != nil {
		return err
	}
	if f.put != nil {
		return f.exchange(v)
	}
	if f.struck && f.meant == f.strike.Invocation && f.strike.Fault.turns() {
		return f.arm()
	}
	return nil
}

// note counts a call and writes it down.
func (f *parter) note(v visit, c Collective) error {
	text, err := json.Marshal(c)
	if err == nil {
		_, err = f.out.Write(append(text, '\n'))
	}
	return errors.Join(err, f.made(v.door, &v.Entry))
}

// leave lets the rank leave the common sequence at a call.
func (f *parter) leave(t *ptrace.Thread, v visit, c Collective) error {
	if s := f.strike.Target; c.Function != s.Function || c.Module != s.Module || c.Offset != s.Offset {
		return f.note(v, c) // the rank went another way than in the profile
	}
	f.report.State, f.report.TID, f.report.Call, f.report.Hits = Injected, t.TID, &c, f.meant
	if err := f.tell(); err != nil {
		return err
	}
	switch f.strike.Fault.Kind {
	case Skip:
		return f.skip(t, v)
	case Extra:
		if err := f.note(v, c); err != nil {
			return err
		}
		return f.await(v, func(t *ptrace.Thread) error { return f.enter(t, v) })
	case Exchange:
		f.put = &v
		return f.skip(t, v)
	case Leave:
		return f.end(t, v)
	}
	if err := f.change(t, &v, c); err != nil {
		return err
	}
	changed, _, err := f.call(v.door, &v.Entry)
	return errors.Join(err, f.note(v, changed), t.Enter(v.address, v.Entry))
}

// skip lets a call return without being made.
func (f *parter) skip(t *ptrace.Thread, v visit) error {
	if v.fortran {
		if code := v.Argument(len(v.Params)); code != 0 {
			if err := f.process.Write(code, make([]byte, 4)); err != nil {
				return err
			}
		}
	}
	return t.Leave(v.Entry, 0)
}

// await has then called when a call returns.
func (f *parter) await(v visit, then func(t *ptrace.Thread) error) error {
	return f.process.Break(v.Return, &comeback{v, then})
}

// enter makes a call that the program did not make here.
func (f *parter) enter(t *ptrace.Thread, v visit) error {
	f.again = true
	return t.Enter(v.address, v.Entry)
}

// exchange makes the call that was put off when the next one, v, returns. Both are of
// one function, so that its frame is that of the first call as well.
func (f *parter) exchange(v visit) error {
	first := *f.put
	f.put = nil
	return f.await(v, func(t *ptrace.Thread) error {
		after, err := t.Registers()
		if err != nil {
			return err
		}
		again := first
		again.Keep(after) // what the function has kept in registers meanwhile
		back := func(t *ptrace.Thread) error { return t.SetRegisters(after) }
		return errors.Join(f.await(first, back), f.enter(t, again))
	})
}

// change gives a call another argument.
func (f *parter) change(t *ptrace.Thread, v *visit, c Collective) error {
	i, value := v.root(), uint64(0)
	switch f.strike.Fault.Kind {
	case Root:
		if c.Root == 0 {
			value = 1
		}
	case Count:
		i, value = v.count(), uint64(c.Count-1)
	case Type:
		i, value = v.datatype(), f.otherType(c.Type)
	}
	if i < 0 {
		return fmt.Errorf("injector: %s: %w: it has no such argument", v.Name, ErrFault)
	}
	if v.fortran {
		at, err := number(f.process, t, value)
		if err != nil {
			return err
		}
		value = at
	}
	v.Set(i, value)
	return nil
}

// otherType is the newest datatype of those that the rank has used, but for one.
func (f *parter) otherType(not int) uint64 {
	newest, out := -1, uint64(0)
	for handle, i := range f.types {
		if i != not && i > newest {
			newest, out = i, handle
		}
	}
	return out
}

// number puts an integer into memory of ours, as Fortran passes it.
func number(p *ptrace.Process, t *ptrace.Thread, value uint64) (uint64, error) {
	at, err := t.Map()
	if err != nil {
		return 0, err
	}
	return at, p.Write(at, binary.LittleEndian.AppendUint32(nil, uint32(value)))
}

// end sends the rank along an error path.
func (f *parter) end(t *ptrace.Thread, v visit) error {
	leave := func(t *ptrace.Thread) error { return exit(f.process, t, 1) }
	name, arguments := "MPI_Finalize", []uint64{}
	switch f.strike.Fault.End {
	case ToExit:
		return leave(t)
	case ToAbort:
		name, arguments = "MPI_Abort", []uint64{v.Argument(v.object), 1}
	}
	way := visit{Entry: v.Entry, tid: v.tid}
	if v.fortran {
		name = strings.ToLower(name) + "_"
		code, err := number(f.process, t, 1)
		if err != nil {
			return err
		}
		arguments = append(arguments[:min(len(arguments), 1)], code, code)
	}
	for i, a := range arguments {
		way.Set(i, a)
	}
	fn, ok := f.files.find(f.tool, name)
	if !ok {
		return fmt.Errorf("injector: %s: %w", name, ptrace.ErrNoFunction)
	}
	way.address = f.tool.Base + fn.Offset
	return errors.Join(f.await(v, leave), f.enter(t, way))
}

// arm waits for the jump that is to go the other way.
func (f *parter) arm() error {
	jump := f.strike.Parting.Jump
	for _, m := range f.process.Modules() {
		if m.Name() == jump.Module {
			return f.process.Break(m.Base+jump.Offset, jump)
		}
	}
	return fmt.Errorf("injector: %s: %w", jump.Module, ptrace.ErrNoFunction)
}

// turn sends a thread the other way.
func (f *parter) turn(t *ptrace.Thread, b *ptrace.Breakpoint, jump *Jump) error {
	jumps, err := t.Turn(b)
	if err != nil {
		return err
	}
	f.report.State, f.report.TID, f.report.Hits = Injected, t.TID, f.meant
	f.report.Toward = jumps == jump.Leads
	return f.tell()
}
