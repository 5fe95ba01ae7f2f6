package native

import (
	"maps"
	"slices"

	"laggard/slicing/cpu"
	"laggard/slicing/shape"
	"laggard/symbol"
)

// A value is named by a base and an offset from it. The bases of a function are
// numbered in the order in which they are met.
type value struct {
	base int32
	any  bool // somewhere in what the base and offset point into
	off  int64
}

// baseKind says what a base is.
type baseKind uint8

const (
	unknown   baseKind = iota
	allocated          // a new object on the heap, from the call at; anywhere: any of type typ
	constant           // 0: the offset is a number or an address of the module
	onEntry            // what register reg held when the function was entered
	result             // what instruction at left in register reg
	loaded             // the eight bytes at offset off from base from
	caught             // the exception that is handled at the start of block at
	merged             // one of several values, in register reg at the start of block at
)

type base struct {
	kind baseKind
	reg  cpu.Reg
	at   int32
	from int32
	off  int64
	any  bool
	typ  *symbol.Type // of any object that was allocated with that type
}

// anywhere is where an object was allocated that is not known.
const anywhere = -1

// The bases that every function has.
const (
	noBase    int32 = 0
	constBase int32 = 1
	stackBase int32 = 2 // the stack pointer on entry, which points to the return address
	heapBase  int32 = 3 // whatever was allocated, of an unknown type
)

// maxNesting bounds the loads in the name of a value.
const maxNesting = 4

// values is what is known of the registers before each instruction.
type values struct {
	f            *function
	bases        []base
	numbers      map[base]int32 // of the bases; nil: none was looked for since all was known
	nesting      []uint8
	start        []*state        // of the blocks, nil if not reached
	escapes      []int64         // offsets on the stack whose address is taken
	open         [][2]int64      // what they are in
	passed       map[int][]value // by call: what it finds on the stack
	regs         [][]value       // before each instruction; one that changes none shares them with the next
	addr         []*place        // by instruction: where it stores; the same one for all that do not
	load         []*place
	after        map[int]value // by call: what it returns
	returnValue  value         // what the function returns
	returns      []value       // the same, at each of its ends
	part         part          // what in any object that it points to
	types        map[int32]*symbol.Type
	joined       map[int32][]value     // see alternatives
	handedPlaces map[int32]value       // by base: where callers find the pointer
	keptMembers  map[int32]shape.Bytes // by base: where the function itself puts it
	locals       map[localKey]object
	loads        []*datum // by base: where the pointer was loaded from
	typed        bool     // types has all that is known
	final        bool     // nothing of this changes any more
	at           int32
}

// state is what registers and stack slots hold.
type state struct {
	regs  []value // of the general registers
	slots map[int64]slot
}

type slot struct {
	v    value
	size int
}

// maxSlots bounds the slots of a state, over all blocks.
const maxSlots = 1 << 20

func (f *function) valueFlow() *values {
	if f.flow != nil {
		return f.flow
	}
	v := &values{f: f, types: map[int32]*symbol.Type{}, after: map[int]value{}}
	v.intern(base{kind: unknown})
	v.intern(base{kind: constant})
	v.intern(base{kind: onEntry, reg: f.mod.arch.SP})
	v.intern(base{kind: allocated, at: anywhere})
	f.flow, f.solving = v, true
	defer func() { f.solving = false }()
	v.solveFixpoint(false) // finds the offsets whose addresses are taken
	v.addFrameVariables()
	v.escapes = v.addressesTaken()
	slices.Sort(f.direct)
	for _, e := range v.escapes {
		o := f.localObject(e, v.escapes, false)
		v.open = append(v.open, [2]int64{o.lo, o.hi})
	}
	v.solveFixpoint(true)
	v.recordPlaces()
	v.aliases().inferTypes()
	v.retypePlaces()
	v.part = v.returnedPart()
	v.loads, v.numbers, v.locals, v.final = nil, nil, map[localKey]object{}, true
	return v
}

// part is an offset in any object of a type; nil: none.
type part struct {
	typ *symbol.Type
	off int64
}

// returnedPart is where the function returns a pointer to, if that is a number in objects of one type, whichever: in
// an element of a container.
func (v *values) returnedPart() (out part) {
	if t := v.f.mod.code.TargetOf(v.f.variables().Result); t == nil || len(t.Fields) > 0 {
		return part{}
	}
	for _, x := range v.returns {
		t := v.aliases().typeOf(x.base)
		here := part{t, x.off}
		if x.any || !v.aliases().mayBeAliased(x.base) || t == nil || len(t.Fields) == 0 || out.typ != nil && here != out {
			return part{}
		}
		out = here
	}
	return out
}

func (v *values) intern(b base) int32 {
	if v.numbers == nil {
		v.numbers = make(map[base]int32, len(v.bases))
		for n, known := range v.bases {
			v.numbers[known] = int32(n)
		}
	}
	if n, ok := v.numbers[b]; ok {
		return n
	}
	n := int32(len(v.bases))
	v.numbers[b] = n
	v.bases = append(v.bases, b)
	depth := uint8(0)
	if b.kind == loaded {
		depth = v.nesting[b.from] + 1
	}
	v.nesting = append(v.nesting, depth)
	return n
}

func (v *values) freshValue(r cpu.Reg) value {
	return value{base: v.intern(base{kind: result, reg: r, at: v.at})}
}

// solveFixpoint runs to a fixed point. Values only ever go up: a value, any offset from
// its base, a merged one.
func (v *values) solveFixpoint(slots bool) {
	f := v.f
	v.start = make([]*state, len(f.blocks))
	if len(f.blocks) == 0 {
		return
	}
	first := v.blankState()
	if slots {
		first.slots = map[int64]slot{}
	}
	for r := range first.regs {
		first.regs[r] = value{base: v.intern(base{kind: onEntry, reg: cpu.Reg(r)})}
	}
	entry := int32(f.graph().entryBlock())
	v.start[entry] = first
	queued, held := make([]bool, len(f.blocks)), 0
	queued[entry] = true
	order := f.graph().reversePostorder()
	var given value // the first argument of what is called at the end of a block
	for again := true; again && !f.mod.prog.timeOver(); {
		again = false
		for _, n := range order {
			if !queued[n] || f.mod.prog.timeOver() { // a large function takes seconds
				continue
			}
			queued[n] = false
			s := v.start[n].clone()
			for i := f.blocks[n].first; i < f.blocks[n].end; i++ {
				given = s.regs[f.mod.arch.Args[0]]
				v.transfer().transferInst(s, i)
			}
			for _, to := range f.blocks[n].succs {
				if v.mergeInto(to, v.stateAlong(s, n, to, given), &held) {
					queued[to], again = true, true
				}
			}
		}
	}
}

// blankState is a state of which nothing is known.
func (v *values) blankState() *state { return &state{regs: make([]value, v.f.mod.arch.General)} }

func (s *state) clone() *state {
	return &state{slices.Clone(s.regs), maps.Clone(s.slots)}
}

// mergeInto brings the state at the end of a block into the start of another one.
func (v *values) mergeInto(to int32, from *state, held *int) bool {
	at := v.start[to]
	if at == nil {
		v.start[to] = from.clone()
		if *held += len(from.slots); *held > maxSlots {
			clear(v.start[to].slots)
		}
		return true
	}
	changed := false
	for r := range at.regs {
		if m := v.joinValues(at.regs[r], from.regs[r], to, cpu.Reg(r)); m != at.regs[r] {
			at.regs[r], changed = m, true
		}
	}
	for off, s := range at.slots {
		if from.slots[off] != s {
			delete(at.slots, off)
			changed = true
		}
	}
	return changed
}

func (v *values) joinValues(a, b value, to int32, r cpu.Reg) value {
	own := base{kind: merged, reg: r, at: to}
	switch {
	case a == b:
		return a
	case a.base == b.base && a.base != constBase && a.base != noBase && v.bases[a.base] != own:
		return value{base: a.base, off: a.off, any: true}
	case a.base == constBase && b.base == constBase && v.f.sameObject(a.off, b.off):
		return value{base: a.base, off: a.off, any: true}
	}
	out := value{base: v.intern(own)}
	if a.base == out.base || a.base == constBase && !a.any && a.off > -firstPage && a.off < firstPage {
		out.off = a.off // where an index begins says which array it is of
	}
	return out
}

// alternatives are the values of which a base stands for one: by each way to the block where they were joined.
func (v *values) alternatives(n int32) []value {
	b := v.bases[n]
	if b.kind != merged {
		return nil
	}
	out, ok := v.joined[n]
	if ok {
		return out
	}
	for _, p := range v.f.blocks[b.at].preds {
		last := v.f.blocks[p].end - 1
		s := &state{regs: slices.Clone(v.regs[last])}
		if v.f.insts[last].Kind != cpu.Call {
			v.transfer().transferInst(s, last)
		} else if s.regs[b.reg] = v.after[last]; b.reg != v.f.mod.arch.Result {
			continue
		}
		if x := s.regs[b.reg]; x.base != n && v.aliases().mayBeAliased(x.base) && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	if v.joined == nil {
		v.joined = map[int32][]value{}
	}
	v.joined[n] = out
	return out
}

// addressesTaken returns the offsets on the stack of which an address was made.
func (v *values) addressesTaken() []int64 {
	var out []int64
	unnamed, arch := map[int64]*symbol.Type{}, v.f.mod.arch
	for n, s := range v.start {
		if s == nil {
			continue
		}
		s = s.clone()
		for i := v.f.blocks[n].first; i < v.f.blocks[n].end; i++ {
			in := &v.f.insts[i]
			v.noteDirect(s, in)
			if in.Kind == cpu.Call {
				v.aliases().noteUnnamed(s, i, unnamed)
			}
			v.transfer().transferInst(s, i)
			frame := in.Dst == arch.FP && (in.Move == cpu.Copy || in.Move == cpu.AddImm && in.Src == arch.SP)
			if !arch.IsGeneral(in.Dst) || in.Dst == arch.SP || frame {
				continue
			}
			if in.Move == cpu.Lea || in.Move == cpu.AddImm || in.Move == cpu.Copy && in.Src == arch.SP {
				if r := s.regs[in.Dst]; r.base == stackBase {
					out = append(out, r.off)
				}
			}
		}
	}
	for _, off := range slices.Sorted(maps.Keys(unnamed)) {
		x := symbol.Variable{Offset: off - arch.ReturnAddress, Size: unnamed[off].Size, Type: unnamed[off]}
		v.f.frame.Stack = append(v.f.frame.Stack, x)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// noteDirect notes an access to a fixed place on the stack.
func (v *values) noteDirect(s *state, in *cpu.Inst) {
	for _, m := range []*cpu.Mem{in.Load, in.Store} {
		if m == nil || m.Index != cpu.None || m.Base != v.f.mod.arch.SP && m.Base != v.f.mod.arch.FP {
			continue
		}
		if x := v.transfer().addressValue(s, m, cpu.None); x.base == stackBase && !x.any {
			v.f.direct = append(v.f.direct, x.off)
		}
	}
}

// recordPlaces notes what is known before each instruction, and the memory that the
// instructions access.
func (v *values) recordPlaces() {
	f := v.f
	v.regs = make([][]value, len(f.insts))
	v.passed = map[int][]value{}
	v.addr, v.load = make([]*place, len(f.insts)), make([]*place, len(f.insts))
	for n := range f.blocks {
		s := v.start[n]
		if s == nil {
			s = v.blankState() // unreached
		}
		s = s.clone()
		for i := f.blocks[n].first; i < f.blocks[n].end; i++ {
			v.at = int32(i)
			v.recordRegs(i, s.regs)
			in := &f.insts[i]
			v.addr[i], v.load[i] = v.keptPlace(s, in, in.Store), v.keptPlace(s, in, in.Load)
			if in.Kind == cpu.Call || in.Kind == cpu.Jump {
				v.recordPassed(s, i)
			}
			v.transfer().transferInst(s, i)
			if in.Kind == cpu.Call {
				v.after[i] = s.regs[f.mod.arch.Result]
			}
		}
		if _, tail := f.tails[f.blocks[n].end-1]; f.graph().isExitBlock(n) && !tail {
			v.returnValue = v.eitherResult(v.returnValue, s.regs[f.mod.arch.Result])
			v.returns = append(v.returns, s.regs[f.mod.arch.Result])
		}
		v.start[n] = nil
	}
}

func (v *values) recordRegs(i int, regs []value) {
	if i > 0 && slices.Equal(v.regs[i-1], regs) {
		v.regs[i] = v.regs[i-1]
	} else {
		v.regs[i] = slices.Clone(regs)
	}
}

// noPlace is that of an operand that an instruction does not have.
var noPlace = &place{reg: cpu.None}

func (v *values) keptPlace(s *state, in *cpu.Inst, m *cpu.Mem) *place {
	if p := v.operandPlace(s, in, m); p != *noPlace {
		return &p
	}
	return noPlace
}

// eitherResult is one of two values that a function may return; the zero value is none.
func (v *values) eitherResult(a, b value) value {
	switch {
	case b.base != noBase && (a == value{} || a == b):
		return b
	case a.base == b.base && a.base != constBase:
		return value{base: a.base, off: a.off, any: true}
	}
	return value{base: noBase, any: true}
}

// retypePlaces finds the places again that depend on types.
func (v *values) retypePlaces() {
	for i := range v.f.insts {
		in, s := &v.f.insts[i], &state{regs: v.regs[i]}
		if v.addr[i].any {
			v.addr[i] = v.keptPlace(s, in, in.Store)
		}
		if v.load[i].any {
			v.load[i] = v.keptPlace(s, in, in.Load)
		}
	}
}

// maxPassed is the greatest number of arguments on the stack that are looked at.
const maxPassed = 12

// recordPassed notes the arguments that a call finds on the stack.
func (v *values) recordPassed(s *state, i int) {
	sp := s.regs[v.f.mod.arch.SP]
	if sp.base != stackBase || len(s.slots) == 0 {
		return
	}
	var args []value
	for n := range int64(maxPassed) {
		args = append(args, s.slots[sp.off+8*n].v)
	}
	v.passed[i] = args
}

// dataRank is the rank of addresses of variables.
const dataRank = 5

// firstPage is where data may begin: the first page holds the file's header.
const firstPage = 4096

// addressRank orders bases by how likely an address is made from them.
func (v *values) addressRank(x value) int {
	switch b := v.bases[x.base]; b.kind {
	case constant:
		if v.f.isData(x.off) {
			return dataRank
		}
		return 0
	case onEntry:
		if b.reg == v.f.mod.arch.SP {
			return 6
		}
		return 3
	case loaded:
		if t := v.objectAt(value{base: b.from, off: b.off}).scalarType(b.off); t != nil && !t.Pointer {
			return 1
		}
		return 4
	case allocated, caught:
		return 4
	case merged:
		return 3
	case result:
		if in := &v.f.insts[b.at]; in.Kind == cpu.Call {
			return 4
		} else if in.Move == cpu.Lea && in.Address.Scale > 1 || in.Move == cpu.LoadReg {
			return 1
		}
		return 2
	}
	return 0
}

// addressSum is the address that adding two values gives: one is the pointer.
func (v *values) addressSum(a, b value, scale int64) value {
	switch {
	case b.base == constBase && !b.any && (scale != 1 || v.addressRank(b) <= v.addressRank(a) || v.addressRank(b) < dataRank):
		a.off += b.off * scale
		return a
	case a.base == constBase && !a.any && scale == 1 && v.addressRank(a) < dataRank:
		b.off += a.off
		return b
	}
	if scale == 1 && v.addressRank(b) > v.addressRank(a) {
		a, b = b, a
	}
	if !b.any && b.base != constBase {
		a.off += b.off * scale // what was added to the index belongs to the address
	}
	a.any = true
	return a
}
