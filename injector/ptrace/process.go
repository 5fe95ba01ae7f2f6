package ptrace

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"laggard/internal/procfs"

	"golang.org/x/sys/unix"
)

// Process is a process under trace. See the package for the thread its methods
// belong to.
type Process struct {
	PID     int
	Ended   bool
	threads map[int]*Thread
	early   map[int]bool // new threads that stopped before their maker told of them
	mem     *os.File
	files   segmentCache
	modules []Module
	breaks  map[uint64]*Breakpoint
	areas   []area
	patches []patchedCode
	gate    uint64 // where a syscall instruction is, 0 not looked for
	handler Handler
	stop    *Stop
	traps   int
	frozen  bool // stopped threads stay stopped
	// ShouldStop is asked after every change in the process; true ends Run. Nil: it never is.
	ShouldStop func() bool
	leaving    bool // no breakpoint is placed any more
}

// Thread is a thread of a Process. Registers and memory can be had while it
// stands at a breakpoint.
type Thread struct {
	TID       int
	process   *Process
	guest     bool // not of the process, but in its memory (vfork)
	standing  bool // stopped, and not by a stop of the whole process
	listening bool // stopped together with the process, by SIGSTOP or the like
	signal    unix.Signal
}

// Stop is where Run was told to stop.
type Stop struct {
	Thread *Thread
	At     *Breakpoint
}

// Action is what becomes of a thread that arrived at a breakpoint.
type Action int

// Go on; go on and take the breakpoint away; or end Run with the thread standing
// before the instruction.
const (
	Continue Action = iota
	Retire
	Halt
)

// Handler is told of what happens in the process.
type Handler interface {
	// Mapped is told the modules that were not there before, before any of their
	// functions ran, constructors included. After exec all are new and all
	// breakpoints are gone.
	Mapped(p *Process, added []Module) error
	// Hit is told of each arrival at a breakpoint. The thread stands there, not behind
	// the trap; one whose registers it changed goes on with these, and elsewhere if
	// that was the program counter.
	Hit(t *Thread, b *Breakpoint) (Action, error)
}

func newProcess(pid int) *Process {
	return &Process{PID: pid, threads: map[int]*Thread{}, early: map[int]bool{}, files: segmentCache{},
		breaks: map[uint64]*Breakpoint{}}
}

// Seize begins to trace a process that is about to execute a program from its
// thread tid. The process goes on; modules are reported once it has done so.
func Seize(pid, tid int) (*Process, error) {
	p := newProcess(pid)
	if err := traceRequest(unix.PTRACE_SEIZE, tid, traceOptions); err != nil {
		return nil, err
	}
	p.addThread(tid)
	return p, nil
}

func (p *Process) addThread(tid int) *Thread {
	t := &Thread{TID: tid, process: p}
	p.threads[tid] = t
	return t
}

// Run reports to h what happens in the process until it has ended, with a nil
// Stop, or until h says Halt or it is Over.
func (p *Process) Run(h Handler) (*Stop, error) {
	p.handler = h
	for p.stop == nil && !p.Ended && (p.ShouldStop == nil || !p.ShouldStop()) {
		if _, err := (dispatcher{p}).serveEvent(true); err != nil && !p.isDead() {
			return nil, err
		}
	}
	return p.stop, nil
}

// isDead reports whether the process is gone or going, so that what fails meanwhile
// is no error; its end is still to be waited for.
func (p *Process) isDead() bool {
	s, err := procfs.ReadStat(p.PID)
	return err != nil || s.Ended()
}

// dispatcher acts on what the kernel reports of the threads of a process.
type dispatcher struct{ *Process }

// serveEvent deals with one change of one thread and reports whether there was one.
func (p dispatcher) serveEvent(block bool) (bool, error) {
	tid, status, err := waitThread(-1, block)
	if errors.Is(err, ErrEnded) {
		p.Ended = true
		return false, nil
	}
	if err != nil || tid == 0 {
		return false, err
	}
	return true, p.applyStatus(tid, status)
}

func (p dispatcher) applyStatus(tid int, status unix.WaitStatus) error {
	t := p.threads[tid]
	switch {
	case status.Exited() || status.Signaled():
		delete(p.threads, tid)
		delete(p.early, tid)
		if tid == p.PID {
			p.Ended = true
		}
		return nil
	case !status.Stopped():
		return nil
	case t == nil && stopEvent(status) == unix.PTRACE_EVENT_EXEC && tid == p.PID:
		t = p.addThread(tid) // another thread executed a program and took over its number
	case t == nil:
		p.early[tid] = true
		return nil
	}
	return ignoreGone(p.dispatchStop(t, status))
}

func (p dispatcher) dispatchStop(t *Thread, status unix.WaitStatus) error {
	sig := status.StopSignal()
	switch stopEvent(status) {
	case unix.PTRACE_EVENT_CLONE, unix.PTRACE_EVENT_FORK, unix.PTRACE_EVENT_VFORK:
		if err := p.adoptChild(t, stopEvent(status)); err != nil {
			return err
		}
		return p.resume(t, 0)
	case unix.PTRACE_EVENT_EXEC:
		return p.onExec(t)
	case unix.PTRACE_EVENT_STOP:
		t.listening = isStopSignal(sig)
		return p.resume(t, 0)
	}
	if sig == unix.SIGTRAP {
		return p.dispatchTrap(t)
	}
	return p.resume(t, sig)
}

// resume lets a stopped thread go on with a signal, unless all shall stand.
func (p *Process) resume(t *Thread, sig unix.Signal) error {
	if p.frozen && !t.guest {
		t.standing, t.signal = true, sig
		return nil
	}
	t.standing, t.signal = false, 0
	if t.listening {
		return ignoreGone(traceRequest(unix.PTRACE_LISTEN, t.TID, 0))
	}
	return ignoreGone(traceRequest(unix.PTRACE_CONT, t.TID, uintptr(sig)))
}

// adoptChild takes charge of a thread or process that t made.
func (p dispatcher) adoptChild(t *Thread, how int) error {
	message, err := unix.PtraceGetEventMsg(t.TID)
	if err != nil {
		return ignoreGone(err)
	}
	child := int(message)
	if !p.early[child] {
		_, status, err := waitThread(child, true)
		if err != nil || !status.Stopped() {
			return nil // it is gone already
		}
	}
	delete(p.early, child)
	c := p.addThread(child)
	if how == unix.PTRACE_EVENT_FORK {
		return p.detachFork(c)
	}
	c.guest = t.guest || processOf(child) != p.PID
	return p.resume(c, 0)
}

// detachFork takes the breakpoints out of the copied memory and lets the child go.
func (p dispatcher) detachFork(c *Thread) error {
	delete(p.threads, c.TID)
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", c.TID), os.O_RDWR, 0)
	if err != nil {
		return ignoreGone(traceRequest(unix.PTRACE_DETACH, c.TID, 0))
	}
	defer mem.Close()
	for _, old := range slices.Backward(p.patches) {
		if _, err := mem.WriteAt(old.code, int64(old.address)); err != nil {
			break
		}
	}
	for _, b := range p.breaks {
		if b.set {
			if _, err := mem.WriteAt(b.original[:len(native.trap)], int64(b.Address)); err != nil {
				break // the child is gone
			}
		}
	}
	return ignoreGone(traceRequest(unix.PTRACE_DETACH, c.TID, 0))
}

// onExec is called when t has become another program.
func (p dispatcher) onExec(t *Thread) error {
	if t.guest {
		delete(p.threads, t.TID)
		return ignoreGone(traceRequest(unix.PTRACE_DETACH, t.TID, 0))
	}
	p.threads = map[int]*Thread{t.TID: t}
	if err := p.newImage(); err != nil {
		return err
	}
	if p.handler != nil && !p.leaving {
		if err := p.handler.Mapped(p.Process, p.modules); err != nil {
			return err
		}
	}
	return p.resume(t, 0)
}

// newImage forgets what was known of the memory and looks at it afresh.
func (p *Process) newImage() error {
	p.close()
	clear(p.breaks)
	p.areas, p.patches, p.gate, p.modules = nil, nil, 0, nil
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", p.PID), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("ptrace: process %d: %w", p.PID, err)
	}
	p.mem = mem
	if _, err := p.refreshModules(); err != nil || p.leaving {
		return err
	}
	return p.watchLinker()
}

func (p *Process) close() {
	if p.mem != nil {
		p.mem.Close()
		p.mem = nil
	}
}

// refreshModules reads which modules are mapped and returns those that were not before.
func (p *Process) refreshModules() ([]Module, error) {
	maps, err := procfs.ReadMaps(p.PID)
	if err != nil {
		return nil, err
	}
	now := p.files.modulesOf(maps)
	for _, m := range p.modules {
		if !slices.ContainsFunc(now, m.isSame) {
			p.dropBreakpoints(m)
		}
	}
	var added []Module
	for _, m := range now {
		if !slices.ContainsFunc(p.modules, m.isSame) {
			added = append(added, m)
		}
	}
	p.modules = now
	return added, nil
}

// Modules lists what is mapped now, in the order of the addresses.
func (p *Process) Modules() []Module { return p.modules }
