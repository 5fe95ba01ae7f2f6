package native

import (
	"slices"

	"laggard/slicing/cpu"
	"laggard/symbol"
)

const (
	maxTargets   = 8     // functions that an indirect call may call
	maxConstants = 4000  // places that are looked at to find them: containers pass a pointer on often
	maxSought    = 60000 // of all calls of a slice
)

// constants finds the numbers that a place may hold, as far as they are moved
// there from where they are written in the code: addresses of functions and of
// the tables of virtual functions.
type constants struct {
	r     *run
	seen  map[queryKey]bool
	into  map[enterKey]bool // callees that were gone into
	found []int64
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

// functions are those of which a search finds the addresses.
func (r *run) functions(a *activation, search func(c *constants)) (out []*function) {
	c := constants{r: r, seen: map[queryKey]bool{}, into: map[enterKey]bool{}}
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
	if c.seen[key] || c.enough() {
		return
	}
	c.seen[key] = true
	c.r.sought++
	c.defined(a, a.f.defines(i, p), i, p)
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
	return len(c.seen)+len(c.into) > maxConstants || c.r.sought > maxSought || c.r.prog.late()
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
			c.r.sought++
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
		if in.Address.Base == cpu.None && in.Address.Index == cpu.None {
			c.found = append(c.found, in.Address.Disp)
		}
	case cpu.Copy, cpu.StoreReg, cpu.PushReg:
		c.place(a, d, register(in.Src))
	case cpu.AddImm:
		had := len(c.found)
		c.place(a, d, register(in.Src))
		for n := had; n < len(c.found); n++ {
			c.found[n] += in.Imm
		}
	case cpu.AddReg:
		if x := v.regs[d][in.Dst]; x.base == constBase {
			c.found = append(c.found, x.off)
		}
	case cpu.LoadReg, cpu.PopReg:
		c.memory(a, d)
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
		tables := constants{r: c.r, seen: c.seen, into: c.into}
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
