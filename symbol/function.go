package symbol

import (
	"debug/dwarf"
	"slices"

	"laggard/binary/cursor"
)

// lookupCalls returns the logical levels at pc, innermost first, with linker names
// in Function; nil when no unit has the address.
func (f *debugFile) lookupCalls(pc uint64) (calls []Call, split bool, err error) {
	err = guardFile(f.img.path, func() error {
		u, ok := f.byPC.find(pc)
		if !ok {
			return nil
		}
		split = u.split
		calls, err = f.callsAt(u, pc)
		return err
	})
	return calls, split, err
}

func (f *debugFile) callsAt(u *unit, pc uint64) ([]Call, error) {
	w := f.newWalker()
	chain, err := w.inlineChain(u, pc)
	if err != nil {
		return nil, err
	}
	lines, err := f.linesOf(u)
	if err != nil {
		return nil, err
	}
	file, line := lines.sourceLine(pc)
	if len(chain) == 0 {
		return []Call{{File: file, Line: line}}, nil
	}
	var calls []Call
	for i := len(chain) - 1; i >= 0; i-- {
		name, err := f.functionName(chain[i], w)
		if err != nil {
			return nil, err
		}
		calls = append(calls, Call{Function: name, File: file, Line: line})
		file, line = lines.callSite(chain[i])
	}
	return calls, nil
}

// inlineChain returns the function at pc and the functions inlined there, outermost
// first; nil if the unit does not know the function.
func (w *walker) inlineChain(u *unit, pc uint64) ([]*dwarf.Entry, error) {
	off, ok, err := w.functionEntry(u, pc)
	if err != nil || !ok {
		return nil, err
	}
	in, err := w.scopeOf(off)
	if err != nil {
		return nil, err
	}
	fn, err := w.entryAt(off)
	if err != nil {
		return nil, err
	}
	var chain []*dwarf.Entry
	for call, _ := in.inlined.find(pc); call != nil; call = call.parent {
		chain = append(chain, call.entry)
	}
	chain = append(chain, fn)
	slices.Reverse(chain)
	return chain, nil
}

// functionEntry finds the function entry for pc. Functions inside of functions are
// indexed only when an address needs them: few languages have them.
func (w *walker) functionEntry(u *unit, pc uint64) (dwarf.Offset, bool, error) {
	if u.funcs == nil {
		if err := w.indexFunctions(u, false); err != nil {
			return 0, false, err
		}
	}
	off, ok := u.funcs.find(pc)
	if !ok && !u.full {
		if err := w.indexFunctions(u, true); err != nil {
			return 0, false, err
		}
		off, ok = u.funcs.find(pc)
	}
	return off, ok, nil
}

func (w *walker) indexFunctions(u *unit, full bool) error {
	root, err := w.enterUnit(u)
	if err != nil {
		return err
	}
	var list []span[dwarf.Offset]
	for depth := 0; root.Children; {
		e, err := w.next()
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		if e.Tag == 0 {
			if depth--; depth < 0 {
				break
			}
			continue
		}
		if e.Tag == dwarf.TagSubprogram {
			ranges, err := w.entryRanges(e)
			if err != nil {
				return err
			}
			for _, r := range ranges {
				list = append(list, span[dwarf.Offset]{r[0], r[1], e.Offset})
			}
		}
		if e.Children && mayNestFunctions(e.Tag, full) {
			depth++
		} else if err := w.skipChildren(e); err != nil {
			return err
		}
	}
	s := newSpans(list)
	u.funcs, u.full = &s, full
	return nil
}

// mayNestFunctions reports whether functions can stand below an entry of this kind.
func mayNestFunctions(tag dwarf.Tag, full bool) bool {
	switch tag {
	case dwarf.TagNamespace, dwarf.TagModule:
		return true
	case dwarf.TagSubprogram, dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine,
		dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		return full
	}
	return false
}

// fortranProgram is DW_CC_program, the calling convention by which Fortran
// compilers mark the main program (DWARF 5, section 3.3.1.2).
const fortranProgram = 2

// functionName returns the linker name of a function entry, or its plain name where it
// has no other, following the entries it was made from.
func (f *debugFile) functionName(e *dwarf.Entry, w *walker) (string, error) {
	plain := ""
	for range 16 { // a chain in real files has at most three members
		if cc, ok := e.Val(dwarf.AttrCalling).(int64); ok && cc == fortranProgram {
			return "MAIN__", nil
		}
		for _, a := range []dwarf.Attr{dwarf.AttrLinkageName, attrMIPSLinkage} {
			if s := f.stringAttr(e, a); s != "" {
				return sourceName(s, f.stringAttr(e, dwarf.AttrName)), nil
			}
		}
		if plain == "" {
			plain = f.stringAttr(e, dwarf.AttrName)
		}
		ref := e.AttrField(dwarf.AttrAbstractOrigin)
		if ref == nil {
			ref = e.AttrField(dwarf.AttrSpecification)
		}
		if ref == nil {
			return plain, nil
		}
		off, local := ref.Val.(dwarf.Offset)
		if alt, ok := ref.Val.(int64); ok && ref.Class == dwarf.ClassReferenceAlt && f.alt != nil {
			f, off, local = f.alt, dwarf.Offset(alt), true
			w = f.newWalker()
		}
		if !local {
			return plain, nil
		}
		var err error
		if e, err = w.entryAt(off); err != nil {
			return "", err
		}
	}
	return plain, nil
}

// sourceName undoes the underscore that Fortran compilers put behind the names
// of external procedures.
func sourceName(linker, source string) string {
	if linker == source+"_" {
		return source
	}
	return linker
}

// stringAttr returns a string attribute, "" if e has none.
func (f *debugFile) stringAttr(e *dwarf.Entry, a dwarf.Attr) string {
	field := e.AttrField(a)
	if field == nil {
		return ""
	}
	if s, ok := field.Val.(string); ok {
		return s
	}
	off, ok := field.Val.(int64)
	if !ok || field.Class != dwarf.ClassStringAlt || f.alt == nil || off < 0 || off >= int64(len(f.alt.str)) {
		return ""
	}
	c := cursor.Cursor{Bytes: f.alt.str, Off: int(off), Order: f.order}
	text := c.Text()
	return string(text[:min(len(text), maxName)])
}
