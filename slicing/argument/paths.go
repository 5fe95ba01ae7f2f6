package argument

import (
	"laggard/model"
	"laggard/slicing/cpu"
	"laggard/slicing/native"
	"laggard/slicing/x86"
)

// Call is a call that has not returned.
type Call struct {
	Module *model.Module // of the caller
	Bias   uint64        // what is added to addresses of its file
	Return uint64        // address in the file, behind the call
	// Register returns a register of the caller's frame, as it will be when the call
	// returns: the stack pointer, and those that functions preserve.
	Register func(r cpu.Reg) (value uint64, ok bool)
	// Read reads memory of the process.
	Read func(addr uint64, b []byte) bool
	// Is tells whether the function of a linker name is the one that was called.
	Is func(name string) bool
	// Outer is the call of the function that this call is in, from the next frame; nil: it
	// is not known. Of it, Is does not matter.
	Outer *Call

	fn    native.Routine
	given []Value // what the function itself was called with
}

// inRegisters are the registers of the first arguments (System V ABI, §3.2.3).
var inRegisters = []cpu.Reg{x86.RDI, x86.RSI, x86.RDX, x86.RCX, x86.R8, x86.R9}

// Bounds of the search for ways.
const (
	maxBlocks = 12   // of a way
	maxWays   = 200  // of a length
	maxRounds = 3    // over a way
	maxSteps  = 2048 // the instructions of a way that are gone through, the last ones
)

// Values returns the first n arguments of a call, all of them integers or addresses.
// Where it cannot be told that the call is one of that function, none is known, nor of
// code for another processor than x86-64.
func Values(r *native.Reader, c Call, n int) []Value {
	out := make([]Value, n)
	fn, call, ok := r.Around(c.Module, c.Return)
	if !ok || fn.Processor() != x86.Processor { // whose instructions are gone through
		return out
	}
	c.fn = fn
	if !c.Is(fn.Callee(call)) {
		return out
	}
	c.given = c.outer(r, maxOuter)
	return c.search(call, n)
}

// maxOuter is how many callers are asked for what a function was called with.
const maxOuter = 3

// outer returns what the function of the call was called with itself, as far as that
// came in registers.
func (c *Call) outer(r *native.Reader, depth int) []Value {
	if c.Outer == nil || depth == 0 {
		return nil
	}
	o := *c.Outer
	fn, call, ok := r.Around(o.Module, o.Return)
	if !ok || !fn.Calls(call, c.fn) {
		return nil
	}
	o.fn = fn
	o.given = o.outer(r, depth-1)
	return o.search(call, len(inRegisters))
}

// search finds the first n arguments of a call, by longer and longer ways to it: first those
// that go back to the call before it, then such as go through other calls.
func (c *Call) search(call, n int) []Value {
	out := make([]Value, n)
	for _, through := range []bool{false, true} {
		c.lengthen(call, through, out)
		if all(out) || !c.fn.Whole {
			break
		}
	}
	return out
}

// lengthen adds to out what ways of rising length tell that was not known.
func (c *Call) lengthen(call int, through bool, out []Value) {
	for blocks := 1; blocks <= maxBlocks; blocks++ {
		s := &search{Call: c, call: call, n: len(out), blocks: blocks, through: through}
		s.ways(c.fn.First(call), nil, call)
		if s.over {
			return
		}
		for i, v := range s.values() {
			if out[i].Bits < v.Bits {
				out[i] = v
			}
		}
		if !s.cut || !c.fn.Whole || all(out) {
			return
		}
	}
}

func all(values []Value) bool {
	for _, v := range values {
		if v.Bits == 0 {
			return false
		}
	}
	return true
}

// search goes through the ways to a call.
type search struct {
	*Call
	call   int // position of the call
	n      int
	blocks int // length of a way, at most
	// through: ways go through calls, which keep the registers that functions preserve.
	through bool
	count   int
	cut     bool   // a way goes on before its first block
	over    bool   // there are too many ways
	found   joined // of the ways that the values at hand allow
	every   joined // of all
	// round are the registers that some way goes round a loop with, and does not change.
	round cpu.RegSet
}

// ways goes through the ways that end with the instructions [first, end) and then
// those of later, pieces of the way in reverse order.
func (s *search) ways(first int, later [][2]int, end int) {
	if s.over {
		return
	}
	way := append(later[:len(later):len(later)], [2]int{first, end})
	before := s.fn.Before(first)
	if len(before) == 0 || len(way) == s.blocks || s.fn.Entry(first) || !s.fn.Whole {
		s.cut = s.cut || len(way) == s.blocks
		s.walk(way, false)
		return
	}
	for _, p := range before {
		if s.fn.Insts[p].Kind == cpu.Call && !s.through {
			s.walk(way, false) // what was in the registers before is not known
			continue
		}
		if visited(way, p) {
			s.walk(way, true)
			continue
		}
		s.ways(s.fn.First(p), way, p+1)
	}
}

// visited tells whether a way has been at an instruction.
func visited(way [][2]int, i int) bool {
	for _, piece := range way {
		if i >= piece[0] && i < piece[1] {
			return true
		}
	}
	return false
}

// walk goes along a way and joins what it finds. One that is again where it was has in the
// registers that it does not change what they had when it first came there, by another way.
func (s *search) walk(way [][2]int, again bool) {
	if s.count++; s.count > maxWays {
		s.over = true
		return
	}
	var steps []int
	for k := len(way) - 1; k >= 0; k-- {
		for i := way[k][0]; i < way[k][1]; i++ {
			steps = append(steps, i)
		}
	}
	var kept cpu.RegSet
	if again {
		kept = s.unchanged(steps)
		s.round = s.round.Or(kept)
	}
	steps = steps[max(0, len(steps)-maxSteps):]
	m, possible := s.along(steps, nil)
	for range maxRounds { // each time it is known better what is written
		m, possible = s.along(steps, append([]store{}, m.stores...))
	}
	values := s.arguments(m)
	s.every.add(values, kept)
	if possible {
		s.found.add(values, kept)
	}
}

// unchanged are the registers of arguments that no instruction changes.
func (s *search) unchanged(steps []int) (out cpu.RegSet) {
	var changed cpu.RegSet
	for _, i := range steps {
		changed = changed.Or(s.fn.Insts[i].Def)
		if s.fn.Insts[i].Opaque || s.fn.Insts[i].Kind == cpu.Call {
			return cpu.RegSet{}
		}
	}
	for _, r := range inRegisters {
		if !changed.Has(r) {
			out.Add(r)
		}
	}
	return out
}

// along goes over the instructions of a way; possible is false if the values at hand
// say that the program did not go there.
func (s *search) along(steps []int, known []store) (m *machine, possible bool) {
	m, possible = &machine{at: s.Call, known: known, wrote: map[uint64]Value{}}, true
	last := s.begin(m, steps)
	for k, i := range steps {
		m.step = k
		in := &s.fn.Insts[i]
		switch in.Kind {
		case cpu.Next:
			m.execute(s.fn.Code(i), in)
		case cpu.Call:
			m.call(s.fn.Callee(i))
		case cpu.Branch:
			next := s.call
			if k+1 < len(steps) {
				next = steps[k+1]
			}
			if taken, known := m.branches(s.fn.Code(i)); known && in.Target != in.End() &&
				taken != (s.fn.Insts[next].Addr == in.Target) {
				possible = false
			}
		}
		for r, at := range last {
			if v, ok := s.Register(r); ok && at == k {
				m.reg[r] = number(v, 64, false)
			}
		}
	}
	return m, possible
}

// preserved are the registers that functions preserve, but for the stack pointer.
var preserved = []cpu.Reg{x86.RBX, x86.RBP, x86.R12, x86.R13, x86.R14, x86.R15}

// begin sets the registers as they are at the begin of a way: those that no
// instruction of it changes are as the frame has them. The others are so after the step that
// changes them last, which it returns.
func (s *search) begin(m *machine, steps []int) (last map[cpu.Reg]int) {
	last = map[cpu.Reg]int{}
	rsp, fixed := int64(0), true
	for k, i := range steps {
		in := &s.fn.Insts[i]
		for _, r := range preserved {
			if in.Def.Has(r) || in.Opaque {
				last[r] = k
			}
		}
		delta, ok := stackMove(in)
		rsp, fixed = rsp+delta, fixed && ok
	}
	for _, r := range preserved {
		if _, changed := last[r]; changed {
			continue
		}
		if v, ok := s.Register(r); ok {
			m.reg[r] = number(v, 64, false)
		}
	}
	start := s.call // of a block that is the call alone
	if len(steps) > 0 {
		start = steps[0]
	}
	if s.fn.Entry(start) {
		for i, v := range s.given {
			m.reg[inRegisters[i]] = v
		}
	}
	if v, ok := s.Register(x86.RSP); ok && fixed {
		m.reg[x86.RSP] = number(v-uint64(rsp), 64, false)
	}
	return last
}

// stackMove is what an instruction adds to the stack pointer; ok is false if that is
// not a constant.
func stackMove(in *cpu.Inst) (delta int64, ok bool) {
	switch {
	case in.Move == cpu.AddImm && in.Dst == x86.RSP && in.Src == x86.RSP:
		return in.Imm, true
	case in.Move == cpu.Lea && in.Dst == x86.RSP && in.Address.Base == x86.RSP && in.Address.Index == cpu.None:
		return in.Address.Disp, true
	case in.Kind == cpu.Call: // it has taken its own word off again
		return 0, true
	case in.Dst == x86.RSP, in.Move == cpu.LeaveMove, in.Opaque:
		return 0, false
	}
	return in.SP, true
}

// arguments are what a way leads to.
func (s *search) arguments(m *machine) []Value {
	values := make([]Value, s.n)
	for i := range values {
		if i < len(inRegisters) {
			values[i] = m.reg[inRegisters[i]]
			continue
		}
		at := add(m.reg[x86.RSP], number(uint64(8*(i-len(inRegisters))), 64, false), 64)
		m.step = 1 << 30 // behind all stores
		if word, ok := at.Word(); ok && m.wrote[word].Bits > 0 {
			values[i] = m.wrote[word]
		} else {
			values[i] = m.load(at, 64)
		}
	}
	return values
}

// values are what all ways agree on. A way that is not possible may be so because it does
// not go round a loop: then others that do have its values.
func (s *search) values() []Value {
	out := make([]Value, s.n)
	for i := range out {
		from := &s.found
		if i < len(inRegisters) && s.round.Has(inRegisters[i]) {
			from = &s.every
		}
		if i < len(from.values) {
			out[i] = from.values[i]
		}
	}
	return out
}

// joined are values that ways agree on.
type joined struct {
	values []Value
	seen   []bool
}

// add joins the values of a further way, but for those in some registers.
func (j *joined) add(values []Value, but cpu.RegSet) {
	if j.values == nil {
		j.values, j.seen = make([]Value, len(values)), make([]bool, len(values))
	}
	for i, v := range values {
		switch {
		case i < len(inRegisters) && but.Has(inRegisters[i]):
		case j.seen[i]:
			j.values[i] = both(j.values[i], v)
		default:
			j.values[i], j.seen[i] = v, true
		}
	}
}
