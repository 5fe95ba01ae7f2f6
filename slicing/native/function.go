package native

import (
	"laggard/model"
	"laggard/slicing/cpu"
	"laggard/symbol"
)

// function is the code of a function, taken apart.
type function struct {
	mod    *module
	entry  uint64
	name   string // linker name, "" unknown
	parts  []symbol.Function
	insts  []cpu.Inst // by address
	index  map[uint64]int
	blocks []block
	blk    []int32 // block of each instruction
	tails  map[int]uint64
	noexit bool // no path returns
	holes  bool // an indirect jump was not resolved

	control  [2][][]int32 // see controls
	ended    [2][]bool    // see dead
	throwers []int        // see throwing; nil: not known yet
	flow     *values
	solving  bool // flow is being made
	frame    *symbol.Variables
	direct   []int64 // offsets on the stack that are accessed by the frame or stack pointer
	sum      *summary
	holding  bool
	summing  bool
	naming   bool          // see held
	header   *bool         // see foreign; nil: not known yet
	inner    *bool         // see calls; nil: not known yet
	changes  cpu.RegSet    // see clobbers; 0 not known yet
	settled  map[int]place // see stores
	found    map[query]reached
	views    map[seenKey]*seenWrites
	hands    map[int][]datum // see handedTo
	writing  map[writersKey]instructions
	hits     map[hitsKey]*hits
}

// block is a basic block: insts[first:end].
type block struct {
	first, end   int
	succs, preds []int32
	defs         cpu.RegSet // registers written in it, calls included
	stores       []int32    // instructions that may write memory, last first
}

// in tells whether an address belongs to the function.
func (f *function) in(addr uint64) bool {
	for _, p := range f.parts {
		if addr >= p.Lo && addr < p.Hi {
			return true
		}
	}
	return false
}

// at returns the instruction at addr, -1 if there is none.
func (f *function) at(addr uint64) int {
	if i, ok := f.index[addr]; ok {
		return i
	}
	return -1
}

// before returns the instruction that ends at a return address, -1 if there is
// none.
func (f *function) before(ret uint64) int {
	for n := uint64(1); n <= uint64(f.mod.arch.Longest) && n <= ret; n++ {
		if i := f.at(ret - n); i >= 0 && f.insts[i].End() == ret {
			return i
		}
	}
	return -1
}

func (f *function) block(i int) *block { return &f.blocks[f.blk[i]] }

// Reader takes functions apart for another analysis of their code. It is not safe for
// concurrent use.
type Reader struct{ prog *program }

// NewReader returns a Reader that finds files through r, which must outlive it.
func NewReader(r *symbol.Resolver) *Reader { return &Reader{newProgram(r, nil)} }

// Routine is the code of a function in basic blocks, as far as it is known.
type Routine struct {
	f     *function
	Insts []cpu.Inst // by address
	// Whole: all jumps are known, so that there are no other ways to a block.
	Whole bool
}

// Around returns the function that a return address belongs to, and the position of
// the call before that.
func (r *Reader) Around(mod *model.Module, ret uint64) (fn Routine, call int, ok bool) {
	m := r.prog.module(mod)
	if m.err != nil || ret == 0 {
		return fn, 0, false
	}
	f := m.function(ret - 1)
	if f == nil {
		return fn, 0, false
	}
	i := f.before(ret)
	if i < 0 || f.insts[i].Kind != cpu.Call {
		return fn, 0, false
	}
	return Routine{f, f.insts, !f.holes && !f.scattered()}, i, true
}

// scattered tells whether an indirect jump of the function leads nobody knows where.
func (f *function) scattered() bool {
	for n := range f.blocks {
		last := f.blocks[n].end - 1
		if in := &f.insts[last]; in.Kind == cpu.Jump && in.Indirect && len(f.blocks[n].succs) == 0 {
			return true
		}
	}
	return false
}

// Processor is what the code is for.
func (r *Routine) Processor() *cpu.Processor { return r.f.mod.arch }

// First returns the position where the block of an instruction begins.
func (r *Routine) First(i int) int { return r.f.block(i).first }

// Before returns the positions of the instructions from which control comes to the
// block that begins at a position.
func (r *Routine) Before(first int) []int {
	var out []int
	for _, p := range r.f.block(first).preds {
		out = append(out, r.f.blocks[p].end-1)
	}
	return out
}

// Entry tells whether the function begins at a position.
func (r *Routine) Entry(i int) bool { return r.f.insts[i].Addr == r.f.entry }

// Code returns the bytes from an instruction on, of a part of one those of the whole.
func (r *Routine) Code(i int) []byte {
	arch := r.f.mod.arch
	b := r.f.mod.code.Bytes(r.f.insts[i].Addr &^ (arch.Aligned - 1))
	return b[:min(len(b), arch.Longest)]
}

// Constant tells whether memory at an address of the file is never written.
func (r *Routine) Constant(addr uint64) bool {
	code := r.f.mod.code
	return len(code.Bytes(addr)) > 0 && !code.Writable(addr)
}

// Callee returns the linker name of what the call at a position calls, as far as the
// code says it; "" if it does not.
func (r *Routine) Callee(i int) string { return r.f.mod.direct(&r.f.insts[i]).name }

// Calls tells whether the call at a position is one of another function.
func (r *Routine) Calls(i int, other Routine) bool {
	t := r.f.mod.direct(&r.f.insts[i])
	return t.addr != 0 && t.addr == other.f.entry && r.f.mod == other.f.mod || t.name != "" && t.name == other.f.name
}

// Loops tells whether an address of a module is in a loop of its function that calls,
// too, a function whose name is accepts: a jump back spans both.
func (r *Reader) Loops(mod *model.Module, addr uint64, is func(name string) bool) bool {
	m := r.prog.module(mod)
	if m.err != nil {
		return false
	}
	f := m.function(addr)
	if f == nil {
		return false
	}
	for i := range f.insts {
		call := &f.insts[i]
		if call.Kind != cpu.Call || !is(m.direct(call).name) {
			continue
		}
		lo, hi := min(addr, call.Addr), max(addr, call.Addr)
		for j := range f.insts {
			back := &f.insts[j]
			jump := (back.Kind == cpu.Jump || back.Kind == cpu.Branch) && !back.Indirect
			if jump && back.Addr >= hi && back.Target <= lo {
				return true
			}
		}
	}
	return false
}
