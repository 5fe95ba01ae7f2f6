package native

import (
	"context"

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
	blocks []block
	blk    []int32 // block of each instruction
	tails  map[int]uint64
	noexit bool // no path returns
	holes  bool // an indirect jump was not resolved

	control          [2][][]int32 // see controlDependences
	ended            [2][]bool    // see deadBlocks
	throwers         []int        // see throwingCalls; nil: not known yet
	flow             *values
	solving          bool // flow is being made
	frame            *symbol.Variables
	direct           []int64 // offsets on the stack that are accessed by the frame or stack pointer
	sum              *summary
	resolvingPointer bool
	summing          bool
	naming           bool          // see storedPointer
	header           *bool         // see isFromHeader; nil: not known yet
	inner            *bool         // see callsProgram; nil: not known yet
	unseen           *bool         // see runsUnseenCode; nil: not known yet
	changes          cpu.RegSet    // see clobberedRegs; 0 not known yet
	storePlaces      map[int]place // see storePlace
	found            map[query]reached
	views            map[seenKey]*seenWrites
	unknownArgs      map[int][]datum // see handedTo
	writing          map[writersKey]instructions
	hits             map[hitsKey]*hits
}

// block is a basic block: insts[first:end].
type block struct {
	first, end   int
	succs, preds []int32
	defs         cpu.RegSet // registers written in it, calls included
	stores       []int32    // instructions that may write memory, last first
}

// containsAddr reports whether an address belongs to the function.
func (f *function) containsAddr(addr uint64) bool {
	for _, p := range f.parts {
		if addr >= p.Lo && addr < p.Hi {
			return true
		}
	}
	return false
}

// instAt returns the instruction at addr, -1 if there is none.
func (f *function) instAt(addr uint64) int {
	if i := f.firstInstFrom(addr); i < len(f.insts) && f.insts[i].Addr == addr {
		return i
	}
	return -1
}

// instEndingAt returns the instruction that ends at a return address, -1 if there is
// none.
func (f *function) instEndingAt(ret uint64) int {
	for n := uint64(1); n <= uint64(f.mod.arch.Kind.LongestInstruction) && n <= ret; n++ {
		if i := f.instAt(ret - n); i >= 0 && f.insts[i].End() == ret {
			return i
		}
	}
	return -1
}

func (f *function) blockOf(i int) *block { return &f.blocks[f.blk[i]] }

// Reader takes functions apart for another analysis of their code. It is not safe for
// concurrent use.
type Reader struct{ prog *program }

// NewReader returns a Reader that finds files through r, which must outlive it.
func NewReader(r *symbol.Resolver) *Reader { return &Reader{newProgram(r, nil)} }

// TimeOver reports whether the time of the answer that [Reader.FunctionAround] began is over.
func (r *Reader) TimeOver() bool { return r.prog.timeOver() }

// openModule opens a module for the next answer.
func (r *Reader) openModule(mod *model.Module) *module {
	r.prog = r.prog.forNextAnswer()
	r.prog.beginAnswer(context.Background(), defaultTime)
	return r.prog.openModule(mod)
}

// Routine is the code of a function in basic blocks, as far as it is known.
type Routine struct {
	f     *function
	Insts []cpu.Inst // by address
	// Complete: all jumps are known, so that there are no other ways to a block.
	Complete bool
}

// FunctionAround returns the function that a return address belongs to, and the position of
// the call before that.
func (r *Reader) FunctionAround(mod *model.Module, ret uint64) (fn Routine, call int, ok bool) {
	m := r.openModule(mod)
	if m.err != nil || ret == 0 {
		return fn, 0, false
	}
	f := m.functionAt(ret - 1)
	if f == nil {
		return fn, 0, false
	}
	i := f.instEndingAt(ret)
	if i < 0 || f.insts[i].Kind != cpu.Call {
		return fn, 0, false
	}
	return Routine{f, f.insts, !f.holes && !f.hasUnknownJump()}, i, true
}

// hasUnknownJump reports whether an indirect jump of the function leads nobody knows where.
func (f *function) hasUnknownJump() bool {
	for n := range f.blocks {
		last := f.blocks[n].end - 1
		if in := &f.insts[last]; in.Kind == cpu.Jump && in.Indirect && len(f.blocks[n].succs) == 0 {
			return true
		}
	}
	return false
}

// Architecture is what the code is for.
func (r *Routine) Architecture() *cpu.Architecture { return r.f.mod.arch }

// BlockStart returns the position where the block of an instruction begins.
func (r *Routine) BlockStart(i int) int { return r.f.blockOf(i).first }

// Predecessors returns the positions of the instructions from which control comes to the
// block that begins at a position.
func (r *Routine) Predecessors(first int) []int {
	var out []int
	for _, p := range r.f.blockOf(first).preds {
		out = append(out, r.f.blocks[p].end-1)
	}
	return out
}

// IsEntry reports whether the function begins at a position.
func (r *Routine) IsEntry(i int) bool { return r.f.insts[i].Addr == r.f.entry }

// Code returns the bytes from an instruction on, of a part of one those of the whole.
func (r *Routine) Code(i int) []byte {
	arch := r.f.mod.arch
	b := r.f.mod.code.Bytes(r.f.insts[i].Addr &^ uint64(arch.Kind.Alignment-1))
	return b[:min(len(b), arch.Kind.LongestInstruction)]
}

// IsConstant reports whether memory at an address of the file is never written.
func (r *Routine) IsConstant(addr uint64) bool {
	code := r.f.mod.code
	return len(code.Bytes(addr)) > 0 && !code.IsWritable(addr)
}

// CalleeName returns the linker name of what the call at a position calls, as far as the
// code says it; "" if it does not.
func (r *Routine) CalleeName(i int) string { return r.f.mod.directTarget(&r.f.insts[i]).name }

// CallsFunction reports whether the call at a position is one of another function.
func (r *Routine) CallsFunction(i int, other Routine) bool {
	t := r.f.mod.directTarget(&r.f.insts[i])
	return t.addr != 0 && t.addr == other.f.entry && r.f.mod == other.f.mod || t.name != "" && t.name == other.f.name
}

// InLoopCalling reports whether an address of a module is in a loop of its function that calls,
// too, a function whose name is accepts: a jump back spans both.
func (r *Reader) InLoopCalling(mod *model.Module, addr uint64, is func(name string) bool) bool {
	m := r.openModule(mod)
	if m.err != nil {
		return false
	}
	f := m.functionAt(addr)
	if f == nil {
		return false
	}
	for i := range f.insts {
		call := &f.insts[i]
		if call.Kind != cpu.Call || !is(m.directTarget(call).name) {
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
