package native

import (
	"debug/elf"
	"fmt"
	"time"

	"laggard/model"
	"laggard/slicing/arm64"
	"laggard/slicing/calls"
	"laggard/slicing/cpu"
	"laggard/slicing/shape"
	"laggard/slicing/x86"
	"laggard/symbol"
)

// program is the code of all modules that a criterion names.
type program struct {
	resolver *symbol.Resolver
	front    Front // nil none
	modules  map[moduleKey]*module
	list     []*module // in the order in which they were opened
	shapes   *shape.Shapes
	insts    int       // taken apart
	looked   int       // how often it was looked whether an instruction writes a place
	answers  int       // bytes, about, of what is remembered of that; see remember
	deadline time.Time // of the slice that is being made
	over     bool
}

// maxAnswers bounds, in bytes, what is remembered of which instructions write which places.
const maxAnswers = 96 << 20

// remember makes room for answers of some bytes: from time to time all are forgotten.
func (p *program) remember(bytes int) {
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

// processor is what the code of a module is for.
func processor(c *symbol.Code) (*cpu.Processor, error) {
	if m := processors[c.Machine()]; m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("slicing: %s: code for %v is not understood", c.Path(), c.Machine())
}

var processors = map[elf.Machine]*cpu.Processor{
	elf.EM_X86_64:  x86.Processor,
	elf.EM_AARCH64: arm64.Processor,
}

type moduleKey struct{ id, path string }

// module is an object of the program.
type module struct {
	prog    *program
	code    *symbol.Code
	arch    *cpu.Processor // nil: no code
	err     error          // no code
	system  bool           // it belongs to MPI or to the system
	funcs   map[uint64]*function
	calls   map[uint64]target // by the address that is called
	names   map[string]uint64 // see define; 0: it has no such function
	vars    map[uint64]*symbol.Variables
	pads    map[uint64][]symbol.Pad       // by function
	derived map[*symbol.Type]*symbol.Type // see heir
	ends    map[endlessKey]bool
	throw   map[uint64]bool // whether a function may throw
}

func newProgram(r *symbol.Resolver, front Front) *program {
	return &program{resolver: r, front: front, shapes: shape.New(), modules: map[moduleKey]*module{}}
}

// module opens a module once.
func (p *program) module(mod *model.Module) *module {
	key := moduleKey{}
	if mod != nil {
		key = moduleKey{mod.BuildID, mod.Path}
	}
	m := p.modules[key]
	if m == nil {
		m = &module{prog: p, funcs: map[uint64]*function{}, calls: map[uint64]target{},
			vars: map[uint64]*symbol.Variables{}, pads: map[uint64][]symbol.Pad{}, throw: map[uint64]bool{},
			names: map[string]uint64{}, derived: map[*symbol.Type]*symbol.Type{}, ends: map[endlessKey]bool{}}
		m.system = symbol.SystemModule(key.path)
		if m.code, m.err = p.resolver.Code(mod); m.err == nil {
			m.arch, m.err = processor(m.code)
		}
		p.modules[key] = m
		p.list = append(p.list, m)
	}
	return m
}

// define is the address of the function with a linker name. The same ones are asked for again and again.
func (m *module) define(name string) (uint64, bool) {
	addr, ok := m.names[name]
	if !ok {
		addr, _ = m.code.Define(name)
		m.names[name] = addr
	}
	return addr, addr != 0
}

// maxEndless bounds the calls that are followed to find out whether a function
// returns.
const maxEndless = 2

// function returns the function around an address, taken apart; nil if none is
// known there.
func (m *module) function(addr uint64) *function { return m.load(addr, maxEndless) }

func (m *module) load(addr uint64, depth int) *function {
	if m.err != nil {
		return nil
	}
	sym, ok := m.code.Function(addr)
	if !ok || !m.code.Executable(sym.Lo) {
		return nil
	}
	if whole, ok := m.whole(sym); ok {
		sym = whole
	}
	if f := m.funcs[sym.Lo]; f != nil {
		return f
	}
	f := m.build(sym, depth)
	m.funcs[sym.Lo] = f
	m.prog.insts += len(f.insts)
	return f
}

// whole finds the function that a part which stands apart belongs to.
func (m *module) whole(part symbol.Function) (symbol.Function, bool) {
	name, ok := withoutPart(part.Name)
	if !ok {
		return symbol.Function{}, false
	}
	addr, ok := m.define(name)
	if !ok {
		return symbol.Function{}, false
	}
	return m.code.Function(addr)
}

// reload replaces a function by one that has all of its code in it.
func (m *module) reload(f *function) *function {
	all := m.sweep(f, maxEndless)
	m.funcs[f.entry] = all
	return all
}

// maxEndlessSize bounds, in bytes, the functions that are looked at to find out
// whether they return; those that print a message and end the process are small.
const maxEndlessSize = 4096

// endless tells whether a call does not come back.
func (m *module) endless(in *cpu.Inst, depth int) bool {
	t := m.direct(in)
	if t.known {
		return t.model.NoReturn
	}
	if depth == 0 || t.addr == 0 {
		return false
	}
	sym, ok := m.code.Function(t.addr)
	if !ok || sym.Lo != t.addr || sym.Hi-sym.Lo > maxEndlessSize {
		return false
	}
	if f := m.funcs[t.addr]; f != nil {
		return f.noexit && !f.loops()
	}
	key := endlessKey{t.addr, depth}
	known, ok := m.ends[key]
	if !ok {
		f := m.build(sym, depth-1)
		known = f.noexit && !f.loops()
		m.ends[key] = known
	}
	return known
}

// endlessKey is a function, and how many calls are followed to find out whether it returns.
type endlessKey struct {
	addr  uint64
	depth int
}

// loops tells whether the function may go round for ever instead of ending.
func (f *function) loops() bool {
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

// direct finds the target of a direct call or jump, or of one through a slot
// that the loader fills.
func (m *module) direct(in *cpu.Inst) target {
	switch {
	case in.Indirect && in.Load != nil && in.Load.Base == cpu.None && in.Load.Index == cpu.None && !in.Load.Thread:
		return m.slot(uint64(in.Load.Disp))
	case in.Indirect:
		return target{}
	}
	return m.target(in.Target)
}

func (m *module) slot(at uint64) target {
	if name := m.code.Import(at); name != "" {
		return named(name)
	}
	if addr, ok := m.code.Pointer(at); ok && m.code.Executable(addr) {
		return m.target(addr)
	}
	return target{}
}

func named(name string) target {
	t := target{name: name}
	t.model, t.known = calls.Lookup(name)
	return t
}

// target is the function at an address, or what the linkage table has there.
func (m *module) target(addr uint64) target {
	t, ok := m.calls[addr]
	if !ok {
		t = m.look(addr)
		m.calls[addr] = t
	}
	return t
}

func (m *module) look(addr uint64) target {
	if name := m.stub(addr); name != "" {
		return named(name)
	}
	t := target{addr: addr}
	if sym, ok := m.code.Function(addr); ok && sym.Lo == addr {
		t.name = sym.Name
		// Code says more than a model of something that has the same name.
		if model, ok := calls.Lookup(sym.Name); ok && (model.MPI || model.NoReturn || model.Allocates()) {
			t.model, t.known = model, true
		}
	}
	return t
}

// stub returns the import that a piece of the linkage table jumps to, "" if
// there is no such piece.
func (m *module) stub(addr uint64) string {
	at := map[cpu.Reg]uint64{} // what the piece has put into registers
	var slot uint64            // that it has loaded an address from last
	for range maxStub {
		code := m.code.Bytes(addr)
		if len(code) == 0 || !m.code.Executable(addr) {
			return ""
		}
		in := m.arch.Decode(nil, code[:min(len(code), m.arch.Longest)], addr)[0]
		base, known := uint64(0), true
		if in.Load != nil && in.Load.Base != cpu.None {
			base, known = at[in.Load.Base], at[in.Load.Base] != 0
		}
		switch {
		case in.Load != nil && (!known || in.Load.Index != cpu.None):
			return ""
		case in.Kind == cpu.Jump && in.Indirect && in.Load != nil:
			return m.code.Import(uint64(in.Load.Disp))
		case in.Kind == cpu.Jump && in.Indirect && slot != 0:
			return m.code.Import(slot)
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

// callee finds the function that a target stands for, in this module or in
// another one that is known. nil: it is not known.
func (m *module) callee(t target) *function {
	if t.addr != 0 {
		if f := m.funcs[t.addr]; f != nil {
			return f
		}
		if f := m.function(t.addr); f != nil && f.entry == t.addr {
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
		if addr, ok := o.define(t.name); ok {
			if f := o.function(addr); f != nil && f.entry == addr {
				return f
			}
		}
	}
	return nil
}
