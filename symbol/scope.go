package symbol

import "debug/dwarf"

// scope is what the debug information says of the inside of a function.
type scope struct {
	inlined spans[*inlinedCall]
	vars    []Variable
}

// inlinedCall is a call that the compiler inlined; parent is the inlined call
// that it is in, nil if it is in the function itself.
type inlinedCall struct {
	entry  *dwarf.Entry
	parent *inlinedCall
}

// Variable is a local variable or parameter that has a place on the stack.
type Variable struct {
	// Offset of its first byte from the canonical frame address, which is the
	// stack pointer before the call.
	Offset int64
	Size   int64 // bytes, 0 unknown
}

// scopeOf reads the inside of the function entry at off, once.
func (w *walker) scopeOf(off dwarf.Offset) (*scope, error) {
	if s := w.f.scopes[off]; s != nil {
		return s, nil
	}
	fn, err := w.at(off)
	if err != nil {
		return nil, err
	}
	r := scopeReader{w: w, base: frameBase(fn), out: &scope{}}
	if fn.Children {
		err = r.read()
	}
	r.out.inlined = newSpans(r.list)
	r.sizes()
	w.f.scopes[off] = r.out
	return r.out, err
}

type scopeReader struct {
	w     *walker
	base  int64 // added to an offset from the frame base gives one from the CFA
	list  []span[*inlinedCall]
	types []dwarf.Offset // of out.vars
	out   *scope
}

// block is an entry whose children are being read.
type block struct {
	in   *inlinedCall
	only [][2]uint64 // its addresses; nil: those of what it is in
}

// read goes through the children of the entry just read.
func (r *scopeReader) read() error {
	for blocks := []block{{}}; len(blocks) > 0; {
		e, err := r.w.next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			blocks = blocks[:len(blocks)-1]
			continue
		}
		inner, ok, err := r.enter(e, blocks[len(blocks)-1])
		if err != nil {
			return err
		}
		if ok && e.Children {
			blocks = append(blocks, inner)
		} else if err := r.w.skip(e); err != nil {
			return err
		}
	}
	return nil
}

// enter notes what an entry says; ok if its children belong to the function.
// An entry cannot have addresses that the one around it lacks.
func (r *scopeReader) enter(e *dwarf.Entry, around block) (inner block, ok bool, err error) {
	switch e.Tag {
	case dwarf.TagInlinedSubroutine, dwarf.TagLexDwarfBlock, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock:
	default:
		r.variable(e)
		return block{}, false, nil
	}
	ranges, err := r.w.ranges(e)
	if err != nil {
		return block{}, false, err
	}
	inner = block{around.in, overlap(ranges, around.only)}
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
	return inner, true, r.w.spend(int64(len(inner.only)))
}

// overlap returns the parts of ranges that are in one of only; all, if it is
// nil. It is never nil.
func overlap(ranges, only [][2]uint64) [][2]uint64 {
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

// Operations of DWARF expressions (DWARF 5, section 7.7.1).
const (
	opReg6         = 0x56 // rbp
	opFbreg        = 0x91
	opCallFrameCFA = 0x9c
)

// noBase says that variables have no fixed distance from the CFA.
const noBase = -1 << 40

// frameBase returns how far the frame base of a function is from the CFA.
func frameBase(fn *dwarf.Entry) int64 {
	b, _ := fn.Val(dwarf.AttrFrameBase).([]byte)
	switch {
	case len(b) == 1 && b[0] == opCallFrameCFA:
		return 0
	case len(b) == 1 && b[0] == opReg6:
		return -16 // the return address and the caller's rbp are in between
	}
	return noBase
}

func (r *scopeReader) variable(e *dwarf.Entry) {
	if e.Tag != dwarf.TagVariable && e.Tag != dwarf.TagFormalParameter || r.base == noBase {
		return
	}
	b, _ := e.Val(dwarf.AttrLocation).([]byte)
	if len(b) < 2 || b[0] != opFbreg {
		return
	}
	off, n := sleb(b[1:])
	if n != len(b)-1 {
		return
	}
	typ, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if origin, is := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); is && !ok {
		typ = origin // the size of the original is that of its type
	}
	r.out.vars = append(r.out.vars, Variable{Offset: off + r.base})
	r.types = append(r.types, typ)
}

func (r *scopeReader) sizes() {
	for i := range r.out.vars {
		r.out.vars[i].Size = r.w.sizeOf(r.types[i], 0)
	}
}

func sleb(b []byte) (v int64, n int) {
	shift := uint(0)
	for _, x := range b {
		n++
		if shift < 64 {
			v |= int64(x&0x7f) << shift
		}
		shift += 7
		if x&0x80 == 0 {
			if x&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			break
		}
	}
	return v, n
}

// maxTypeDepth bounds the types that are followed to find a size.
const maxTypeDepth = 24

// sizeOf returns the bytes of the type at off, 0 if it does not say.
func (w *walker) sizeOf(off dwarf.Offset, depth int) int64 {
	if off == 0 || depth > maxTypeDepth {
		return 0
	}
	e, err := w.at(off)
	if err != nil {
		return 0
	}
	if n, ok := e.Val(dwarf.AttrByteSize).(int64); ok {
		return max(n, 0)
	}
	if e.Tag == dwarf.TagPointerType || e.Tag == dwarf.TagReferenceType || e.Tag == dwarf.TagRvalueReferenceType {
		return 8
	}
	count := int64(1)
	if e.Tag == dwarf.TagArrayType {
		count = w.elements(e)
	}
	inner, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		inner, _ = e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	}
	const most = 1 << 40
	size := w.sizeOf(inner, depth+1)
	if count < 0 || size <= 0 || count > most/size {
		return 0
	}
	return count * size
}

// elements multiplies the extents of the array just read; 0 unknown.
func (w *walker) elements(array *dwarf.Entry) int64 {
	count := int64(1)
	for array.Children {
		e, err := w.next()
		if err != nil || e == nil || e.Tag == 0 {
			break
		}
		if e.Tag == dwarf.TagSubrangeType {
			n, ok := e.Val(dwarf.AttrCount).(int64)
			if upper, is := e.Val(dwarf.AttrUpperBound).(int64); is && !ok {
				lower, has := e.Val(dwarf.AttrLowerBound).(int64)
				if !has {
					lower = 0
				}
				n = upper - lower + 1
			}
			count = max(count*min(max(n, 0), 1<<32), 0)
		}
		if w.skip(e) != nil {
			break
		}
	}
	return count
}
