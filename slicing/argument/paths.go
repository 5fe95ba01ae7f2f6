package argument

import (
	"slices"

	"laggard/model"
	"laggard/slicing/cpu"
	"laggard/slicing/native"
)

// Call is a call that has not returned.
type Call struct {
	Module *model.Module // of the caller
	Bias   uint64        // what is added to addresses of its file
	Return uint64        // address in the file, behind the call
	// Register returns a register of the caller's frame, by its number in the debug information,
	// as it will be when the call returns. The stack pointer and those that functions preserve
	// are asked for.
	Register func(number int) (value uint64, ok bool)
	// Read reads memory of the process.
	Read func(addr uint64, b []byte) bool
	// Is tells whether the function of a linker name is the one that was called.
	Is func(name string) bool
	// Outer is the call of the function that this call is in, from the next frame; nil: it
	// is not known. Of it, Is does not matter.
	Outer *Call

	fn    native.Routine
	cpu   *cpu.Processor
	given []Value // what the function itself was called with
}

// Bounds of the search for ways.
const (
	maxBlocks = 12   // of a way
	maxWays   = 200  // of a length
	maxRounds = 3    // over a way
	maxSteps  = 2048 // the instructions of a way that are gone through, the last ones
)

// Values returns the first n arguments of a call, all of them integers or addresses.
// Where it cannot be told that the call is one of that function, none is known, nor of
// code for a processor that is not understood.
func Values(r *native.Reader, c Call, n int) []Value {
	out := make([]Value, n)
	fn, call, ok := r.Around(c.Module, c.Return)
	if !ok || languages[fn.Processor()] == nil {
		return out
	}
	c.fn, c.cpu = fn, fn.Processor()
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
	if !ok || fn.Processor() != c.cpu || !fn.Calls(call, c.fn) {
		return nil
	}
	o.fn, o.cpu = fn, c.cpu
	o.given = o.outer(r, depth-1)
	return o.search(call, len(c.cpu.Args))
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
	s.every.add(values, s.cpu.Args, kept)
	if possible {
		s.found.add(values, s.cpu.Args, kept)
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
	for _, r := range s.cpu.Args {
		if !changed.Has(r) {
			out.Add(r)
		}
	}
	return out
}

// along goes over the instructions of a way; possible is false if the values at hand
// say that the program did not go there.
func (s *search) along(steps []int, known []store) (m *machine, possible bool) {
	m, possible = start(s.cpu, s.Call, known), true
	changes := s.begin(m, steps)
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
			if taken, known := m.code.branches(s.fn.Code(i)); known && in.Target != in.End() &&
				taken != (s.fn.Insts[next].Addr == in.Target) {
				possible = false
			}
		}
		for r, after := range changes {
			if after.step == k {
				m.reg[r] = after.value
			}
		}
	}
	return m, possible
}

// change is what a register has after the last step of a way that changes it.
type change struct {
	step  int
	value Value
}

// frame is what a register has when the call returns; unknown of one that the call may change.
func (c *Call) frame(r cpu.Reg) Value {
	if r != c.cpu.SP && c.cpu.CallerSaved.Has(r) {
		return Value{}
	}
	if v, ok := c.Register(c.cpu.DWARF[r]); ok {
		return number(v, 64, false)
	}
	return Value{}
}

// begin sets the registers as they are at the begin of a way: those that no
// instruction of it changes are as the frame has them. The others are so after the step that
// changes them last, which it returns.
func (s *search) begin(m *machine, steps []int) map[cpu.Reg]change {
	last := map[cpu.Reg]change{}
	for r := range s.cpu.General {
		v, at := s.frame(r), -1
		if v.Bits == 0 {
			continue
		}
		if r == s.cpu.SP {
			v, at = s.stackPointer(v, steps)
		} else {
			at = s.lastChange(r, steps)
		}
		if at < 0 {
			m.reg[r] = v
		} else {
			last[r] = change{at, v}
		}
	}
	first := s.call // of a block that is the call alone
	if len(steps) > 0 {
		first = steps[0]
	}
	if s.fn.Entry(first) {
		for i, v := range s.given {
			m.reg[s.cpu.Args[i]] = v
		}
	}
	return last
}

// lastChange is the last step that changes a register, -1 if none does.
func (s *search) lastChange(r cpu.Reg, steps []int) int {
	for k, i := range slices.Backward(steps) {
		if in := &s.fn.Insts[i]; in.Def.Has(r) || in.Opaque {
			return k
		}
	}
	return -1
}

// stackPointer is the stack pointer after the last step that changes it by what is not a
// constant, or before all of them: then the step is -1. It is v after them.
func (s *search) stackPointer(v Value, steps []int) (was Value, step int) {
	for k, i := range slices.Backward(steps) {
		delta, ok := s.stackMove(&s.fn.Insts[i])
		if !ok {
			return v, k
		}
		v.Number -= uint64(delta)
	}
	return v, -1
}

// stackMove is what an instruction adds to the stack pointer; ok is false if that is
// not a constant.
func (s *search) stackMove(in *cpu.Inst) (delta int64, ok bool) {
	sp := s.cpu.SP
	switch {
	case in.Move == cpu.AddImm && in.Dst == sp && in.Src == sp:
		return in.Imm, true
	case in.Move == cpu.Lea && in.Dst == sp && in.Address.Base == sp && in.Address.Index == cpu.None:
		return in.Address.Disp, true
	case in.Kind == cpu.Call: // it has taken its own word off again
		return 0, true
	case in.Dst == sp, in.Unfixed, in.Move == cpu.LeaveMove, in.Opaque:
		return 0, false
	}
	return in.SP, true
}

// arguments are what a way leads to.
func (s *search) arguments(m *machine) []Value {
	values := make([]Value, s.n)
	for i := range values {
		if i < len(s.cpu.Args) {
			values[i] = m.reg[s.cpu.Args[i]]
			continue
		}
		at := add(m.reg[s.cpu.SP], number(uint64(8*(i-len(s.cpu.Args))), 64, false), 64)
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
		if i < len(s.cpu.Args) && s.round.Has(s.cpu.Args[i]) {
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

// add joins the values of a further way, but for those that args pass in some registers.
func (j *joined) add(values []Value, args []cpu.Reg, but cpu.RegSet) {
	if j.values == nil {
		j.values, j.seen = make([]Value, len(values)), make([]bool, len(values))
	}
	for i, v := range values {
		switch {
		case i < len(args) && but.Has(args[i]):
		case j.seen[i]:
			j.values[i] = both(j.values[i], v)
		default:
			j.values[i], j.seen[i] = v, true
		}
	}
}
