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
	// Is reports whether the function of a linker name is the one that was called.
	Is func(name string) bool
	// Outer is the call of the function that this call is in, from the next frame; nil: it
	// is not known. Of it, Is does not matter.
	Outer *Call

	fn           native.Routine
	cpu          *cpu.Architecture
	incomingArgs []Value // what the function itself was called with
	expired      func() bool
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
	fn, call, ok := r.FunctionAround(c.Module, c.Return)
	if !ok || languages[fn.Architecture()] == nil {
		return out
	}
	c.fn, c.cpu, c.expired = fn, fn.Architecture(), r.TimeOver
	if !c.Is(fn.CalleeName(call)) {
		return out
	}
	c.incomingArgs = c.outerArguments(r, maxOuter)
	return c.searchArguments(call, n)
}

// maxOuter is how many callers are asked for what a function was called with.
const maxOuter = 3

// outerArguments returns what the function of the call was called with itself, as far as that
// came in registers.
func (c *Call) outerArguments(r *native.Reader, depth int) []Value {
	if c.Outer == nil || depth == 0 {
		return nil
	}
	o := *c.Outer
	fn, call, ok := r.FunctionAround(o.Module, o.Return)
	if !ok || fn.Architecture() != c.cpu || !fn.CallsFunction(call, c.fn) {
		return nil
	}
	o.fn, o.cpu, o.expired = fn, c.cpu, r.TimeOver
	o.incomingArgs = o.outerArguments(r, depth-1)
	return o.searchArguments(call, len(c.cpu.Args))
}

// searchArguments finds the first n arguments of a call, by longer and longer ways to it: first those
// that go back to the call before it, then such as go through other calls.
func (c *Call) searchArguments(call, n int) []Value {
	out := make([]Value, n)
	for _, through := range []bool{false, true} {
		c.searchByLength(call, through, out)
		if allKnown(out) || !c.fn.Complete {
			break
		}
	}
	return out
}

// searchByLength adds to out what ways of rising length tell that was not known.
func (c *Call) searchByLength(call int, through bool, out []Value) {
	for blocks := 1; blocks <= maxBlocks; blocks++ {
		s := &pathSearch{Call: c, call: call, n: len(out), blocks: blocks, through: through}
		s.explorePaths(c.fn.BlockStart(call), nil, call)
		if s.exhausted {
			return
		}
		for i, v := range s.agreedValues() {
			if out[i].Bits < v.Bits {
				out[i] = v
			}
		}
		if !s.truncated || !c.fn.Complete || allKnown(out) {
			return
		}
	}
}

func allKnown(values []Value) bool {
	return !slices.ContainsFunc(values, func(v Value) bool { return v.Bits == 0 })
}

// pathSearch goes through the ways to a call.
type pathSearch struct {
	*Call
	call   int // position of the call
	n      int
	blocks int // length of a way, at most
	// through: ways go through calls, which keep the registers that functions preserve.
	through       bool
	count         int
	truncated     bool   // a way goes on before its first block
	exhausted     bool   // there are too many ways
	possiblePaths joined // of the ways that the values at hand allow
	everyPath     joined // of all
	// loopKept are the registers that some way goes round a loop with, and does not change.
	loopKept cpu.RegSet
}

// explorePaths goes through the ways that end with the instructions [first, end) and then
// those of later, pieces of the way in reverse order.
func (s *pathSearch) explorePaths(first int, later [][2]int, end int) {
	if s.exhausted {
		return
	}
	way := append(later[:len(later):len(later)], [2]int{first, end})
	before := s.fn.Predecessors(first)
	if len(before) == 0 || len(way) == s.blocks || s.fn.IsEntry(first) || !s.fn.Complete {
		s.truncated = s.truncated || len(way) == s.blocks
		s.evaluatePath(way, false)
		return
	}
	for _, p := range before {
		if s.fn.Insts[p].Kind == cpu.Call && !s.through {
			s.evaluatePath(way, false) // what was in the registers before is not known
			continue
		}
		if pathContains(way, p) {
			s.evaluatePath(way, true)
			continue
		}
		s.explorePaths(s.fn.BlockStart(p), way, p+1)
	}
}

// pathContains reports whether a way has been at an instruction.
func pathContains(way [][2]int, i int) bool {
	return slices.ContainsFunc(way, func(piece [2]int) bool { return i >= piece[0] && i < piece[1] })
}

// evaluatePath goes along a way and joins what it finds. One that is again where it was has in the
// registers that it does not change what they had when it first came there, by another way.
func (s *pathSearch) evaluatePath(way [][2]int, again bool) {
	if s.count++; s.count > maxWays || s.expired() {
		s.exhausted = true
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
		kept = s.unchangedArgs(steps)
		s.loopKept = s.loopKept.Or(kept)
	}
	steps = steps[max(0, len(steps)-maxSteps):]
	m, possible := s.executePath(steps, nil)
	for range maxRounds { // each time it is known better what is written
		m, possible = s.executePath(steps, append([]store{}, m.stores...))
	}
	values := s.argumentValues(m)
	s.everyPath.add(values, s.cpu.Args, kept)
	if possible {
		s.possiblePaths.add(values, s.cpu.Args, kept)
	}
}

// unchangedArgs are the registers of arguments that no instruction changes.
func (s *pathSearch) unchangedArgs(steps []int) (out cpu.RegSet) {
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

// executePath goes over the instructions of a way; possible is false if the values at hand
// say that the program did not go there.
func (s *pathSearch) executePath(steps []int, known []store) (m *machine, possible bool) {
	m, possible = newMachine(s.cpu, s.Call, known), true
	changes := s.initRegisters(m, steps)
	for k, i := range steps {
		m.step = k
		in := &s.fn.Insts[i]
		switch in.Kind {
		case cpu.Next:
			m.executeInst(s.fn.Code(i), in)
		case cpu.Call:
			m.applyCall(s.fn.CalleeName(i))
		case cpu.Branch:
			next := s.call
			if k+1 < len(steps) {
				next = steps[k+1]
			}
			if taken, known := m.code.branchTaken(s.fn.Code(i)); known && in.Target != in.End() &&
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

// frameRegister is what a register has when the call returns; unknown of one that the call may change.
func (c *Call) frameRegister(r cpu.Reg) Value {
	if r != c.cpu.SP && c.cpu.CallerSaved.Has(r) {
		return Value{}
	}
	if v, ok := c.Register(c.cpu.DWARF[r]); ok {
		return knownValue(v, 64, false)
	}
	return Value{}
}

// initRegisters sets the registers as they are at the begin of a way: those that no
// instruction of it changes are as the frame has them. The others are so after the step that
// changes them last, which it returns.
func (s *pathSearch) initRegisters(m *machine, steps []int) map[cpu.Reg]change {
	last := map[cpu.Reg]change{}
	for r := range s.cpu.General {
		v, at := s.frameRegister(r), -1
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
	if s.fn.IsEntry(first) {
		for i, v := range s.incomingArgs {
			m.reg[s.cpu.Args[i]] = v
		}
	}
	return last
}

// lastChange is the last step that changes a register, -1 if none does.
func (s *pathSearch) lastChange(r cpu.Reg, steps []int) int {
	for k, i := range slices.Backward(steps) {
		if in := &s.fn.Insts[i]; in.Def.Has(r) || in.Opaque {
			return k
		}
	}
	return -1
}

// stackPointer is the stack pointer after the last step that changes it by what is not a
// constant, or before all of them: then the step is -1. It is v after them.
func (s *pathSearch) stackPointer(v Value, steps []int) (was Value, step int) {
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
func (s *pathSearch) stackMove(in *cpu.Inst) (delta int64, ok bool) {
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

// argumentValues are what a way leads to.
func (s *pathSearch) argumentValues(m *machine) []Value {
	values := make([]Value, s.n)
	for i := range values {
		if i < len(s.cpu.Args) {
			values[i] = m.reg[s.cpu.Args[i]]
			continue
		}
		at := addValues(m.reg[s.cpu.SP], knownValue(uint64(8*(i-len(s.cpu.Args))), 64, false), 64)
		m.step = 1 << 30 // behind all stores
		if word, ok := at.Word(); ok && m.written[word].Bits > 0 {
			values[i] = m.written[word]
		} else {
			values[i] = m.loadMemory(at, 64)
		}
	}
	return values
}

// agreedValues are what all ways agree on. A way that is not possible may be so because it does
// not go round a loop: then others that do have its values.
func (s *pathSearch) agreedValues() []Value {
	out := make([]Value, s.n)
	for i := range out {
		from := &s.possiblePaths
		if i < len(s.cpu.Args) && s.loopKept.Has(s.cpu.Args[i]) {
			from = &s.everyPath
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
			j.values[i] = joinValues(j.values[i], v)
		default:
			j.values[i], j.seen[i] = v, true
		}
	}
}
