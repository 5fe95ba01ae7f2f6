package symbol

import "debug/dwarf"

// scope is what the debug information says of the inside of a function.
type scope struct {
	inlined spans[*inlinedCall]
	vars    []scoped   // variables and parameters
	held    *Variables // of vars; nil: not read yet
}

// scoped is an entry that holds for some addresses only; nil: for all of the function.
type scoped struct {
	entry dwarf.Offset
	only  [][2]uint64
	in    *inlinedCall // that it is a variable of; nil: of the function itself
}

// inlinedCall is a call that the compiler inlined; parent is the inlined call
// that it is in, nil if it is in the function itself.
type inlinedCall struct {
	entry  *dwarf.Entry
	parent *inlinedCall
}

// scopeOf reads the inside of the function entry at off, once.
func (w *walker) scopeOf(off dwarf.Offset) (*scope, error) {
	if s := w.f.scopes[off]; s != nil {
		return s, nil
	}
	fn, err := w.entryAt(off)
	if err != nil {
		return nil, err
	}
	r := scopeReader{w: w, out: &scope{}}
	if fn.Children {
		err = r.readChildren()
	}
	r.out.inlined = newSpans(r.list)
	w.f.scopes[off] = r.out
	return r.out, err
}

type scopeReader struct {
	w    *walker
	list []span[*inlinedCall]
	out  *scope
}

// block is an entry whose children are being read.
type block struct {
	in   *inlinedCall
	only [][2]uint64 // its addresses; nil: those of what it is in
}

// readChildren goes through the children of the entry just read.
func (r *scopeReader) readChildren() error {
	for blocks := []block{{}}; len(blocks) > 0; {
		e, err := r.w.next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			blocks = blocks[:len(blocks)-1]
			continue
		}
		inner, ok, err := r.noteEntry(e, blocks[len(blocks)-1])
		if err != nil {
			return err
		}
		if ok && e.Children {
			blocks = append(blocks, inner)
		} else if err := r.w.skipChildren(e); err != nil {
			return err
		}
	}
	return nil
}

// noteEntry notes what an entry says; ok if its children belong to the function.
// An entry cannot have addresses that the one around it lacks.
func (r *scopeReader) noteEntry(e *dwarf.Entry, around block) (inner block, ok bool, err error) {
	switch e.Tag {
	case dwarf.TagInlinedSubroutine, dwarf.TagLexDwarfBlock, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock:
	case dwarf.TagCommonDwarfBlock:
		return around, true, nil
	case dwarf.TagVariable, dwarf.TagFormalParameter:
		r.out.vars = append(r.out.vars, scoped{e.Offset, around.only, around.in})
		return block{}, false, nil
	default:
		return block{}, false, nil
	}
	ranges, err := r.w.entryRanges(e)
	if err != nil {
		return block{}, false, err
	}
	inner = block{around.in, intersectRanges(ranges, around.only)}
	if len(ranges) == 0 {
		inner.only = around.only
	}
	if e.Tag == dwarf.TagInlinedSubroutine {
		inner.in = &inlinedCall{e, around.in}
		if len(ranges) == 0 {
			return block{}, false, nil
		}
		for _, a := range inner.only {
			r.list = append(r.list, span[*inlinedCall]{a[0], a[1], inner.in})
		}
	}
	return inner, true, r.w.spendWork(int64(len(inner.only)))
}

// intersectRanges returns the parts of ranges that are in one of only; all, if it is
// nil. It is never nil.
func intersectRanges(ranges, only [][2]uint64) [][2]uint64 {
	out := [][2]uint64{}
	for _, a := range ranges {
		if only == nil {
			out = append(out, a)
		}
		for _, b := range only {
			if lo, hi := max(a[0], b[0]), min(a[1], b[1]); lo < hi {
				out = append(out, [2]uint64{lo, hi})
			}
		}
	}
	return out
}
