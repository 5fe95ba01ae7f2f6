package native

import (
	"context"
	"fmt"
	"time"

	"laggard/internal/bound"
	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/arm64"
	"laggard/slicing/calls"
	"laggard/slicing/cpu"
	"laggard/slicing/shape"
	"laggard/slicing/x86"
	"laggard/symbol"

	"golang.org/x/sys/unix"
)

// program is the code of all modules that a criterion names.
type program struct {
	resolver    *symbol.Resolver
	front       Front // nil none
	modules     map[moduleKey]*module
	list        []*module // in the order in which they were opened
	shapes      *shape.Shapes
	insts       int             // taken apart
	writeChecks int             // how often it was looked whether an instruction writes a place
	answers     int             // bytes, about, of what is remembered of that; see rememberAnswers
	ctx         context.Context // of the answer that is being made
	began       time.Time       // it, and
	worked      time.Duration   // what this process had worked by then
	time        time.Duration   // that it may take
	nested      *bound.Budget   // functions that are looked into from others
	over        bool
}

// maxAnswers bounds, in bytes, what is remembered of which instructions write which places.
const maxAnswers = 96 << 20

// rememberAnswers makes room for answers of some bytes: from time to time all are forgotten.
func (p *program) rememberAnswers(bytes int) {
	if p.answers += bytes; p.answers < maxAnswers {
		return
	}
	p.answers = bytes
	for _, m := range p.list {
		for _, f := range m.funcs {
			if f != nil {
				f.found, f.hits = nil, nil
			}
		}
	}
}

// architecture is what the code of a module is for.
func architecture(c *symbol.Code) (*cpu.Architecture, error) {
	for _, a := range []*cpu.Architecture{x86.Architecture, arm64.Architecture} {
		if a.Kind.ELF == c.Machine() {
			return a, nil
		}
	}
	return nil, fmt.Errorf("slicing: %s: code for %v is not understood", c.Path(), c.Machine())
}

type moduleKey struct{ id, path string }

// module is an object of the program.
type module struct {
	prog       *program
	code       *symbol.Code
	arch       *cpu.Architecture // nil: no code
	err        error             // no code
	system     bool              // it belongs to MPI or to the system
	funcs      map[uint64]*function
	calls      map[uint64]target // by the address that is called
	names      map[string]uint64 // see addressOf; 0: it has no such function
	vars       map[uint64]*symbol.Variables
	pads       map[uint64][]symbol.Pad       // by function
	derived    map[*symbol.Type]*symbol.Type // see derivedType
	ends       map[endlessKey]bool
	throwKnown map[uint64]bool          // whether a function may throw
	outgoing   map[uint64]outgoingCalls // see funcRef.throws
}

func newProgram(r *symbol.Resolver, front Front) *program {
	p := &program{resolver: r, front: front, shapes: shape.New(), modules: map[moduleKey]*module{}}
	p.beginAnswer(context.Background(), time.Hour)
	return p
}

// Bounds of the functions that are looked into while another one is, as each is taken up for the first time.
const (
	maxFunctionDepth = 200 // within each other
	maxFunctionSteps = 1_000_000
)

// beginAnswer gives the next answer some time.
func (p *program) beginAnswer(ctx context.Context, d time.Duration) {
	p.ctx, p.began, p.worked, p.time, p.over = ctx, time.Now(), processTime(), slicing.TimeUntil(ctx, d), false
	p.nested = bound.New(maxFunctionDepth, maxFunctionSteps)
}

// processTime is how long this process has worked, all threads together.
func processTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// maxHeld bounds the instructions that are held at once, of some 700 bytes each with what is known of them: where one call
// leads into a whole compiler, an answer would need gigabytes.
const maxHeld = 500_000

// timeOver reports whether the time of an answer is over, too much code was taken apart for it, or nobody waits for it any
// more.
func (p *program) timeOver() bool {
	if !p.over {
		took := time.Since(p.began)
		p.over = p.insts > maxHeld || p.ctx.Err() != nil || took >= slicing.CrowdedFactor*p.time ||
			took >= p.time && processTime()-p.worked >= p.time*mostlyWorked/100
	}
	return p.over
}

// limitReached is said of an answer that was not finished. How much time it had is no part of the answer: equal input
// gives equal output.
func (p *program) limitReached() string {
	if p.insts > maxHeld {
		return fmt.Sprintf("cut at its limit of %d instructions", maxHeld)
	}
	return "cut at its time limit"
}

// mostlyWorked is the share of its time, in percent, that a process has worked which was not kept from it; it reads files, too.
const mostlyWorked = 70

// forNextAnswer is what the next answer starts from: nothing, if much is known already, or if the time was over when it was
// made, so that it may be a part.
func (p *program) forNextAnswer() *program {
	if p.insts > maxCached || p.over {
		return newProgram(p.resolver, p.front)
	}
	return p
}

// openModule opens a module once.
func (p *program) openModule(mod *model.Module) *module {
	key := moduleKey{}
	if mod != nil {
		key = moduleKey{mod.BuildID, mod.Path}
	}
	m := p.modules[key]
	if m == nil {
		m = &module{prog: p, funcs: map[uint64]*function{}, calls: map[uint64]target{},
			vars: map[uint64]*symbol.Variables{}, pads: map[uint64][]symbol.Pad{}, throwKnown: map[uint64]bool{},
			outgoing: map[uint64]outgoingCalls{}, names: map[string]uint64{}, derived: map[*symbol.Type]*symbol.Type{},
			ends: map[endlessKey]bool{}}
		m.system = symbol.IsSystemModule(key.path)
		if m.code, m.err = p.resolver.CodeOf(mod); m.err == nil {
			m.arch, m.err = architecture(m.code)
		}
		p.modules[key] = m
		p.list = append(p.list, m)
	}
	return m
}

// addressOf is the address of the function with a linker name. The same ones are asked for again and again.
func (m *module) addressOf(name string) (uint64, bool) {
	addr, ok := m.names[name]
	if !ok {
		addr, _ = m.code.FunctionAddress(name)
		m.names[name] = addr
	}
	return addr, addr != 0
}

// maxEndless bounds the calls that are followed to find out whether a function
// returns.
const maxEndless = 2

// functionAt returns the function around an address, taken apart; nil if none is
// known there.
func (m *module) functionAt(addr uint64) *function { return m.loadFunction(addr, maxEndless) }

func (m *module) loadFunction(addr uint64, depth int) *function {
	if m.err != nil {
		return nil
	}
	sym, ok := m.code.FunctionAt(addr)
	if !ok || !m.code.IsExecutable(sym.Lo) {
		return nil
	}
	if whole, ok := m.wholeFunction(sym); ok {
		sym = whole
	}
	if f := m.funcs[sym.Lo]; f != nil {
		return f
	}
	f := m.buildFunction(sym, depth)
	m.funcs[sym.Lo] = f
	m.prog.insts += len(f.insts)
	return f
}

// wholeFunction finds the function that a part which stands apart belongs to.
func (m *module) wholeFunction(part symbol.Function) (symbol.Function, bool) {
	name, ok := coldPartOwner(part.Name)
	if !ok {
		return symbol.Function{}, false
	}
	addr, ok := m.addressOf(name)
	if !ok {
		return symbol.Function{}, false
	}
	return m.code.FunctionAt(addr)
}

// reloadWhole replaces a function by one that has all of its code in it.
func (m *module) reloadWhole(f *function) *function {
	all := m.sweepFunction(f, maxEndless)
	m.funcs[f.entry] = all
	return all
}

// maxEndlessSize bounds, in bytes, the functions that are looked at to find out
// whether they return; those that print a message and end the process are small.
const maxEndlessSize = 4096

// neverReturns reports whether a call does not come back.
func (m *module) neverReturns(in *cpu.Inst, depth int) bool {
	t := m.directTarget(in)
	if t.known {
		return t.model.NoReturn
	}
	if depth == 0 || t.addr == 0 {
		return false
	}
	sym, ok := m.code.FunctionAt(t.addr)
	if !ok || sym.Lo != t.addr || sym.Hi-sym.Lo > maxEndlessSize {
		return false
	}
	if f := m.funcs[t.addr]; f != nil {
		return f.noexit && !f.mayLoop()
	}
	key := endlessKey{t.addr, depth}
	known, ok := m.ends[key]
	if !ok {
		f := m.buildFunction(sym, depth-1)
		known = f.noexit && !f.mayLoop()
		m.ends[key] = known
	}
	return known
}

// endlessKey is a function, and how many calls are followed to find out whether it returns.
type endlessKey struct {
	addr  uint64
	depth int
}

// mayLoop reports whether the function may go round for ever instead of ending.
func (f *function) mayLoop() bool {
	for n := range f.blocks {
		for _, s := range f.blocks[n].succs {
			if f.blocks[s].first <= f.blocks[n].first {
				return true
			}
		}
	}
	return f.holes
}

// target is what a call calls.
type target struct {
	addr  uint64 // in the module of the caller; 0 elsewhere or unknown
	name  string // linker name, "" unknown
	model calls.Model
	known bool // there is a model
}

// directTarget finds the target of a direct call or jump, or of one through a slot
// that the loader fills.
func (m *module) directTarget(in *cpu.Inst) target {
	switch {
	case in.Indirect && in.Load != nil && in.Load.Base == cpu.None && in.Load.Index == cpu.None && !in.Load.Thread:
		return m.slotTarget(uint64(in.Load.Disp))
	case in.Indirect:
		return target{}
	}
	return m.targetAt(in.Target)
}

func (m *module) slotTarget(at uint64) target {
	if name := m.code.ImportName(at); name != "" {
		return namedTarget(name)
	}
	if addr, ok := m.code.PointerAt(at); ok && m.code.IsExecutable(addr) {
		return m.targetAt(addr)
	}
	return target{}
}

func namedTarget(name string) target {
	t := target{name: name}
	t.model, t.known = calls.Lookup(name)
	return t
}

// targetAt is the function at an address, or what the linkage table has there.
func (m *module) targetAt(addr uint64) target {
	t, ok := m.calls[addr]
	if !ok {
		t = m.lookUpTarget(addr)
		m.calls[addr] = t
	}
	return t
}

func (m *module) lookUpTarget(addr uint64) target {
	if name := m.stubImport(addr); name != "" {
		return namedTarget(name)
	}
	t := target{addr: addr}
	if sym, ok := m.code.FunctionAt(addr); ok && sym.Lo == addr {
		t.name = sym.Name
		// Code says more than a model of something that has the same name.
		if model, ok := calls.Lookup(sym.Name); ok && (model.MPI || model.NoReturn || model.Allocates()) {
			t.model, t.known = model, true
		}
	}
	return t
}

// stubImport returns the import that a piece of the linkage table jumps to, "" if
// there is no such piece.
func (m *module) stubImport(addr uint64) string {
	at := map[cpu.Reg]uint64{} // what the piece has put into registers
	var slot uint64            // that it has loaded an address from last
	for range maxStub {
		code := m.code.Bytes(addr)
		if len(code) == 0 || !m.code.IsExecutable(addr) {
			return ""
		}
		in := m.arch.Decode(nil, code[:min(len(code), m.arch.Kind.LongestInstruction)], addr)[0]
		base, known := uint64(0), true
		if in.Load != nil && in.Load.Base != cpu.None {
			base, known = at[in.Load.Base], at[in.Load.Base] != 0
		}
		switch {
		case in.Load != nil && (!known || in.Load.Index != cpu.None):
			return ""
		case in.Kind == cpu.Jump && in.Indirect && in.Load != nil:
			return m.code.ImportName(uint64(in.Load.Disp))
		case in.Kind == cpu.Jump && in.Indirect && slot != 0:
			return m.code.ImportName(slot)
		case in.Move == cpu.LoadReg && base != 0:
			slot = base + uint64(in.Load.Disp)
		case in.Move == cpu.SetImm && uint64(in.Imm)%stubPage == 0:
			at[in.Dst] = uint64(in.Imm)
		case in.Move == cpu.AddImm && at[in.Src] != 0: // the address of the slot, for the loader
		case in.Kind != cpu.Next || !in.Def.Empty() || in.Store != nil || in.Move != cpu.NoMove:
			return "" // it must be a mere landing pad
		}
		addr = in.End()
	}
	return ""
}

const (
	maxStub  = 5    // instructions of a piece of the linkage table
	stubPage = 4096 // such a piece may begin with the address of a page
)

// targetFunction finds the function that a target stands for, in this module or in
// another one that is known. nil: it is not known.
func (m *module) targetFunction(t target) *function {
	if t.addr != 0 {
		if f := m.funcs[t.addr]; f != nil {
			return f
		}
		if f := m.functionAt(t.addr); f != nil && f.entry == t.addr {
			return f
		}
		return nil
	}
	if t.name == "" {
		return nil
	}
	for _, o := range m.prog.list {
		if o.err != nil {
			continue
		}
		if addr, ok := o.addressOf(t.name); ok {
			if f := o.functionAt(addr); f != nil && f.entry == addr {
				return f
			}
		}
	}
	return nil
}
