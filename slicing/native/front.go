package native

import (
	"laggard/slicing/cpu"
	"laggard/symbol"
)

// Front takes code apart in place of this package: Dyninst does (package
// slicing/dyninst). What follows from the code is found out here, for both.
type Front interface {
	// Listing returns the function at an address of a module, or what is reached
	// from there. After an error this package decodes the code itself.
	Listing(c *symbol.Code, entry uint64) (Listing, error)
}

// Listing is code that was taken apart.
type Listing struct {
	Insts []cpu.Inst
	Jumps map[uint64][]uint64 // of computed jumps: where they go
	Halts []uint64            // calls that do not come back
}

// listed is what a front said of the function that is being built.
type listed struct {
	insts map[uint64]cpu.Inst
	jumps map[uint64][]uint64
	halts map[uint64]bool
	asks  int
}

// maxAsks bounds the listings of one function: of it, of its parts that stand
// apart, and of what is behind instructions that the front does not know.
const maxAsks = 32

// decode takes one instruction apart. The answer is good until the next one.
func (b *builder) decode(code []byte, addr uint64) []cpu.Inst {
	in, ok := b.listed.insts[addr]
	if !ok && b.list(addr) {
		in, ok = b.listed.insts[addr]
	}
	if !ok || in.Len > len(code) {
		b.parts = b.m.arch.Decode(b.parts[:0], code, addr)
	} else {
		b.parts = append(b.parts[:0], in)
	}
	return b.parts
}

// list asks the front for what is at an address.
func (b *builder) list(addr uint64) bool {
	front := b.m.prog.front
	if front == nil || b.listed.asks >= maxAsks {
		return false
	}
	b.listed.asks++
	l, err := front.Listing(b.m.code, addr)
	if err != nil {
		return false
	}
	if b.listed.insts == nil {
		b.listed = listed{map[uint64]cpu.Inst{}, map[uint64][]uint64{}, map[uint64]bool{}, b.listed.asks}
	}
	for _, in := range l.Insts {
		b.listed.insts[in.Addr] = in
	}
	for from, to := range l.Jumps {
		b.listed.jumps[from] = to
	}
	for _, at := range l.Halts {
		b.listed.halts[at] = true
	}
	return true
}

// computed follows a jump whose target is computed.
func (b *builder) computed(in *cpu.Inst) {
	to := b.listed.jumps[in.Addr]
	if len(to) == 0 {
		b.table(in)
		return
	}
	for _, t := range to {
		if b.inside(t) {
			b.jump(in.Addr, t)
		}
	}
}

// endless tells whether a call does not come back. A front has looked at what
// is called.
func (b *builder) endless(in *cpu.Inst) bool {
	if _, ok := b.listed.insts[in.Addr]; ok {
		return b.listed.halts[in.Addr] || b.m.endless(in, 0)
	}
	return b.m.endless(in, b.depth)
}
