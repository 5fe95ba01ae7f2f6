package native

import (
	"laggard/slicing/x86"
	"laggard/symbol"
)

// function is the code of a function, taken apart.
type function struct {
	mod    *module
	entry  uint64
	name   string // linker name, "" unknown
	parts  []symbol.Function
	insts  []x86.Inst // by address
	index  map[uint64]int
	blocks []block
	blk    []int32 // block of each instruction
	tails  map[int]uint64
	noexit bool // no path returns
	holes  bool // an indirect jump was not resolved

	control [][]int32 // see controls
	flow    *values
	solving bool // flow is being made
	frame   *symbol.Variables
	direct  []int64 // offsets on the stack that are accessed by the frame or stack pointer
	sum     *summary
	holding bool
	summing bool
	changes x86.RegSet // see clobbers; 0 not known yet
	found   map[query]reached
	views   map[seenKey][]seenWrite
}

// block is a basic block: insts[first:end].
type block struct {
	first, end   int
	succs, preds []int32
	defs         x86.RegSet // registers written in it, calls included
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
	for n := uint64(1); n <= 15 && n <= ret; n++ {
		if i := f.at(ret - n); i >= 0 && f.insts[i].End() == ret {
			return i
		}
	}
	return -1
}

func (f *function) block(i int) *block { return &f.blocks[f.blk[i]] }
