package unwind

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"sync"

	"laggard/binary/callframe"
	"laggard/binary/expression"
	"laggard/binary/processor"
	"laggard/intake/stopped"
)

// Frame is one level of the stack of a thread.
type Frame struct {
	// Registers are those at the call that the frame is in; of the innermost one, those
	// of the thread.
	Registers processor.Registers
	pc        uint64
	// Exact: PC is where the frame stands; else it is a return address.
	Exact   bool
	Module  *stopped.Module // nil: none is mapped there
	Machine *processor.Processor
}

// PC is the address that the frame is at.
func (f *Frame) PC() uint64 { return f.pc }

// Scope is what expressions about the variables of the frame are evaluated in. caller is the frame that
// called it, nil if it is not known; base is an expression for the frame base of the function.
func (f *Frame) Scope(caller *Frame, memory io.ReaderAt, base []byte) expression.Scope {
	s := expression.Scope{Registers: &f.Registers, Memory: memory, Base: base}
	if f.Module != nil {
		s.Bias = f.Module.Bias
	}
	if caller != nil {
		s.CFA, s.HasCFA = caller.SP()
	}
	return s
}

// SP is its stack pointer, false if it is not known.
func (f *Frame) SP() (uint64, bool) { return f.Registers.Get(f.Machine.SP) }

// Stack is the frames of a thread.
type Stack struct {
	Frames  []Frame // the innermost first
	Partial bool    // it could not be followed to its end
	// Lacks: it could be followed further if more registers were known.
	Lacks bool
}

// Rows keeps what was read of files, for all processes. The zero value is ready.
// Safe for concurrent use.
type Rows struct {
	mu   sync.Mutex
	rows map[rowKey]*callframe.Row // nil: there is none
}

type rowKey struct {
	build  string
	offset uint64
}

// Process unwinds the threads of one process.
type Process struct {
	image   *stopped.Image
	modules []*stopped.Module
	rows    *Rows
	pages   *pages
}

// New is for a process that has its modules where they are now.
func New(image *stopped.Image, rows *Rows) *Process {
	return &Process{image: image, modules: image.Modules(), rows: rows, pages: &pages{memory: image.Memory}}
}

// Modules are those of the process, by address.
func (p *Process) Modules() []*stopped.Module { return p.modules }

// Module returns the one around an address, nil if there is none.
func (p *Process) Module(address uint64) *stopped.Module {
	i, found := slices.BinarySearchFunc(p.modules, address, func(m *stopped.Module, at uint64) int {
		return cmp.Compare(m.Lo, at)
	})
	if !found {
		i--
	}
	if i < 0 || address >= p.modules[i].Hi {
		return nil
	}
	return p.modules[i]
}

// maxFrames bounds a stack.
const maxFrames = 1024

// Unwind follows the stack of a thread.
func (p *Process) Unwind(t *stopped.Thread) Stack {
	var out Stack
	mem := p.image.ThreadMemory(t)
	f := Frame{Registers: t.Registers, Exact: true}
	f.pc, _ = t.Registers.Get(p.image.Machine.PC)
	for len(out.Frames) < maxFrames {
		f.Module, f.Machine = p.Module(f.PC()), p.image.Machine
		out.Frames = append(out.Frames, f)
		next, end := p.step(&f, mem)
		if end != nil {
			out.Partial = !errors.Is(end, errLast)
			out.Lacks = errors.Is(end, errRegister)
			return out
		}
		f = next
	}
	out.Partial = true
	return out
}

// Ends of a stack.
var (
	errLast     = errors.New("the outermost frame")
	errRegister = errors.New("a register that is needed is not known")
	errLost     = errors.New("the next frame cannot be determined")
)

// step returns the caller's frame.
func (p *Process) step(f *Frame, mem io.ReaderAt) (Frame, error) {
	if p.interrupted(f, mem) {
		return p.bySignal(f, mem)
	}
	r, err := p.row(f)
	if err != nil {
		return p.byFramePointer(f, mem)
	}
	cfa, ok := r.CFA(&f.Registers, mem)
	sp, known := f.Registers.Get(p.image.Machine.SP)
	switch {
	case r.Outermost():
		return Frame{}, errLast
	case !ok && !known && p.image.Machine.PassesLink():
		return p.byFramePointer(f, mem)
	case !ok:
		return Frame{}, errRegister
	case known && !r.Signal && (cfa < sp || cfa == sp && !returnsByLink(r, f, p.image.Machine)):
		return Frame{}, errLost
	}
	return p.restored(r, f, cfa, mem)
}

// returnsByLink reports whether the return address of the innermost frame, or of one that a signal came to, is
// still in the register that it came in.
func returnsByLink(r *callframe.Row, f *Frame, m *processor.Processor) bool {
	return f.Exact && m.PassesLink() && r.ReturnAddress == m.Link && r.Keeps(m.Link)
}

// restored applies the rules.
func (p *Process) restored(r *callframe.Row, f *Frame, cfa uint64, mem io.ReaderAt) (Frame, error) {
	m := p.image.Machine
	next := Frame{Exact: r.Signal}
	for reg := range processor.Count {
		if v, ok := r.Restore(reg, &f.Registers, cfa, mem, m); ok {
			next.Registers.Set(reg, v)
		}
	}
	pc, ok := next.Registers.Get(r.ReturnAddress)
	if returnsByLink(r, f, m) {
		if pc, ok = f.Registers.Get(r.ReturnAddress); !ok {
			return Frame{}, errRegister
		}
	}
	if r.Signed {
		pc &= unsigned
	}
	switch {
	case !ok:
		return Frame{}, errLost
	case pc == 0:
		return Frame{}, errLast
	}
	next.pc = pc
	next.Registers.Set(m.PC, pc)
	return next, nil
}

// unsigned are the bits of an address that are not its signature: those that a process of
// Linux uses, unless it asks for more.
const unsigned = 1<<48 - 1

// row returns the rules at a frame. A call may be the last instruction of a function:
// the return address is then behind it.
func (p *Process) row(f *Frame) (*callframe.Row, error) {
	if f.Module == nil || f.Module.Unwinding == 0 {
		return nil, callframe.ErrUncovered
	}
	pc := f.PC()
	if !f.Exact {
		pc--
	}
	key := rowKey{f.Module.BuildID, pc - f.Module.Bias}
	if key.build != "" {
		if r, ok := p.rows.get(key); ok {
			if r == nil {
				return nil, callframe.ErrUncovered
			}
			return r, nil
		}
	}
	var r *callframe.Row
	table := callframe.Table{Memory: p.pages, Address: f.Module.Unwinding}
	e, err := table.Find(pc)
	if err == nil {
		r, err = e.RowAt(pc)
	}
	if key.build != "" && (err == nil || errors.Is(err, callframe.ErrUncovered) || errors.Is(err, callframe.ErrMalformed)) {
		p.rows.put(key, r)
	}
	return r, err
}

// maxRows bounds what is kept.
const maxRows = 1 << 18

func (k *Rows) get(key rowKey) (*callframe.Row, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.rows[key]
	return r, ok
}

func (k *Rows) put(key rowKey, r *callframe.Row) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rows == nil || len(k.rows) >= maxRows {
		k.rows = map[rowKey]*callframe.Row{}
	}
	k.rows[key] = r
}

// byFramePointer follows a frame of code without unwinding information, such as a
// program makes at run time, if it keeps the frame pointer.
func (p *Process) byFramePointer(f *Frame, mem io.ReaderAt) (Frame, error) {
	m := p.image.Machine
	bp, ok := f.Registers.Get(m.FP)
	sp, _ := f.Registers.Get(m.SP)
	if !ok {
		return Frame{}, errRegister
	}
	saved, ok1 := expression.Word(mem, bp)
	pc, ok2 := expression.Word(mem, bp+8)
	if bp < sp || !ok1 || !ok2 || saved != 0 && saved <= bp {
		return Frame{}, errLost
	}
	if p.image.Machine.PassesLink() {
		pc &= unsigned
	}
	if to := p.image.MappingAt(pc); to == nil || !to.Executable {
		return Frame{}, errLost
	}
	next := Frame{pc: pc}
	next.Registers.Set(m.FP, saved)
	next.Registers.Set(m.PC, pc)
	if !p.image.Machine.PassesLink() { // else the record is anywhere in the frame
		next.Registers.Set(m.SP, bp+16)
	}
	return next, nil
}
