package native

import (
	"slices"

	"laggard/slicing"
	"laggard/slicing/cpu"
	"laggard/slicing/shape"
	"laggard/symbol"
)

const (
	maxTargets   = 8         // functions that an indirect call may call
	maxConstants = 4000      // places that are looked at to find them: containers pass a pointer on often
	maxSought    = 3_000_000 // instructions that are looked at for what writes these, for all calls of a slice
	perStep      = 20        // of these, as many as a step of the search takes the time of
)

// constants finds the numbers that a place may hold, as far as they are moved
// there from where they are written in the code: addresses of functions and of
// the tables of virtual functions.
type constants struct {
	r       *run
	seen    map[queryKey]bool
	into    map[enterKey]bool // callees that were gone into
	found   []int64
	objects bool // other addresses than numbers are wanted, too
	refs    []reference
	from    int // see isExhausted
}

// reference is an address that is no number: at an offset in the frame of an activation, or in
// any object of a type.
type reference struct {
	frame *activation
	typ   *symbol.Type
	off   int64
}

// indirectTargets are the functions that an indirect call may call.
func (r *run) indirectTargets(a *activation, call int) []*function {
	key := nodeKey{a, call}
	if t, ok := r.resolved[key]; ok {
		return t
	}
	in := &a.f.insts[call]
	r.resolved[key] = r.searchFunctions(a, func(c *constants) {
		if in.Load != nil {
			c.traceLoad(a, call)
		} else {
			c.tracePlace(a, call, registerPlace(in.Src))
		}
	})
	return r.resolved[key]
}

// isUnresolvedCall reports whether the code does not say what a call calls.
func (f *function) isUnresolvedCall(call int) bool {
	t := f.effects().callTarget(call)
	return f.insts[call].Indirect && !t.known && f.mod.targetFunction(t) == nil
}

// possibleCallees are the functions that a call may call, but for those that there is a model for.
func (r *run) possibleCallees(a *activation, call int) []*function {
	if a.f.isUnresolvedCall(call) {
		return r.indirectTargets(a, call)
	}
	t := a.f.effects().callTarget(call)
	if callee := a.f.mod.targetFunction(t); callee != nil && !t.known {
		return []*function{callee}
	}
	return nil
}

// searchFunctions are those of which a search finds the addresses.
func (r *run) searchFunctions(a *activation, search func(c *constants)) (out []*function) {
	c := constants{r: r, seen: map[queryKey]bool{}, into: map[enterKey]bool{}, from: r.prog.writeChecks}
	search(&c)
	slices.Sort(c.found)
	for _, addr := range slices.Compact(c.found) {
		if m := a.f.mod; len(out) < maxTargets && m.code.IsExecutable(uint64(addr)) {
			if f := m.targetFunction(m.targetAt(uint64(addr))); f != nil {
				out = append(out, f)
			}
		}
	}
	return out
}

// tracePlace looks for what a place holds before instruction i.
func (c *constants) tracePlace(a *activation, i int, p place) {
	key := queryKey{nodeKey{a, i}, p}
	if c.seen[key] || c.isExhausted() || c.traceFrameAddress(a, i, p) {
		return
	}
	c.seen[key] = true
	c.traceDefinitions(a, a.f.reaching().definitions(i, p), i, p)
}

// traceFrameAddress reports whether a register holds the address of something on the stack.
func (c *constants) traceFrameAddress(a *activation, i int, p place) bool {
	if !c.objects || p.isMemory() {
		return false
	}
	v := a.f.valueFlow()
	x := v.transfer().registerValue(&state{regs: v.regs[i]}, p.reg)
	if x.base != stackBase {
		return false
	}
	if !x.any {
		c.refs = append(c.refs, reference{frame: a, off: x.off})
	}
	return true
}

func (c *constants) traceDefinitions(a *activation, r reached, i int, p place) {
	for _, d := range r.defs {
		if _, tail := a.f.tails[d]; tail || a.f.insts[d].Kind == cpu.Call {
			c.traceCall(a, d, p, atReturn)
		} else {
			c.traceMove(a, d)
		}
	}
	for _, d := range r.thrown {
		c.traceCall(a, d, p, atThrow)
	}
	if !r.entry || a.parent == nil {
		return
	}
	if !p.isMemory() {
		c.tracePlace(a.parent, a.call, p)
	} else if up, _, ok := a.parent.f.effects().outerPlace(a.call, a.f, p); ok {
		c.tracePlace(a.parent, a.call, up)
	}
}

// isExhausted reports whether the search has gone far enough.
func (c *constants) isExhausted() bool {
	p := c.r.prog
	c.r.searchSteps += p.writeChecks - c.from + perStep
	c.from = p.writeChecks
	return len(c.seen)+len(c.into) > maxConstants || c.r.searchSteps > maxSought || p.timeOver()
}

func (c *constants) traceCall(a *activation, call int, p place, end int) {
	for _, e := range a.f.effects().callEffects(call, p) {
		if e.callee == nil || a.depth >= maxDescent || a.nested >= maxNested || c.isExhausted() {
			continue
		}
		child := c.r.visitor().childActivation(item{nodeKey: nodeKey{a, call}}, e.callee)
		if key := (enterKey{child, e.inner, end}); c.into[key] {
			continue
		} else {
			c.into[key] = true
		}
		c.traceDefinitions(child, e.callee.reaching().definitionsAt(end, e.inner), end, e.inner)
	}
}

// traceMove looks at what an instruction puts where.
func (c *constants) traceMove(a *activation, d int) {
	in, v := &a.f.insts[d], a.f.valueFlow()
	switch in.Move {
	case cpu.SetImm, cpu.StoreImm:
		c.found = append(c.found, in.Imm)
	case cpu.Lea:
		switch m := in.Address; {
		case m.Base == cpu.None && m.Index == cpu.None:
			c.found = append(c.found, m.Disp)
		case m.Index == cpu.None && c.objects:
			c.traceSum(a, d, m.Base, m.Disp)
		}
	case cpu.Copy, cpu.StoreReg, cpu.PushReg:
		c.tracePlace(a, d, registerPlace(in.Src))
	case cpu.AddImm:
		c.traceSum(a, d, in.Src, in.Imm)
	case cpu.AddReg:
		if x := v.regs[d][in.Dst]; x.base == constBase {
			c.found = append(c.found, x.off)
		}
	case cpu.LoadReg, cpu.PopReg:
		c.traceLoad(a, d)
	}
}

// traceSum looks at what a register holds, with a number added to it.
func (c *constants) traceSum(a *activation, d int, reg cpu.Reg, n int64) {
	found, refs := len(c.found), len(c.refs)
	c.tracePlace(a, d, registerPlace(reg))
	for i := found; i < len(c.found); i++ {
		c.found[i] += n
	}
	for i := refs; i < len(c.refs); i++ {
		c.refs[i].off += n
	}
	v := a.f.valueFlow()
	if x := v.transfer().registerValue(&state{regs: v.regs[d]}, reg); c.objects && v.aliases().mayBeAliased(x.base) && !x.any {
		if t := v.aliases().typeOf(x.base); t != nil && len(t.Fields) > 0 {
			c.refs = append(c.refs, reference{typ: t, off: x.off + n})
		}
	}
}

// traceLoad looks at what instruction d loads: out of a table that does not
// change, or what was stored there.
func (c *constants) traceLoad(a *activation, d int) {
	in, p := &a.f.insts[d], *a.f.valueFlow().load[d]
	code := a.f.mod.code
	if p.base == constBase && p.isExact() && !code.IsWritable(uint64(p.lo)) {
		if to, ok := code.PointerAt(uint64(p.lo)); ok {
			c.found = append(c.found, int64(to))
		}
		return
	}
	if p.base == constBase && p.any && p.isBounded() {
		c.traceTable(code, p)
	}
	if in.Load.Base != cpu.None && in.Load.Index == cpu.None && p.base != stackBase {
		tables := constants{r: c.r, seen: c.seen, into: c.into, from: c.r.prog.writeChecks}
		tables.tracePlace(a, d, registerPlace(in.Load.Base))
		for _, t := range tables.found {
			at := uint64(t + in.Load.Disp)
			if to, ok := code.PointerAt(at); ok && (!code.IsWritable(at) || code.IsExecutable(to)) {
				c.found = append(c.found, int64(to))
			}
		}
	}
	if p.base != noBase {
		c.tracePlace(a, d, p)
	}
	if p.base == constBase && !p.any { // what the program starts with
		if to, ok := code.PointerAt(uint64(p.lo)); ok {
			c.found = append(c.found, int64(to))
		}
	}
}

// maxEntries bounds the entries of a table of functions.
const maxEntries = 64

// traceTable looks at what a table holds from the start.
func (c *constants) traceTable(code *symbol.Code, p place) {
	step, first := max(p.step, 8), p.lo
	if p.step > 0 {
		first += modulo(p.at-p.lo, p.step)
	}
	for n, at := 0, first; n < maxEntries && at+8 <= p.hi; n, at = n+1, at+step {
		if to, ok := code.PointerAt(uint64(at)); ok {
			c.found = append(c.found, int64(to))
		}
	}
}

// Bounds of the search for what writes through pointers that are not known.
const (
	maxWalked = 50000 // instructions that are looked at, of all calls of a slice
	maxAstray = 300   // of these, those that may write so
)

// stray is an instruction that writes a number through a pointer out of memory, or one that a
// function was given that is itself called through a pointer; and where that pointer may lead.
type stray struct {
	nodeKey
	arg     int // of a call that there is a model for; -1: the instruction stores
	size    int64
	numbers []int64
	refs    []reference
	kept    shape.Bytes // where the pointer was loaded from
}

// keeperMember is the member of a struct that the pointer to an object is kept in: it was loaded from there, or what a call
// returned was put there.
func (v *values) keeperMember(n int32) shape.Bytes {
	switch v.bases[n].kind {
	case loaded:
		return v.aliases().kindOf(v.aliases().pointerSource(n))
	case allocated, result:
		return v.keptPointers()[n]
	}
	return shape.Bytes{}
}

// keeperMember is where the pointer to an object is kept, if the activation is of a function that is called through a
// pointer: others are searched with the names that objects have for their callers.
func (a *activation) keeperMember(n int32) shape.Bytes {
	if !a.viaPointer {
		return shape.Bytes{}
	}
	return a.f.valueFlow().keeperMember(n)
}

// keptPointers are the members that the function puts the pointers into that it got from calls.
func (v *values) keptPointers() map[int32]shape.Bytes {
	if v.keptMembers == nil {
		v.keptMembers = map[int32]shape.Bytes{}
		for i := range v.f.insts {
			in := &v.f.insts[i]
			if in.Move != cpu.StoreReg || !v.f.mod.arch.IsGeneral(in.Src) || v.addr[i].base == noBase {
				continue
			}
			if x := v.regs[i][in.Src]; x.off == 0 && !x.any && v.isCallResult(x.base) {
				if m := v.aliases().memberBytes(*v.addr[i]); m.Shape != nil {
					v.keptMembers[x.base] = m
				}
			}
		}
	}
	return v.keptMembers
}

// isExposed reports whether a place may have been written by a function that is called through a
// pointer, or is a number that may have been through one that is not known.
func (v *values) isExposed(p place) bool {
	return p.isMemory() && v.aliases().mayBeAliased(p.base) || v.isSharedNumber(p)
}

// isSharedNumber reports whether a place is a number that others may have pointers to.
func (v *values) isSharedNumber(p place) bool {
	if !p.isExact() || p.hi-p.lo > 8 {
		return false
	}
	switch p.base {
	case stackBase:
		return v.transfer().hasEscaped(p.lo)
	case constBase:
		return v.f.mod.code.IsWritable(uint64(max(p.lo, 0)))
	}
	return v.aliases().isShared(p)
}

// mayStray tells how a call can write a place of which that is not known: as a function that is found by its address,
// or through a pointer that others may have to the place.
func (v *values) mayStray(p place) (byAddress, pointed bool) {
	return !v.aliases().isShared(p), v.isSharedNumber(p) || v.keeperMember(p.base).Shape != nil
}

// followStrays goes to what writes a place that is asked for within calls of which that is not known.
func (r *run) followStrays(it item) {
	byAddress, pointed := it.a.f.valueFlow().mayStray(it.place)
	for _, call := range it.strays {
		if r.prog.timeOver() {
			return
		}
		at := it.atInst(call, slicing.Data)
		if byAddress && at.a.f.isUnresolvedCall(call) {
			r.visitor().enterTargets(at.forPlace(it.place), atReturn)
		}
		if pointed {
			r.followStraysInCall(at)
		}
	}
}

// followStraysInCall goes to what in a call writes a place through a pointer that is not known.
func (r *run) followStraysInCall(it item) {
	for _, s := range r.straysInCall(it.a, it.i) {
		if !s.mayWrite(it.a, it.place) {
			continue
		}
		at := r.reporter().reportLine(it.atInst(it.i, slicing.Call))
		at.nodeKey, at.kind = s.nodeKey, slicing.Data
		if s.arg < 0 {
			r.push(at)
		} else {
			r.visitor().followModel(at, s.a.f.effects().callTarget(s.i).model, effect{arg: s.arg})
		}
	}
}

// mayWrite reports whether a place of an activation is among those that the pointer may lead to.
func (s *stray) mayWrite(a *activation, p place) bool {
	switch v := a.f.valueFlow(); p.base {
	case constBase:
		return slices.ContainsFunc(s.numbers, func(n int64) bool { return n < p.hi && n+s.size > p.lo })
	case stackBase:
		return slices.ContainsFunc(s.refs, func(f reference) bool {
			return f.frame == a && f.off < p.hi && f.off+s.size > p.lo
		})
	default:
		t := v.aliases().memberBytes(p)
		if t.Shape == nil {
			return s.kept.Overlaps(v.keeperMember(p.base))
		}
		return slices.ContainsFunc(s.refs, func(f reference) bool {
			return f.typ != nil &&
				t.Overlaps(shape.Bytes{Shape: v.f.mod.prog.shapes.Of(f.typ), Lo: f.off, Hi: f.off + s.size})
		})
	}
}

// straysInCall are those within a call.
func (r *run) straysInCall(a *activation, call int) (out []stray) {
	for _, callee := range r.possibleCallees(a, call) {
		out = append(out, r.straysInCallee(a, call, callee)...)
	}
	return out
}

func (r *run) straysInCallee(a *activation, call int, callee *function) []stray {
	if a.depth >= maxDescent || a.nested >= maxNested || a.isWithin(callee) {
		return nil
	}
	child := r.visitor().childActivation(item{nodeKey: nodeKey{a, call}}, callee)
	if known, ok := r.knownStrays[child]; ok {
		return known
	}
	r.knownStrays[child] = nil
	var out []stray
	for i := range callee.insts {
		if r.strayScanned++; r.strayScanned > maxWalked || r.prog.timeOver() {
			break
		}
		if callee.insts[i].Kind == cpu.Call {
			out = append(out, r.straysInCall(child, i)...)
			out = append(out, r.modelStrays(child, i)...)
		} else if m := callee.insts[i].Store; m != nil && child.isStray(callee.resolver().storePlace(i)) {
			s := stray{nodeKey: nodeKey{child, i}, arg: -1, size: int64(m.Size)}
			s.kept = child.keeperMember(callee.resolver().storePlace(i).base)
			if m.Index != cpu.None || r.traceStray(&s, registerPlace(m.Base), m.Disp) {
				out = append(out, s)
			}
		}
	}
	r.knownStrays[child] = out
	return out
}

// isWithin reports whether an activation is one of a function, or within one.
func (a *activation) isWithin(f *function) bool {
	for ; a != nil; a = a.parent {
		if a.f == f {
			return true
		}
	}
	return false
}

// modelStrays are those of a call that there is a model for.
func (r *run) modelStrays(a *activation, call int) (out []stray) {
	t := a.f.effects().callTarget(call)
	if !t.known {
		return nil
	}
	for n := range a.f.effects().modelArgs(t.model) {
		x := a.f.effects().argValue(call, n)
		if t.model.Role(n).Writes() && a.isStray(a.f.valueFlow().placeAt(x, 1)) {
			s := stray{nodeKey: nodeKey{a, call}, arg: n, size: 8}
			s.kept = a.keeperMember(a.f.resolver().resolveValue(call, x).base)
			if r.traceStray(&s, a.f.effects().argPlace(call, n), 0) {
				out = append(out, s)
			}
		}
	}
	return out
}

// isStray reports whether nobody knows where a place is: it is a number behind a pointer out of
// memory, or one that a function was given that is called through a pointer.
func (a *activation) isStray(p place) bool {
	v := a.f.valueFlow()
	if !p.isMemory() || !v.aliases().mayBeAliased(p.base) {
		return false
	}
	if b := v.bases[p.base]; b.kind != loaded && (b.kind != onEntry || !a.viaPointer) {
		return false
	}
	return v.aliases().memberBytes(p).Shape == nil
}

// traceStray finds where the pointer of a stray leads; false if nothing is known of it.
func (r *run) traceStray(s *stray, pointer place, disp int64) bool {
	if r.tracedStrays++; r.tracedStrays > maxAstray {
		return s.kept.Shape != nil
	}
	c := constants{r: r, seen: map[queryKey]bool{}, into: map[enterKey]bool{}, objects: true,
		from: r.prog.writeChecks}
	c.tracePlace(s.a, s.i, pointer)
	for _, n := range c.found {
		s.numbers = append(s.numbers, n+disp)
	}
	for _, f := range c.refs {
		f.off += disp
		s.refs = append(s.refs, f)
	}
	return len(s.numbers)+len(s.refs) > 0 || s.kept.Shape != nil
}
