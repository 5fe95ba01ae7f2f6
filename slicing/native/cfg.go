package native

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"laggard/slicing/cpu"
	"laggard/symbol"
)

// Bounds of the instructions of one function.
const (
	maxInsts   = 1 << 18
	maxCertain = 1 << 14 // that are taken apart even if the time is over, so that something can be said
)

// builder takes a function apart by following its control flow.
type builder struct {
	m      *module
	f      *function
	seen   map[uint64]cpu.Inst
	parts  []cpu.Inst // of the instruction that is being decoded
	work   []uint64
	heads  map[uint64]bool // where blocks begin
	jumps  map[uint64][]uint64
	halted map[uint64]bool // calls that do not return
	depth  int
	listed listed
}

// buildFunction takes apart the function of which entry is the first address.
func (m *module) buildFunction(sym symbol.Function, depth int) *function {
	f := &function{mod: m, entry: sym.Lo, name: sym.Name, parts: []symbol.Function{sym}, tails: map[int]uint64{}}
	b := &builder{
		m: m, f: f, depth: depth, seen: map[uint64]cpu.Inst{}, work: []uint64{sym.Lo},
		heads: map[uint64]bool{sym.Lo: true}, jumps: map[uint64][]uint64{}, halted: map[uint64]bool{},
	}
	b.decodeReachable()
	b.buildBlocks()
	return f
}

// decodeReachable decodes everything that can be reached.
func (b *builder) decodeReachable() {
	for len(b.work) > 0 {
		addr := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		b.decodeStraight(addr)
	}
}

// decodeStraight decodes from addr to the end of the straight code there.
func (b *builder) decodeStraight(addr uint64) {
	code := b.m.code.Bytes(addr)
	for len(b.seen) < maxInsts && b.f.containsAddr(addr) {
		if len(b.seen) > maxCertain && b.m.prog.timeOver() {
			b.f.holes = true
			return
		}
		if _, ok := b.seen[addr]; ok {
			return
		}
		for _, in := range b.decode(code[:min(len(code), b.m.arch.Kind.LongestInstruction)], addr) {
			b.seen[in.Addr] = in
			if len(code) == 0 {
				return
			}
			code = code[in.Len:]
			b.noteTarget(&in)
			if !in.FallsThrough() || b.halted[in.Addr] {
				return
			}
			addr = in.End()
			if in.Kind == cpu.Branch {
				b.heads[addr] = true
			}
		}
	}
}

// noteTarget notes where a jump goes, and calls that do not come back.
func (b *builder) noteTarget(in *cpu.Inst) {
	switch in.Kind {
	case cpu.Jump, cpu.Branch:
		if in.Indirect {
			b.computedJump(in)
		} else if b.staysInside(in.Target) {
			b.addJump(in.Addr, in.Target)
		}
	case cpu.Call:
		if b.neverReturns(in) {
			b.halted[in.Addr] = true
		}
		b.heads[in.End()] = true
		if pad := b.m.landingPad(b.f.parts, in.End()-1); pad != 0 && b.m.callThrows(in) && b.staysInside(pad) {
			b.addJump(in.Addr, pad)
		}
	}
}

func (b *builder) addJump(from, to uint64) {
	b.heads[to] = true
	b.jumps[from] = append(b.jumps[from], to)
	b.work = append(b.work, to)
}

// staysInside reports whether a jump stays in the function. The compiler may have put
// unlikely parts elsewhere, with a name of their own.
func (b *builder) staysInside(addr uint64) bool {
	if b.f.containsAddr(addr) {
		return true
	}
	part, ok := b.m.code.FunctionAt(addr)
	if !ok || b.f.name == "" {
		return false
	}
	if whole, ok := coldPartOwner(part.Name); !ok || whole != b.f.name {
		return false
	}
	b.f.parts = append(b.f.parts, part)
	return true
}

// buildBlocks makes blocks of what was decoded.
func (b *builder) buildBlocks() {
	f := b.f
	f.insts, f.blocks = slices.AppendSeq(make([]cpu.Inst, 0, len(b.seen)), maps.Values(b.seen)), nil
	slices.SortFunc(f.insts, func(x, y cpu.Inst) int { return cmp.Compare(x.Addr, y.Addr) })
	b.splitBlocks()
	for n := range f.blocks {
		b.connectBlock(n)
	}
	f.noexit = !f.graph().hasExit()
}

func (b *builder) splitBlocks() {
	f := b.f
	f.blk = make([]int32, len(f.insts))
	for i := range f.insts {
		in := &f.insts[i]
		open := i > 0 && f.insts[i-1].End() == in.Addr && f.insts[i-1].FallsThrough() && !b.halted[f.insts[i-1].Addr]
		if !open || b.heads[in.Addr] || f.insts[i-1].Kind != cpu.Next {
			f.blocks = append(f.blocks, block{first: i})
		}
		last := &f.blocks[len(f.blocks)-1]
		last.end = i + 1
		f.blk[i] = int32(len(f.blocks) - 1)
		if in.Kind == cpu.Call || in.Store != nil || in.Opaque {
			last.stores = append(last.stores, int32(i))
		}
		last.defs = last.defs.Or(in.Def)
		if in.Kind == cpu.Call {
			last.defs = last.defs.Or(f.mod.arch.CallerSaved)
		}
	}
	for n := range f.blocks {
		slices.Reverse(f.blocks[n].stores)
	}
}

// connectBlock finds the successors of a block.
func (b *builder) connectBlock(n int) {
	f := b.f
	last := &f.insts[f.blocks[n].end-1]
	to := slices.Clone(b.jumps[last.Addr])
	switch {
	case b.halted[last.Addr]: // it goes on at most where an exception is handled
	case last.FallsThrough():
		to = append(to, last.End())
	case last.Kind == cpu.Jump && len(to) == 0:
		if !last.Indirect {
			f.tails[f.blocks[n].end-1] = last.Target
		} else {
			f.tails[f.blocks[n].end-1] = 0
		}
	}
	slices.Sort(to)
	for _, t := range slices.Compact(to) {
		if i := f.instAt(t); i >= 0 {
			s := f.blk[i]
			f.blocks[n].succs = append(f.blocks[n].succs, s)
			f.blocks[s].preds = append(f.blocks[s].preds, int32(n))
		}
	}
}

// isExitBlock reports whether the block ends by returning, or by a tail call.
func (f flowGraph) isExitBlock(n int) bool {
	last := f.blocks[n].end - 1
	_, tail := f.tails[last]
	return tail || f.insts[last].Kind == cpu.Return
}

func (f flowGraph) hasExit() bool {
	for n := range f.blocks {
		if f.isExitBlock(n) {
			return true
		}
	}
	return false
}

// sweepFunction adds the code that no known jump leads to, for when an address that was
// observed is in it.
func (m *module) sweepFunction(f *function, depth int) *function {
	b := &builder{
		m: m, depth: depth, seen: map[uint64]cpu.Inst{}, heads: map[uint64]bool{f.entry: true},
		jumps: map[uint64][]uint64{}, halted: map[uint64]bool{},
	}
	b.f = &function{mod: m, entry: f.entry, name: f.name, parts: f.parts, tails: map[int]uint64{},
		holes: true}
	b.work = []uint64{f.entry}
	b.decodeReachable()
	b.listed.asks = maxAsks // what is left over is decoded here
	for _, p := range b.f.parts {
		for addr := p.Lo; addr < p.Hi && len(b.seen) < maxInsts && !(len(b.seen) > maxCertain && b.m.prog.timeOver()); {
			in, ok := b.seen[addr]
			if !ok {
				b.heads[addr] = true
				b.work = append(b.work, addr)
				b.decodeReachable()
				in = b.seen[addr]
			}
			addr += uint64(max(in.Len, 1))
		}
	}
	b.buildBlocks()
	return b.f
}

// coldPartOwner gives the name of the function of which name is an unlikely part.
func coldPartOwner(name string) (string, bool) {
	i := strings.Index(name, ".cold")
	if i <= 0 {
		return "", false
	}
	return name[:i], true
}

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
	if !ok && b.askFront(addr) {
		in, ok = b.listed.insts[addr]
	}
	if !ok || in.Len > len(code) {
		b.parts = b.m.arch.Decode(b.parts[:0], code, addr)
	} else {
		b.parts = append(b.parts[:0], in)
	}
	return b.parts
}

// askFront asks the front for what is at an address.
func (b *builder) askFront(addr uint64) bool {
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

// computedJump follows a jump whose target is computed.
func (b *builder) computedJump(in *cpu.Inst) {
	to := b.listed.jumps[in.Addr]
	if len(to) == 0 {
		b.followTable(in)
		return
	}
	for _, t := range to {
		if b.staysInside(t) {
			b.addJump(in.Addr, t)
		}
	}
}

// neverReturns reports whether a call does not come back. A front has looked at what
// is called.
func (b *builder) neverReturns(in *cpu.Inst) bool {
	if _, ok := b.listed.insts[in.Addr]; ok {
		return b.listed.halts[in.Addr] || b.m.neverReturns(in, 0)
	}
	return b.m.neverReturns(in, b.depth)
}

// reversePostorder has the blocks that can be reached from the entry in an order in which each comes behind those that lead to
// it, but for the edges by which loops go round.
func (f flowGraph) reversePostorder() []int32 {
	type visit struct {
		block int32
		next  int
	}
	entry := int32(f.entryBlock())
	seen, out := make([]bool, len(f.blocks)), []int32(nil)
	seen[entry] = true
	for work := []visit{{entry, 0}}; len(work) > 0; {
		at := &work[len(work)-1]
		succs := f.blocks[at.block].succs
		if at.next == len(succs) {
			out = append(out, at.block)
			work = work[:len(work)-1]
			continue
		}
		to := succs[at.next]
		at.next++
		if !seen[to] {
			seen[to] = true
			work = append(work, visit{to, 0})
		}
	}
	slices.Reverse(out)
	return out
}
