package symbol

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"slices"

	"laggard/binary/cursor"
	"laggard/binary/expression"
	"laggard/binary/processor"
)

// Variable is a variable or parameter that has a place in memory.
type Variable struct {
	// Offset of its first byte: from the canonical frame address, which is the
	// stack pointer before the call, or from 0 if it is no local variable.
	Offset int64
	Size   int64  // bytes, 0 unknown
	Type   *Type  // nil unknown
	Name   string // "" not known; of static ones outside of functions only
}

// Variables are those that a function has, with the calls inlined into it.
type Variables struct {
	Stack  []Variable
	Static []Variable // at fixed addresses
	Result *Type      // what the function returns, nil nothing or unknown
	// Params are what comes in the registers for integers and addresses, in their
	// order, as far as that follows from the types.
	Params []*Type
	// Held are the pointers in registers, and Based the variables in memory at a
	// distance from what a register holds, each while the program is between two addresses.
	Held  []Held
	Based []Held
	held  [registers]spans[*Type]
}

// Held is what a register, by its number in DWARF, holds from Lo on, before Hi.
type Held struct {
	Lo, Hi   uint64
	Register int
	Offset   int64 // of the variable from what is in the register
	Type     *Type
}

// registers are the general ones, of the processor that has most.
const registers = 32

// RegisterType is the type of the variable in a register before the instruction at pc, if
// that is a pointer.
func (v *Variables) RegisterType(register int, pc uint64) *Type {
	if register < 0 || register >= registers {
		return nil
	}
	t, _ := v.held[register].find(pc)
	return t
}

// Variables returns the variables of the function around pc, nil if the debug
// information does not know it.
func (c *Code) Variables(pc uint64) *Variables {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if c.m.debug == nil {
		return nil
	}
	var vars *Variables
	if err := guardFile(c.m.image.path, func() (err error) {
		vars, err = c.m.debug.variables(pc)
		return err
	}); err != nil {
		return nil
	}
	return vars
}

func (f *debugFile) variables(pc uint64) (*Variables, error) {
	u, ok := f.byPC.find(pc)
	if !ok {
		return nil, nil
	}
	w := f.newWalker()
	off, ok, err := w.functionEntry(u, pc)
	if err != nil || !ok {
		return nil, err
	}
	in, err := w.scopeOf(off)
	if err != nil || in.held != nil {
		return in.held, err
	}
	fn, err := w.entryAt(off)
	if err != nil {
		return nil, err
	}
	r := variableReader{w: w, unit: u, base: frameBase(fn), sp: frameOf(fn), out: &Variables{}}
	for _, v := range in.vars {
		if err := r.addVariable(v); err != nil {
			return nil, err
		}
	}
	r.setResult(w.typeAt(w.resultOf(fn, 0), 0))
	var held [registers][]span[*Type]
	for _, h := range r.out.Held {
		held[h.Register] = append(held[h.Register], span[*Type]{h.Lo, h.Hi, h.Type})
	}
	for n := range held {
		r.out.held[n] = newSpans(held[n])
	}
	in.held = r.out
	return in.held, nil
}

// setResult notes what the function returns: of an object that is not returned in registers, the
// address, which is also the first argument but for AArch64, which has a register for it.
func (r *variableReader) setResult(t *Type) {
	r.out.Result = t
	switch {
	case t == nil || len(t.Fields) == 0:
	case t.copied || t.Size > 2*word:
		if !r.w.f.isArm64() {
			r.out.Result = pointerTo(t)
			r.out.Params = append([]*Type{r.out.Result}, r.out.Params...)
		}
	default:
		r.out.Result = t.soleDatum()
	}
}

// isArm64 reports whether the file is for AArch64.
func (f *debugFile) isArm64() bool { return f.img.elf.Machine == elf.EM_AARCH64 }

// word is the size of a register.
const word = 8

// addParam notes an argument that comes in registers, by the ABI of System V or AAPCS64.
func (r *variableReader) addParam(t *Type) {
	switch {
	case t != nil && (t.copied || !t.IsFloat() && t.Size > 2*word && r.w.f.isArm64()):
		r.out.Params = append(r.out.Params, pointerTo(t)) // the address of a copy
	case t == nil || t.soleDatum().IsFloat() || t.Size > 2*word:
	case t.Size > word:
		r.out.Params = append(r.out.Params, nil, nil)
	default:
		r.out.Params = append(r.out.Params, t.soleDatum())
	}
}

// resultOf finds the type that a function returns; it may be said where the
// function was declared.
func (w *walker) resultOf(fn *dwarf.Entry, depth int) dwarf.Offset {
	if typ, ok := fn.Val(dwarf.AttrType).(dwarf.Offset); ok {
		return typ
	}
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		if to, ok := fn.Val(attr).(dwarf.Offset); ok && depth < maxTypeDepth {
			if e, err := w.entryAt(to); err == nil {
				return w.resultOf(e, depth+1)
			}
		}
	}
	return 0
}

// opUninit is an operation of GNU: the variable may have no value yet.
const opUninit = 0xf0

// noBase says that variables have no fixed distance from the CFA.
const noBase = -1 << 40

// frameBase returns how far the frame base of a function is from the CFA.
func frameBase(fn *dwarf.Entry) int64 {
	b, _ := fn.Val(dwarf.AttrFrameBase).([]byte)
	switch {
	case len(b) == 1 && b[0] == expression.CFA:
		return 0
	case len(b) == 1 && b[0] == expression.Reg0+processor.RBP:
		return -16 // the return address and the caller's rbp are in between
	}
	return noBase
}

// frameOf is the register that is the frame base of a function, -1 none.
func frameOf(fn *dwarf.Entry) int {
	if b, _ := fn.Val(dwarf.AttrFrameBase).([]byte); len(b) == 1 && b[0] >= expression.Reg0 && b[0] < expression.Reg0+registers {
		return int(b[0] - expression.Reg0)
	}
	return -1
}

// variableReader reads the variables of a function.
type variableReader struct {
	w    *walker
	unit *unit
	base int64 // added to an offset from the frame base gives one from the CFA
	sp   int   // register that is the frame base
	out  *Variables
}

func (r *variableReader) addVariable(v scoped) error {
	e, err := r.w.entryAt(v.entry)
	if err != nil {
		return err
	}
	switch loc := e.Val(dwarf.AttrLocation).(type) {
	case []byte:
		t := r.w.typeAt(v.entry, 0)
		addr, ok := r.w.f.fixedAddress(r.unit, loc)
		switch {
		case ok:
			r.out.Static = append(r.out.Static, Variable{Offset: int64(addr), Size: typeSize(t), Type: t})
		case len(loc) > 1 && loc[0] == expression.Fbreg && r.base != noBase:
			if t = r.addLocal(loc[1:], t); e.Tag == dwarf.TagFormalParameter && v.only == nil {
				r.addParam(t)
			}
		case t != nil:
			for _, only := range v.only {
				r.addRegister(listing{only[0], only[1], loc}, t)
			}
			if v.only == nil {
				r.addRegister(listing{0, ^uint64(0), loc}, t)
			}
		}
	case int64:
		return r.addListed(v.entry, uint64(loc))
	case uint64: // an index
		return r.addListed(v.entry, r.w.f.listOffset(r.unit, loc))
	}
	return nil
}

// addListed notes where a variable is by its list of places.
func (r *variableReader) addListed(at dwarf.Offset, list uint64) error {
	t := r.w.typeAt(at, 0)
	if t == nil || r.unit.split {
		return nil
	}
	places := r.w.f.locations(r.unit, list)
	for _, l := range places {
		r.addRegister(l, t)
	}
	return r.w.spendWork(int64(len(places)))
}

func typeSize(t *Type) int64 {
	if t == nil {
		return 0
	}
	return t.Size
}

// addLocal notes a variable in the frame, or one that the frame has the address of, and
// returns the type of what is in the frame.
func (r *variableReader) addLocal(b []byte, t *Type) *Type {
	c := cursor.Cursor{Bytes: b}
	off := c.SLEB()
	switch {
	case !c.Bad && c.Left() == 1 && c.U8() == expression.Deref:
		t = pointerTo(t)
	case c.Bad || c.Left() > 0:
		return nil
	}
	r.out.Stack = append(r.out.Stack, Variable{Offset: off + r.base, Size: typeSize(t), Type: t})
	return t
}

// addRegister notes a pointer in a register, the variable itself or the address of one,
// or a variable at a distance from what is in a register.
func (r *variableReader) addRegister(l listing, t *Type) {
	if len(l.expr) == 0 || l.lo >= l.hi {
		return
	}
	if p := t.soleDatum(); p.Pointer {
		t = p
	}
	op := l.expr[0]
	c := cursor.Cursor{Bytes: l.expr[1:]}
	off := c.SLEB()
	whole := !c.Bad && c.Left() == 0
	switch {
	case op >= expression.Reg0 && op < expression.Reg0+registers && len(l.expr) == 1 && t.Pointer:
		r.out.Held = append(r.out.Held, Held{l.lo, l.hi, int(op - expression.Reg0), 0, t})
	case op >= expression.Breg0 && op < expression.Breg0+registers && whole:
		r.out.Based = append(r.out.Based, Held{l.lo, l.hi, int(op - expression.Breg0), off, t})
		if off == 0 {
			r.out.Held = append(r.out.Held, Held{l.lo, l.hi, int(op - expression.Breg0), 0, pointerTo(t)})
		}
	case op == expression.Fbreg && whole && r.sp >= 0:
		r.out.Based = append(r.out.Based, Held{l.lo, l.hi, r.sp, off, t})
	default:
		r.addPieces(l, t)
	}
}

// addPieces notes the pointers in registers of a variable that is in several of them.
func (r *variableReader) addPieces(l listing, t *Type) {
	c := cursor.Cursor{Bytes: l.expr, Order: r.w.f.order}
	for off := int64(0); c.Left() > 0 && !c.Bad; {
		op := c.U8()
		reg := -1
		if op >= expression.Reg0 && op < expression.Reg0+registers {
			reg, op = int(op-expression.Reg0), c.U8()
		}
		if op == opUninit {
			op = c.U8()
		}
		if op != expression.Piece {
			return
		}
		size := int64(c.ULEB())
		if part := t.DatumAt(off); reg >= 0 && size == word && part != nil && part.Pointer && !c.Bad {
			r.out.Held = append(r.out.Held, Held{l.lo, l.hi, reg, 0, part})
		}
		off += size
	}
}

// fixedAddress is the fixed address that an expression gives.
func (f *debugFile) fixedAddress(u *unit, expr []byte) (uint64, bool) {
	c := cursor.Cursor{Bytes: expr, Order: f.order}
	addr := uint64(0)
	switch c.U8() {
	case expression.Addr:
		addr = c.Fixed(8)
	case expression.Addrx:
		addr, c.Bad = f.indexedAddress(u, c.ULEB())
	default:
		return 0, false
	}
	if !c.Bad && c.Left() > 0 && c.U8() == expression.PlusConst { // a part of a common block
		addr += c.ULEB()
	}
	return addr, !c.Bad && c.Left() == 0
}

// StaticAt returns the variable at a fixed address that the unit of the code at pc
// knows.
func (c *Code) StaticAt(pc, addr uint64) (Variable, bool) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	f := c.m.debug
	if f == nil {
		return Variable{}, false
	}
	u, ok := f.byPC.find(pc)
	if !ok {
		return Variable{}, false
	}
	if !u.known { // else there is nothing to guard, and this is asked for often
		c.m.addNotes(guardFile(c.m.image.path, func() error { return f.readStatics(u) }))
	}
	if v, ok := smallestAround(u.static, int64(addr)); ok {
		return v, true
	}
	x, name, ok := c.m.objectAt(addr)
	if t := u.declared[name]; ok && t != nil {
		return Variable{Offset: int64(x.addr), Size: int64(x.size), Type: t}, true
	}
	return Variable{}, false
}

// smallestAround finds the smallest variable around an address in a list that is in order.
func smallestAround(list []Variable, addr int64) (out Variable, ok bool) {
	n, _ := slices.BinarySearchFunc(list, addr+1, func(v Variable, at int64) int { return cmp.Compare(v.Offset, at) })
	const near = 8 // variables that may share an address
	for i := n - 1; i >= 0 && i >= n-near; i-- {
		if v := list[i]; addr < v.Offset+v.Size && (!ok || v.Size < out.Size) {
			out, ok = v, true
		}
	}
	return out, ok
}

// readStatics reads the variables of a unit that are in no function, once.
func (f *debugFile) readStatics(u *unit) error {
	if u.known {
		return nil
	}
	u.known = true
	return f.scanStatics(u)
}

// scanStatics reads the variables of a unit that are in no function.
func (f *debugFile) scanStatics(u *unit) error {
	w := f.newWalker()
	root, err := w.enterUnit(u)
	if err != nil {
		return err
	}
	var found []*dwarf.Entry
	for depth := 0; root.Children; {
		e, err := w.next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			if depth--; depth < 0 {
				break
			}
			continue
		}
		switch e.Tag {
		case dwarf.TagVariable:
			found = append(found, e)
		case dwarf.TagNamespace, dwarf.TagModule, dwarf.TagCommonDwarfBlock:
			if e.Children {
				depth++
			}
			continue
		}
		if err := w.skipChildren(e); err != nil {
			return err
		}
	}
	u.declared = map[string]*Type{}
	for _, e := range found {
		t := w.typeAt(e.Offset, 0)
		if spec, ok := e.Val(dwarf.AttrSpecification).(dwarf.Offset); ok && t == nil {
			t = w.typeAt(spec, 0)
		}
		loc, _ := e.Val(dwarf.AttrLocation).([]byte)
		if addr, ok := f.fixedAddress(u, loc); ok {
			u.static = append(u.static, Variable{int64(addr), typeSize(t), t, w.plainName(e)})
			continue
		}
		name, _ := e.Val(dwarf.AttrLinkageName).(string)
		u.declared[cmp.Or(name, entryName(e))] = t
	}
	slices.SortStableFunc(u.static, func(a, b Variable) int { return cmp.Compare(a.Offset, b.Offset) })
	return nil
}
