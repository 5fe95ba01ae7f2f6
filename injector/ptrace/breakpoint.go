package ptrace

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// maxInstruction is the length of the longest instruction of any processor.
const maxInstruction = 15

// Breakpoint is a place whose arrivals are reported.
type Breakpoint struct {
	Address  uint64
	Data     any  // the caller's
	linker   bool // ours: the dynamic linker's own report
	set      bool
	original [maxInstruction]byte // as much of it as the processor's longest
	slot     uint64               // where the copy of the instruction is, 0 not yet made
}

// Break places a breakpoint. It must be at the first byte of an instruction; one
// that is there already only gets the new data. It wraps ErrInstruction where
// none can stand.
func (p *Process) Break(address uint64, data any) error {
	if b := p.breaks[address]; b != nil && b.set {
		b.Data = data
		return nil
	}
	b := &Breakpoint{Address: address, Data: data}
	if err := p.Read(address, b.originalCode()); err != nil {
		return err
	}
	if _, err := native.move(b.originalCode(), address, address); err != nil {
		return err
	}
	p.breaks[address] = b
	return p.setTrap(b, true)
}

// originalCode is what stands at the place without the breakpoint.
func (b *Breakpoint) originalCode() []byte { return b.original[:native.LongestInstruction] }

// Remove takes a breakpoint away. Threads that arrived at the same moment go on.
func (p *Process) Remove(b *Breakpoint) error { return p.setTrap(b, false) }

// setTrap writes the trap or what was there. A write of one byte, or of four at a multiple
// of four, is indivisible, so other threads may run.
func (p *Process) setTrap(b *Breakpoint, set bool) error {
	code := b.original[:len(native.trap)]
	if set {
		code = native.trap
	}
	if b.set == set {
		return nil
	}
	b.set = set
	return p.Write(b.Address, code)
}

// Read fills data with the process's memory at the address.
func (p *Process) Read(address uint64, data []byte) error {
	if p.mem == nil {
		return ErrEnded
	}
	if _, err := p.mem.ReadAt(data, int64(address)); err != nil {
		return fmt.Errorf("ptrace: read %#x: %w", address, err)
	}
	return nil
}

// Write changes the process's memory, code included.
func (p *Process) Write(address uint64, data []byte) error {
	if p.mem == nil {
		return ErrEnded
	}
	if _, err := p.mem.WriteAt(data, int64(address)); err != nil {
		return fmt.Errorf("ptrace: write %#x: %w", address, err)
	}
	return nil
}

// dropBreakpoints drops the breakpoints and copies of a module that is no longer mapped.
func (p *Process) dropBreakpoints(m Module) {
	for address := range p.breaks {
		if address >= m.Low && address < m.High {
			delete(p.breaks, address)
		}
	}
}

// dispatchTrap deals with SIGTRAP: an arrival, or a signal that is the program's own.
func (p dispatcher) dispatchTrap(t *Thread) error {
	regs, err := t.Registers()
	if err != nil {
		return err
	}
	b := p.breaks[regs.PC()-native.trapOffset]
	if b == nil {
		return p.resume(t, unix.SIGTRAP)
	}
	p.followToCPU(t)
	regs.SetPC(b.Address)
	if !b.set {
		return p.resumeWith(t, regs)
	}
	if err := t.SetRegisters(regs); err != nil {
		return err
	}
	next, err := p.notifyHit(t, b)
	if err != nil {
		return err
	}
	if next == Halt {
		t.standing = true
		p.stop = &Stop{t, b}
		return nil
	}
	if next == Retire {
		if err := p.Remove(b); err != nil {
			return err
		}
		return p.resume(t, 0)
	}
	if regs, err = t.Registers(); err != nil || regs.PC() != b.Address {
		return errors.Join(err, p.resume(t, 0)) // the handler sent it elsewhere
	}
	return p.stepOver(t, b, regs)
}

func (p dispatcher) resumeWith(t *Thread, regs Registers) error {
	if err := t.SetRegisters(regs); err != nil {
		return err
	}
	return p.resume(t, 0)
}

// notifyHit asks what to do with a thread.
func (p dispatcher) notifyHit(t *Thread, b *Breakpoint) (Action, error) {
	switch {
	case b.linker:
		return Continue, p.notifyModules()
	case t.guest:
		return Continue, nil
	}
	return p.handler.Hit(t, b)
}

// stepOver sends a thread over the instruction by way of its copy.
func (p dispatcher) stepOver(t *Thread, b *Breakpoint, regs Registers) error {
	if b.slot == 0 {
		if err := p.makeSlot(t, b); err != nil {
			return err
		}
	}
	regs.SetPC(b.slot)
	return p.resumeWith(t, regs)
}

// notifyModules looks at the modules after the dynamic linker said they changed.
func (p dispatcher) notifyModules() error {
	added, err := p.refreshModules()
	if err != nil || len(added) == 0 {
		return err
	}
	return p.handler.Mapped(p.Process, added)
}

// watchLinker stands at the function that the dynamic linker calls for debuggers
// whenever modules come or go. A static program has none.
func (p *Process) watchLinker() error {
	for _, m := range p.modules {
		if !strings.HasPrefix(m.Name(), "ld-") && !strings.HasPrefix(m.Name(), "ld.so") {
			continue
		}
		address, err := p.functionAddress(m, "_dl_debug_state")
		if errors.Is(err, ErrNoFunction) {
			continue
		}
		if err != nil {
			return err
		}
		if err := p.Break(address, nil); err != nil {
			return err
		}
		p.breaks[address].linker = true
	}
	return nil
}

// functionAddress returns the address of a function in a module.
func (p *Process) functionAddress(m Module, name string) (uint64, error) {
	list, err := Functions(m.Path)
	if err != nil {
		return 0, err
	}
	f, ok := FindFunction(list, name)
	if !ok {
		return 0, fmt.Errorf("ptrace: %s: %s: %w", m.Path, name, ErrNoFunction)
	}
	return m.Base + f.Offset, nil
}

// LibcFunction returns the address of a function of the C library.
func (p *Process) LibcFunction(name string) (uint64, error) {
	for _, m := range p.modules {
		if strings.HasPrefix(m.Name(), "libc.so.") || strings.HasPrefix(m.Name(), "libc-2.") {
			return p.functionAddress(m, name)
		}
	}
	return 0, fmt.Errorf("ptrace: process %d: no C library: %s: %w", p.PID, name, ErrNoFunction)
}
