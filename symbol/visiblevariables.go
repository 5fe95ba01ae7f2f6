package symbol

import "debug/dwarf"

// Visible is what the source has names for at one address of the code.
type Visible struct {
	Levels []Level    // the inlined calls there, innermost first, and the function itself last
	Static []Variable // of the unit, with names, at file addresses
	// Base is an expression for what DW_OP_fbreg counts from, in every Place.
	Base []byte
	// Fortran: members are written with a percent sign, and case does not count.
	Fortran bool
}

// Level is what one logical level of the stack has names for.
type Level struct {
	Call
	Locals []Local // the inner ones first: of two with one name the first is meant
	// Names has the names of all variables of the call, also of those that have no place at the address.
	Names []string
}

// Local is a local variable or a parameter.
type Local struct {
	Name  string
	Type  *Type
	Place []byte // a location expression (DWARF 5, section 2.6), as at the address
}

// VisibleVariables returns what the source has names for at pc, nil if the debug information
// does not say.
func (c *Code) VisibleVariables(pc uint64) *Visible {
	calls := c.CallLevels(pc)
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	f := c.m.debug
	if f == nil || len(calls) == 0 {
		return nil
	}
	u, ok := f.byPC.find(pc)
	if !ok || u.split {
		return nil
	}
	out := &Visible{Fortran: u.fortran}
	if guardFile(c.m.image.path, func() error { return f.fillVisible(u, pc, calls, out) }) != nil {
		return nil
	}
	return out
}

func (f *debugFile) fillVisible(u *unit, pc uint64, calls []Call, out *Visible) error {
	w := f.newWalker()
	off, ok, err := w.functionEntry(u, pc)
	if err != nil || !ok {
		return err
	}
	fn, err := w.entryAt(off)
	if err != nil {
		return err
	}
	in, err := w.scopeOf(off)
	if err != nil {
		return err
	}
	out.Base, _ = fn.Val(dwarf.AttrFrameBase).([]byte)
	call, _ := in.inlined.find(pc)
	for i := range calls {
		l := Level{Call: calls[i]}
		if l.Locals, l.Names, err = w.localsAt(u, in.vars, call, pc); err != nil {
			return err
		}
		out.Levels = append(out.Levels, l)
		if call == nil {
			break
		}
		call = call.parent
	}
	err = f.readStatics(u)
	out.Static = u.static
	return err
}

// localsAt are the variables of a call that have a place at pc, and the names of all. Those of inner blocks come later in the
// debug information.
func (w *walker) localsAt(u *unit, vars []scoped, call *inlinedCall, pc uint64) (out []Local, names []string, err error) {
	for i := len(vars) - 1; i >= 0; i-- {
		v := vars[i]
		if v.in != call {
			continue
		}
		e, err := w.entryAt(v.entry)
		if err != nil {
			return nil, nil, err
		}
		name := w.plainName(e)
		names = append(names, name)
		if !holdsAt(v.only, pc) {
			continue
		}
		place := w.f.placeAt(u, e, pc)
		if t := w.typeAt(v.entry, 0); t != nil && place != nil {
			out = append(out, Local{name, t, place})
		}
	}
	return out, names, w.spendWork(int64(len(vars)))
}

// holdsAt reports whether an entry holds at an address; nil: at all.
func holdsAt(only [][2]uint64, pc uint64) bool {
	for _, a := range only {
		if a[0] <= pc && pc < a[1] {
			return true
		}
	}
	return only == nil
}

// placeAt is where a variable is at pc, nil if that is not said.
func (f *debugFile) placeAt(u *unit, e *dwarf.Entry, pc uint64) []byte {
	var list uint64
	switch loc := e.Val(dwarf.AttrLocation).(type) {
	case []byte:
		return loc
	case int64:
		list = uint64(loc)
	case uint64:
		list = f.listOffset(u, loc)
	default:
		return nil
	}
	for _, l := range f.locations(u, list) {
		if l.lo <= pc && pc < l.hi {
			return l.expr
		}
	}
	return nil
}

// plainName is the name in the source, also of an entry that is made from another one.
func (w *walker) plainName(e *dwarf.Entry) string {
	for range maxTypeDepth {
		if name := entryName(e); name != "" {
			return name
		}
		from, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			from, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		var err error
		if e, err = w.entryAt(from); !ok || err != nil {
			return ""
		}
	}
	return ""
}

// Enumerator is the name of a value of an enumeration, "" if it has none.
func (c *Code) Enumerator(t *Type, value int64) string {
	if t == nil || t.Number != Enumeration {
		return ""
	}
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if c.m.debug == nil || c.m.debug != t.in {
		return ""
	}
	name := ""
	if guardFile(c.m.image.path, func() error {
		name = t.in.newWalker().enumerator(t.at, value)
		return nil
	}) != nil {
		return ""
	}
	return name
}

func (w *walker) enumerator(at dwarf.Offset, value int64) string {
	e, err := w.entryAt(at)
	for more := err == nil && e.Children; more; {
		if e, err = w.next(); err != nil || e == nil || e.Tag == 0 {
			break
		}
		if n, ok := e.Val(dwarf.AttrConstValue).(int64); ok && n == value && e.Tag == dwarf.TagEnumerator {
			return entryName(e)
		}
		if w.skipChildren(e) != nil {
			break
		}
	}
	return ""
}
