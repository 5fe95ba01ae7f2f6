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
	from    int // see enough
}

// reference is an address that is no number: at an offset in the frame of an activation, or in
// any object of a type.
type reference struct {
	frame *activation
	typ   *symbol.Type
	off   int64
}

// targets are the functions that an indirect call may call.
func (r *run) targets(a *activation, call int) []*function {
	key := nodeKey{a, call}
	if t, ok := r.resolved[key]; ok {
		return t
	}
	in := &a.f.insts[call]
	r.resolved[key] = r.functions(a, func(c *constants) {
		if in.Load != nil {
			c.memory(a, call)
		} else {
			c.place(a, call, register(in.Src))
		}
	})
	return r.resolved[key]
}

// byPointer tells whether the code does not say what a call calls.
func (f *function) byPointer(call int) bool {
	t := f.target(call)
	return f.insts[call].Indirect && !t.known && f.mod.callee(t) == nil
}

// callees are the functions that a call may call, but for those that there is a model for.
func (r *run) callees(a *activation, call int) []*function {
	if a.f.byPointer(call) {
		return r.targets(a, call)
	}
	t := a.f.target(call)
	if callee := a.f.mod.callee(t); callee != nil && !t.known {
		return []*function{callee}
	}
	return nil
}

// functions are those of which a search finds the addresses.
func (r *run) functions(a *activation, search func(c *constants)) (out []*function) {
	c := constants{r: r, seen: map[queryKey]bool{}, into: map[enterKey]bool{}, from: r.prog.looked}
	search(&c)
	slices.Sort(c.found)
	for _, addr := range slices.Compact(c.found) {
		if m := a.f.mod; len(out) < maxTargets && m.code.Executable(uint64(addr)) {
			if f := m.callee(m.target(uint64(addr))); f != nil {
				out = append(out, f)
			}
		}
	}
	return out
}

// place looks for what a place holds before instruction i.
func (c *constants) place(a *activation, i int, p place) {
	key := queryKey{nodeKey{a, i}, p}
	if c.seen[key] || c.enough() || c.framed(a, i, p) {
		return
	}
	c.seen[key] = true
	c.defined(a, a.f.defines(i, p), i, p)
}

// framed tells whether a register holds the address of something on the stack.
func (c *constants) framed(a *activation, i int, p place) bool {
	if !c.objects || p.memory() {
		return false
	}
	v := a.f.values()
	x := v.register(&state{regs: v.regs[i]}, p.reg)
	if x.base != stackBase {
		return false
	}
	if !x.any {
		c.refs = append(c.refs, reference{frame: a, off: x.off})
	}
	return true
}

func (c *constants) defined(a *activation, r reached, i int, p place) {
	for _, d := range r.defs {
		if _, tail := a.f.tails[d]; tail || a.f.insts[d].Kind == cpu.Call {
			c.called(a, d, p, atReturn)
		} else {
			c.moved(a, d)
		}
	}
	for _, d := range r.thrown {
		c.called(a, d, p, atThrow)
	}
	if !r.entry || a.parent == nil {
		return
	}
	if !p.memory() {
		c.place(a.parent, a.call, p)
	} else if up, _, ok := a.parent.f.outer(a.call, a.f, p); ok {
		c.place(a.parent, a.call, up)
	}
}

// enough tells whether the search has gone far enough.
func (c *constants) enough() bool {
	p := c.r.prog
	c.r.sought += p.looked - c.from + perStep
	c.from = p.looked
	return len(c.seen)+len(c.into) > maxConstants || c.r.sought > maxSought || p.late()
}

func (c *constants) called(a *activation, call int, p place, end int) {
	for _, e := range a.f.effects(call, p) {
		if e.callee == nil || a.depth >= maxDescent || a.nested >= maxNested || c.enough() {
			continue
		}
		child := c.r.child(item{nodeKey: nodeKey{a, call}}, e.callee)
		if key := (enterKey{child, e.inner, end}); c.into[key] {
			continue
		} else {
			c.into[key] = true
		}
		c.defined(child, e.callee.definesAt(end, e.inner), end, e.inner)
	}
}

// moved looks at what an instruction puts where.
func (c *constants) moved(a *activation, d int) {
	in, v := &a.f.insts[d], a.f.values()
	switch in.Move {
	case cpu.SetImm, cpu.StoreImm:
		c.found = append(c.found, in.Imm)
	case cpu.Lea:
		switch m := in.Address; {
		case m.Base == cpu.None && m.Index == cpu.None:
			c.found = append(c.found, m.Disp)
		case m.Index == cpu.None && c.objects:
			c.added(a, d, m.Base, m.Disp)
		}
	case cpu.Copy, cpu.StoreReg, cpu.PushReg:
		c.place(a, d, register(in.Src))
	case cpu.AddImm:
		c.added(a, d, in.Src, in.Imm)
	case cpu.AddReg:
		if x := v.regs[d][in.Dst]; x.base == constBase {
			c.found = append(c.found, x.off)
		}
	case cpu.LoadReg, cpu.PopReg:
		c.memory(a, d)
	}
}

// added looks at what a register holds, with a number added to it.
func (c *constants) added(a *activation, d int, reg cpu.Reg, n int64) {
	found, refs := len(c.found), len(c.refs)
	c.place(a, d, register(reg))
	for i := found; i < len(c.found); i++ {
		c.found[i] += n
	}
	for i := refs; i < len(c.refs); i++ {
		c.refs[i].off += n
	}
	v := a.f.values()
	if x := v.register(&state{regs: v.regs[d]}, reg); c.objects && v.elsewhere(x.base) && !x.any {
		if t := v.typeOf(x.base); t != nil && len(t.Fields) > 0 {
			c.refs = append(c.refs, reference{typ: t, off: x.off + n})
		}
	}
}

// memory looks at what instruction d loads: out of a table that does not
// change, or what was stored there.
func (c *constants) memory(a *activation, d int) {
	in, p := &a.f.insts[d], a.f.values().load[d]
	code := a.f.mod.code
	if p.base == constBase && p.exact() && !code.Writable(uint64(p.lo)) {
		if to, ok := code.Pointer(uint64(p.lo)); ok {
			c.found = append(c.found, int64(to))
		}
		return
	}
	if p.base == constBase && p.any && p.bounded() {
		c.table(code, p)
	}
	if in.Load.Base != cpu.None && in.Load.Index == cpu.None && p.base != stackBase {
		tables := constants{r: c.r, seen: c.seen, into: c.into, from: c.r.prog.looked}
		tables.place(a, d, register(in.Load.Base))
		for _, t := range tables.found {
			at := uint64(t + in.Load.Disp)
			if to, ok := code.Pointer(at); ok && (!code.Writable(at) || code.Executable(to)) {
				c.found = append(c.found, int64(to))
			}
		}
	}
	if p.base != noBase {
		c.place(a, d, p)
	}
	if p.base == constBase && !p.any { // what the program starts with
		if to, ok := code.Pointer(uint64(p.lo)); ok {
			c.found = append(c.found, int64(to))
		}
	}
}

// maxEntries bounds the entries of a table of functions.
const maxEntries = 64

// table looks at what a table holds from the start.
func (c *constants) table(code *symbol.Code, p place) {
	step, first := max(p.step, 8), p.lo
	if p.step > 0 {
		first += modulo(p.at-p.lo, p.step)
	}
	for n, at := 0, first; n < maxEntries && at+8 <= p.hi; n, at = n+1, at+step {
		if to, ok := code.Pointer(uint64(at)); ok {
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

// keeper is the member of a struct that the pointer to an object is kept in: it was loaded from there, or what a call
// returned was put there.
func (v *values) keeper(n int32) shape.Bytes {
	switch v.bases[n].kind {
	case loaded:
		return v.kindOf(v.pointer(n))
	case allocated, result:
		return v.puts()[n]
	}
	return shape.Bytes{}
}

// keeper is where the pointer to an object is kept, if the activation is of a function that is called through a
// pointer: others are searched with the names that objects have for their callers.
func (a *activation) keeper(n int32) shape.Bytes {
	if !a.loose {
		return shape.Bytes{}
	}
	return a.f.values().keeper(n)
}

// puts are the members that the function puts the pointers into that it got from calls.
func (v *values) puts() map[int32]shape.Bytes {
	if v.keeps == nil {
		v.keeps = map[int32]shape.Bytes{}
		for i := range v.f.insts {
			in := &v.f.insts[i]
			if in.Move != cpu.StoreReg || !v.f.mod.arch.Holds(in.Src) || v.addr[i].base == noBase {
				continue
			}
			if x := v.regs[i][in.Src]; x.off == 0 && !x.any && v.made(x.base) {
				if m := v.member(v.addr[i]); m.Shape != nil {
					v.keeps[x.base] = m
				}
			}
		}
	}
	return v.keeps
}

// exposed tells whether a place may have been written by a function that is called through a
// pointer, or is a number that may have been through one that is not known.
func (v *values) exposed(p place) bool { return p.memory() && v.elsewhere(p.base) || v.number(p) }

// number tells whether a place is a number that others may have pointers to.
func (v *values) number(p place) bool {
	if !p.exact() || p.hi-p.lo > 8 {
		return false
	}
	switch p.base {
	case stackBase:
		return v.escaped(p.lo)
	case constBase:
		return v.f.mod.code.Writable(uint64(max(p.lo, 0)))
	}
	return v.shared(p)
}

// mayStray tells how a call can write a place of which that is not known: as a function that is found by its address,
// or through a pointer that others may have to the place.
func (v *values) mayStray(p place) (byAddress, pointed bool) {
	return !v.shared(p), v.number(p) || v.keeper(p.base).Shape != nil
}

// astray goes to what writes a place that is asked for within calls of which that is not known.
func (r *run) astray(it item) {
	byAddress, pointed := it.a.f.values().mayStray(it.place)
	for _, call := range it.strays {
		if r.prog.late() {
			return
		}
		at := it.to(call, slicing.Data)
		if byAddress && at.a.f.byPointer(call) {
			r.virtual(at.needs(it.place), atReturn)
		}
		if pointed {
			r.pointedAt(at)
		}
	}
}

// pointedAt goes to what in a call writes a place through a pointer that is not known.
func (r *run) pointedAt(it item) {
	for _, s := range r.strays(it.a, it.i) {
		if !s.writes(it.a, it.place) {
			continue
		}
		at := r.report(it.to(it.i, slicing.Call))
		at.nodeKey, at.kind = s.nodeKey, slicing.Data
		if s.arg < 0 {
			r.push(at)
		} else {
			r.modelled(at, s.a.f.target(s.i).model, effect{arg: s.arg})
		}
	}
}

// writes tells whether a place of an activation is among those that the pointer may lead to.
func (s *stray) writes(a *activation, p place) bool {
	switch v := a.f.values(); p.base {
	case constBase:
		return slices.ContainsFunc(s.numbers, func(n int64) bool { return n < p.hi && n+s.size > p.lo })
	case stackBase:
		return slices.ContainsFunc(s.refs, func(f reference) bool {
			return f.frame == a && f.off < p.hi && f.off+s.size > p.lo
		})
	default:
		t := v.member(p)
		if t.Shape == nil {
			return s.kept.Meets(v.keeper(p.base))
		}
		return slices.ContainsFunc(s.refs, func(f reference) bool {
			return f.typ != nil &&
				t.Meets(shape.Bytes{Shape: v.f.mod.prog.shapes.Of(f.typ), Lo: f.off, Hi: f.off + s.size})
		})
	}
}

// strays are those within a call.
func (r *run) strays(a *activation, call int) (out []stray) {
	for _, callee := range r.callees(a, call) {
		out = append(out, r.straysOf(a, call, callee)...)
	}
	return out
}

func (r *run) straysOf(a *activation, call int, callee *function) []stray {
	if a.depth >= maxDescent || a.nested >= maxNested || a.in(callee) {
		return nil
	}
	child := r.child(item{nodeKey: nodeKey{a, call}}, callee)
	if known, ok := r.stray[child]; ok {
		return known
	}
	r.stray[child] = nil
	var out []stray
	for i := range callee.insts {
		if r.walked++; r.walked > maxWalked || r.prog.late() {
			break
		}
		if callee.insts[i].Kind == cpu.Call {
			out = append(out, r.strays(child, i)...)
			out = append(out, r.modelStrays(child, i)...)
		} else if m := callee.insts[i].Store; m != nil && child.stray(callee.stores(i)) {
			s := stray{nodeKey: nodeKey{child, i}, arg: -1, size: int64(m.Size)}
			s.kept = child.keeper(callee.stores(i).base)
			if m.Index != cpu.None || r.lead(&s, register(m.Base), m.Disp) {
				out = append(out, s)
			}
		}
	}
	r.stray[child] = out
	return out
}

// in tells whether an activation is one of a function, or within one.
func (a *activation) in(f *function) bool {
	for ; a != nil; a = a.parent {
		if a.f == f {
			return true
		}
	}
	return false
}

// modelStrays are those of a call that there is a model for.
func (r *run) modelStrays(a *activation, call int) (out []stray) {
	t := a.f.target(call)
	if !t.known {
		return nil
	}
	for n := range a.f.modelArgs(t.model) {
		x := a.f.arg(call, n)
		if t.model.Role(n).Writes() && a.stray(a.f.values().span(x, 1)) {
			s := stray{nodeKey: nodeKey{a, call}, arg: n, size: 8}
			s.kept = a.keeper(a.f.settle(call, x).base)
			if r.lead(&s, a.f.argPlace(call, n), 0) {
				out = append(out, s)
			}
		}
	}
	return out
}

// stray tells whether nobody knows where a place is: it is a number behind a pointer out of
// memory, or one that a function was given that is called through a pointer.
func (a *activation) stray(p place) bool {
	v := a.f.values()
	if !p.memory() || !v.elsewhere(p.base) {
		return false
	}
	if b := v.bases[p.base]; b.kind != loaded && (b.kind != onEntry || !a.loose) {
		return false
	}
	return v.member(p).Shape == nil
}

// lead finds where the pointer of a stray leads; false if nothing is known of it.
func (r *run) lead(s *stray, pointer place, disp int64) bool {
	if r.led++; r.led > maxAstray {
		return s.kept.Shape != nil
	}
	c := constants{r: r, seen: map[queryKey]bool{}, into: map[enterKey]bool{}, objects: true,
		from: r.prog.looked}
	c.place(s.a, s.i, pointer)
	for _, n := range c.found {
		s.numbers = append(s.numbers, n+disp)
	}
	for _, f := range c.refs {
		f.off += disp
		s.refs = append(s.refs, f)
	}
	return len(s.numbers)+len(s.refs) > 0 || s.kept.Shape != nil
}
